"""`tersely complete` as a person meets it, or another program."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tersely.cli.main import main
from tersely.model.memory import Memory
from tersely.text.keywords import leftmost_alignment
from tersely.text.tokens import tokenise
from tests.cli.broken import BROKEN, broken_model
from tests.cli.calling import call

LINES = ["waiter friendly", "", "10 minutes", "Paris", "zyzzyva", "你好 🙂", "  spaced  out  "]


def piped(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content), encoding="utf-8"))


def test_a_person_gets_a_numbered_list(trained: Path, capsys) -> None:
    assert main(["complete", "waiter friendly", "--model", str(trained), "-n", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[:3] for line in lines] == ["1. ", "2. "]
    assert all("waiter" in line and "friendly" in line for line in lines)


def test_json_tells_text_and_score(trained: Path, capsys) -> None:
    assert main(["complete", "waiter", "--model", str(trained), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["keywords"] == "waiter"
    assert len(answer["suggestions"]) == 3
    scores = [one["score"] for one in answer["suggestions"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_piped_lines_are_answered_line_by_line_in_order(
    trained: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    lines = [f"{line} {number}" for number in range(10) for line in LINES]  # several batches
    piped(monkeypatch, "\n".join(lines).encode())
    assert main(["complete", "--model", str(trained), "-n", "1"]) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [answer["keywords"] for answer in answers] == lines
    for answer in answers:
        typed = tokenise(answer["keywords"]).tokens
        suggested = tokenise(answer["suggestions"][0]["text"]).tokens
        lowered = [token.lower() for token in suggested]
        assert leftmost_alignment([token.lower() for token in typed], lowered) is not None


@pytest.mark.parametrize(
    ("content", "lines"),
    [(b"", []), (b"\n", [""]), (b"late", ["late"]), (b"a\r\nb\r\n", ["a", "b"])],
)
def test_the_end_of_the_input_is_the_end_of_the_output(
    content: bytes, lines: list[str], trained: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    piped(monkeypatch, content)
    assert main(["complete", "--model", str(trained)]) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [answer["keywords"] for answer in answers] == lines


def test_at_a_terminal_it_asks_until_the_end(
    trained: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    typed = iter(["waiter", "   ", "late"])

    def ask(_: str) -> str:
        try:
            return next(typed)
        except StopIteration as end:
            raise EOFError from end

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", ask)
    assert main(["complete", "--model", str(trained), "-n", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "Ctrl-D" in lines[0]
    assert [line[:3] for line in lines[1:3]] == ["1. ", "1. "]
    assert "waiter" in lines[1]
    assert "late" in lines[2]


@pytest.mark.promise(25)
@pytest.mark.parametrize("content", [bytes(range(256)), b"late\n\xff\xfe\n"])
def test_binary_input_is_one_clear_line(
    content: bytes, trained: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    piped(monkeypatch, content)
    called = call(capsys, "complete", "--model", trained)
    assert called.failed_plainly(2)
    assert "not UTF-8" in called.complaint


BAD = {
    "no suggestions": ["late", "-n", "0"],
    "too many suggestions": ["late", "-n", "11"],
    "no UTF-8": ["caf\udce9"],
}


@pytest.mark.promise(25)
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_clear_line(case: str, trained: Path, capsys) -> None:
    assert call(capsys, "complete", *BAD[case], "--model", trained).failed_plainly(2)


@pytest.mark.promise(25)
@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_model_is_one_clear_line(kind: str, trained: Path, tmp_path: Path, capsys) -> None:
    model = broken_model(kind, tmp_path, trained)
    assert call(capsys, "complete", "late", "--model", model).failed_plainly()


@pytest.mark.promise(25)
def test_a_full_disk_is_said_plainly(trained: Path) -> None:
    """What is printed may go to a disk too; /dev/full is one that is always full."""
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    for arguments in (["complete", "late"], ["keywords", "I am late."]):
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run(
                [sys.executable, "-m", "tersely", *arguments, "--model", str(trained)],
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert done.returncode == 1
        assert done.stderr.startswith("tersely: No space left")
        assert done.stderr.count("\n") == 1


def test_a_reader_that_goes_away_is_no_error_to_tell(trained: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "tersely", "complete", "late", "--model", str(trained)],
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")


def test_the_last_word_may_be_unfinished(trained: Path, capsys) -> None:
    assert main(["complete", "10 waite", "--model", str(trained), "--prefix"]) == 0
    assert "waiter" in capsys.readouterr().out
    assert main(["complete", "10 waite", "--model", str(trained)]) == 0
    assert "1. 10 waiter" not in capsys.readouterr().out


def test_remembered_sentences_are_suggested_and_marked(
    trained: Path, tmp_path: Path, capsys
) -> None:
    with Memory(tmp_path / "phrases.db") as memory:
        for _ in range(20):
            memory.remember("The waiter is on his way.")
    command = ["complete", "waiter way", "--model", str(trained), "--json", "--memory"]
    assert main([*command, str(tmp_path / "phrases.db")]) == 0
    [first, *_] = json.loads(capsys.readouterr().out)["suggestions"]
    assert (first["text"], first["source"]) == ("The waiter is on his way.", "memory")


def test_a_memory_that_is_not_there_is_not_made(trained: Path, tmp_path: Path, capsys) -> None:
    command = ["complete", "waiter", "--model", str(trained), "--memory"]
    assert main([*command, str(tmp_path / "none.db")]) == 2
    assert "none.db: no such file" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
