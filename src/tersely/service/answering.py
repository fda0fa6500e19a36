"""Answering: from a body that was checked to an answer, through cache, queue and model."""

import asyncio
import copy
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tersely.completion.completer import Completer, Keywords, Suggestion
from tersely.completion.memory import Memory
from tersely.completion.options import Order
from tersely.completion.query import read_typed
from tersely.errors import TerselyError, UsageError
from tersely.service.batcher import Batcher, ClosedError, QueueFullError, Wanted
from tersely.service.cache import Cache
from tersely.service.catalogue import Models
from tersely.service.hurrying import SHARE_OF_DEADLINE, HurriedWishes, Hurry
from tersely.service.metrics import Metrics
from tersely.service.phrases import Phrases
from tersely.service.schemas import CompleteOne, KeywordsBody
from tersely.service.settings import ServiceSettings
from tersely.web.errors import Refusal

LOGGER = logging.getLogger("tersely.service")
LEAST_BUDGET = 0.01
RETRY = {"Retry-After": "1"}
STUCK_DEADLINES = 2
"""A batch that takes so many deadlines is not only slow."""


@dataclass(frozen=True, slots=True)
class Completing:
    """What requests must have in common to be completed together."""

    model: str
    n: int
    prefix: bool
    order: Order
    including: tuple[str, ...]
    without: tuple[str, ...]
    context: str
    corrections: bool
    memory: bool

    def wishes(self, hurry: Hurry) -> HurriedWishes:
        """As the library takes them; refused if they contradict each other."""
        return HurriedWishes(
            prefix=self.prefix,
            order=self.order,
            including=self.including,
            without=self.without,
            context=self.context,
            corrections=self.corrections,
            hurry=hurry,
        )

    @property
    def has_one_reading(self) -> bool:
        """Whether the keywords are searched for as they are; only then a batch is faster."""
        moves = self.order == "free" or bool(self.including)
        return not (self.prefix or moves or self.corrections)


@dataclass(frozen=True, slots=True)
class Choosing:
    """The same for the choice of keywords."""

    model: str
    budget: float | None


Group = Completing | Choosing
Question = tuple[Group, str]
Result = list[Suggestion] | Keywords


class DecodeCutError(Exception):
    """The time was up before anything was found."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A result, and whether it is the one that would be found again."""

    result: Result
    may_be_kept: bool = True


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
        self.batcher: Batcher[Group, str, Answered] = Batcher(
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
        group = Completing(
            model=self.named(one.model),
            n=one.n,
            prefix=one.prefix,
            order=one.order,
            including=tuple(one.including),
            without=tuple(one.without),
            context=one.context,
            corrections=one.corrections,
            memory=memory,
        )
        _check_possible(group, one.keywords)
        return group

    async def _answer(self, questions: Sequence[Question]) -> list[Result]:
        """Look each up, and have the rest worked out within the deadline."""
        known = {one: self._look_up(one) for one in questions}
        missing = [one for one, answer in known.items() if answer is None]
        if missing:
            for one, answered in zip(missing, await self._worked_out(missing), strict=True):
                known[one] = answered.result
                if answered.may_be_kept and not _changes(one[0]):
                    self._cache.keep(one, answered.result)
        return [answer for one in questions if (answer := known[one]) is not None]

    async def _worked_out(self, questions: Sequence[Question]) -> list[Answered]:
        try:
            async with asyncio.timeout(self._settings.deadline):
                return await self.batcher.submit(questions)
        except (TimeoutError, DecodeCutError):
            raise self._shed("deadline", "This took too long. Try again, or shorter.") from None
        except QueueFullError:
            raise self._shed("queue", "Too many requests wait. Try again soon.") from None
        except UsageError as error:
            raise Refusal(409, "unsupported", str(error)) from error
        except ClosedError:
            raise self._shed("closing", "The service is closing.") from None

    def _look_up(self, question: Question) -> Result | None:
        if _changes(question[0]):
            return None
        answer = self._cache.get(question)
        self._metrics.lookup(found=answer is not None)
        return answer

    def _together(self, group: Group) -> int:
        """What has several readings is searched for one by one: together, all wait for the last."""
        is_slow = isinstance(group, Completing) and not group.has_one_reading
        return 1 if is_slow else self._settings.batch

    def _work(self, group: Group, texts: Sequence[str], is_wanted: Wanted) -> list[Answered]:
        """Ask the model; runs in the batcher's thread."""
        completer = self._loaded(group.model)
        if isinstance(group, Choosing):
            return [Answered(_chosen(completer, text, group.budget)) for text in texts]
        if group.memory:
            completer = _remembering(completer, self._phrases.in_use())
        hurry = Hurry(SHARE_OF_DEADLINE * self._settings.deadline, is_wanted)
        found = completer.answer(texts, group.n, group.wishes(hurry))
        if hurry.has_cut and not all(found):
            raise DecodeCutError
        return [Answered(one, may_be_kept=not hurry.has_cut) for one in found]

    def _loaded(self, name: str) -> Completer:
        try:
            return self._models.completer(name)
        except TerselyError as error:
            LOGGER.exception("a model could not be loaded")
            raise Refusal(409, "broken_model", "That model cannot be used.") from error

    def _shed(self, reason: str, message: str) -> Refusal:
        self._metrics.shed(reason)
        return Refusal(503, "overloaded", message, headers=RETRY)


def _changes(group: Group) -> bool:
    """Whether the same question may be answered otherwise next time."""
    return isinstance(group, Completing) and group.memory


def _chosen(completer: Completer, sentence: str, budget: float | None) -> Keywords:
    """The keywords; at a budget of 0 none, which the library has no need of."""
    if budget is None:
        return completer.keywords(sentence)
    chosen = completer.keywords(sentence, max(budget, LEAST_BUDGET))
    return chosen if budget else replace(chosen, keep=[False] * len(chosen.keep))


def _remembering(completer: Completer, memory: Memory | None) -> Completer:
    """The same model with a person's sentences; nothing is loaded twice."""
    found = copy.copy(completer)
    found.memory = memory
    return found


def _check_possible(group: Completing, keywords: str) -> None:
    """Refuse what contradicts itself before it waits with others."""
    try:
        group.wishes(Hurry(0.0, lambda: False)).check(read_typed(keywords))
    except UsageError as error:
        raise Refusal(409, "contradiction", str(error)) from error
