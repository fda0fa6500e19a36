import pytest

from tersely.evaluation.outcomes import TagCount
from tersely_lab.reproduction import paper
from tersely_lab.reproduction.table3 import compute


def tags(shares: dict[str, float]) -> dict[str, TagCount]:
    return {name: TagCount(1000, round(1000 * share), (0.0, 1.0)) for name, share in shares.items()}


def test_the_papers_own_table_agrees_with_itself() -> None:
    parts = compute(tags(paper.PARTS_OF_SPEECH))
    assert parts.order_agreement == pytest.approx(1)
    assert (parts.min_content, parts.max_function) == (0.277, 0.098)


def test_the_reverse_order_disagrees() -> None:
    names = list(paper.PARTS_OF_SPEECH)
    reverse = dict(zip(names, reversed(paper.PARTS_OF_SPEECH.values()), strict=True))
    parts = compute(tags(reverse))
    assert parts.order_agreement == pytest.approx(-1)
    assert parts.min_content is not None
    assert parts.max_function is not None
    assert parts.min_content < parts.max_function


def test_shift_and_punctuation_explain_no_variance() -> None:
    parts = compute(tags({"noun": 0.5, "verb": 0.5, "shift": 0.0, "punctuation": 1.0}))
    assert parts.explained == pytest.approx(0)
    assert parts.min_content is None
