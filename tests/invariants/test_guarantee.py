"""Promise 8: every suggestion contains the keywords, in order.

Each suggestion is checked twice: by its tokens, and by its text as a person reads it.
Case does not matter unless a capital was typed.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tersely.completion.completer import Completer
from tersely.completion.query import parse_query
from tersely.completion.suggestion import Suggestion
from tersely.model.folder import ModelFolder
from tersely.text.tokens import SHIFT
from tests.invariants.keyword_sets import adversarial, held_out
from tests.runtime.made_up import monotone_like

BATCH = 50


@pytest.fixture(scope="module", params=["paper", "monotone"])
def completer(request: pytest.FixtureRequest, trained: Path) -> Completer:
    model = ModelFolder.from_pretrained(trained)
    return Completer(model if request.param == "paper" else monotone_like(model))


def as_words(tokens: Sequence[str]) -> list[str]:
    """Apply case marks to their words, unless that would give other words."""
    found: list[str] = []
    is_marked = False
    for token in tokens:
        if token == SHIFT:
            is_marked = True
        else:
            raised = token[:1].upper() + token[1:]
            found.append(raised if is_marked and raised.lower() == token else token)
            is_marked = False
    return found


def is_same(written: str, typed: str) -> bool:
    """Compare without case, unless a capital was typed."""
    if any(character.isupper() or character.istitle() for character in typed):
        return written == typed
    return written.casefold() == typed.casefold()


def is_in_tokens(typed: Sequence[str], suggestion: Suggestion) -> bool:
    rest = iter(as_words(suggestion.tokens))
    return all(any(is_same(written, word) for written in rest) for word in typed)


def is_in_text(typed: Sequence[str], suggestion: Suggestion) -> bool:
    """Return whether the words occur in the text, one after the other."""
    start = 0
    for word in typed:
        places = range(start, len(suggestion.text) - len(word) + 1)
        own = (
            place for place in places if is_same(suggestion.text[place : place + len(word)], word)
        )
        place = next(own, None)
        if place is None:
            return False
        start = place + len(word)
    return True


def is_in_any_order(typed: Sequence[str], suggestion: Suggestion) -> bool:
    """Return whether each word occurs as often as typed; words with capitals are matched first."""
    left = as_words(suggestion.tokens)
    for word in sorted(typed, key=lambda word: word == word.lower()):
        own = next((written for written in left if is_same(written, word)), None)
        if own is None:
            return False
        left.remove(own)
    return True


def batches(texts: Iterable[str]) -> Iterable[list[str]]:
    every = list(texts)
    return (every[start : start + BATCH] for start in range(0, len(every), BATCH))


def completed(
    completer: Completer, texts: Iterable[str], **fields: Any
) -> Iterable[tuple[str, list[str], Suggestion]]:
    """Yield each suggestion with the typed text and its words."""
    for batch in batches(texts):
        for text, found in zip(batch, completer.complete_batch(batch, **fields), strict=True):
            assert found, text
            for suggestion in found:
                yield text, as_words(parse_query(text).tokens), suggestion


def sets(count: int) -> list[str]:
    """Return keyword sets, half of them held out, half of them adversarial."""
    return [*held_out(count // 2), *adversarial(count - count // 2)]


@pytest.mark.promise(8)
@pytest.mark.parametrize("count", [400, pytest.param(10_000, marks=pytest.mark.long)])
def test_every_suggestion_contains_the_keywords_in_order(completer: Completer, count: int) -> None:
    for text, typed, suggestion in completed(completer, sets(count)):
        assert is_in_tokens(typed, suggestion), (text, suggestion)
        assert is_in_text(typed, suggestion), (text, suggestion)


def test_a_suggestion_that_lacks_a_keyword_or_its_capital_would_be_noticed() -> None:
    suggestion = Suggestion("I met Paris.", 0.5, (SHIFT, "i", "met", SHIFT, "paris", "."))
    for typed in (["i", "paris"], ["met", "Paris", "."], ["I"], []):
        assert is_in_tokens(typed, suggestion)
        assert is_in_text(typed, suggestion)
        assert is_in_any_order(typed[::-1], suggestion)
    for typed in (["Met"], ["paris", "met"], ["i", "i"], ["PARIS"], ["rome"]):
        assert not is_in_tokens(typed, suggestion)
    for typed in (["Met"], ["paris", "met"], ["PARIS"], ["rome"]):
        assert not is_in_text(typed, suggestion)
    for typed in (["Met"], ["i", "i"], ["PARIS"]):
        assert not is_in_any_order(typed, suggestion)


@pytest.mark.promise(8)
@pytest.mark.parametrize("count", [200, pytest.param(2000, marks=pytest.mark.long)])
def test_an_unfinished_last_word_is_the_prefix_of_a_word(completer: Completer, count: int) -> None:
    for text, typed, suggestion in completed(completer, sets(count), prefix=True):
        written = as_words(suggestion.tokens)
        places = [place for place in range(len(written) + 1) if is_prefix(typed, written[:place])]
        assert places, (text, suggestion)


def is_prefix(typed: Sequence[str], written: Sequence[str]) -> bool:
    """Return whether the words end with a completion of the last typed one, after the others."""
    if not typed:
        return True
    if not written or not is_same(written[-1][: len(typed[-1])], typed[-1]):
        return False
    return is_in_tokens(typed[:-1], Suggestion("", 0.0, tuple(written[:-1])))


@pytest.mark.promise(8)
@pytest.mark.parametrize("count", [20, pytest.param(500, marks=pytest.mark.long)])
def test_in_any_order_every_keyword_is_there(completer: Completer, count: int) -> None:
    for text, typed, suggestion in completed(completer, sets(count), order="free"):
        assert is_in_any_order(typed, suggestion), (text, suggestion)


@pytest.mark.promise(8)
@pytest.mark.parametrize("count", [20, pytest.param(500, marks=pytest.mark.long)])
def test_with_required_and_forbidden_words_the_keywords_are_there(
    completer: Completer, count: int
) -> None:
    texts = [text for text in sets(count) if "of" not in text.lower()]
    fields: dict[str, Any] = {"including": ["sorry", "zyzzyva quux"], "without": ["of", "Very"]}
    for text, typed, suggestion in completed(completer, texts, **fields):
        assert is_in_tokens(typed, suggestion), (text, suggestion)
        assert is_in_text(typed, suggestion), (text, suggestion)
        written = [word.lower() for word in as_words(suggestion.tokens)]
        assert "sorry" in written
        assert ("zyzzyva", "quux") in pairwise(written)
        assert not {"of", "very"} & set(written)


@pytest.mark.promise(8)
@pytest.mark.parametrize("context", ["I am sorry, but the waiter", "The soup. Was it cold?"])
def test_after_a_context_the_keywords_are_there_once_more(
    completer: Completer, context: str
) -> None:
    for text, typed, suggestion in completed(completer, sets(200), context=context):
        assert is_in_tokens(typed, suggestion), (text, suggestion)
        assert is_in_text(typed, suggestion), (text, suggestion)


@pytest.mark.promise(8)
def test_before_and_after_the_deadline_the_keywords_are_there(completer: Completer) -> None:
    for deadline in (1e-9, 0.02):
        for text, typed, suggestion in completed(completer, sets(200), deadline=deadline):
            assert is_in_tokens(typed, suggestion), (text, suggestion)
            assert is_in_text(typed, suggestion), (text, suggestion)


@pytest.mark.promise(8)
def test_a_corrected_suggestion_is_marked_and_contains_the_other_keywords(
    completer: Completer,
) -> None:
    changed = 0
    for text, typed, suggestion in completed(completer, sets(200), corrections=True):
        left = Counter(word.lower() for word in typed)
        left.subtract(word.lower() for word, _ in suggestion.corrected)
        kept = [word for word in typed if left[word.lower()] > 0]
        assert is_in_tokens(kept, suggestion), (text, suggestion)
        written = {word.lower() for word in as_words(suggestion.tokens)}
        assert all(read.lower() in written for _, read in suggestion.corrected)
        changed += bool(suggestion.corrected)
    assert changed
