"""`tersely complete` as a person meets it, or another program."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from tersely.cli.main import main
from tersely.completion.memory import Memory
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
    "no time": ["late", "--deadline", "0"],
    "time that is past": ["late", "--deadline", "-1"],
    "time that is no number": ["late", "--deadline", "nan"],
    "typed and forbidden": ["soup late", "--without", "soup"],
    "typed and forbidden in capitals": ["soup LATE", "--without", "late"],
    "asked for and forbidden": ["late", "--with", "ice cream", "--without", "Cream"],
    "asked for, no UTF-8": ["late", "--with", "caf\udce9"],
    "forbidden, no UTF-8": ["late", "--without", "caf\udce9"],
    "after what is no UTF-8": ["late", "--context", "caf\udce9"],
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


def answered(capsys, trained: Path, *arguments: str) -> dict[str, Any]:
    assert main(["complete", *arguments, "--model", str(trained), "--json"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    answer: dict[str, Any] = json.loads(said.out)
    return answer


def tokens_of(answer: dict[str, Any]) -> list[list[str]]:
    return [tokenise(one["text"]).tokens for one in answer["suggestions"]]


def test_the_keywords_may_appear_in_any_order(trained: Path, capsys) -> None:
    one = answered(capsys, trained, "soup waiter cold", "--any-order")
    other = answered(capsys, trained, "cold waiter soup", "--any-order")
    assert one["suggestions"][0]["text"] == other["suggestions"][0]["text"]
    assert all({"soup", "waiter", "cold"} <= set(tokens) for tokens in tokens_of(one))


def test_words_can_be_asked_for_and_forbidden(trained: Path, capsys) -> None:
    wished = ["--with", "soup", "--with", "very cold", "--without", "the", "--without", "Of"]
    for tokens in tokens_of(answered(capsys, trained, "waiter late", *wished)):
        assert leftmost_alignment(["waiter", "late"], tokens) is not None
        assert "soup" in tokens
        assert " very cold" in " ".join(token for token in tokens if token != "<shift>")
        assert not {"the", "of"} & set(tokens)


def test_what_is_suggested_goes_on_from_the_text_before(trained: Path, capsys) -> None:
    usual = answered(capsys, trained, "soup")
    after = answered(capsys, trained, "soup", "--context", "I am sorry, but the")
    assert [one["score"] for one in after["suggestions"]] != [
        one["score"] for one in usual["suggestions"]
    ]
    said = answered(capsys, trained, "soup.")["suggestions"][0]["text"]
    again = answered(capsys, trained, "soup.", "--context", f"Hello. {said}\n")
    assert said not in [one["text"] for one in again["suggestions"]]
    assert len(again["suggestions"]) == 3


def test_it_takes_no_longer_than_it_may(trained: Path, capsys) -> None:
    keywords = " ".join(f"word{number}" for number in range(500))
    began = process_time()
    answer = answered(capsys, trained, keywords, "--any-order", "--deadline", "0.001")
    assert process_time() - began < 30
    assert answer["suggestions"][0]["text"] == keywords
    usual = answered(capsys, trained, "waiter soup")
    assert answered(capsys, trained, "waiter soup", "--deadline", "600") == usual


def test_what_was_read_otherwise_than_typed_stands_apart(trained: Path, capsys) -> None:
    answer = answered(capsys, trained, "waitr soup", "-n", "2")
    assert len(answer["suggestions"]) == 2
    assert all("waitr" in tokens for tokens in tokens_of(answer))
    [read] = answer["corrected"]
    assert set(read) == {"text", "score", "read"}
    [(typed, meant)] = read["read"].items()
    assert typed == "waitr"
    assert meant in tokenise(read["text"]).tokens
    assert "waitr" not in tokenise(read["text"]).tokens


def test_where_nothing_was_misspelt_nothing_is_said_of_it(trained: Path, capsys) -> None:
    assert set(answered(capsys, trained, "waiter soup")) == {"keywords", "suggestions"}


def test_a_person_is_told_what_was_read_otherwise(trained: Path, capsys) -> None:
    assert main(["complete", "waitr soup", "--model", str(trained), "-n", "2"]) == 0
    *typed, read = capsys.readouterr().out.splitlines()
    assert [line[:3] for line in [*typed, read]] == ["1. ", "2. ", "3. "]
    assert not any("for waitr" in line for line in typed)
    assert read.endswith(" for waitr)")


def test_wishes_hold_for_piped_lines_too(
    trained: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    piped(monkeypatch, b"waitr\nsoup cold\n\n")
    command = ["complete", "--model", str(trained), "--with", "late", "--without", "the"]
    assert main(command) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [answer["keywords"] for answer in answers] == ["waitr", "soup cold", ""]
    for answer in answers:
        for tokens in tokens_of(answer):
            assert "late" in tokens
            assert "the" not in tokens
    assert ["corrected" in answer for answer in answers] == [True, False, False]


def test_a_forbidden_word_on_a_piped_line_is_one_clear_line(
    trained: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    piped(monkeypatch, b"waiter\n")
    called = call(capsys, "complete", "--model", trained, "--without", "waiter")
    assert called.failed_plainly(2)
    assert '"waiter" is asked for' in called.complaint


def test_a_deadline_that_is_no_number_is_misuse(trained: Path, capsys) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["complete", "late", "--model", str(trained), "--deadline", "soon"])
    assert exit_.value.code == 2
    assert "invalid float value: 'soon'" in capsys.readouterr().err
