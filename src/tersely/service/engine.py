"""Engine: from a validated request to its result, through the cache, the queue and the model."""

import asyncio
import copy
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from cachetools import LRUCache

from tersely.completion.completer import Completer
from tersely.completion.memory import Memory
from tersely.completion.options import CompletionOptions, Deadline
from tersely.completion.query import Query, parse_query
from tersely.completion.suggestion import Keywords, Suggestion
from tersely.errors import TerselyError, UsageError
from tersely.service.batcher import Batcher, ClosedError, IsCancelled, QueueFullError
from tersely.service.memory_store import MemoryStore
from tersely.service.metrics import Metrics
from tersely.service.models import Models
from tersely.service.schemas import CompletionRequest, KeywordsRequest
from tersely.service.settings import ServiceSettings
from tersely.web.errors import ApiError

LOGGER = logging.getLogger("tersely.service")
MIN_REQUEST_BUDGET = 0.01
"""Smaller requested budgets are raised to this one; the library refuses 0."""
RETRY_AFTER = {"Retry-After": "1"}
DECODING_SHARE = 0.75
"""Share of a request's deadline for decoding; the rest is for the queue and the response."""
STUCK_DEADLINES = 2
"""A model is stuck if one batch takes this many deadlines."""


@dataclass(frozen=True, slots=True)
class CompletionGroup:
    """What requests must have in common to be completed in one batch."""

    model: str
    options: CompletionOptions
    """Without a deadline."""
    uses_memory: bool


@dataclass(frozen=True, slots=True)
class SelectionGroup:
    """What requests for keywords must have in common."""

    model: str
    budget: float | None


Group = CompletionGroup | SelectionGroup
Input = Query | str
"""The keywords to complete, or the sentence to select keywords from."""
Job = tuple[Group, Input]
Result = list[Suggestion] | Keywords


@dataclass(frozen=True, slots=True)
class Completion:
    """The suggestions of a request and the name of the model they come from."""

    model: str
    suggestions: list[Suggestion]


@dataclass(frozen=True, slots=True)
class _Computed:
    """A result, and whether the same request would get it again."""

    result: Result
    is_cacheable: bool = True


class DeadlineExceededError(Exception):
    """Decoding was stopped before it had a suggestion."""


class Engine:
    """Answer requests within their deadline, or raise an `ApiError`."""

    def __init__(
        self, models: Models, settings: ServiceSettings, memory: MemoryStore, metrics: Metrics
    ) -> None:
        self._models = models
        self._settings = settings
        self._memory = memory
        self._metrics = metrics
        self._cache: LRUCache[Job, Result] = LRUCache(settings.cache)
        self.batcher: Batcher[Group, Input, _Computed] = Batcher(
            self._process_batch,
            batch_size=self._batch_size,
            queue_limit=settings.queue,
            on_batch=metrics.count_batch,
        )

    @property
    def is_stuck(self) -> bool:
        """Whether the current batch has taken several deadlines."""
        return self.batcher.busy_seconds > STUCK_DEADLINES * self._settings.deadline

    async def complete(self, requests: Sequence[CompletionRequest]) -> list[Completion]:
        """Return the suggestions of each request, in order."""
        # A file may be slow, so the switch is read in a thread; usually there is no file.
        uses_memory = self._memory.exists() and await asyncio.to_thread(self._memory.is_on)
        names = {name: self._models.resolve(name) for name in {item.model for item in requests}}
        jobs: list[Job] = []
        for request in requests:
            options, query = _parse(request)
            jobs.append((CompletionGroup(names[request.model], options, uses_memory), query))
        return [
            Completion(group.model, result)
            for (group, _), result in zip(jobs, await self._results(jobs), strict=True)
            if isinstance(result, list)
        ]

    async def select_keywords(self, request: KeywordsRequest) -> Keywords:
        """Return the keywords of a sentence."""
        group = SelectionGroup(self._models.resolve(request.model), request.budget)
        (result,) = await self._results([(group, request.sentence)])
        assert isinstance(result, Keywords)
        return result

    async def _results(self, jobs: Sequence[Job]) -> list[Result]:
        """Look each job up in the cache and compute the others."""
        results = {job: self._look_up(job) for job in jobs}
        missing = [job for job, result in results.items() if result is None]
        if missing:
            for job, computed in zip(missing, await self._compute(missing), strict=True):
                results[job] = computed.result
                if computed.is_cacheable and self._is_cached(job[0]):
                    self._cache[job] = computed.result
        return [result for job in jobs if (result := results[job]) is not None]

    def _look_up(self, job: Job) -> Result | None:
        if not self._is_cached(job[0]):
            return None
        result = self._cache.get(job)
        self._metrics.count_cache_lookup(is_hit=result is not None)
        return result

    def _is_cached(self, group: Group) -> bool:
        """Return whether the results of a group may be cached; a memory changes them."""
        uses_memory = isinstance(group, CompletionGroup) and group.uses_memory
        return self._cache.maxsize > 0 and not uses_memory

    async def _compute(self, jobs: Sequence[Job]) -> list[_Computed]:
        try:
            async with asyncio.timeout(self._settings.deadline):
                return await self.batcher.submit(jobs)
        except (TimeoutError, DeadlineExceededError):
            message = "The request took too long. Try again, or with fewer words."
            raise self._overloaded("deadline", message) from None
        except QueueFullError:
            message = "Too many requests are waiting. Try again soon."
            raise self._overloaded("queue", message) from None
        except ClosedError:
            raise self._overloaded("closing", "The service is shutting down.") from None
        except UsageError as error:
            raise ApiError(409, "unsupported", str(error)) from error

    def _overloaded(self, reason: str, message: str) -> ApiError:
        self._metrics.count_shed(reason)
        return ApiError(503, "overloaded", message, headers=RETRY_AFTER)

    def _batch_size(self, group: Group) -> int:
        """Return 1 for requests with expansions: each is a batch of searches already."""
        has_expansions = isinstance(group, CompletionGroup) and group.options.has_expansions
        return 1 if has_expansions else self._settings.batch

    def _process_batch(
        self, group: Group, inputs: Sequence[Input], is_cancelled: IsCancelled
    ) -> list[_Computed]:
        """Run the model on inputs of one group; called in the batcher's thread."""
        completer = self._load(group.model)
        if isinstance(group, SelectionGroup):
            sentences = [sentence for sentence in inputs if isinstance(sentence, str)]
            return [
                _Computed(_select_keywords(completer, sentence, group.budget))
                for sentence in sentences
            ]
        if group.uses_memory:
            completer = _with_memory(completer, self._memory.open_to_suggest())
        seconds = DECODING_SHARE * self._settings.deadline
        deadline = Deadline(seconds, is_cancelled=is_cancelled)
        options = replace(group.options, deadline=deadline)
        results = completer.complete_with_options(inputs, options)
        if deadline.was_exceeded and not all(results):
            raise DeadlineExceededError
        is_complete = not deadline.was_exceeded
        return [_Computed(suggestions, is_cacheable=is_complete) for suggestions in results]

    def _load(self, name: str) -> Completer:
        try:
            return self._models.completer(name)
        except TerselyError as error:
            LOGGER.exception("a model could not be loaded")
            raise ApiError(409, "broken_model", "That model cannot be used.") from error


def _parse(request: CompletionRequest) -> tuple[CompletionOptions, Query]:
    """Return the options and the query of a request; 409 if they contradict each other."""
    try:
        options = request.options()
        query = parse_query(request.keywords, prefix=options.prefix)
        options.check_query(query)
    except UsageError as error:
        raise ApiError(409, "contradiction", str(error)) from error
    return options, query


def _select_keywords(completer: Completer, sentence: str, budget: float | None) -> Keywords:
    """Return the keywords of a sentence; none for a budget of 0, which the library refuses."""
    if budget is None:
        return completer.keywords(sentence)
    selected = completer.keywords(sentence, max(budget, MIN_REQUEST_BUDGET))
    return selected if budget else replace(selected, keep=[False] * len(selected.keep))


def _with_memory(completer: Completer, memory: Memory | None) -> Completer:
    """Return a shallow copy of the completer that uses the memory; the model is shared."""
    copied = copy.copy(completer)
    copied.memory = memory
    return copied
