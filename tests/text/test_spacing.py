import pytest

from tersely.text.spacing import usual_gaps


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (["a", ",", "b", "."], "a, b."),
        (["(", "a", ")", "b"], "(a) b"),
        (['"', "a", '"', "b", '"', "c", '"'], '"a" b "c"'),
        (["do", "n't", "it", "'s"], "don't it's"),
        (["and", "/", "or"], "and/or"),
        (["a", "-", "b"], "a - b"),
        (["wait", "...", "what", "?!"], "wait... what?!"),
        (["good", ":)", "yes"], "good :) yes"),
        (["我", "吃", "。", "好"], "我吃。好"),
        (["“", "a", "”"], "“a”"),
    ],
)
def test_the_usual_white_space_reads_well(pieces: list[str], text: str) -> None:
    gaps = usual_gaps(pieces)
    assert "".join(gap + piece for gap, piece in zip(gaps, pieces, strict=True)) == text
