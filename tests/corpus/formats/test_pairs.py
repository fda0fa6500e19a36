import pytest

from tersely.corpus.formats.pairs import looks_like_pairs, read_pairs
from tersely.errors import UsageError
from tests.corpus.files import read

CREDIT = "CC-BY 2.0 (France) Attribution: tatoeba.org #1 (A) & #2 (B)"
PAIRS = (
    f"Go.\tVa !\t{CREDIT}\r\n"
    f"Go.\tMarche.\t{CREDIT}\r\n"
    "Hi.\tSalut !\r\n"
    "\r\n"
    f"Go.\tBouge !\t{CREDIT}\r\n"
)


def test_a_sentence_with_several_translations_is_one_document() -> None:
    reading = read(read_pairs, PAIRS, "fra.txt")
    assert reading.texts == ["Go.", "Hi.", "Go."]
    assert reading.locations == ["fra.txt, line 1", "fra.txt, line 3", "fra.txt, line 5"]


@pytest.mark.parametrize("line", ["no tab", "a\tb\tc\td"])
def test_a_line_with_other_fields_is_reported_with_its_location(line: str) -> None:
    with pytest.raises(UsageError, match=r"^fra\.txt, line 2: \d tab-separated field.s.; .*2 or 3"):
        read(read_pairs, f"Go.\tVa !\n{line}\n", "fra.txt")


def test_pair_files_are_detected_by_their_attributions() -> None:
    assert looks_like_pairs([f"Go.\tVa !\t{CREDIT}\r", "Hi.\tSalut !"])
    assert not looks_like_pairs(["id\ttext\tnote", "1\tHello\tnone"])
    assert not looks_like_pairs(["Hi.\tSalut !"])
    assert not looks_like_pairs([f"Go.\tVa !\t{CREDIT}", "no tabs here"])
    assert not looks_like_pairs([])
