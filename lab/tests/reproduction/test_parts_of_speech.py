import pytest

from tersely.evaluation.outcomes import TagCount
from tersely_lab.reproduction import paper
from tersely_lab.reproduction.parts_of_speech import parts_of_speech


def tags(shares: dict[str, float]) -> dict[str, TagCount]:
    return {name: TagCount(1000, round(1000 * share), (0.0, 1.0)) for name, share in shares.items()}


def test_the_papers_own_table_agrees_with_itself() -> None:
    found = parts_of_speech(tags(paper.PARTS_OF_SPEECH))
    assert found.order_agreement == pytest.approx(1)
    assert (found.least_content, found.most_function) == (0.277, 0.098)


def test_the_reverse_disagrees() -> None:
    names = list(paper.PARTS_OF_SPEECH)
    reverse = dict(zip(names, reversed(paper.PARTS_OF_SPEECH.values()), strict=True))
    found = parts_of_speech(tags(reverse))
    assert found.order_agreement == pytest.approx(-1)
    assert found.least_content < found.most_function


def test_what_is_no_word_explains_nothing() -> None:
    with_shift = tags({"noun": 0.5, "verb": 0.5, "shift": 0.0, "punctuation": 1.0})
    assert parts_of_speech(with_shift).explained == pytest.approx(0)
    assert parts_of_speech(with_shift).least_content is None
