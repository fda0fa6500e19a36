"""Completer: the public face of a model. Keywords in, sentences out; and back.

completer = Completer.load()                    # the model that ships; or a folder, or a run
completer.complete("10 minutes late", n=3)
completer.keywords("I will be 10 minutes late.")
"""

import math
import os
from collections.abc import Sequence
from dataclasses import replace

from tersely.completion.calibration import Calibration
from tersely.completion.containing import holds
from tersely.completion.context import read_context
from tersely.completion.memory import Memory
from tersely.completion.memory_lookup import with_memory
from tersely.completion.options import Order, Wishes
from tersely.completion.orders import arrange
from tersely.completion.prefix import Finisher
from tersely.completion.query import Block, Typed, read_typed
from tersely.completion.ranking import Hunting, Reading, Suggester
from tersely.completion.spelling import Speller
from tersely.completion.suggestion import Keywords, Suggestion
from tersely.decoding.beam import Beam
from tersely.decoding.greedy import greedy
from tersely.errors import TerselyError, UsageError
from tersely.model.folder import ModelFolder
from tersely.model.location import locate
from tersely.runtime.registry import open_runtime
from tersely.selection.registry import open_selector
from tersely.text.tokens import detokenise, tokenise

__all__ = ["Completer", "Keywords", "Suggestion"]

MAX_TOKENS = 24
MOST_TO_ARRANGE = 4


class Completer:
    """A model ready to complete keywords and to choose them; may be shared by threads."""

    def __init__(self, model: ModelFolder | None = None, memory: Memory | None = None) -> None:
        """Make a model ready, by default the one that ships; remember nothing by default."""
        if model is None:
            model = ModelFolder.from_pretrained(locate())
        self.model, self.memory = model, memory
        self.runtime = open_runtime(model)
        self.selector = open_selector(model, self.runtime)
        self._suggester = Suggester(self.runtime, Calibration.from_settings(model.settings))
        self._finisher = Finisher(model.vocabulary)
        self._speller = Speller(model.vocabulary)

    @classmethod
    def load(
        cls, path_or_name: str | os.PathLike[str] | None = None, memory: Memory | None = None
    ) -> "Completer":
        """Load the model that ships, a model folder, a run, or a model of the hub by its name.

        With a memory, what is in it is suggested too.
        """
        path = locate(path_or_name)
        model = ModelFolder.from_pretrained(path)
        try:
            return cls(model, memory)
        except TerselyError as error:
            raise TerselyError(f"{path}: {error}") from error

    def complete(
        self,
        text: str,
        n: int = 3,
        *,
        prefix: bool = False,
        order: Order = "typed",
        including: Sequence[str] = (),
        without: Sequence[str] = (),
        context: str = "",
        corrections: bool = False,
        deadline: float | None = None,
    ) -> list[Suggestion]:
        """Suggest up to `n` sentences that contain the keywords, likeliest first.

        - `prefix`: the last word may be unfinished, unless a blank follows it.
        - `order="free"`: the keywords may appear in any order.
        - `including`: words, or phrases, that must appear; `without`: words that must not.
        - `context`: the text before. Where its last sentence is open, its rest is suggested.
        - `corrections`: where words look misspelt, one suggestion more, read as they may have
          been meant and marked (`Suggestion.corrected`). The others keep them as typed.
        - `deadline`: seconds after which the best so far is returned.
        """
        wishes = Wishes(
            prefix=prefix,
            order=order,
            including=including,
            without=without,
            context=context,
            corrections=corrections,
            deadline=deadline,
        )
        return self.answer([text], n, wishes)[0]

    def complete_batch(
        self,
        texts: Sequence[str],
        n: int = 3,
        *,
        prefix: bool = False,
        order: Order = "typed",
        including: Sequence[str] = (),
        without: Sequence[str] = (),
        context: str = "",
        corrections: bool = False,
        deadline: float | None = None,
    ) -> list[list[Suggestion]]:
        """The same for many at once, which is faster than one by one; one deadline for all."""
        wishes = Wishes(
            prefix=prefix,
            order=order,
            including=including,
            without=without,
            context=context,
            corrections=corrections,
            deadline=deadline,
        )
        return self.answer(texts, n, wishes)

    def answer(self, texts: Sequence[str], n: int, wishes: Wishes) -> list[list[Suggestion]]:
        """Complete each of the texts as wished."""
        if not 1 <= n <= 10:
            raise UsageError(f"{n} suggestions: between 1 and 10 can be asked for.")
        typed = [read_typed(text) for text in texts]
        for one in typed:
            wishes.check(one)
        unfinished = [wishes.prefix and text[-1:].strip() != "" for text in texts]
        context, is_late = read_context(wishes.context), wishes.clock()
        # One more where the sentence just said may have to be left out.
        beam = self._beam(n + bool(context.said), wishes)
        hunting = Hunting(beam, context.opening, is_late, marks_apart=True)
        together = self._all_at_once(typed, unfinished, wishes, hunting)
        answers = []
        for one, goes_on, own in zip(typed, unfinished, together, strict=True):
            if self.memory is not None and not context.opening:
                free = wishes.order == "free"
                own = with_memory(self.memory, one, own, prefix=goes_on, free=free)
            extra = [] if goes_on else self._corrected(one, wishes, hunting)
            kept, more = (
                [each for each in some if _is_wished(each, wishes, said=context.said)]
                for some in (own, extra)
            )
            answers.append([*kept[:n], *more[:1]])
        return answers

    def _beam(self, n: int, wishes: Wishes) -> Beam:
        usual, unwanted = Beam(width=max(5, n), count=n), wishes.unwanted
        if not unwanted:
            return usual
        known = enumerate(self.runtime.vocabulary.tokens)
        barred = (number for number, token in known if token.lower() in unwanted)
        return replace(usual, barred=(*usual.barred, *barred))

    def _all_at_once(
        self, typed: Sequence[Typed], unfinished: Sequence[bool], wishes: Wishes, hunting: Hunting
    ) -> list[list[Suggestion]]:
        """Search in one batch for what has one reading; weigh the readings of the others."""
        moves = wishes.moves
        plain = [
            one for one, goes_on in zip(typed, unfinished, strict=True) if not (goes_on or moves)
        ]
        found = iter(self._suggester.suggest(plain, hunting))
        answers = []
        for one, goes_on in zip(typed, unfinished, strict=True):
            if not goes_on and not moves:
                answers.append(next(found))
                continue
            readings = [Reading(one)]
            if goes_on:
                readings = self._finisher.readings(one, wishes.unwanted)
            given = one.tokens[:-1]
            if moves:
                readings, given = self._arranged(readings, wishes, hunting), ()
            answers.append(self._suggester.weigh(readings, given, hunting))
        return answers

    def _arranged(
        self, readings: Sequence[Reading], wishes: Wishes, hunting: Hunting
    ) -> list[Reading]:
        """Every reading in its likeliest arrangements."""
        return [
            replace(one, typed=typed)
            for one in readings[:MOST_TO_ARRANGE]
            for typed in arrange(
                one.typed,
                _lacking(one.typed, wishes.required),
                free=wishes.order == "free",
                losses=lambda rows: self._suggester.losses(rows, hunting),
            )
        ]

    def _corrected(self, typed: Typed, wishes: Wishes, hunting: Hunting) -> list[Suggestion]:
        """Sentences with misspelt words read as known ones, if there are any, and the time."""
        if not wishes.corrections or hunting.is_late():
            return []
        readings = [
            reading
            for reading in self._speller.readings(typed)
            if self._is_allowed(reading.typed, hunting.beam)
        ]
        if not readings:
            return []
        given = [token for token in typed.tokens if not self._speller.is_odd(token)]
        if wishes.moves:
            readings, given = self._arranged(readings, wishes, hunting), []
        return self._suggester.weigh(readings, given, hunting)

    def _is_allowed(self, typed: Typed, beam: Beam) -> bool:
        return set(beam.barred).isdisjoint(
            self.runtime.vocabulary.encode(
                token for token in typed.tokens if token in self.runtime.vocabulary
            )
        )

    def suggest(
        self, rows: Sequence[Sequence[str]], beam: Beam, budget: float | None = None
    ) -> list[list[Suggestion]]:
        """Search with a beam, keywords given as tokens, by a user of this budget, if known."""
        typed = [Typed(tuple(row), (False,) * (len(row) + 1)) for row in rows]
        hunting = Hunting(beam, budget=self.selector.decoder_budget(budget))
        return self._suggester.suggest(typed, hunting)

    def guess(self, rows: Sequence[Sequence[str]], budget: float | None = None) -> list[Suggestion]:
        """Decode greedily and without constraint, as the paper does."""
        start = self.runtime.begin(rows, self.selector.decoder_budget(budget))
        found = greedy(self.runtime.step, start, rows=len(rows), max_tokens=MAX_TOKENS)
        vocabulary, guesses = self.runtime.vocabulary, []
        for one, row in zip(found, rows, strict=True):
            tokens = tuple(vocabulary.decode(one.ids, vocabulary.unknown(row)))
            guesses.append(Suggestion(detokenise(tokens), math.exp(one.log_probability), tokens))
        return guesses

    def keywords(self, sentence: str, budget: float | None = None) -> Keywords:
        """Choose the keywords a user would type for a sentence."""
        tokens = tokenise(sentence).tokens
        if not tokens:
            return Keywords([], [], [])
        return Keywords(
            tokens,
            self.selector.masks([tokens], budget)[0],
            self.selector.probabilities([tokens], budget)[0],
        )


def _lacking(typed: Typed, required: Sequence[Block]) -> list[Block]:
    """What must appear and was not typed anyway."""
    own = typed.blocks()
    return [block for block in required if not any(holds(one, block) for one in own)]


def _is_wished(one: Suggestion, wishes: Wishes, *, said: str) -> bool:
    """Remembered sentences, too, lack what must not appear, hold what must, and are new."""
    return (
        not (said and one.text == said)
        and wishes.unwanted.isdisjoint(token.lower() for token in one.tokens)
        and all(holds(one.tokens, block) for block in wishes.required)
    )
