"""What people do besides choosing words: they type them in another order, or misspelt.

The same words of the same sentences, typed in order, shuffled and with a slip, and completed
as a person would ask for it. Case marks and punctuation are nothing that people type.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tersely.completion.completer import Completer
from tersely.completion.suggestion import Suggestion
from tersely.text.keywords import is_punctuation
from tersely.text.tokens import SHIFT, tokenise
from tersely.text.vocabulary import Vocabulary

SHORTEST_TO_SLIP = 4
"""Letters of a word that is misspelt."""


@dataclass(frozen=True, slots=True)
class Meant:
    """A sentence, and the words somebody types for it."""

    tokens: tuple[str, ...]
    words: tuple[str, ...]


Ask = Callable[[Meant], Sequence[Suggestion]]


def measure(completer: Completer, sentences: Sequence[str], *, seed: int = 1) -> dict[str, Any]:
    """Share of sentences that come first, and that are among all that is shown."""
    rng = random.Random(seed)
    meant = [one for one in (_meant(completer, text) for text in sentences) if one.words]
    shuffled = {one: tuple(rng.sample(one.words, len(one.words))) for one in meant}
    known = completer.runtime.vocabulary
    slipped = {one: slip for one in meant if (slip := with_slip(one.words, known, rng))}

    def typed(one: Meant) -> list[Suggestion]:
        return completer.complete(" ".join(one.words))

    def any_order(one: Meant) -> list[Suggestion]:
        return completer.complete(" ".join(shuffled[one]), order="free")

    def corrected(one: Meant) -> list[Suggestion]:
        found = completer.complete(" ".join(slipped[one]), corrections=True)
        return sorted(found, key=lambda suggestion: not suggestion.corrected)

    return {
        "in their order": _figures(meant, typed),
        "shuffled, order free": _figures(meant, any_order),
        "shuffled, read in order": _figures(
            meant, lambda one: completer.complete(" ".join(shuffled[one]))
        ),
        "in their order, of sentences with a word to misspell": _figures([*slipped], typed),
        "misspelt, the corrected reading first": _figures([*slipped], corrected),
        "misspelt, as typed": _figures(
            [*slipped], lambda one: completer.complete(" ".join(slipped[one]))
        ),
    }


def _meant(completer: Completer, text: str) -> Meant:
    tokens = tokenise(text).tokens
    chosen = completer.keywords(text).keywords
    return Meant(
        tuple(tokens),
        tuple(word for word in chosen if word != SHIFT and not is_punctuation(word)),
    )


def _figures(meant: Sequence[Meant], ask: Ask) -> dict[str, Any]:
    first = shown = 0
    for one in meant:
        is_it = [suggestion.tokens == one.tokens for suggestion in ask(one)]
        first += any(is_it[:1])
        shown += any(is_it)
    count = max(1, len(meant))
    return {"sentences": len(meant), "first": first / count, "shown": shown / count}


def with_slip(
    words: Sequence[str], known: Vocabulary, rng: random.Random
) -> tuple[str, ...] | None:
    """The longest known word with two letters swapped, one left out or one twice.

    None where there is no such word, or where it would be another word that is known.
    """
    place = max(range(len(words)), key=lambda place: len(words[place]))
    word = words[place]
    if len(word) < SHORTEST_TO_SLIP or not word.isalpha() or word not in known:
        return None
    at = rng.randrange(1, len(word) - 1)
    slips = [
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        word[:at] + word[at + 1 :],
        word[:at] + word[at] + word[at:],
    ]
    slip = rng.choice(slips)
    if slip in known or slip == word:
        return None
    return (*words[:place], slip, *words[place + 1 :])
