"""Completer: the public face of a model. Keywords in, sentences out; and back.

>>> completer = Completer.load("runs/notes")             # doctest: +SKIP
>>> completer.complete("10 minutes late", n=3)           # doctest: +SKIP
"""

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from tersely.errors import TerselyError, UsageError
from tersely.model.architectures import open_model
from tersely.model.folder import ModelFolder
from tersely.model.memory import Memory
from tersely.model.readings import Finisher, Reading
from tersely.model.recalling import recall
from tersely.model.scoring import total_nll
from tersely.model.search import Beam, Found, beam_search, greedy
from tersely.model.typed import Typed, read_typed
from tersely.text.keywords import is_punctuation, keywords
from tersely.text.tokens import SHIFT, detokenise, tokenise

MAX_TOKENS = 24


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A sentence, how likely it is the one meant, and where it comes from."""

    text: str
    score: float
    tokens: tuple[str, ...]
    source: Literal["model", "memory"] = "model"


@dataclass(frozen=True, slots=True)
class Keywords:
    """A sentence's tokens, which of them to type, and how likely each is kept."""

    tokens: list[str]
    keep: list[bool]
    probabilities: list[float]

    @property
    def keywords(self) -> list[str]:
        """The tokens to type."""
        return keywords(self.tokens, self.keep)


class Completer:
    """A model ready to complete keywords and to choose them."""

    def __init__(self, model: ModelFolder, memory: Memory | None = None) -> None:
        self.model = model
        self.memory = memory
        self.runtime, self.chooser = open_model(model)
        self._finisher = Finisher(model.vocabulary)
        self._silent = frozenset(
            number
            for number, token in enumerate(model.vocabulary.tokens)
            if token == SHIFT or is_punctuation(token)
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str], memory: Memory | None = None) -> "Completer":
        """Load a model folder, or a run; with a memory, what is in it is suggested too."""
        model = ModelFolder.from_pretrained(path)
        try:
            return cls(model, memory)
        except TerselyError as error:
            raise TerselyError(f"{os.fspath(path)}: {error}") from error

    def complete(
        self, text: str, n: int = 3, *, prefix: bool = False, without: Sequence[str] = ()
    ) -> list[Suggestion]:
        """Suggest up to `n` sentences that contain the keywords, likeliest first.

        With `prefix` the last word may be unfinished, unless a blank follows it. Words in
        `without` do not appear.
        """
        return self.complete_batch([text], n, prefix=prefix, without=without)[0]

    def complete_batch(
        self,
        texts: Sequence[str],
        n: int = 3,
        *,
        prefix: bool = False,
        without: Sequence[str] = (),
    ) -> list[list[Suggestion]]:
        """The same for many at once."""
        if not 1 <= n <= 10:
            raise UsageError(f"{n} suggestions: between 1 and 10 can be asked for.")
        typed = [read_typed(text) for text in texts]
        unfinished = [prefix and text[-1:].strip() != "" for text in texts]
        unwanted = unwanted_words(without, typed)
        beam = self._beam(n, unwanted)
        whole = [one for one, goes_on in zip(typed, unfinished, strict=True) if not goes_on]
        found = iter(
            self.suggest([one.tokens for one in whole], beam, glued=[one.glued for one in whole])
        )
        suggestions = [
            self._finish(one, beam, unwanted) if goes_on else next(found)
            for one, goes_on in zip(typed, unfinished, strict=True)
        ]
        if self.memory is None:
            return suggestions
        mixed = [
            self._with_memory(self.memory, one.tokens, own, prefix=goes_on)
            for one, own, goes_on in zip(typed, suggestions, unfinished, strict=True)
        ]
        return [[one for one in own if unwanted.isdisjoint(one.tokens)][:n] for own in mixed]

    def _beam(self, n: int, unwanted: frozenset[str]) -> Beam:
        usual = Beam(width=max(5, n), count=n)
        known = [word for word in unwanted if word in self.runtime.vocabulary]
        return replace(usual, barred=(*usual.barred, *self.runtime.vocabulary.encode(known)))

    def _finish(self, typed: Typed, beam: Beam, unwanted: frozenset[str]) -> list[Suggestion]:
        """Complete every reading of an unfinished word, and rank them together.

        How likely a reading is tells its best sentence, by how well it goes with the words
        before the unfinished one.
        """
        readings = [
            one for one in self._finisher.readings(typed) if unwanted.isdisjoint(one.typed.tokens)
        ] or [Reading(typed, True)]
        rows = [one.typed.tokens for one in readings]
        found = self.suggest(rows, beam, glued=[one.typed.glued for one in readings])
        best = [own[0].tokens if own else () for own in found]
        losses = total_nll(self.runtime, [row[:-1] for row in rows], best)
        weights = np.exp(losses.min() - losses) * [
            2.0 if one.is_finished else 1.0 for one in readings
        ]
        shares = weights / weights.sum()
        pooled: dict[str, Suggestion] = {}
        for share, own in zip(shares, found, strict=True):
            for one in own:
                score = float(share) * one.score
                if one.text not in pooled or pooled[one.text].score < score:
                    pooled[one.text] = replace(one, score=score)
        return sorted(pooled.values(), key=lambda one: -one.score)[: beam.count]

    def _with_memory(
        self, memory: Memory, typed: Sequence[str], found: Sequence[Suggestion], *, prefix: bool
    ) -> list[Suggestion]:
        """Put remembered sentences among the model's, all by one score."""
        words = [token for token in typed if token != SHIFT]
        scores, left = recall(memory.find(words, prefix=prefix), keywords=len(words))
        mixed = {one.text: Suggestion(one.text, left * one.score, one.tokens) for one in found}
        for text, score in scores.items():
            known = mixed[text].score if text in mixed else 0.0
            tokens = tuple(tokenise(text).tokens)
            mixed[text] = Suggestion(text, score + known, tokens, "memory")
        return sorted(mixed.values(), key=lambda one: -one.score)

    def suggest(
        self,
        rows: Sequence[Sequence[str]],
        beam: Beam,
        budget: float | None = None,
        glued: Sequence[Sequence[bool]] | None = None,
    ) -> list[list[Suggestion]]:
        """Search with a beam, keywords given as tokens, by a user of this budget, if known.

        Suggestions differ in words, not only in capitals and punctuation.
        """
        beam = replace(beam, silent=self._silent)
        if not rows:
            return []
        copies = [self.runtime.vocabulary.unknown(row) for row in rows]
        wanted = [
            self.runtime.vocabulary.encode_with_copies(row, own)
            for row, own in zip(rows, copies, strict=True)
        ]
        start = self.runtime.begin(rows, self.chooser.told(budget))
        found = beam_search(self.runtime.step, start, wanted, beam, glued)
        return [
            [self._suggestion(one, own) for one in sentences]
            for sentences, own in zip(found, copies, strict=True)
        ]

    def guess(self, rows: Sequence[Sequence[str]], budget: float | None = None) -> list[Suggestion]:
        """Decode greedily and without constraint, as the paper does."""
        start = self.runtime.begin(rows, self.chooser.told(budget))
        found = greedy(self.runtime.step, start, rows=len(rows), max_tokens=MAX_TOKENS)
        return [
            self._suggestion(one, self.runtime.vocabulary.unknown(row))
            for one, row in zip(found, rows, strict=True)
        ]

    def keywords(self, sentence: str, budget: float | None = None) -> Keywords:
        """Choose the keywords a user would type for a sentence."""
        tokens = tokenise(sentence).tokens
        if not tokens:
            return Keywords([], [], [])
        return Keywords(
            tokens,
            self.chooser.masks([tokens], budget)[0],
            self.chooser.probabilities([tokens], budget)[0],
        )

    def _suggestion(self, found: Found, copies: Sequence[str]) -> Suggestion:
        tokens = tuple(self.runtime.vocabulary.decode(found.ids, copies))
        return Suggestion(detokenise(tokens), math.exp(found.log_probability), tokens)


def unwanted_words(without: Sequence[str], typed: Sequence[Typed]) -> frozenset[str]:
    """The words that must not appear; nobody types a word and forbids it."""
    unwanted = frozenset(
        token for word in without for token in tokenise(word).tokens if token != SHIFT
    )
    for one in typed:
        both = sorted(unwanted.intersection(one.tokens))
        if both:
            raise UsageError(f'"{both[0]}" is typed, and must not appear. Leave one of them out.')
    return unwanted
