import bz2
import gzip
import io
import json
import lzma
import os
import sys
import tracemalloc
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
import zstandard

from tersely.corpus.document import ReadOptions
from tersely.corpus.formats import FORMATS
from tersely.corpus.reader import detect_format, read_documents, total_bytes
from tersely.errors import TerselyError, UsageError
from tests.corpus.files import raw_file, tar_bytes, zip_bytes

TEXTS = ["It was good, really.", "“Never” again!"]
CREDIT = "CC-BY 2.0 (France) Attribution: tatoeba.org #1"


def parquet() -> bytes:
    buffer = io.BytesIO()
    pa.parquet.write_table(pa.table({"text": TEXTS}), buffer)
    return buffer.getvalue()


def mailbox() -> bytes:
    head = "From bob@x.org Mon Jan  5 10:21:00 2015\nFrom: bob@x.org\nContent-Type: text/plain;"
    return "".join(f"{head} charset=utf-8\n\n{text}\n\n" for text in TEXTS).encode()


FILES = {
    "a.txt": "\n".join(TEXTS).encode(),
    "a.csv": ("id,text\n" + "".join(f'{n},"{text}"\n' for n, text in enumerate(TEXTS))).encode(),
    "a.tsv": ("id\ttext\n" + "".join(f"{n}\t{text}\n" for n, text in enumerate(TEXTS))).encode(),
    "a.jsonl": "".join(json.dumps({"text": text}) + "\n" for text in TEXTS).encode(),
    "a.parquet": parquet(),
    "eng.txt": "".join(f"{text}\tquoi\t{CREDIT}\n" for text in TEXTS).encode(),
    "sent.mbox": mailbox(),
}
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.compress,
}


def write(folder: Path, name: str, data: bytes) -> str:
    path = folder / name
    path.write_bytes(data)
    return str(path)


def texts(*sources: str, **options: Any) -> list[str]:
    return [document.text for document in read_documents(sources, ReadOptions(**options))]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("packing", ["", *COMPRESS, "zip"])
def test_every_format_is_read_in_every_compression_and_all_bytes_are_reported(
    tmp_path: Path, name: str, packing: str
) -> None:
    data = FILES[name]
    if packing == "zip":
        path = write(tmp_path, "corpus.zip", zip_bytes({name: data}))
    elif packing:
        path = write(tmp_path, f"{name}.{packing}", COMPRESS[packing](data))
    else:
        path = write(tmp_path, name, data)
    reported: list[int] = []
    documents = read_documents([path], ReadOptions(), on_bytes=reported.append)
    assert [document.text for document in documents] == TEXTS
    assert sum(reported) == total_bytes([path]) == os.path.getsize(path)  # noqa: PTH202


def test_sources_are_read_in_the_order_given(tmp_path: Path) -> None:
    one = write(tmp_path, "b.txt", b"One.\n")
    two = write(tmp_path, "a.csv", b"text\nTwo.\n")
    assert texts(one, two, one) == ["One.", "Two.", "One."]
    assert total_bytes([one, two, one]) == 5 + 10 + 5


def test_each_file_of_an_archive_is_read_in_its_own_format(tmp_path: Path) -> None:
    members = {"b.csv": b"text\nTwo.\n", "a.txt": b"One.\n", "c.jsonl": b'{"text": "Three."}'}
    assert texts(write(tmp_path, "a.zip", zip_bytes(members))) == ["One.", "Two.", "Three."]
    assert texts(write(tmp_path, "a.tar", tar_bytes(members))) == ["Two.", "One.", "Three."]


def test_progress_is_reported_while_reading(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", b"A line of text.\n" * 50_000)
    reported: list[int] = []
    documents = read_documents([path], ReadOptions(), on_bytes=reported.append)
    list(islice(documents, 10))
    total = total_bytes([path])
    assert total is not None
    assert 0 < sum(reported) < total / 2


def test_the_yelp_dataset_is_recognised_in_its_archive(tmp_path: Path) -> None:
    review = b'{"business_id": "r", "text": "Tasty."}\n{"business_id": "b", "text": "Slow."}\n'
    business = b'{"business_id": "r", "categories": "Restaurants"}\n'
    members = {"yelp_academic_dataset_review.json": review, "yelp_business.json": business}
    path = write(tmp_path, "yelp_dataset.tar", tar_bytes(members))
    reported: list[int] = []
    documents = read_documents([path], ReadOptions(), on_bytes=reported.append)
    assert [document.text for document in documents] == ["Tasty."]
    assert sum(reported) == total_bytes([path])
    assert texts(path, categories=("all",)) == ["Tasty.", "Slow."]


def test_the_format_option_overrides_the_name(tmp_path: Path) -> None:
    path = write(tmp_path, "a.dat", FILES["a.csv"])
    assert texts(path, format="csv") == TEXTS


def test_every_format_has_a_reader(tmp_path: Path) -> None:
    for name in FORMATS:
        with pytest.raises(TerselyError):
            texts(write(tmp_path, "empty", b""), format=name)


def test_a_large_compressed_file_is_read_in_little_memory(tmp_path: Path) -> None:
    line = b"The food was good and the service quick. " * 20 + b"\n"
    path = write(tmp_path, "a.txt.gz", gzip.compress(line * 20_000, compresslevel=1))
    tracemalloc.start()
    try:
        count = sum(1 for _ in read_documents([path], ReadOptions()))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 20_000
    assert peak < 2 << 20


def test_skipped_documents_are_reported(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", b"short\n" + b"x" * 100 + b"\n")
    skipped: list[str] = []
    options = ReadOptions(max_document_bytes=50)
    documents = read_documents([path], options, on_skip=skipped.append)
    assert [document.text for document in documents] == ["short"]
    assert skipped == [f"{path}, line 2"]


def test_lone_surrogates_in_json_are_replaced(tmp_path: Path) -> None:
    path = write(tmp_path, "a.jsonl", rb'{"text": "a\ud83d b\ud83d\ude00"}')
    assert texts(path) == ["a\ufffd b😀"]


def test_nothing_to_read_is_an_error() -> None:
    with pytest.raises(UsageError, match="name at least one file"):
        read_documents([], ReadOptions())


def test_a_missing_file_is_reported_before_anything_is_read(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", b"One.\n")
    with pytest.raises(UsageError, match=r"b\.txt: no such file"):
        read_documents([path, str(tmp_path / "b.txt")], ReadOptions())


def test_a_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a folder"):
        read_documents([str(tmp_path)], ReadOptions())


@pytest.mark.parametrize("data", [b"", b"\n\n  \n"])
def test_sources_without_text_are_reported(tmp_path: Path, data: bytes) -> None:
    path = write(tmp_path, "a.txt", data)
    with pytest.raises(UsageError, match=r"^no text in .*a\.txt, .*a\.txt, .*a\.txt and 1 more\."):
        texts(path, path, path, path)


def test_an_empty_file_among_others_does_no_harm(tmp_path: Path) -> None:
    assert texts(write(tmp_path, "e.txt", b""), write(tmp_path, "a.txt", b"One.")) == ["One."]


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.tsv", "a.jsonl", "a.parquet", "a.mbox", "a"])
@pytest.mark.parametrize(
    "data", [bytes(range(256)) * 9, b"\x7fELF\x02\x01\x01\x00\x00", b"\xff\xfe"]
)
def test_binary_data_is_reported_under_any_name(tmp_path: Path, name: str, data: bytes) -> None:
    with pytest.raises(TerselyError, match=rf"{name}\b.*\."):
        texts(write(tmp_path, name, data))


@pytest.mark.parametrize("packing", COMPRESS)
def test_a_compressed_file_cut_short_is_reported(tmp_path: Path, packing: str) -> None:
    data = COMPRESS[packing](os.urandom(1000).hex().encode() * 3)
    with pytest.raises(TerselyError, match=rf"a\.txt\.{packing}: the .* ends too early"):
        texts(write(tmp_path, f"a.txt.{packing}", data[:-20]))


def test_the_fixture_is_a_source(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = SimpleNamespace(fixture_sentences=lambda count: (f"S{n}" for n in range(count)))
    monkeypatch.setitem(sys.modules, "tersely.corpus.fixture", fake)
    documents = list(read_documents(["fixture:3"], ReadOptions()))
    assert [document.text for document in documents] == ["S0", "S1", "S2"]
    assert documents[0].location == "fixture, sentence 1"
    assert len(texts("fixture:")) == 20_000


def test_the_shipped_fixture_can_be_read() -> None:
    assert len(texts("fixture:50")) == 50


@pytest.mark.parametrize("source", ["fixture:many", "fixture:0", "fixture:-1", "fixture:²"])
def test_an_invalid_fixture_size_is_reported(source: str) -> None:
    with pytest.raises(UsageError, match=r"not a number of sentences\. Try fixture:20000"):
        read_documents([source], ReadOptions())


@pytest.mark.parametrize("source", ["hf:", "hf:/"])
def test_a_dataset_without_a_name_is_reported(source: str) -> None:
    with pytest.raises(UsageError, match="names no dataset"):
        read_documents([source], ReadOptions())


def test_a_hub_dataset_is_a_source(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = SimpleNamespace(load_dataset=lambda *_, **__: [{"text": "From far away."}])
    monkeypatch.setitem(sys.modules, "datasets", fake)
    assert texts("hf:imdb") == ["From far away."]


def test_the_size_of_what_is_not_on_disk_is_unknown(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", b"One.\n")
    assert total_bytes([path, "hf:imdb"]) is None
    assert total_bytes(["fixture:10"]) is None
    assert total_bytes([path]) == 5


def test_a_downloaded_archive_of_sentence_pairs_is_read(tmp_path: Path) -> None:
    members = {
        "_about.txt": b"** Info **\nCheck for newest version.\n",
        "fra.txt": FILES["eng.txt"],
    }
    path = write(tmp_path, "fra-eng.zip", zip_bytes(members))
    assert texts(path) == texts(path, format="pairs") == TEXTS


def test_a_binary_file_in_an_archive_is_reported_with_its_name(tmp_path: Path) -> None:
    members = {"a.txt": b"One.\n", "b.txt": b"\x00\x01"}
    with pytest.raises(UsageError, match=r"corpus\.zip/b\.txt, line 1: contains NUL bytes"):
        texts(write(tmp_path, "corpus.zip", zip_bytes(members)))


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
def test_the_format_is_detected_by_name_and_first_lines(
    name: str, content: str, expected: str
) -> None:
    assert detect_format(raw_file(content, name), ReadOptions()) == expected


def test_pairs_are_recognised_if_the_buffer_ends_within_a_line() -> None:
    long = f"{'word ' * 2000}\tmot\tCC-BY 2.0\n"
    assert detect_format(raw_file(long * 20, "fra.txt"), ReadOptions()) == "pairs"


def test_pairs_are_recognised_in_another_encoding() -> None:
    file = raw_file(PAIR.encode("utf-16"), "fra.txt")
    assert detect_format(file, ReadOptions(encoding="utf-16")) == "pairs"


def test_a_column_of_a_file_of_unknown_format_requires_its_format() -> None:
    with pytest.raises(UsageError, match=r"^data\.dat: .*--format csv, tsv, jsonl or parquet"):
        detect_format(raw_file("id,text\n", "data.dat"), ReadOptions(column="text"))
