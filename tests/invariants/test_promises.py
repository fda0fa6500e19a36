"""docs/reference/promises.md lists the promises that have tests, with the files of the tests."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "promises.md"
_ROW = re.compile(r"^\| (\d+) \|.*$", re.MULTILINE)
_TEST_PATH = re.compile(r"`((?:lab/)?tests/[\w/.]+)`")
_MARK = re.compile(r"pytest\.mark\.promise\((\d+)\)")


def promises_of(path: Path) -> set[int]:
    """Return the numbers that the tests of a file or folder are marked with."""
    files = path.rglob("test_*.py") if path.is_dir() else [path]
    return {int(number) for file in files for number in _MARK.findall(file.read_text("utf-8"))}


def test_the_page_lists_exactly_the_promises_with_tests() -> None:
    listed = [int(row[1]) for row in _ROW.finditer(PAGE.read_text("utf-8"))]
    assert listed == sorted(promises_of(ROOT / "tests") | promises_of(ROOT / "lab" / "tests"))


def test_every_file_of_a_promise_has_a_test_of_it() -> None:
    wrong = [
        f"promise {row[1]}: {path}"
        for row in _ROW.finditer(PAGE.read_text("utf-8"))
        for path in _TEST_PATH.findall(row[0])
        if int(row[1]) not in promises_of(ROOT / path)
    ]
    assert not wrong, "\n".join(wrong)
