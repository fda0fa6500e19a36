"""UTF-8 text from files and arguments."""

from pathlib import Path

import pytest

from tersely.errors import UsageError
from tersely.text.files import check_utf8, read_sentences, read_text


def test_lone_surrogates_are_refused() -> None:
    check_utf8("naïve 🙂 \x00", "--context")
    with pytest.raises(UsageError, match="--context: not UTF-8 text"):
        check_utf8("\udcff", "--context")


def test_sentences_are_stripped_and_empty_lines_skipped(tmp_path: Path) -> None:
    path = tmp_path / "dev.txt"
    path.write_text("One.\n\n  Two. \r\nThree.", encoding="utf-8")
    assert read_sentences(path) == ["One.", "Two.", "Three."]
    assert read_sentences(path, 2) == ["One.", "Two."]


def test_a_file_without_sentences_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "dev.txt"
    path.write_text("\n \n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"dev\.txt: empty"):
        read_sentences(path)


def test_errors_name_the_file_and_the_reason(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.txt: cannot be read \(No such file"):
        read_text(tmp_path / "none.txt")
    (tmp_path / "latin1.txt").write_bytes(b"caf\xe9")
    with pytest.raises(UsageError, match=r"latin1\.txt: not UTF-8 text"):
        read_text(tmp_path / "latin1.txt")
