"""Answering: from a body that was checked to an answer, through cache, queue and model."""

import asyncio
import copy
import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tersely.errors import UsageError
from tersely.model.completer import Completer, Keywords, Suggestion, unwanted_words
from tersely.model.memory import Memory
from tersely.model.typed import read_typed
from tersely.service.batcher import Batcher, ClosedError, QueueFullError, Wanted
from tersely.service.cache import Cache
from tersely.service.catalogue import Models
from tersely.service.cutting import CuttableRuntime, DecodeCutError
from tersely.service.metrics import Metrics
from tersely.service.phrases import Phrases
from tersely.service.schemas import CompleteOne, KeywordsBody
from tersely.service.settings import ServiceSettings
from tersely.web.errors import Refusal

RETRY = {"Retry-After": "1"}
STUCK_DEADLINES = 2
"""A batch that takes so many deadlines is not only slow."""


@dataclass(frozen=True, slots=True)
class Completing:
    """What requests must have in common to be completed together."""

    model: str
    n: int
    prefix: bool
    without: tuple[str, ...]
    options: tuple[tuple[str, Any], ...]
    """Those that are not as usual."""
    memory: bool


@dataclass(frozen=True, slots=True)
class Choosing:
    """The same for the choice of keywords."""

    model: str
    budget: float | None


Group = Completing | Choosing
Question = tuple[Group, str]
Result = list[Suggestion] | Keywords


class Answering:
    """Answers requests within their time, or says why not."""

    def __init__(
        self, models: Models, settings: ServiceSettings, phrases: Phrases, metrics: Metrics
    ) -> None:
        self._models = models
        self._settings = settings
        self._phrases = phrases
        self._metrics = metrics
        self._cache: Cache[Question, Result] = Cache(settings.cache)
        self.batcher: Batcher[Group, str, Result] = Batcher(
            self._work,
            together=self._together,
            queue_limit=settings.queue,
            observe=metrics.batch,
        )

    @property
    def is_stuck(self) -> bool:
        """Whether the model has not come back for long."""
        return self.batcher.busy_seconds > STUCK_DEADLINES * self._settings.deadline

    async def complete(self, asked: Sequence[CompleteOne]) -> list[list[Suggestion]]:
        """Suggestions for each, in order."""
        # The switch is in a file, and a file may be slow; where there is none this is quick.
        remembers = self._phrases.exists and await asyncio.to_thread(self._phrases.is_on)
        questions = [(self._group(one, memory=remembers), one.keywords) for one in asked]
        return [answer for answer in await self._answer(questions) if isinstance(answer, list)]

    async def keywords(self, asked: KeywordsBody) -> Keywords:
        """The keywords of a sentence."""
        group = Choosing(self.named(asked.model), asked.budget)
        (answer,) = await self._answer([(group, asked.sentence)])
        assert isinstance(answer, Keywords)
        return answer

    def named(self, name: str | None) -> str:
        """The model that answers; refused if there is none of that name."""
        if name is None:
            return self._models.default
        self._models.check(name)
        return name

    def _group(self, one: CompleteOne, *, memory: bool) -> Completing:
        options = {
            "order": one.order if one.order != "typed" else None,
            "context": one.context,
            "including": tuple(one.including),
            "corrections": one.corrections,
        }
        unusual = tuple((name, value) for name, value in options.items() if value)
        _check_possible(one, [name for name, _ in unusual])
        return Completing(
            model=self.named(one.model),
            n=one.n,
            prefix=one.prefix,
            without=tuple(one.without),
            options=unusual,
            memory=memory,
        )

    async def _answer(self, questions: Sequence[Question]) -> list[Result]:
        """Look each up, and have the rest worked out within the deadline."""
        known = {one: self._look_up(one) for one in questions}
        missing = [one for one, answer in known.items() if answer is None]
        if missing:
            for one, found in zip(missing, await self._worked_out(missing), strict=True):
                self._keep(one, found)
                known[one] = found
        return [answer for one in questions if (answer := known[one]) is not None]

    async def _worked_out(self, questions: Sequence[Question]) -> list[Result]:
        try:
            async with asyncio.timeout(self._settings.deadline):
                return await self.batcher.submit(questions)
        except (TimeoutError, DecodeCutError):
            raise self._shed("deadline", "This took too long. Try again, or shorter.") from None
        except QueueFullError:
            raise self._shed("queue", "Too many requests wait. Try again soon.") from None
        except ClosedError:
            raise self._shed("closing", "The service is closing.") from None

    def _look_up(self, question: Question) -> Result | None:
        if _changes(question[0]):
            return None
        answer = self._cache.get(question)
        self._metrics.lookup(found=answer is not None)
        return answer

    def _keep(self, question: Question, answer: Result) -> None:
        if not _changes(question[0]):
            self._cache.keep(question, answer)

    def _together(self, group: Group) -> int:
        """Unfinished words are completed one by one anyway: together, all wait for the last."""
        is_unfinished = isinstance(group, Completing) and group.prefix
        return 1 if is_unfinished else self._settings.batch

    def _work(self, group: Group, texts: Sequence[str], is_wanted: Wanted) -> list[Result]:
        """Ask the model; runs in the batcher's thread."""
        completer = self._models.completer(group.model)
        assert isinstance(completer.runtime, CuttableRuntime)
        with completer.runtime.while_wanted(is_wanted):
            if isinstance(group, Choosing):
                return [completer.keywords(text, group.budget) for text in texts]
            if group.memory:
                completer = _remembering(completer, self._phrases.in_use())
            options: dict[str, Any] = dict(group.options)
            return list(
                completer.complete_batch(
                    texts, group.n, prefix=group.prefix, without=group.without, **options
                )
            )

    def _shed(self, reason: str, message: str) -> Refusal:
        self._metrics.shed(reason)
        return Refusal(503, "overloaded", message, headers=RETRY)


def _changes(group: Group) -> bool:
    """Whether the same question may be answered otherwise next time."""
    return isinstance(group, Completing) and group.memory


def _remembering(completer: Completer, memory: Memory | None) -> Completer:
    """The same model with a person's sentences; nothing is loaded twice."""
    found = copy.copy(completer)
    found.memory = memory
    return found


def _check_possible(one: CompleteOne, options: Sequence[str]) -> None:
    """Refuse what contradicts itself before it waits with others."""
    known = inspect.signature(Completer.complete_batch).parameters
    for name in options:
        if name not in known:
            raise Refusal(409, "unsupported", f"{name}: this version cannot do that yet.")
    try:
        unwanted_words(one.without, [read_typed(one.keywords)])
    except UsageError as error:
        raise Refusal(409, "contradiction", str(error)) from error
