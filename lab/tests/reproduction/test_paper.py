import pytest

from tersely_lab.reproduction import paper


def test_unifs_retention_gives_back_its_delta() -> None:
    for (kind, delta), kept in paper.KEPT_WITH_EOS.items():
        if kind == "unif":
            assert paper.typed_from_kept(kept) == pytest.approx(delta, abs=0.006)


def test_table_2_is_read_by_encoder_and_decoder() -> None:
    assert paper.exact_match(("constrained", 0.2), ("constrained", 0.8)) == 0.3831
    assert paper.exact_match(("constrained", 0.8), ("constrained", 0.2)) == 0.0218
    assert paper.exact_match(("unif", 0.7), ("unif", 0.1)) is None
    assert paper.exact_match(("unif", 0.1), ("linear", 4.3)) is None


def test_the_table_is_whole() -> None:
    assert set(paper.MATRIX) == set(paper.DECODERS) == set(paper.KEPT_WITH_EOS)
    assert {len(row) for row in paper.MATRIX.values()} == {7}


def test_parts_of_speech_stand_in_the_papers_order() -> None:
    values = list(paper.PARTS_OF_SPEECH.values())
    assert values == sorted(values)
    assert len(values) == 9
