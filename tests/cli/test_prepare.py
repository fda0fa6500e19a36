"""`tersely prepare`: its summary, and its errors on bad input."""

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tersely.cli.main import main
from tersely.corpus.dataset import PreparedCorpus
from tersely.corpus.fixture import fixture_sentences


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "in" / "text.txt"
    path.parent.mkdir()
    path.write_text("\n".join(fixture_sentences(500)), encoding="utf-8")
    return path


def run(*arguments: object) -> int:
    return main(["prepare", *map(str, arguments), "--processes", "1"])


def test_a_summary_is_printed(
    text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(text, "--out", tmp_path / "out") == 0
    output = capsys.readouterr()
    assert "500 sentences from 500 documents" in output.out
    assert "100.000% of sentences restored exactly" in output.out
    assert output.err == ""  # no progress bar in a pipe
    assert len(PreparedCorpus.open(tmp_path / "out").split("dev")) == 24


def test_the_summary_can_be_printed_as_json(
    text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(text, "--out", tmp_path / "out", "--json", "--dev", 10, "--test", 20) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["splits"]["dev"]["sentences"] == 10
    assert summary["splits"]["test"]["sentences"] == 20


def test_dev_and_test_sentences_can_come_from_files(text: Path, tmp_path: Path) -> None:
    assert run(text, "--out", tmp_path / "out", "--dev", text, "--test", text, "--sentences") == 0
    corpus = PreparedCorpus.open(tmp_path / "out")
    assert len(corpus.split("dev")) == len(corpus.split("train")) == len(corpus.split("test"))


def test_documents_that_are_too_long_are_skipped_and_counted(
    text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with text.open("a") as file:
        file.write("\n" + "word " * 1000)
    assert run(text, "--out", tmp_path / "out", "--max-document-kib", 1) == 0
    assert "1 too long ones skipped" in capsys.readouterr().out
    assert PreparedCorpus.open(tmp_path / "out").summary["too_long_documents_skipped"] == 1


def test_the_fixture_needs_no_file(tmp_path: Path) -> None:
    assert run("fixture:300", "--out", tmp_path / "out", "--sentences") == 0
    summary = PreparedCorpus.open(tmp_path / "out").summary
    assert summary["sentences"] == 300
    assert summary["sources"] == {"all": ["fixture:300"]}


BAD = {
    "missing file": (["no.txt"], 2),
    "empty file": (["empty.txt"], 2),
    "binary file": (["binary.txt"], 2),
    "a folder": (["folder"], 2),
    "not what its name says": (["binary.gz"], 1),
    "truncated archive": (["half.gz"], 1),
    "wrong column": (["table.csv", "--column", "txet"], 2),
    "bad format name": (["text.txt", "--format", "txet"], 2),
    "bad JSON": (["bad.jsonl"], 2),
    "dev missing": (["text.txt", "--dev", "no.txt"], 2),
    "too large sizes": (["text.txt", "--dev", "9999"], 2),
    "bad cap": (["text.txt", "--cap-word", "Tom"], 2),
    "cap too large": (["text.txt", "--cap-word", "Tom=7"], 2),
    "no tokens": (["text.txt", "--max-tokens", "0"], 2),
    "no processes": (["text.txt", "--processes", "0"], 2),
    "tiny vocabulary": (["text.txt", "--vocabulary", "1"], 2),
    "bad unit": (["text.txt", "--unit", "word"], 2),
    "bad encoding": (["text.txt", "--encoding", "utf-99"], 2),
    "no datasets": (["hf:someone/something"], 2),
    "bad fixture": (["fixture:many"], 2),
}


@pytest.mark.promise(25)
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_a_one_line_error_and_changes_no_file(
    case: str,
    text: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments, code = BAD[case]
    monkeypatch.chdir(text.parent)
    _make_bad_files(text)
    assert main(["prepare", str(text), "--out", "out", "--processes", "1"]) == 0
    before = {path: path.read_bytes() for path in Path("out").iterdir()}
    capsys.readouterr()
    assert main(["prepare", "--out", "out", "--replace", *arguments]) == code
    message = capsys.readouterr().err.strip().splitlines()[-1]
    assert message.startswith("tersely: ")
    assert "Traceback" not in message
    assert {path: path.read_bytes() for path in Path("out").iterdir()} == before
    assert not [path for path in Path().iterdir() if path.name.startswith(".out")]


def _make_bad_files(text: Path) -> None:
    folder = text.parent
    (folder / "empty.txt").write_text("")
    (folder / "binary.txt").write_bytes(bytes(range(256)) * 20)
    (folder / "folder").mkdir()
    (folder / "binary.gz").write_bytes(b"not gzip" * 100)
    import gzip

    whole = gzip.compress(b"A sentence. " * 5000)
    (folder / "half.gz").write_bytes(whole[: len(whole) // 2])
    (folder / "table.csv").write_text("id,text\n1,Hello there.\n")
    (folder / "bad.jsonl").write_text('{"text": "Hello."}\n{"text": \n')


@pytest.mark.promise(25)
def test_a_full_disk_is_a_one_line_error(text: Path, tmp_path: Path) -> None:
    """A limit on the size of files makes a write fail as a full disk does."""
    process = subprocess.run(
        [sys.executable, "-m", "tersely", "prepare", str(text), "--out", str(tmp_path / "o")],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 1
    assert process.stderr.strip().splitlines()[-1].startswith("tersely: ")
    assert "Traceback" not in process.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


@pytest.mark.promise(25)
def test_a_lack_of_permission_is_a_one_line_error(
    text: Path, tmp_path: Path, without_privileges: list[str]
) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    secret = tmp_path / "secret.txt"
    secret.write_text("Hello.")
    secret.chmod(0)
    cases = [(text, tmp_path / "locked" / "out", 1), (secret, tmp_path / "out", 2)]
    for source, out, code in cases:
        command = [sys.executable, "-m", "tersely", "prepare", str(source), "--out", str(out)]
        process = subprocess.run(
            [*without_privileges, *command], capture_output=True, text=True, check=False
        )
        assert process.returncode == code
        message = process.stderr.strip().splitlines()[-1]
        assert message.startswith("tersely: ")
        assert "ermission" in message
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "locked", "secret.txt"]


def test_a_file_at_the_output_path_is_not_removed(
    text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "out").write_text("precious")
    assert run(text, "--out", tmp_path / "out", "--replace") == 2
    assert (tmp_path / "out").read_text() == "precious"
    assert "not a prepared corpus" in capsys.readouterr().err
