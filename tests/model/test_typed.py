import pytest

from tersely.model.typed import read_typed


@pytest.mark.parametrize(
    ("text", "tokens", "glued"),
    [
        ("10 min late", "10 min late", "0000"),
        ("", "", "0"),
        ('"ice cream" friday', "ice cream friday", "0100"),
        ('friday "ice cream"', "friday ice cream", "0010"),
        ("“ice cream sandwich”", "ice cream sandwich", "0110"),
        ('"New York" soon', "<shift> new <shift> york soon", "011100"),
        ('"" late', "late", "00"),
        ('5" pipe', '5 " pipe', "0000"),
        ("where station?", "where station ?", "0001"),
        ("come!", "come !", "001"),
        ("late.", "late .", "001"),
        ("where ? station", "where ? station", "0000"),
        ('"good night"!', "good night !", "0101"),
        ("?", "?", "01"),
    ],
)
def test_what_is_typed_is_read_as_it_is_meant(text: str, tokens: str, glued: str) -> None:
    typed = read_typed(text)
    assert " ".join(typed.tokens) == tokens
    assert "".join(str(int(one)) for one in typed.glued) == glued


@pytest.mark.parametrize("text", ['"', '"""', "“„”", 'a "b', "\x00", '"' * 501, '🙂 "🙂 🙂"'])
def test_any_text_can_be_read(text: str) -> None:
    typed = read_typed(text)
    assert len(typed.glued) == len(typed.tokens) + 1
