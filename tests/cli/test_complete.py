"""`tersely complete`: arguments, piped lines and errors."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from tersely.cli.complete import MAX_BATCH_LINES, read_batches
from tersely.cli.main import main
from tersely.completion.memory import Memory
from tersely.errors import UsageError
from tersely.text.alignment import align
from tersely.text.tokens import tokenise
from tests.cli.broken_models import BROKEN_MODELS, broken_model
from tests.cli.invocation import invoke

LINES = ["waiter friendly", "", "10 minutes", "Paris", "zyzzyva", "你好 🙂", "  spaced  out  "]


def pipe_input(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content), encoding="utf-8"))


def test_suggestions_are_printed_as_a_numbered_list(
    trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["complete", "waiter friendly", "--model", str(trained), "-n", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[:3] for line in lines] == ["1. ", "2. "]
    assert all("waiter" in line and "friendly" in line for line in lines)


def test_json_contains_texts_and_scores(trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["complete", "waiter", "--model", str(trained), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["keywords"] == "waiter"
    assert len(answer["suggestions"]) == 3
    scores = [suggestion["score"] for suggestion in answer["suggestions"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_piped_lines_are_completed_in_order(
    trained: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [f"{line} {number}" for number in range(10) for line in LINES]  # several batches
    pipe_input(monkeypatch, "\n".join(lines).encode())
    assert main(["complete", "--model", str(trained), "-n", "1"]) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [answer["keywords"] for answer in answers] == lines
    for answer in answers:
        typed = tokenise(answer["keywords"]).tokens
        suggested = tokenise(answer["suggestions"][0]["text"]).tokens
        lowered = [token.lower() for token in suggested]
        assert align([token.lower() for token in typed], lowered) is not None


@pytest.mark.parametrize(
    ("content", "lines"),
    [(b"", []), (b"\n", [""]), (b"late", ["late"]), (b"a\r\nb\r\n", ["a", "b"])],
)
def test_each_input_line_gives_one_output_line(
    content: bytes,
    lines: list[str],
    trained: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pipe_input(monkeypatch, content)
    assert main(["complete", "--model", str(trained)]) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [answer["keywords"] for answer in answers] == lines


def test_the_prompt_reads_lines_until_the_end_of_input(
    trained: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
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
def test_binary_input_is_a_one_line_error(
    content: bytes,
    trained: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pipe_input(monkeypatch, content)
    result = invoke(capsys, "complete", "--model", trained)
    assert result.is_one_line_error(2)
    assert "not UTF-8" in result.message


BAD = {
    "no suggestions": ["late", "-n", "0"],
    "too many suggestions": ["late", "-n", "11"],
    "not UTF-8": ["caf\udce9"],
    "zero deadline": ["late", "--deadline", "0"],
    "negative deadline": ["late", "--deadline", "-1"],
    "deadline not a number": ["late", "--deadline", "nan"],
    "typed and forbidden": ["soup late", "--without", "soup"],
    "typed and forbidden in capitals": ["soup LATE", "--without", "late"],
    "required and forbidden": ["late", "--with", "ice cream", "--without", "Cream"],
    "required, not UTF-8": ["late", "--with", "caf\udce9"],
    "forbidden, not UTF-8": ["late", "--without", "caf\udce9"],
    "context not UTF-8": ["late", "--context", "caf\udce9"],
}


@pytest.mark.promise(25)
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_a_one_line_error(
    case: str, trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert invoke(capsys, "complete", *BAD[case], "--model", trained).is_one_line_error(2)


@pytest.mark.promise(25)
@pytest.mark.parametrize("kind", BROKEN_MODELS)
def test_a_broken_model_is_a_one_line_error(
    kind: str, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = broken_model(kind, tmp_path, trained)
    assert invoke(capsys, "complete", "late", "--model", model).is_one_line_error()


@pytest.mark.promise(25)
def test_a_full_disk_is_a_one_line_error(trained: Path) -> None:
    """Standard output may be a file; /dev/full is a device that is always full."""
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    for arguments in (["complete", "late"], ["keywords", "I am late."]):
        with Path("/dev/full").open("wb") as full:
            process = subprocess.run(
                [sys.executable, "-m", "tersely", *arguments, "--model", str(trained)],
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert process.returncode == 1
        assert process.stderr.startswith("tersely: No space left")
        assert process.stderr.count("\n") == 1


def test_a_closed_pipe_ends_the_command_silently(trained: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.run(
        [sys.executable, "-m", "tersely", "complete", "late", "--model", str(trained)],
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)
    assert (process.returncode, process.stderr) == (1, b"")


def test_the_last_word_may_be_unfinished(trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["complete", "10 waite", "--model", str(trained), "--prefix"]) == 0
    assert "waiter" in capsys.readouterr().out
    assert main(["complete", "10 waite", "--model", str(trained)]) == 0
    assert "1. 10 waiter" not in capsys.readouterr().out


def test_remembered_sentences_are_suggested_with_their_source(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Memory(tmp_path / "phrases.db") as memory:
        for _ in range(20):
            memory.remember("The waiter is on his way.")
    command = ["complete", "waiter way", "--model", str(trained), "--json", "--memory"]
    assert main([*command, str(tmp_path / "phrases.db")]) == 0
    [first, *_] = json.loads(capsys.readouterr().out)["suggestions"]
    assert (first["text"], first["source"]) == ("The waiter is on his way.", "memory")


def test_a_missing_memory_is_an_error_and_is_not_created(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["complete", "waiter", "--model", str(trained), "--memory"]
    assert main([*command, str(tmp_path / "none.db")]) == 2
    assert "none.db: no such file" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def complete(capsys: pytest.CaptureFixture[str], trained: Path, *arguments: str) -> dict[str, Any]:
    assert main(["complete", *arguments, "--model", str(trained), "--json"]) == 0
    output = capsys.readouterr()
    assert output.err == ""
    answer: dict[str, Any] = json.loads(output.out)
    return answer


def tokens_of(answer: dict[str, Any]) -> list[list[str]]:
    return [tokenise(suggestion["text"]).tokens for suggestion in answer["suggestions"]]


def test_the_keywords_may_appear_in_any_order(
    trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = complete(capsys, trained, "soup waiter cold", "--any-order")
    reordered = complete(capsys, trained, "cold waiter soup", "--any-order")
    assert result["suggestions"][0]["text"] == reordered["suggestions"][0]["text"]
    assert all({"soup", "waiter", "cold"} <= set(tokens) for tokens in tokens_of(result))


def test_words_can_be_required_and_forbidden(
    trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--with", "soup", "--with", "very cold", "--without", "the", "--without", "Of"]
    for tokens in tokens_of(complete(capsys, trained, "waiter late", *options)):
        assert align(["waiter", "late"], tokens) is not None
        assert "soup" in tokens
        assert " very cold" in " ".join(token for token in tokens if token != "<shift>")
        assert not {"the", "of"} & set(tokens)


def test_suggestions_continue_the_context(
    trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    default = complete(capsys, trained, "soup")
    after = complete(capsys, trained, "soup", "--context", "I am sorry, but the")
    assert [suggestion["score"] for suggestion in after["suggestions"]] != [
        suggestion["score"] for suggestion in default["suggestions"]
    ]
    previous = complete(capsys, trained, "soup.")["suggestions"][0]["text"]
    repeated = complete(capsys, trained, "soup.", "--context", f"Hello. {previous}\n")
    assert previous not in [suggestion["text"] for suggestion in repeated["suggestions"]]
    assert len(repeated["suggestions"]) == 3


def test_the_deadline_limits_the_time(trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keywords = " ".join(f"word{number}" for number in range(500))
    began = process_time()
    answer = complete(capsys, trained, keywords, "--any-order", "--deadline", "0.001")
    assert process_time() - began < 30
    assert answer["suggestions"][0]["text"] == keywords
    default = complete(capsys, trained, "waiter soup")
    assert complete(capsys, trained, "waiter soup", "--deadline", "600") == default


def test_corrected_suggestions_are_listed_separately(
    trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = complete(capsys, trained, "waitr soup", "-n", "2")
    assert len(answer["suggestions"]) == 2
    assert all("waitr" in tokens for tokens in tokens_of(answer))
    [read] = answer["corrected"]
    assert set(read) == {"text", "score", "read"}
    [(typed, meant)] = read["read"].items()
    assert typed == "waitr"
    assert meant in tokenise(read["text"]).tokens
    assert "waitr" not in tokenise(read["text"]).tokens


def test_without_misspelt_words_there_is_no_list_of_corrections(
    trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert set(complete(capsys, trained, "waiter soup")) == {"keywords", "suggestions"}


def test_the_numbered_list_shows_corrections(
    trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["complete", "waitr soup", "--model", str(trained), "-n", "2"]) == 0
    *typed, read = capsys.readouterr().out.splitlines()
    assert [line[:3] for line in [*typed, read]] == ["1. ", "2. ", "3. "]
    assert not any("for waitr" in line for line in typed)
    assert read.endswith(" for waitr)")


def test_options_apply_to_piped_lines(
    trained: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe_input(monkeypatch, b"waitr\nsoup cold\n\n")
    command = ["complete", "--model", str(trained), "--with", "late", "--without", "the"]
    assert main(command) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [answer["keywords"] for answer in answers] == ["waitr", "soup cold", ""]
    for answer in answers:
        for tokens in tokens_of(answer):
            assert "late" in tokens
            assert "the" not in tokens
    assert ["corrected" in answer for answer in answers] == [True, False, False]


def test_a_forbidden_word_on_a_piped_line_is_a_one_line_error(
    trained: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe_input(monkeypatch, b"waiter\n")
    result = invoke(capsys, "complete", "--model", trained, "--without", "waiter")
    assert result.is_one_line_error(2)
    assert '"waiter" is both required and forbidden' in result.message


def test_a_deadline_that_is_not_a_number_is_a_usage_error(
    trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["complete", "late", "--model", str(trained), "--deadline", "soon"])
    assert exit_.value.code == 2
    assert "invalid float value: 'soon'" in capsys.readouterr().err


def test_lines_are_read_in_order_and_in_batches() -> None:
    lines = [f"line {number}" for number in range(3 * MAX_BATCH_LINES + 1)]
    batches = list(read_batches(io.BytesIO("\n".join(lines).encode())))
    assert [line for batch in batches for line in batch] == lines
    assert max(map(len, batches)) == MAX_BATCH_LINES


def test_lines_may_end_with_a_carriage_return_or_with_the_input() -> None:
    cases: dict[bytes, list[str]] = {
        b"": [],
        b"\n": [""],
        b"late": ["late"],
        b"a\r\nb\r\n": ["a", "b"],
    }
    for content, lines in cases.items():
        batches = read_batches(io.BytesIO(content))
        assert [line for batch in batches for line in batch] == lines, content


def test_a_line_is_read_before_the_next_is_written() -> None:
    read_end, write_end = os.pipe()
    with os.fdopen(read_end, "rb") as stream, os.fdopen(write_end, "wb", buffering=0) as pipe:
        batches = read_batches(stream)
        for line in ("10 minutes late", "é", "last"):
            pipe.write(f"{line}\n".encode())
            assert next(batches) == [line]


def test_a_character_split_between_two_chunks_is_decoded() -> None:
    read_end, write_end = os.pipe()
    with os.fdopen(read_end, "rb") as stream, os.fdopen(write_end, "wb", buffering=0) as pipe:
        batches = read_batches(stream)
        encoded = "café\n".encode()
        pipe.write(encoded[:4])
        pipe.write(encoded[4:])
        assert next(batches) == ["café"]


@pytest.mark.parametrize("content", [b"good\n\xff\xfe\n", b"good\n\xed\xa0\x80"])
def test_an_error_in_the_encoding_names_the_line(content: bytes) -> None:
    with pytest.raises(UsageError, match="line 2: not UTF-8"):
        list(read_batches(io.BytesIO(content)))
