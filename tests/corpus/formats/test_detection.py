import pytest

from tersely.corpus.formats.detection import detect_format
from tersely.corpus.formats.options import ReadOptions
from tersely.errors import UsageError

PAIR = "Go.\tVa !\tCC-BY 2.0 (France) Attribution: tatoeba.org\n"
MAIL = "From bob@example.org Mon Jan  5 10:21:00 2015\nFrom: bob@example.org\n\nHi.\n"


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.txt", "Hello.\n", "text"),
        ("a.csv", "id,text\n", "csv"),
        ("A.TSV", "id\ttext\n", "tsv"),
        ("a.jsonl", "{}", "jsonl"),
        ("a.ndjson", "{}", "jsonl"),
        ("a.json", "{}", "jsonl"),
        ("a.parquet", "PAR1", "parquet"),
        ("a.mbox", "", "mailbox"),
        ("fra.txt", PAIR * 9, "pairs"),
        ("fra.tsv", PAIR, "pairs"),
        ("Sent", MAIL, "mailbox"),
        ("Sent.txt", MAIL, "mailbox"),
        ("part-0", "PAR1\0\0", "parquet"),
        ("notes", "Hello.\n", "text"),
        ("notes.md", "From here on it is easy.\n", "text"),
        ("letters.txt", "From now on, all at 10.\n", "text"),
        ("empty", "", "text"),
        ("business.json", '{"business_id": 1, "text": "x", "stars": 2}', "jsonl"),
    ],
)
def test_the_format_is_told_by_name_and_first_lines(raw_file, name, content, expected):
    assert detect_format(raw_file(content, name), ReadOptions()) == expected


def test_pairs_are_recognised_though_the_first_look_ends_within_a_line(raw_file):
    long = f"{'word ' * 2000}\tmot\tCC-BY 2.0\n"
    assert detect_format(raw_file(long * 20, "fra.txt"), ReadOptions()) == "pairs"


def test_pairs_are_recognised_in_another_encoding(raw_file):
    file = raw_file(PAIR.encode("utf-16"), "fra.txt")
    assert detect_format(file, ReadOptions(encoding="utf-16")) == "pairs"


def test_a_column_of_a_file_of_unknown_format_needs_its_format(raw_file):
    with pytest.raises(UsageError, match=r"^data\.dat: .*--format csv, tsv, jsonl or parquet"):
        detect_format(raw_file("id,text\n", "data.dat"), ReadOptions(column="text"))
