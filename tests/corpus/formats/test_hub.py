import sys
from types import SimpleNamespace

import pytest

from tersely.corpus.formats.hub import read_hub
from tersely.corpus.formats.options import ReadOptions
from tersely.errors import UsageError

ROWS = [{"text": "Good.", "label": 1}, {"text": "Bad.", "label": 0}, {"text": "", "label": 0}]


@pytest.fixture
def hub(monkeypatch):
    """A datasets library that knows some datasets and remembers what it was asked."""
    known = {("imdb", None): ROWS, ("owner/mail", None): ROWS, ("wiki", "small"): ROWS}
    known["owner/wiki", "large"] = ROWS
    calls = []

    def load_dataset(path, name=None, *, split, streaming):
        calls.append((path, name, split, streaming))
        if (path, name) not in known:
            raise FileNotFoundError(f"Dataset '{path}' doesn't exist on the Hub.\nMore.")
        if split != "train":
            raise ValueError(f"Bad split: {split}. Available splits: ['train']")
        return iter(known[path, name])

    module = SimpleNamespace(load_dataset=load_dataset, known=known, calls=calls)
    monkeypatch.setitem(sys.modules, "datasets", module)
    return module


def read(source, **options):
    skipped = []
    documents = list(read_hub(source, ReadOptions(**options), on_skipped=skipped.append))
    return documents, skipped


@pytest.mark.parametrize(
    ("source", "last_call"),
    [
        ("hf:imdb", ("imdb", None, "train", True)),
        ("hf:owner/mail", ("owner/mail", None, "train", True)),
        ("hf:wiki/small", ("wiki", "small", "train", True)),
        ("hf:owner/wiki/large", ("owner/wiki", "large", "train", True)),
    ],
)
def test_a_dataset_is_streamed_by_its_name(hub, source, last_call):
    documents, _ = read(source)
    assert [document.text for document in documents] == ["Good.", "Bad."]
    assert documents[1].place == f"{source}, row 2"
    assert hub.calls[-1] == last_call


def test_a_missing_column_is_told_with_those_there_are(hub):
    with pytest.raises(UsageError, match=r'^hf:imdb, row 1: no column "body"; columns are text, l'):
        read("hf:imdb", column="body")


def test_a_path_leads_into_nested_columns(hub):
    hub.known["nested", None] = [{"translation": {"en": "Hi.", "fr": "Salut."}}]
    documents, _ = read("hf:nested", column="translation.en")
    assert documents[0].text == "Hi."


def test_a_text_too_long_is_left_out(hub):
    hub.known["long", None] = [{"text": "x" * 100}, {"text": "fine"}]
    documents, skipped = read("hf:long", max_document_bytes=50)
    assert [document.text for document in documents] == ["fine"]
    assert skipped == ["hf:long, row 1"]


def test_an_unknown_dataset_is_told_in_one_line(hub):
    with pytest.raises(UsageError) as caught:
        read("hf:imdbb")
    assert str(caught.value).startswith("hf:imdbb: Dataset 'imdbb' doesn't exist on the Hub. Check")
    assert "\n" not in str(caught.value)


def test_an_unknown_split_is_told_with_the_librarys_words(hub):
    with pytest.raises(UsageError, match=r"Bad split: dev\. Available splits: \['train'\]"):
        read("hf:imdb", hub_split="dev")


def test_a_network_that_breaks_off_is_told(hub):
    def broken():
        yield ROWS[0]
        raise ConnectionError("Connection reset by peer")

    hub.known["far", None] = broken()
    with pytest.raises(UsageError, match=r"hf:far: Connection reset by peer\. Check .*network"):
        read("hf:far")


def test_without_the_library_the_way_out_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(UsageError, match=r"^hf:imdb: .*pip install datasets"):
        read("hf:imdb")
