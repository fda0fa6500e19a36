import math
from pathlib import Path

import pytest

import tersely
from tersely.completion.completer import Completer, Suggestion
from tersely.completion.memory import Memory
from tersely.completion.options import CompletionOptions
from tersely.completion.query import Query, parse_query
from tersely.corpus.fixture import fixture_sentences
from tersely.decoding.beam import DEFAULT_MAX_TOKENS, BeamOptions
from tersely.decoding.scoring import total_nll
from tersely.errors import UsageError
from tersely.text.alignment import align
from tersely.text.tokens import detokenise, tokenise
from tests.game.small import small_scheme, small_shape
from tests.runtime.test_paper import folder_of


@pytest.fixture(scope="module")
def completer(trained: Path) -> Completer:
    return Completer.load(trained)


KEYWORDS = [
    "waiter friendly",
    "",
    "10",
    "zyzzyva quokka zyzzyva",
    "Paris ! ?",
    "</s> <unk> <s> <pad> <shift>",
    "the " * 30,
    "naïve 你好 🙂",
    "\u200b",
]


@pytest.mark.parametrize("n", [1, 3, 10])
def test_every_suggestion_contains_the_keywords_in_order(completer: Completer, n: int) -> None:
    for text, found in zip(KEYWORDS, completer.complete_batch(KEYWORDS, n), strict=True):
        assert 1 <= len(found) <= n
        for suggestion in found:
            assert align(tokenise(text).tokens, suggestion.tokens) is not None, text
            assert suggestion.text == detokenise(suggestion.tokens)


def test_a_batch_is_completed_as_each_text_alone(completer: Completer) -> None:
    for text, found in zip(KEYWORDS, completer.complete_batch(KEYWORDS), strict=True):
        alone = completer.complete(text)
        # Sentences equally likely may change places: sums are rounded otherwise in a batch.
        assert [suggestion.score for suggestion in alone] == pytest.approx(
            [suggestion.score for suggestion in found], rel=1e-3
        )


def test_scores_are_probabilities_best_first(completer: Completer) -> None:
    found = completer.complete("waiter", n=5)
    scores = [suggestion.score for suggestion in found]
    assert scores == sorted(scores, reverse=True)
    assert 0 < sum(scores) <= 1
    losses = total_nll(
        completer.runtime, [["waiter"]] * 5, [suggestion.tokens for suggestion in found]
    )
    assert scores == pytest.approx([math.exp(-loss) for loss in losses], rel=1e-3)


@pytest.mark.parametrize("n", [0, -1, 11])
def test_the_number_of_suggestions_is_between_one_and_ten(completer: Completer, n: int) -> None:
    with pytest.raises(UsageError, match="between 1 and 10"):
        completer.complete("waiter", n)


def test_words_past_the_vocabulary_stay_in_their_own_row() -> None:
    """With hardly any words to say, a beam must not fill up with another row's copies."""
    scheme = small_scheme(small_shape(vocabulary_size=6))
    completer = Completer(folder_of(scheme))
    beam = BeamOptions(width=10, n_best=10, max_tokens=2, extra_tokens=0)
    plain, copying = completer.beam_decode([["w5"], ["w30", "w31"]], beam)
    words = {suggestion.tokens for suggestion in plain}
    assert {tuple(word for word in tokens if word != "<shift>") for tokens in words} == {
        ("w5",),
        ("w5", "w5"),
    }
    assert [suggestion.tokens for suggestion in copying] == [("w30", "w31")]


def test_guesses_are_greedy_and_unconstrained(completer: Completer) -> None:
    guesses = completer.greedy_decode([["waiter"], [], ["zyzzyva"]])
    assert len(guesses) == 3
    assert all(
        isinstance(suggestion, Suggestion) and len(suggestion.tokens) <= DEFAULT_MAX_TOKENS
        for suggestion in guesses
    )
    beam = BeamOptions(
        width=1, n_best=1, max_tokens=DEFAULT_MAX_TOKENS, enforce_keywords=False, forbidden=()
    )
    narrow = completer.beam_decode([["waiter"], [], ["zyzzyva"]], beam)
    for guess, found in zip(guesses, narrow, strict=True):
        if len(guess.tokens) < DEFAULT_MAX_TOKENS:
            assert guess.score >= found[0].score * 0.999


def test_an_empty_batch_has_no_suggestions(completer: Completer) -> None:
    assert completer.complete_batch([]) == []


def test_keywords_are_a_part_of_the_sentence(completer: Completer) -> None:
    for sentence in fixture_sentences(20):
        chosen = completer.keywords(sentence, budget=0.5)
        assert chosen.tokens == tokenise(sentence).tokens
        assert len(chosen.keep) == len(chosen.probabilities) == len(chosen.tokens)
        assert align(chosen.keywords, chosen.tokens) is not None
        assert all(0 <= chance <= 1 for chance in chosen.probabilities)
    assert completer.keywords("Late again.", budget=1.0).keywords == tokenise("Late again.").tokens


def test_an_empty_sentence_has_no_keywords(completer: Completer) -> None:
    assert completer.keywords("  ").keywords == []


def test_a_run_and_its_model_folder_are_the_same(trained: Path, completer: Completer) -> None:
    other = Completer.load(trained / "model")
    assert other.complete("waiter friendly") == completer.complete("waiter friendly")


def test_a_sentence_in_memory_is_suggested_and_ranks_higher_the_more_it_is_used(
    trained: Path, tmp_path: Path
) -> None:
    said = "The waiter Anselm was friendly, as ever."
    with Memory(tmp_path / "phrases.db") as memory:
        completer = Completer.load(trained, memory)
        before = completer.complete("waiter friendly")
        assert {suggestion.source for suggestion in before} == {"model"}
        memory.remember(said)
        once = completer.complete("waiter friendly")
        assert [suggestion for suggestion in once if suggestion.source == "memory"] == [
            suggestion for suggestion in once if suggestion.text == said
        ]
        for _ in range(30):
            memory.remember(said)
        often = completer.complete("waiter friendly")
        assert often[0].text == said
        assert len(often) == len(once) == 3
        assert sum(suggestion.score for suggestion in often) <= 1 + 1e-6
        assert completer.complete("friendly waiter")[0].text != said


def test_a_sentence_of_model_and_memory_is_suggested_once(trained: Path, tmp_path: Path) -> None:
    with Memory(tmp_path / "phrases.db") as memory:
        completer = Completer.load(trained, memory)
        best = completer.complete("waiter friendly")[0]
        memory.remember(best.text)
        again = completer.complete("waiter friendly")
        assert [suggestion.text for suggestion in again].count(best.text) == 1
        assert again[0].text == best.text
        assert again[0].score > best.score


def test_suggestions_differ_in_words_not_only_in_capitals_and_punctuation(
    completer: Completer,
) -> None:
    for typed in ("waiter friendly", "soup cold", "thank", "london"):
        words = [
            [token for token in suggestion.tokens if token[0].isalnum()]
            for suggestion in completer.complete(typed, 5)
        ]
        assert len({tuple(row) for row in words}) == len(words)


@pytest.mark.parametrize("phrase", ["soup cold", "friendly waiter", "zyzzyva quux"])
def test_a_phrase_in_quotes_stays_together(completer: Completer, phrase: str) -> None:
    for suggestion in completer.complete(f'"{phrase}" today'):
        assert phrase in suggestion.text.lower()


@pytest.mark.parametrize("ending", ["?", "!", "."])
def test_a_sentence_ends_as_it_was_typed(completer: Completer, ending: str) -> None:
    for suggestion in completer.complete(f"waiter friendly{ending}"):
        assert suggestion.tokens[-1] == ending


def test_an_unfinished_word_is_completed(completer: Completer) -> None:
    assert "waiter" in completer.model.vocabulary
    found = completer.complete("10 waite", prefix=True)
    assert len(found) == 3
    for suggestion in found:
        assert "10" in suggestion.tokens
        assert {"waiter", "waited"} & set(suggestion.tokens)
    assert [suggestion.score for suggestion in found] == sorted(
        (suggestion.score for suggestion in found), reverse=True
    )
    assert sum(suggestion.score for suggestion in found) <= 1 + 1e-6


def test_a_blank_finishes_a_word(completer: Completer) -> None:
    assert completer.complete("waiter frien ", prefix=True) == completer.complete("waiter frien")
    assert completer.complete("", prefix=True) == completer.complete("")


def test_finished_and_unfinished_queries_can_be_batched(completer: Completer) -> None:
    texts = ["soup col", "waiter ", "soup", "zyzzyv"]
    together = completer.complete_batch(texts, prefix=True)
    for text, found in zip(texts, together, strict=True):
        alone = completer.complete(text, prefix=True)
        assert [suggestion.text for suggestion in found] == [
            suggestion.text for suggestion in alone
        ]


@pytest.mark.parametrize("prefix", [False, True])
def test_forbidden_words_do_not_appear(completer: Completer, prefix: bool) -> None:
    usual = completer.complete("soup waite", prefix=prefix)
    words = {token for suggestion in usual for token in suggestion.tokens if token.isalpha()} - {
        "soup",
        "waite",
    }
    for word in sorted(words):
        for suggestion in completer.complete("soup waite", prefix=prefix, without=[word.title()]):
            assert word not in suggestion.tokens


def test_a_sentence_in_memory_with_a_forbidden_word_is_not_suggested(
    trained: Path, tmp_path: Path
) -> None:
    with Memory(tmp_path / "phrases.db") as memory:
        memory.remember("The soup was awful.")
        completer = Completer.load(trained, memory)
        found = completer.complete("soup", without=["awful"])
        assert {suggestion.source for suggestion in found} == {"model"}


def test_a_keyword_must_not_be_forbidden(completer: Completer) -> None:
    with pytest.raises(UsageError, match='"soup" is both required and forbidden'):
        completer.complete("waiter soup", without=["Soup"])


def test_the_model_that_ships_may_have_a_memory(tmp_path: Path) -> None:
    with Memory(tmp_path / "phrases.db") as memory:
        memory.remember("The quokka ate my homework.")
        [best, *_] = Completer(memory=memory).complete("quokka homework")
    assert (best.text, best.source) == ("The quokka ate my homework.", "memory")


def test_spans_are_where_the_typed_words_stand(completer: Completer) -> None:
    for text, fields in (
        ("waiter friendly", {}),
        ("Waiter soup?", {}),
        ("10 waite", {"prefix": True}),
        ("friendly waiter soup", {"order": "free"}),
        ('"soup cold" waitr', {"corrections": True}),
    ):
        for suggestion in completer.complete(text, **fields):
            highlighted = [suggestion.text[start:end] for start, end in suggestion.spans]
            corrected = dict(suggestion.corrected)
            typed = [word for word in tokenise(text.replace('"', "")).tokens if word != "<shift>"]
            expected = [corrected.get(word, word) for word in typed]
            assert sorted(word.lower() for word in highlighted) == sorted(expected)
            assert list(suggestion.spans) == sorted(suggestion.spans)


def test_a_sentence_from_memory_has_spans_too(trained: Path, tmp_path: Path) -> None:
    with Memory(tmp_path / "phrases.db") as memory:
        memory.remember("I  will be late.")
        suggestions = Completer.load(trained, memory).complete("late late", order="free")
    [spans] = [suggestion.spans for suggestion in suggestions if suggestion.source == "memory"]
    assert spans == ((11, 15),)


def test_a_query_is_parsed_once(completer: Completer, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def count(text: str, *, prefix: bool = False) -> Query:
        parsed.append(text)
        return parse_query(text, prefix=prefix)

    monkeypatch.setattr("tersely.completion.completer.parse_query", count)
    expected = completer.complete("waitr", corrections=True)
    assert parsed == ["waitr"]
    options = CompletionOptions(corrections=True)
    assert completer.complete_with_options([parse_query("waitr")], options) == [expected]
    assert parsed == ["waitr"]


def test_a_completer_is_shown_with_its_model(trained: Path, completer: Completer) -> None:
    size = len(completer.model.vocabulary)
    fields = f"architecture='{completer.model.architecture}', vocabulary_size={size}"
    assert repr(completer) == f"Completer({str(trained)!r}, {fields})"
    assert repr(Completer(completer.model)) == f"Completer({fields})"


def test_the_public_classes_are_listed_in_the_package() -> None:
    assert {"Completer", "Memory", "__version__"} <= set(dir(tersely))
    assert tersely.Completer is Completer
    with pytest.raises(AttributeError, match="no attribute 'Complete'"):
        _ = tersely.Complete
