import sys
from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from tersely.corpus.document import Document, ReadOptions
from tersely.corpus.formats.hub import read_hub
from tersely.errors import UsageError

Row = dict[str, object]

ROWS: list[Row] = [
    {"text": "Good.", "label": 1},
    {"text": "Bad.", "label": 0},
    {"text": "", "label": 0},
]


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A datasets library with some datasets, which records its calls."""
    known: dict[tuple[str, str | None], Iterable[Row]] = {
        ("imdb", None): ROWS,
        ("owner/mail", None): ROWS,
        ("wiki", "small"): ROWS,
    }
    known["owner/wiki", "large"] = ROWS
    calls: list[tuple[str, str | None, str, bool]] = []

    def load_dataset(
        path: str, name: str | None = None, *, split: str, streaming: bool
    ) -> Iterator[Row]:
        calls.append((path, name, split, streaming))
        if (path, name) not in known:
            raise FileNotFoundError(f"Dataset '{path}' doesn't exist on the Hub.\nMore.")
        if split != "train":
            raise ValueError(f"Bad split: {split}. Available splits: ['train']")
        return iter(known[path, name])

    module = SimpleNamespace(load_dataset=load_dataset, known=known, calls=calls)
    monkeypatch.setitem(sys.modules, "datasets", module)
    return module


def read(source: str, **options: Any) -> tuple[list[Document], list[str]]:
    skipped: list[str] = []
    documents = list(read_hub(source, ReadOptions(**options), on_skip=skipped.append))
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
def test_a_dataset_is_streamed_by_its_name(
    hub: SimpleNamespace, source: str, last_call: tuple[str, str | None, str, bool]
) -> None:
    documents, _ = read(source)
    assert [document.text for document in documents] == ["Good.", "Bad."]
    assert documents[1].location == f"{source}, row 2"
    assert hub.calls[-1] == last_call


def test_a_missing_column_is_reported_with_those_available(hub: SimpleNamespace) -> None:
    with pytest.raises(UsageError, match=r'^hf:imdb, row 1: no column "body"; columns are text, l'):
        read("hf:imdb", column="body")


def test_a_path_leads_into_nested_columns(hub: SimpleNamespace) -> None:
    hub.known["nested", None] = [{"translation": {"en": "Hi.", "fr": "Salut."}}]
    documents, _ = read("hf:nested", column="translation.en")
    assert documents[0].text == "Hi."


def test_a_text_too_long_is_skipped(hub: SimpleNamespace) -> None:
    hub.known["long", None] = [{"text": "x" * 100}, {"text": "fine"}]
    documents, skipped = read("hf:long", max_document_bytes=50)
    assert [document.text for document in documents] == ["fine"]
    assert skipped == ["hf:long, row 1"]


def test_an_unknown_dataset_is_reported_in_one_line(hub: SimpleNamespace) -> None:
    with pytest.raises(UsageError) as caught:
        read("hf:imdbb")
    assert str(caught.value).startswith("hf:imdbb: Dataset 'imdbb' doesn't exist on the Hub. Check")
    assert "\n" not in str(caught.value)


def test_an_unknown_split_is_reported_with_the_message_of_the_library(hub: SimpleNamespace) -> None:
    with pytest.raises(UsageError, match=r"Bad split: dev\. Available splits: \['train'\]"):
        read("hf:imdb", hub_split="dev")


def test_a_network_error_is_reported(hub: SimpleNamespace) -> None:
    def broken() -> Iterator[Row]:
        yield ROWS[0]
        raise ConnectionError("Connection reset by peer")

    hub.known["far", None] = broken()
    with pytest.raises(UsageError, match=r"hf:far: Connection reset by peer\. Check .*network"):
        read("hf:far")


def test_without_the_library_the_error_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(UsageError, match=r"^hf:imdb: .*pip install datasets"):
        read("hf:imdb")
