import bz2
import gzip
import io
import json
import lzma
import os
import sys
import tarfile
import tracemalloc
import zipfile
from itertools import islice
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet
import pytest
import zstandard

from tersely.corpus.sources import FORMATS, ReadOptions, read_documents, total_bytes
from tersely.errors import TerselyError, UsageError

TEXTS = ["It was good, really.", "“Never” again!"]
CREDIT = "CC-BY 2.0 (France) Attribution: tatoeba.org #1"


def parquet():
    buffer = io.BytesIO()
    pa.parquet.write_table(pa.table({"text": TEXTS}), buffer)
    return buffer.getvalue()


def mailbox():
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
COMPRESS = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.compress,
}


def zipped(members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def tarred(members):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def write(folder, name, data):
    path = folder / name
    path.write_bytes(data)
    return str(path)


def texts(*sources, **options):
    return [document.text for document in read_documents(sources, ReadOptions(**options))]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("packing", ["", *COMPRESS, "zip"])
def test_every_format_is_read_in_every_packing_and_all_bytes_are_told(tmp_path, name, packing):
    data = FILES[name]
    if packing == "zip":
        path = write(tmp_path, "corpus.zip", zipped({name: data}))
    elif packing:
        path = write(tmp_path, f"{name}.{packing}", COMPRESS[packing](data))
    else:
        path = write(tmp_path, name, data)
    reported = []
    documents = read_documents([path], ReadOptions(), on_bytes=reported.append)
    assert [document.text for document in documents] == TEXTS
    assert sum(reported) == total_bytes([path]) == os.path.getsize(path)  # noqa: PTH202


def test_sources_are_read_in_the_order_given(tmp_path):
    one = write(tmp_path, "b.txt", b"One.\n")
    two = write(tmp_path, "a.csv", b"text\nTwo.\n")
    assert texts(one, two, one) == ["One.", "Two.", "One."]
    assert total_bytes([one, two, one]) == 5 + 10 + 5


def test_the_files_of_an_archive_are_each_read_as_what_they_are(tmp_path):
    members = {"b.csv": b"text\nTwo.\n", "a.txt": b"One.\n", "c.jsonl": b'{"text": "Three."}'}
    assert texts(write(tmp_path, "a.zip", zipped(members))) == ["One.", "Two.", "Three."]
    assert texts(write(tmp_path, "a.tar", tarred(members))) == ["Two.", "One.", "Three."]


def test_progress_is_told_little_by_little(tmp_path):
    path = write(tmp_path, "a.txt", b"A line of text.\n" * 50_000)
    reported = []
    documents = read_documents([path], ReadOptions(), on_bytes=reported.append)
    list(islice(documents, 10))
    assert 0 < sum(reported) < total_bytes([path]) / 2


def test_the_yelp_dataset_is_recognised_in_its_archive(tmp_path):
    review = b'{"business_id": "r", "text": "Tasty."}\n{"business_id": "b", "text": "Slow."}\n'
    business = b'{"business_id": "r", "categories": "Restaurants"}\n'
    members = {"yelp_academic_dataset_review.json": review, "yelp_business.json": business}
    path = write(tmp_path, "yelp_dataset.tar", tarred(members))
    reported = []
    documents = read_documents([path], ReadOptions(), on_bytes=reported.append)
    assert [document.text for document in documents] == ["Tasty."]
    assert sum(reported) == total_bytes([path])
    assert texts(path, categories=("all",)) == ["Tasty.", "Slow."]


def test_a_format_asked_for_overrides_the_name(tmp_path):
    path = write(tmp_path, "a.dat", FILES["a.csv"])
    assert texts(path, format="csv") == TEXTS


def test_every_format_can_be_asked_for(tmp_path):
    for name in FORMATS:
        with pytest.raises(TerselyError):
            texts(write(tmp_path, "empty", b""), format=name)


def test_a_vast_compressed_file_is_read_in_little_memory(tmp_path):
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


def test_documents_left_out_are_told(tmp_path):
    path = write(tmp_path, "a.txt", b"short\n" + b"x" * 100 + b"\n")
    skipped = []
    options = ReadOptions(max_document_bytes=50)
    documents = read_documents([path], options, on_skipped=skipped.append)
    assert [document.text for document in documents] == ["short"]
    assert skipped == [f"{path}, line 2"]


def test_half_characters_spelt_in_json_are_replaced(tmp_path):
    path = write(tmp_path, "a.jsonl", rb'{"text": "a\ud83d b\ud83d\ude00"}')
    assert texts(path) == ["a\ufffd b😀"]


def test_nothing_to_read_is_an_error():
    with pytest.raises(UsageError, match="name at least one file"):
        read_documents([], ReadOptions())


def test_a_missing_file_is_told_before_anything_is_read(tmp_path):
    path = write(tmp_path, "a.txt", b"One.\n")
    with pytest.raises(UsageError, match=r"b\.txt: no such file"):
        read_documents([path, str(tmp_path / "b.txt")], ReadOptions())


def test_a_folder_is_told(tmp_path):
    with pytest.raises(UsageError, match="is a folder"):
        read_documents([str(tmp_path)], ReadOptions())


@pytest.mark.parametrize("data", [b"", b"\n\n  \n"])
def test_sources_without_any_text_are_told(tmp_path, data):
    path = write(tmp_path, "a.txt", data)
    with pytest.raises(UsageError, match=r"^no text in .*a\.txt, .*a\.txt, .*a\.txt and 1 more\."):
        texts(path, path, path, path)


def test_an_empty_file_among_others_does_no_harm(tmp_path):
    assert texts(write(tmp_path, "e.txt", b""), write(tmp_path, "a.txt", b"One.")) == ["One."]


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.tsv", "a.jsonl", "a.parquet", "a.mbox", "a"])
@pytest.mark.parametrize(
    "data", [bytes(range(256)) * 9, b"\x7fELF\x02\x01\x01\x00\x00", b"\xff\xfe"]
)
def test_binary_garbage_is_told_whatever_its_name(tmp_path, name, data):
    with pytest.raises(TerselyError, match=rf"{name}\b.*\."):
        texts(write(tmp_path, name, data))


@pytest.mark.parametrize("packing", COMPRESS)
def test_a_compressed_file_cut_short_is_told(tmp_path, packing):
    data = COMPRESS[packing](os.urandom(1000).hex().encode() * 3)
    with pytest.raises(TerselyError, match=rf"a\.txt\.{packing}: the .* ends too early"):
        texts(write(tmp_path, f"a.txt.{packing}", data[:-20]))


def test_the_fixture_is_a_source(monkeypatch):
    fake = SimpleNamespace(fixture_sentences=lambda count: (f"S{n}" for n in range(count)))
    monkeypatch.setitem(sys.modules, "tersely.corpus.fixture", fake)
    documents = list(read_documents(["fixture:3"], ReadOptions()))
    assert [document.text for document in documents] == ["S0", "S1", "S2"]
    assert documents[0].place == "fixture, sentence 1"
    assert len(texts("fixture:")) == 20_000


def test_the_shipped_fixture_can_be_read():
    assert len(texts("fixture:50")) == 50


@pytest.mark.parametrize("source", ["fixture:many", "fixture:0", "fixture:-1", "fixture:²"])
def test_a_fixture_of_no_size_is_told(source):
    with pytest.raises(UsageError, match=r"not a count of sentences\. Try fixture:20000"):
        read_documents([source], ReadOptions())


@pytest.mark.parametrize("source", ["hf:", "hf:/"])
def test_a_dataset_without_a_name_is_told(source):
    with pytest.raises(UsageError, match="no dataset named"):
        read_documents([source], ReadOptions())


def test_a_hub_dataset_is_a_source(monkeypatch):
    fake = SimpleNamespace(load_dataset=lambda *_, **__: [{"text": "From far away."}])
    monkeypatch.setitem(sys.modules, "datasets", fake)
    assert texts("hf:imdb") == ["From far away."]


def test_the_size_of_what_is_not_on_disk_is_unknown(tmp_path):
    path = write(tmp_path, "a.txt", b"One.\n")
    assert total_bytes([path, "hf:imdb"]) is None
    assert total_bytes(["fixture:10"]) is None
    assert total_bytes([path]) == 5


def test_a_download_of_sentence_pairs_is_read_as_it_comes(tmp_path):
    members = {
        "_about.txt": b"** Info **\nCheck for newest version.\n",
        "fra.txt": FILES["eng.txt"],
    }
    path = write(tmp_path, "fra-eng.zip", zipped(members))
    assert texts(path) == texts(path, format="pairs") == TEXTS


def test_an_archive_with_a_binary_file_is_told_with_the_files_name(tmp_path):
    members = {"a.txt": b"One.\n", "b.txt": b"\x00\x01"}
    with pytest.raises(UsageError, match=r"corpus\.zip/b\.txt, line 1: holds NUL bytes"):
        texts(write(tmp_path, "corpus.zip", zipped(members)))
