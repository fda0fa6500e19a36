import random
from pathlib import Path

import pytest

from tersely.completion.completer import Completer
from tersely.completion.suggestion import Suggestion
from tersely.text.vocabulary import Vocabulary
from tersely_lab.benchmarks.frontier.perturbations import measure, misspell

SENTENCES = ["I will be late tomorrow morning.", "Thank you for your help yesterday."]


@pytest.fixture(scope="module")
def completer() -> Completer:
    return Completer.load()


def test_a_misspelling_is_one_edit_of_the_longest_word(completer: Completer) -> None:
    known, rng = completer.runtime.vocabulary, random.Random(1)
    seen = set()
    for _ in range(200):
        slip = misspell(("see", "tomorrow", "late"), known, rng)
        if slip is None:
            continue
        assert slip[0] == "see"
        assert slip[2] == "late"
        assert slip[1] not in known
        assert abs(len(slip[1]) - len("tomorrow")) <= 1
        seen.add(len(slip[1]))
    assert seen == {7, 8, 9}


@pytest.mark.parametrize("words", [("see", "you"), ("10",), ("qqqqqqq",), ("2024-10-10",)])
def test_short_odd_and_unknown_words_are_not_misspelt(
    words: tuple[str, ...], completer: Completer
) -> None:
    assert misspell(words, completer.runtime.vocabulary, random.Random(1)) is None


def test_a_misspelling_that_is_a_known_word_is_discarded() -> None:
    known = Vocabulary.from_counts({"abba": 3, "aba": 2, "abbba": 1, "baba": 1, "abab": 1}, 20)
    slips = {misspell(("abba",), known, random.Random(seed)) for seed in range(50)}
    assert slips == {None}


def test_each_perturbation_is_completed_with_its_options(
    completer: Completer, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests: list[tuple[str, dict[str, object]]] = []

    def complete(self: Completer, text: str, **options: object) -> list[Suggestion]:
        requests.append((text, options))
        right = Suggestion(
            "", 0.5, ("<shift>", "thank", "you", "for", "your", "help", "yesterday", ".")
        )
        wrong = Suggestion("", 0.5, ("no",))
        fixed = Suggestion("", 0.5, right.tokens, corrected=(("a", "b"),))
        return [wrong, fixed] if "corrections" in options else [wrong, right]

    monkeypatch.setattr(Completer, "complete", complete)
    results = measure(completer, SENTENCES)
    assert [row["sentences"] for row in results.values()][:3] == [2, 2, 2]
    assert results["in their order"] == {"sentences": 2, "first": 0.0, "shown": 0.5}
    corrected = results["misspelt, the corrected reading first"]
    assert corrected["first"] == corrected["shown"] > 0
    in_order = [text for text, options in requests if not options][:2]
    assert all(text == text.lower() and "." not in text for text in in_order)
    free = [text for text, options in requests if options == {"order": "free"}]
    assert [sorted(text.split()) for text in free] == [sorted(text.split()) for text in in_order]


def test_the_default_model_is_measured(completer: Completer, tmp_path: Path) -> None:
    results = measure(completer, [*SENTENCES, "?!"])
    for row in results.values():
        assert 0 <= row["first"] <= row["shown"] <= 1
    assert results["in their order"]["sentences"] == 2  # nobody types "?!"
    assert measure(completer, [])["in their order"]["sentences"] == 0
