"""Suggesting with made-up models of both architectures; what is pooled is counted by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest

from tersely.completion import ranking as suggesting
from tersely.completion.calibration import Calibration
from tersely.completion.query import Typed, read_typed
from tersely.completion.ranking import TOKENS_AT_ONCE, Hunting, Reading, Suggester
from tersely.decoding.beam import Beam
from tersely.decoding.scoring import total_nll
from tersely.runtime.registry import open_model
from tersely.text.keywords import leftmost_alignment
from tersely.text.tokens import SHIFT, detokenise
from tersely.text.vocabulary import BOS_ID, EOS_ID
from tests.game.small import small_scheme
from tests.game.small_monotone import monotone_folder_of, small_monotone
from tests.runtime.test_paper import folder_of

FOLDERS = {
    "paper": folder_of(small_scheme()),
    "monotone": monotone_folder_of(small_monotone(width=0.8)),
}
HUNTING = Hunting(Beam(width=5, count=3, max_tokens=8))
ROWS = [read_typed(text) for text in ("w5 w6", "", "w39 w7 w39", '"w8 w9" w10', "W5")]
LATE = replace(HUNTING, is_late=lambda: True)


@pytest.fixture(params=FOLDERS)
def suggester(request: pytest.FixtureRequest) -> Suggester:
    return Suggester(open_model(FOLDERS[request.param])[0], Calibration())


def test_no_rows_get_no_suggestions(suggester: Suggester) -> None:
    assert suggester.suggest([], HUNTING) == []


def test_suggestions_contain_the_keywords_and_their_score_is_their_probability(
    suggester: Suggester,
) -> None:
    for row, found in zip(ROWS, suggester.suggest(ROWS, HUNTING), strict=True):
        assert 1 <= len(found) <= 3
        losses = total_nll(
            suggester.runtime, [row.tokens] * len(found), [one.tokens for one in found]
        )
        for one, loss in zip(found, losses, strict=True):
            assert leftmost_alignment(row.tokens, one.tokens) is not None
            assert one.text == detokenise(one.tokens)
            assert one.score == pytest.approx(math.exp(-loss), rel=1e-3)


def test_they_differ_in_words_not_only_in_capitals(suggester: Suggester) -> None:
    for found in suggester.suggest(ROWS, HUNTING):
        words = {tuple(token for token in one.tokens if token != SHIFT) for one in found}
        assert len(words) == len(found)


def test_scores_are_set_right_by_what_the_model_carries(suggester: Suggester) -> None:
    calibration = Calibration(slope=0.5, behind=0.3, offset=0.1)
    other = Suggester(suggester.runtime, calibration)
    for plain, set_right in zip(
        suggester.suggest(ROWS, HUNTING), other.suggest(ROWS, HUNTING), strict=True
    ):
        assert [one.text for one in set_right] == [one.text for one in plain]
        expected = calibration.apply([one.score for one in plain])
        assert [one.score for one in set_right] == pytest.approx(expected)
        assert expected != [one.score for one in plain]


def test_after_an_opening_its_rest_is_suggested(suggester: Suggester) -> None:
    runtime, opening = suggester.runtime, ("w11", "w12", "w38")  # w38 is unknown
    hunting = replace(HUNTING, opening=opening)
    [found] = suggester.suggest([read_typed("w5 w6")], hunting)
    for one in found:
        assert leftmost_alignment(["w5", "w6"], one.tokens) is not None
        total, said = 0.0, [BOS_ID, *runtime.vocabulary.encode(opening)]
        state = runtime.begin([("w5", "w6")])
        for word in said[:-1]:
            state, _ = runtime.step(state, np.array([word]))
        last = said[-1]
        for word in [*runtime.vocabulary.encode(one.tokens), EOS_ID]:
            state, coming = runtime.step(state, np.array([last]))
            total += float(coming.of(np.array([word]))[0])
            last = word
        assert one.score == pytest.approx(math.exp(total), rel=1e-3)


def test_a_keyword_in_the_opening_is_said_once_more(suggester: Suggester) -> None:
    hunting = replace(HUNTING, opening=("w5", "w6"))
    [found] = suggester.suggest([read_typed("w5 w6")], hunting)
    assert all(leftmost_alignment(["w5", "w6"], one.tokens) is not None for one in found)


READINGS = [
    Reading(read_typed("w5 w6")),
    Reading(read_typed("w5 w7"), weight=3.0),
    Reading(read_typed("w5 w39"), corrected=(("w4x", "w39"),)),
]


def test_readings_are_weighed_by_how_well_their_best_goes_with_what_they_share(
    suggester: Suggester,
) -> None:
    found = suggester.suggest([one.typed for one in READINGS], HUNTING)
    given = ("w5",)
    best = [own[0].tokens for own in found]
    shared = total_nll(suggester.runtime, [given] * 3, best)
    own = total_nll(suggester.runtime, [one.typed.tokens for one in READINGS], best)
    shares = np.exp(own - shared) * [one.weight for one in READINGS]
    shares /= shares.sum()
    by_hand: dict[str, tuple[float, object]] = {}
    for share, reading, row in zip(shares, READINGS, found, strict=True):
        for one in row:
            score = share * one.score
            if score > by_hand.get(one.text, (0.0, None))[0]:
                by_hand[one.text] = score, reading.corrected
    first = sorted(by_hand.items(), key=lambda item: -item[1][0])[:3]
    pooled = suggester.weigh(READINGS, given, HUNTING)
    assert [one.text for one in pooled] == [text for text, _ in first]
    assert [one.score for one in pooled] == pytest.approx([score for _, (score, _) in first])
    assert [one.corrected for one in pooled] == [corrected for _, (_, corrected) in first]
    assert sum(one.score for one in pooled) <= 1


def test_one_reading_alone_is_just_completed(suggester: Suggester) -> None:
    [plain] = suggester.suggest([ROWS[0]], HUNTING)
    assert suggester.weigh([Reading(ROWS[0])], ("w5",), HUNTING) == plain


def test_a_reading_held_impossible_beforehand_is_not_suggested_before_the_others(
    suggester: Suggester,
) -> None:
    likely, unlikely = read_typed("w5 w6"), read_typed("w5 w7")
    pooled = suggester.weigh([Reading(unlikely, 1e-30), Reading(likely)], ("w5",), HUNTING)
    assert leftmost_alignment(likely.tokens, pooled[0].tokens) is not None
    turned = suggester.weigh([Reading(unlikely), Reading(likely, 1e-30)], ("w5",), HUNTING)
    assert leftmost_alignment(unlikely.tokens, turned[0].tokens) is not None


def test_what_two_readings_would_say_is_suggested_once(suggester: Suggester) -> None:
    twice = suggester.weigh([Reading(ROWS[0]), Reading(ROWS[0], 2.0)], (), HUNTING)
    [once] = suggester.suggest([ROWS[0]], HUNTING)
    assert [one.text for one in twice] == [one.text for one in once]
    assert [one.score for one in twice] == pytest.approx([one.score * 2 / 3 for one in once])


def test_the_loss_of_a_row_is_that_of_the_first_sentence_by_itself(suggester: Suggester) -> None:
    narrow = replace(HUNTING, beam=replace(HUNTING.beam, width=1, count=1))
    best = [own[0].tokens for own in suggester.suggest(ROWS, narrow)]
    expected = total_nll(suggester.runtime, [()] * len(ROWS), best)
    assert suggester.losses(ROWS, HUNTING) == pytest.approx(expected)


def test_rows_too_long_to_be_weighed_together_are_weighed_alike(
    suggester: Suggester, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [Typed.of_blocks([(f"w{5 + start}",)] * (start + 1)) for start in range(12)]
    together = suggester.losses(rows, HUNTING)
    for at_once in (1, 24, 30):
        monkeypatch.setattr(suggesting, "TOKENS_AT_ONCE", at_once)
        assert suggester.losses(rows, HUNTING) == pytest.approx(together, rel=1e-4)


def test_once_it_is_late_nothing_more_is_weighed(suggester: Suggester) -> None:
    assert np.isinf(suggester.losses(ROWS, LATE)).all()
    rows = [Typed.of_blocks([("w5",)] * TOKENS_AT_ONCE)] * 3
    seen = iter([False, *[True] * 100_000])
    losses = suggester.losses(rows, replace(HUNTING, is_late=lambda: next(seen)))
    assert np.isfinite(losses).tolist() == [True, False, False]


def test_once_it_is_late_readings_are_still_completed(suggester: Suggester) -> None:
    pooled = suggester.weigh(READINGS, ("w5",), LATE)
    assert {one.text for one in pooled} == {"w5 w6", "w5 w7", "w5 w39"}
