"""Datasets of the Hugging Face hub, streamed by name.

A source is hf:NAME or hf:NAME/CONFIG. Uses the options `column` and `hub_split`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from tersely.corpus.document import Document, OnSkip, ReadOptions
from tersely.corpus.formats.columns import cell_text, choose_column
from tersely.corpus.formats.json import get_path
from tersely.errors import UsageError

PREFIX = "hf:"


def read_hub(source: str, options: ReadOptions, *, on_skip: OnSkip) -> Iterator[Document]:
    """Yield the chosen column of each row."""
    column = options.column
    for number, row in enumerate(_rows(source, options), start=1):
        location = f"{source}, row {number}"
        if column is None:
            column = choose_column(list(row), None, location=location)
        value = get_path(row, column, location=location)
        text = cell_text(value, column=column, location=location)
        if len(text.encode("utf-8", "replace")) > options.max_document_bytes:
            on_skip(location)
        elif text.strip():
            yield Document(text, location)


def _rows(source: str, options: ReadOptions) -> Iterator[Mapping[str, Any]]:
    try:
        import datasets
    except ImportError:
        raise UsageError(
            f"{source}: reading from the Hugging Face hub requires datasets: pip install datasets."
        ) from None
    # The library raises many kinds of errors, network errors included.
    try:
        rows = iter(_load(datasets.load_dataset, source.removeprefix(PREFIX), options.hub_split))
        while (row := next(rows, None)) is not None:
            yield row
    except Exception as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        raise UsageError(
            f"{source}: {reason}. Check the name (hf:NAME or hf:NAME/CONFIG), the split "
            f'("{options.hub_split}") and the network.'
        ) from error


def _load(load_dataset: Any, name: str, split: str) -> Any:
    """Load a/b as dataset b of owner a or, if there is none, as configuration b of dataset a."""
    parts = name.split("/")
    if len(parts) == 3:
        return load_dataset("/".join(parts[:2]), parts[2], split=split, streaming=True)
    try:
        return load_dataset(name, split=split, streaming=True)
    except FileNotFoundError:
        if len(parts) != 2:
            raise
        return load_dataset(parts[0], parts[1], split=split, streaming=True)
