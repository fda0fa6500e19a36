"""Beam pruning in NumPy, compared with the same rules applied candidate by candidate."""

from collections import Counter

import numpy as np
import pytest

from tersely.runtime.arrays import Ids
from tersely.runtime.kernels.pruning import Candidates, extend_key, is_member, prune

TOKENS, END = 12, 3
KEYS = np.random.default_rng(9).integers(0, 1 << 63, 3).astype(np.uint64)
LIMITS = ((1, 1), (3, 2), (5, 1), (50, 50))  # width and maximal number of duplicates


def random_candidates(seed: int) -> Candidates:
    """Draw a few sentences of a few hypotheses, with tokens and keys that often coincide."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, rng.integers(1, 5))
    rows, choices = int(sizes.sum()), int(rng.integers(2, 9))
    scores = rng.normal(scale=2, size=(rows, choices)).astype(np.float32)
    scores[rng.random(scores.shape) < 0.2] = -np.inf
    return Candidates(
        scores=scores,
        tokens=np.stack([rng.permutation(TOKENS)[:choices] for _ in range(rows)]),
        hypothesis_score=rng.normal(scale=2, size=rows),
        dedup_key=rng.choice(KEYS, rows),
        matched=rng.integers(0, 3, rows),
        next_keyword=rng.integers(4, TOKENS, rows),
        may_end=rng.random(rows) < 0.7,
        is_ignored=rng.random(9) < 0.4,
        is_forbidden=rng.random(9) < 0.1,
        starts=np.concatenate([[0], np.cumsum(sizes)]),
        reserves_slot=rng.random(len(sizes)) < 0.5,
    )


def prune_one_by_one(
    candidates: Candidates, sentence: int, *, width: int, max_duplicates: int
) -> tuple[list[tuple[int, int, int]], list[int]]:
    """Return (row, token, matched) of the candidates that continue, and the rows that end."""
    first, last = candidates.starts[sentence : sentence + 2].tolist()
    ranked = sorted(
        (-(candidates.hypothesis_score[row] + float(candidates.scores[row, choice])), row, choice)
        for row in range(first, last)
        for choice in range(candidates.tokens.shape[1])
        if candidates.scores[row, choice] > -np.inf
    )
    continuing: list[tuple[int, int, int]] = []
    ended: list[int] = []
    key_counts: Counter[tuple[int, int]] = Counter()
    for _, row, choice in ranked:
        token = int(candidates.tokens[row, choice])
        is_full = len(continuing) == width
        if token == END:
            if candidates.may_end[row] and not is_full:
                ended.append(row)
            continue
        if token < len(candidates.is_forbidden) and candidates.is_forbidden[token]:
            continue
        matched = int(candidates.matched[row]) + int(candidates.next_keyword[row] == token)
        if is_full:
            most_matched = max(already for _, _, already in continuing)
            if candidates.reserves_slot[sentence] and matched > most_matched:
                continuing[-1] = (row, token, matched)
                break
            continue
        is_ignored = token < len(candidates.is_ignored) and candidates.is_ignored[token]
        key = (int(candidates.dedup_key[row]), -1 if is_ignored else token)
        key_counts[key] += 1
        if key_counts[key] <= max_duplicates:
            continuing.append((row, token, matched))
    return continuing, ended


def test_the_best_candidates_continue_with_few_duplicates() -> None:
    for seed in range(150):
        candidates = random_candidates(seed)
        for width, max_duplicates in LIMITS:
            pruned = prune(candidates, width=width, max_duplicates=max_duplicates, end_id=END)
            expected, expected_ended = [], []
            for sentence in range(len(candidates.reserves_slot)):
                continuing, ended = prune_one_by_one(
                    candidates, sentence, width=width, max_duplicates=max_duplicates
                )
                assert pruned.sizes[sentence] == len(continuing), seed
                expected += continuing
                expected_ended += ended
            columns = (pruned.row.tolist(), pruned.token.tolist(), pruned.matched.tolist())
            assert list(zip(*columns, strict=True)) == expected, seed
            assert pruned.ended_row.tolist() == expected_ended, seed


def test_scores_are_of_the_whole_hypothesis_and_ignored_tokens_keep_its_key() -> None:
    candidates = random_candidates(3)
    pruned = prune(candidates, width=50, max_duplicates=50, end_id=END)
    choice = (candidates.tokens[pruned.row] == pruned.token[:, None]).argmax(axis=1)
    expected = candidates.hypothesis_score[pruned.row] + candidates.scores[pruned.row, choice]
    assert pruned.score == pytest.approx(expected)
    is_same = pruned.dedup_key == candidates.dedup_key[pruned.row]
    assert np.array_equal(is_same, is_member(candidates.is_ignored, pruned.token))


def test_keys_depend_on_the_order_of_tokens() -> None:
    def key(*tokens: int) -> int:
        keys = np.zeros(1, np.uint64)
        for token in tokens:
            ids: Ids = np.array([token])
            keys = extend_key(keys, ids)
        return int(keys[0])

    sequences = [(5, 6), (6, 5), (5,), (6,), (5, 5), (0,), (0, 0), ()]
    assert len({key(*sequence) for sequence in sequences}) == len(sequences)


def test_tokens_beyond_a_table_are_not_in_it() -> None:
    table, tokens = np.array([True, False]), np.array([0, 1, 2, 1 << 40])
    assert is_member(table, tokens).tolist() == [True, False, False, False]
