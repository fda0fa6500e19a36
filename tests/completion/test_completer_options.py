"""Options of a completion; test_completer.py has the tests without options."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pytest

from tersely.completion.completer import Completer
from tersely.completion.memory import Memory
from tersely.completion.options import KeywordOrder
from tersely.completion.suggestion import Suggestion
from tersely.decoding.deadline import Deadline
from tersely.errors import UsageError
from tersely.model.folder import ModelFolder
from tersely.text.alignment import align
from tersely.text.tokens import SHIFT, tokenise
from tersely.text.vocabulary import SPECIAL_TOKENS, Vocabulary
from tests.game.small_monotone import monotone_folder_of, small_monotone, small_monotone_shape
from tests.runtime.made_up import monotone_like


@pytest.fixture(scope="module", params=["paper", "monotone"])
def completer(request: pytest.FixtureRequest, trained: Path) -> Completer:
    model = ModelFolder.from_pretrained(trained)
    return Completer(model if request.param == "paper" else monotone_like(model))


def texts(found: list[Suggestion]) -> list[str]:
    return [suggestion.text for suggestion in found]


def words(suggestion: Suggestion) -> str:
    return " " + " ".join(token for token in suggestion.tokens if token != SHIFT) + " "


@pytest.mark.parametrize("typed", ["cold soup waiter", "waiter", "the cold the", "soup " * 6, ""])
def test_in_any_order_every_keyword_appears_as_often_as_typed(
    completer: Completer, typed: str
) -> None:
    found = completer.complete(typed, order="free")
    assert found
    for suggestion in found:
        assert Counter(typed.split()) <= Counter(suggestion.tokens)


def test_in_free_order_every_permutation_has_the_same_suggestions(completer: Completer) -> None:
    usual = completer.complete("cold soup waiter", order="free")
    for typed in permutations(["cold", "soup", "waiter"]):
        found = completer.complete(" ".join(typed), order="free")
        assert texts(found) == texts(usual)
        scores = [suggestion.score for suggestion in usual]
        assert [suggestion.score for suggestion in found] == pytest.approx(scores, rel=1e-3)


def test_in_any_order_phrases_stay_together_and_the_ending_stays_last(
    completer: Completer,
) -> None:
    for suggestion in completer.complete('cold "friendly waiter" Paris soup?', order="free"):
        assert " friendly waiter " in words(suggestion)
        assert suggestion.tokens[-1] == "?"
        assert (SHIFT, "paris") in zip(suggestion.tokens, suggestion.tokens[1:], strict=False)


@pytest.mark.parametrize("word", ["soup", "zyzzyva", "friendly waiter", "Paris", "ok !"])
@pytest.mark.parametrize("typed", ["late minutes", "10", "", "why late?"])
def test_a_required_word_appears_and_the_keywords_keep_their_order(
    completer: Completer, typed: str, word: str
) -> None:
    found = completer.complete(typed, including=[word])
    assert 1 <= len(found) <= 3
    for suggestion in found:
        assert align(tokenise(typed).tokens, suggestion.tokens) is not None
        assert f" {word.lower()} " in words(suggestion)
        assert word != "Paris" or (SHIFT, "paris") in zip(
            suggestion.tokens, suggestion.tokens[1:], strict=False
        )
        assert not typed.endswith("?") or suggestion.tokens[-1] == "?"


def test_a_required_word_that_is_typed_need_not_appear_twice(completer: Completer) -> None:
    usual = completer.complete("cold soup")
    assert completer.complete("cold soup", including=["soup"]) == usual
    assert completer.complete("cold soup", including=[" ", ""]) == usual
    phrase = completer.complete('"cold soup" Paris')
    assert completer.complete('"cold soup" Paris', including=["cold soup", "paris"]) == phrase


def test_required_and_forbidden_words_go_together(completer: Completer) -> None:
    found = completer.complete("late", including=["soup"], without=["the", "Waiter"])
    assert found
    for suggestion in found:
        assert {"late", "soup"} <= set(suggestion.tokens)
        assert not {"the", "waiter"} & set(suggestion.tokens)


@pytest.mark.parametrize(
    "fields",
    [
        {"order": "any"},
        {"including": "soup"},
        {"without": "soup"},
        {"deadline": 0},
        {"including": ["Soup"], "without": ["soup"]},
    ],
    ids=repr,
)
def test_invalid_options_are_refused(completer: Completer, fields: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        completer.complete("late", **fields)
    with pytest.raises(UsageError):
        completer.complete_batch([], **fields)


def test_a_forbidden_word_does_not_come_in_capitals() -> None:
    """The vocabulary has two words, which are forms of the same word."""
    model = monotone_folder_of(small_monotone(small_monotone_shape(vocabulary_size=7)))
    completer = Completer(
        ModelFolder(
            model.architecture,
            model.settings,
            model.tensors,
            Vocabulary([*SPECIAL_TOKENS, "ok", "OK"]),
        )
    )
    said = {token for suggestion in completer.complete("") for token in suggestion.tokens}
    assert {"ok", "OK"} & said
    for forbidden in ("ok", "OK", "Ok"):
        found = completer.complete("", without=[forbidden])
        assert {token for suggestion in found for token in suggestion.tokens} <= {SHIFT}


@pytest.mark.parametrize(
    ("sentence", "fields", "is_suggested"),
    [
        ("Tom ate Ice Cream.", {"including": ["ice cream"]}, True),
        ("Tom ate ice cream.", {"including": ["Cream"]}, False),
        ("Tom ate cream.", {"including": ["ice cream"]}, False),
        ("Tom ate. OK.", {"without": ["ok"]}, False),
        ("Tom ate ice.", {"without": ["cream"]}, True),
        ("It ate Tom.", {"order": "free"}, True),
        ("It ate Tom.", {}, False),
        ("Tom ate.", {"context": "Tom ate."}, False),
        ("Tom ate.", {"context": "Hello. Tom ate.\n"}, False),
        ("Tom ate.", {"context": "Hello."}, True),
        ("Tom ate.", {"context": "Hello, I say that"}, False),
    ],
)
def test_sentences_from_memory_follow_the_options_too(
    trained: Path, tmp_path: Path, sentence: str, fields: dict[str, Any], is_suggested: bool
) -> None:
    with Memory(tmp_path / "phrases.db") as memory:
        for _ in range(50):
            memory.remember(sentence)
        found = Completer.load(trained, memory).complete("tom ate", **fields)
        assert (sentence in texts(found)) == is_suggested


def test_the_previous_sentence_is_not_suggested_again(completer: Completer) -> None:
    said = completer.complete("waiter.")[0].text
    for context in (said, f"Hello! {said}", f"Hello. {said} \n"):
        again = completer.complete("waiter.", context=context)
        assert said not in texts(again)
        assert len(again) == 3


def test_the_rest_of_an_open_sentence_is_suggested(completer: Completer) -> None:
    runtime = completer.runtime
    context_tokens = runtime.vocabulary.encode(["i", "am"])
    found = completer.complete("soup", context="Hello. i am")
    assert found == completer.complete("soup", context="i am ")
    assert found != completer.complete("soup")
    state, last = runtime.prefill(runtime.begin([["soup"]]), context_tokens)
    total = 0.0
    for word in [*runtime.vocabulary.encode(found[0].tokens), 3]:
        state, coming = runtime.step(state, last)
        last = np.array([word])
        total += float(coming.log_prob(last)[0])
    assert found[0].score == pytest.approx(np.exp(total), rel=1e-3)
    for suggestion in found:
        assert "soup" in suggestion.tokens


@pytest.mark.parametrize("context", ["", " \n", "Why?", "x" * 5000, "\ud800 \x00", "word " * 400])
def test_any_text_may_be_the_context(completer: Completer, context: str) -> None:
    for suggestion in completer.complete("soup cold", context=context):
        assert align(["soup", "cold"], suggestion.tokens) is not None


def test_a_misspelt_word_stays_and_one_more_suggestion_corrects_it(
    completer: Completer,
) -> None:
    usual = completer.complete("waitr soup")
    *typed, read = completer.complete("waitr soup", corrections=True)
    assert typed == usual
    assert all("waitr" in suggestion.tokens and not suggestion.corrected for suggestion in typed)
    assert read.corrected[0][0] == "waitr"
    assert align([read.corrected[0][1], "soup"], read.tokens) is not None
    assert read.corrected[0][1] in completer.model.vocabulary


def test_without_misspelt_words_nothing_is_corrected(completer: Completer) -> None:
    for typed in ("waiter soup", "", "10", "NATO", "zyzzyva"):
        assert completer.complete(typed, corrections=True) == completer.complete(typed)
    unfinished = completer.complete("soup waitr", prefix=True, corrections=True)
    assert not any(suggestion.corrected for suggestion in unfinished)


@pytest.mark.parametrize("order", ["typed", "free"])
def test_the_corrected_suggestion_follows_the_options_too(
    completer: Completer, order: KeywordOrder
) -> None:
    fields: dict[str, Any] = {
        "order": order,
        "including": ["soup"],
        "without": ["the"],
        "corrections": True,
    }
    *_, read = completer.complete("waitr late", **fields)
    assert read.corrected
    assert {"soup", "late", read.corrected[0][1]} <= set(read.tokens)
    assert "the" not in read.tokens
    if order == "typed":
        assert align([read.corrected[0][1], "late"], read.tokens) is not None
    forbidden = ["waiter", "waited", "wait", "water", "waits"]
    last = completer.complete("waitr late", corrections=True, without=forbidden)[-1]
    assert not set(forbidden) & set(last.tokens)


def test_the_corrected_suggestion_is_not_the_previous_sentence(completer: Completer) -> None:
    said = completer.complete("waitr.", corrections=True)[-1]
    assert said.corrected
    again = completer.complete("waitr.", corrections=True, context=said.text)
    assert said.text not in texts(again)


@pytest.mark.parametrize(
    "fields",
    [
        {"order": "free"},
        {"including": ["soup"]},
        {"context": "I am sorry, but", "without": ["the"]},
        {"corrections": True, "prefix": True},
    ],
    ids=repr,
)
def test_options_hold_for_each_text_of_a_batch(
    completer: Completer, fields: dict[str, Any]
) -> None:
    typed = ["waiter cold", "", "zyzzyva waitr ", "waiter col"]
    for text, found in zip(typed, completer.complete_batch(typed, **fields), strict=True):
        assert texts(found) == texts(completer.complete(text, **fields))


OPTIONS: dict[str, dict[str, Any]] = {
    "typed": {},
    "prefix": {"prefix": True},
    "any order": {"order": "free"},
    "with": {"including": ["sorry", "zyzzyva quux"]},
    "after": {"context": "I am sorry, but"},
    "corrected": {"corrections": True},
    "all": {"order": "free", "including": ["sorry"], "corrections": True, "without": ["xyz"]},
}


@pytest.mark.parametrize("name", OPTIONS)
def test_500_keywords_are_completed_without_a_step_after_the_deadline(
    completer: Completer, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = [token for token in completer.model.vocabulary.tokens if token.isalpha()]
    typed = [*known[:100], *(f"{word}q" for word in known[:100])] * 3
    steps = count_steps(completer, monkeypatch)
    began = process_time()
    found = completer.complete(" ".join(typed[:500]), deadline=1e-9, **OPTIONS[name])
    assert process_time() - began < 30
    n_context_tokens = 6 if name == "after" else 0  # words that are read, not searched for
    assert len(steps) <= n_context_tokens
    assert found
    for suggestion in found:
        assert Counter(typed[:499]) <= Counter(suggestion.tokens)
        if OPTIONS[name].get("order") != "free":
            assert align(typed[:499], suggestion.tokens) is not None
        assert name not in ("with", "all") or "sorry" in suggestion.tokens


def count_steps(completer: Completer, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list that grows by one with every step of the model."""
    steps: list[int] = []
    step = completer.runtime.step

    def counted(state: Any, last: Any) -> Any:
        steps.append(len(last))
        return step(state, last)

    monkeypatch.setattr(completer.runtime, "step", counted)
    return steps


@pytest.mark.parametrize("name", OPTIONS)
def test_few_steps_are_taken_after_the_deadline(
    completer: Completer, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Time is counted in steps here: each takes a second."""
    steps = count_steps(completer, monkeypatch)
    typed = "waiter soup cold late waitr minutes friendly table"
    completer.complete(typed, **OPTIONS[name])
    whole = len(steps)
    longest = 80  # steps of a sentence that is weighed: to its end once that is begun, and twice
    for seconds in (1, 5, 20, 60):
        steps.clear()
        deadline = Deadline(seconds, clock=lambda: float(len(steps)))
        found = completer.complete(typed, deadline=deadline, **OPTIONS[name])
        assert len(steps) <= min(whole, seconds + longest)
        assert found
        for suggestion in found:
            if not suggestion.corrected:
                assert Counter(typed.split()[:-1]) <= Counter(suggestion.tokens)


def test_with_time_enough_a_deadline_changes_nothing(completer: Completer) -> None:
    for fields in OPTIONS.values():
        usual = completer.complete("waitr cold", **fields)
        assert completer.complete("waitr cold", deadline=3600, **fields) == usual


def test_one_deadline_holds_for_a_whole_batch(
    completer: Completer, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = count_steps(completer, monkeypatch)
    typed = ["waiter soup cold", "soup late", "10"] * 5
    deadline = Deadline(20, clock=lambda: float(len(steps)))
    found = completer.complete_batch(typed, order="free", deadline=deadline)
    assert len(steps) < 60
    for text, own in zip(typed, found, strict=True):
        assert own
        assert all(Counter(text.split()) <= Counter(suggestion.tokens) for suggestion in own)


def test_eight_threads_get_the_suggestions_of_one(completer: Completer, tmp_path: Path) -> None:
    typed = ["waiter cold", "zyzzyva waitr", '"soup cold" Paris?']
    asked = [(text, fields) for fields in OPTIONS.values() for text in typed]
    with Memory(tmp_path / "phrases.db") as memory:
        memory.remember("The waiter was cold.")
        shared = Completer(completer.model, memory)

        def ask(suggestion: tuple[str, dict[str, Any]]) -> list[Suggestion]:
            return shared.complete(suggestion[0], **suggestion[1])

        alone = [ask(suggestion) for suggestion in asked]
        assert any(suggestion.source == "memory" for found in alone for suggestion in found)
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(ask, asked * 2))
    assert answers == alone * 2
