"""Which candidates a beam follows, held against the same rule candidate by candidate."""

from collections import Counter

import numpy as np
import pytest

from tersely.runtime.kernels.beam import Field, follow

WORDS, END = 12, 3
HEARD = np.random.default_rng(9).integers(0, 1 << 63, 3).astype(np.uint64)


def some_field(seed: int) -> Field:
    """A few sentences of a few hypotheses; words and heard numbers that often coincide."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, rng.integers(1, 5))
    rows, choices = int(sizes.sum()), int(rng.integers(2, 9))
    scores = rng.normal(scale=2, size=(rows, choices)).astype(np.float32)
    scores[rng.random(scores.shape) < 0.2] = -np.inf
    return Field(
        scores,
        np.stack([rng.permutation(WORDS)[:choices] for _ in range(rows)]),
        rng.normal(scale=2, size=rows),
        rng.choice(HEARD, rows),
        rng.integers(0, 3, rows),
        rng.integers(4, WORDS, rows),
        rng.random(rows) < 0.7,
        rng.random(9) < 0.4,
        rng.random(9) < 0.1,
        np.concatenate([[0], np.cumsum(sizes)]),
        rng.random(len(sizes)) < 0.5,
    )


def by_hand(
    field: Field, sentence: int, *, width: int, alike: int
) -> tuple[list[tuple[int, int, int]], list[int]]:
    """One candidate after the other: (row, word, placed) of what goes on, and rows that end."""
    first, last = field.starts[sentence : sentence + 2].tolist()
    candidates = sorted(
        (
            (-(field.so_far[row] + float(field.scores[row, choice])), row, choice)
            for row in range(first, last)
            for choice in range(field.words.shape[1])
            if field.scores[row, choice] > -np.inf
        ),
    )
    going: list[tuple[int, int, int]] = []
    ended: list[int] = []
    sounds: Counter[tuple[int, int]] = Counter()
    for _, row, choice in candidates:
        word = int(field.words[row, choice])
        is_full = len(going) == width
        if word == END:
            if field.may_end[row] and not is_full:
                ended.append(row)
            continue
        if word < len(field.is_barred) and field.is_barred[word]:
            continue
        placed = int(field.placed[row]) + int(field.keyword[row] == word)
        if is_full:
            if field.is_marked[sentence] and placed > max(one[2] for one in going):
                going[-1] = (row, word, placed)
                break
            continue
        is_silent = word < len(field.is_silent) and field.is_silent[word]
        sound = (int(field.heard[row]), -1 if is_silent else word)
        sounds[sound] += 1
        if sounds[sound] <= alike:
            going.append((row, word, placed))
    return going, ended


@pytest.mark.parametrize("seed", range(150))
def test_the_best_go_on_and_few_of_them_sound_alike(seed: int) -> None:
    field = some_field(seed)
    for width, alike in ((1, 1), (3, 2), (5, 1), (50, 50)):
        found = follow(field, width=width, alike=alike, end=END)
        going = list(
            zip(found.row.tolist(), found.word.tolist(), found.placed.tolist(), strict=True)
        )
        expected, ended = [], []
        for sentence in range(len(field.is_marked)):
            own, over = by_hand(field, sentence, width=width, alike=alike)
            assert found.sizes[sentence] == len(own)
            expected += own
            ended += over
        assert going == expected
        assert found.ended_row.tolist() == ended


def test_scores_are_those_of_the_whole_sentence_and_what_is_silent_is_not_heard() -> None:
    field = some_field(3)
    found = follow(field, width=50, alike=50, end=END)
    choice = (field.words[found.row] == found.word[:, None]).argmax(axis=1)
    assert found.score == pytest.approx(field.so_far[found.row] + field.scores[found.row, choice])
    silent = np.append(field.is_silent, False)[np.minimum(found.word, 9)]
    same = found.heard == field.heard[found.row]
    assert np.array_equal(same, silent)
