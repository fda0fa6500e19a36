"""Completer: the public interface to a model. Keywords in, sentences out; and back.

completer = Completer.load()                    # the model that ships; or a folder, or a run
completer.complete("10 minutes late", n=3)
completer.keywords("I will be 10 minutes late.")
"""

import math
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

from tersely.completion.calibration import Calibration
from tersely.completion.expansion import (
    Expansion,
    PrefixCompleter,
    SpellingCorrector,
    likeliest_orders,
)
from tersely.completion.memory import Memory
from tersely.completion.options import CompletionOptions, OptionFields
from tersely.completion.query import Context, Query, parse_context, parse_query
from tersely.completion.ranking import CandidateSearch, SearchSettings, merge_memory
from tersely.completion.suggestion import Keywords, Suggestion
from tersely.decoding.beam import DEFAULT_MAX_TOKENS, BeamOptions
from tersely.decoding.greedy import greedy
from tersely.errors import TerselyError
from tersely.model.folder import ModelFolder
from tersely.model.location import locate
from tersely.runtime.registry import open_runtime
from tersely.selection.registry import open_selector
from tersely.text.alignment import Phrase, contains_phrase
from tersely.text.tokens import detokenise, tokenise

__all__ = ["Completer", "Keywords", "Suggestion"]

MIN_BEAM_WIDTH = 5
MAX_REORDERED_EXPANSIONS = 4


class Completer:
    """A model ready to complete keywords and to select them; may be shared by threads."""

    def __init__(self, model: ModelFolder | None = None, memory: Memory | None = None) -> None:
        """Open a model, by default the one that ships; without a memory by default."""
        self.path: os.PathLike[str] | None = None
        """Where the model was loaded from; None for a model in memory."""
        if model is None:
            self.path = locate()
            model = ModelFolder.from_pretrained(self.path)
        self.model, self.memory = model, memory
        self.runtime = open_runtime(model)
        self.selector = open_selector(model, self.runtime)
        self._search = CandidateSearch(self.runtime, Calibration.from_settings(model.settings))
        self._prefix_completer = PrefixCompleter(model.vocabulary)
        self._spelling_corrector = SpellingCorrector(model.vocabulary)

    @classmethod
    def load(
        cls, path_or_name: str | os.PathLike[str] | None = None, memory: Memory | None = None
    ) -> "Completer":
        """Load the model that ships, a model folder, a run, or a model of the hub by its name.

        With a memory, its sentences are suggested, too.
        """
        path = locate(path_or_name)
        model = ModelFolder.from_pretrained(path)
        try:
            completer = cls(model, memory)
        except TerselyError as error:
            raise TerselyError(f"{path}: {error}") from error
        completer.path = path
        return completer

    def __repr__(self) -> str:
        path = "" if self.path is None else f"{os.fspath(self.path)!r}, "
        return (
            f"Completer({path}architecture={self.model.architecture!r}, "
            f"vocabulary_size={len(self.model.vocabulary)})"
        )

    def complete(self, text: str, n: int = 3, **fields: Unpack[OptionFields]) -> list[Suggestion]:
        """Suggest up to `n` sentences that contain the keywords, likeliest first.

        - `prefix`: the last word may be unfinished, unless white space follows it.
        - `order="free"`: the keywords may appear in any order.
        - `including`: words or phrases that must appear; `without`: words that must not.
        - `context`: the text before. If its last sentence is open, its rest is suggested.
        - `corrections`: where words look misspelt, one more suggestion has them corrected; its
          `Suggestion.corrected` lists them. The others keep all words as typed.
        - `deadline`: seconds after which the best suggestions so far are returned.
        """
        return self.complete_with_options([text], CompletionOptions(n=n, **fields))[0]

    def complete_batch(
        self, texts: Sequence[str], n: int = 3, **fields: Unpack[OptionFields]
    ) -> list[list[Suggestion]]:
        """Complete many texts, faster than one by one; a deadline applies to all together."""
        return self.complete_with_options(texts, CompletionOptions(n=n, **fields))

    def complete_with_options(
        self, texts: Sequence[str | Query], options: CompletionOptions
    ) -> list[list[Suggestion]]:
        """Complete each text with the same options; a text may be parsed already."""
        queries = [
            text if isinstance(text, Query) else parse_query(text, prefix=options.prefix)
            for text in texts
        ]
        for query in queries:
            options.check_query(query)
        context = parse_context(options.context)
        settings = self._settings(options, context)
        candidates = self._candidates(queries, options, settings)
        return [
            self._suggestions(query, suggestions, options, settings, context)
            for query, suggestions in zip(queries, candidates, strict=True)
        ]

    def _settings(self, options: CompletionOptions, context: Context) -> SearchSettings:
        # One more candidate, since one equal to the previous sentence is left out.
        n_best = options.n + bool(context.previous)
        beam = BeamOptions(width=max(MIN_BEAM_WIDTH, n_best), n_best=n_best)
        forbidden_words = options.forbidden_words
        if forbidden_words:
            forbidden = [
                index
                for index, token in enumerate(self.runtime.vocabulary.tokens)
                if token.lower() in forbidden_words
            ]
            beam = replace(beam, forbidden=(*beam.forbidden, *forbidden))
        return SearchSettings(
            beam, context.context_tokens, options.start_deadline(), splits_case_marks=True
        )

    def _candidates(
        self, queries: Sequence[Query], options: CompletionOptions, settings: SearchSettings
    ) -> list[list[Suggestion]]:
        """Search in one batch for queries without expansions; rank the expansions of others."""
        has_free_order = options.has_free_order
        plain = [query for query in queries if not (query.has_prefix or has_free_order)]
        plain_candidates = iter(self._search.search(plain, settings))
        candidates = []
        for query in queries:
            if not query.has_prefix and not has_free_order:
                candidates.append(next(plain_candidates))
                continue
            expansions = [Expansion(query)]
            if query.has_prefix:
                expansions = self._prefix_completer.expand(query, options.forbidden_words)
            shared = query.tokens[:-1]
            if has_free_order:
                expansions, shared = self._reorder(expansions, options, settings), ()
            candidates.append(self._search.search_and_rank(expansions, shared, settings))
        return candidates

    def _reorder(
        self, expansions: Sequence[Expansion], options: CompletionOptions, settings: SearchSettings
    ) -> list[Expansion]:
        """Return the likeliest orders of every expansion."""
        return [
            replace(expansion, query=query)
            for expansion in expansions[:MAX_REORDERED_EXPANSIONS]
            for query in likeliest_orders(
                expansion.query,
                _missing_phrases(expansion.query, options.required_phrases),
                free=options.order == "free",
                losses=lambda queries: self._search.unconditional_losses(queries, settings),
            )
        ]

    def _suggestions(
        self,
        query: Query,
        candidates: list[Suggestion],
        options: CompletionOptions,
        settings: SearchSettings,
        context: Context,
    ) -> list[Suggestion]:
        """Merge the memory, filter, and add a corrected suggestion."""
        if self.memory is not None and not context.context_tokens:
            in_order = options.order == "typed"
            candidates = merge_memory(self.memory, query, candidates, in_order=in_order)
        corrected = [] if query.has_prefix else self._corrected(query, options, settings)
        suggestions, corrections = (
            _filter(ranked, options, context) for ranked in (candidates, corrected)
        )
        return [
            _with_spans(suggestion, query)
            for suggestion in (*suggestions[: options.n], *corrections[:1])
        ]

    def _corrected(
        self, query: Query, options: CompletionOptions, settings: SearchSettings
    ) -> list[Suggestion]:
        """Return sentences with misspelt words corrected, if there are any, and time is left."""
        if not options.corrections or settings.deadline.expired():
            return []
        expansions = [
            expansion
            for expansion in self._spelling_corrector.expand(query)
            if self._can_generate(expansion.query, settings.beam)
        ]
        if not expansions:
            return []
        is_misspelt = self._spelling_corrector.may_be_misspelt
        shared = [token for token in query.tokens if not is_misspelt(token)]
        if options.has_free_order:
            expansions, shared = self._reorder(expansions, options, settings), []
        return self._search.search_and_rank(expansions, shared, settings)

    def _can_generate(self, query: Query, beam: BeamOptions) -> bool:
        vocabulary = self.runtime.vocabulary
        known = vocabulary.encode(token for token in query.tokens if token in vocabulary)
        return set(beam.forbidden).isdisjoint(known)

    def beam_decode(
        self, rows: Sequence[Sequence[str]], beam: BeamOptions, budget: float | None = None
    ) -> list[list[Suggestion]]:
        """Complete keywords given as tokens, typed at this budget if it is given."""
        queries = [Query.from_phrases([(token,) for token in row]) for row in rows]
        settings = SearchSettings(beam, budget=self.selector.decoder_budget(budget))
        return self._search.search(queries, settings)

    def greedy_decode(
        self, rows: Sequence[Sequence[str]], budget: float | None = None
    ) -> list[Suggestion]:
        """Decode greedily and without constraints, as the paper does."""
        start = self.runtime.begin(rows, self.selector.decoder_budget(budget))
        hypotheses = greedy(self.runtime.step, start, rows=len(rows), max_tokens=DEFAULT_MAX_TOKENS)
        vocabulary, suggestions = self.runtime.vocabulary, []
        for hypothesis, row in zip(hypotheses, rows, strict=True):
            tokens = tuple(vocabulary.decode(hypothesis.ids, vocabulary.out_of_vocabulary(row)))
            suggestions.append(
                Suggestion(detokenise(tokens), math.exp(hypothesis.log_prob), tokens)
            )
        return suggestions

    def keywords(self, sentence: str, budget: float | None = None) -> Keywords:
        """Select the keywords to type for a sentence."""
        tokens = tokenise(sentence).tokens
        if not tokens:
            return Keywords([], [], [])
        return Keywords(
            tokens,
            self.selector.masks([tokens], budget)[0],
            self.selector.probabilities([tokens], budget)[0],
        )


def _missing_phrases(query: Query, required: Sequence[Phrase]) -> list[Phrase]:
    """Return the required phrases that were not typed."""
    typed = query.phrases()
    return [
        phrase
        for phrase in required
        if not any(contains_phrase(typed_phrase, phrase) for typed_phrase in typed)
    ]


def _filter(
    suggestions: list[Suggestion], options: CompletionOptions, context: Context
) -> list[Suggestion]:
    """Drop the previous sentence, and sentences from memory that the options rule out."""
    if not (context.previous or options.including or options.without):
        return suggestions
    forbidden, required = options.forbidden_words, options.required_phrases
    return [
        suggestion
        for suggestion in suggestions
        if not (context.previous and suggestion.text == context.previous)
        and forbidden.isdisjoint(token.lower() for token in suggestion.tokens)
        and all(contains_phrase(suggestion.tokens, phrase) for phrase in required)
    ]


def _with_spans(suggestion: Suggestion, query: Query) -> Suggestion:
    spans = query.spans(suggestion.tokens, suggestion.text, suggestion.corrected)
    return replace(suggestion, spans=spans)
