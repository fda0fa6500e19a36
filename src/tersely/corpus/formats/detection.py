"""The format of a file, from its name and its first lines.

The Yelp dataset is a matter of several files at once, and told by yelp.py.
"""

from pathlib import PurePosixPath

from tersely.corpus.formats.mail import is_separator
from tersely.corpus.formats.options import ReadOptions
from tersely.corpus.formats.pairs import looks_like_pairs
from tersely.corpus.formats.parquet import MAGIC
from tersely.corpus.formats.streams import RawFile
from tersely.errors import UsageError

_BY_SUFFIX = {
    ".txt": "text",
    ".text": "text",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".mbox": "mailbox",
}
_LINES_LOOKED_AT = 5


def detect_format(file: RawFile, options: ReadOptions) -> str:
    """Name the format a file is in."""
    by_name = _BY_SUFFIX.get(PurePosixPath(file.name.lower()).suffix)
    if by_name not in (None, "text", "tsv"):
        return by_name
    head = file.stream.peek(1)
    if by_name != "tsv" and is_separator(head.partition(b"\n")[0]):
        return "mailbox"
    if by_name is None and head.startswith(MAGIC):
        return "parquet"
    if looks_like_pairs(_whole_lines(head, options.encoding)):
        return "pairs"
    if by_name is None and options.column is not None:
        raise UsageError(
            f"{file.shown}: its name does not tell a format that has columns. "
            "Say which with --format csv, tsv, jsonl or parquet."
        )
    return by_name or "text"


def _whole_lines(head: bytes, encoding: str) -> list[str]:
    text = head.decode(encoding, "ignore")
    if "\n" in text:
        text = text[: text.rindex("\n")]  # the last line may be cut off
    return text.split("\n")[:_LINES_LOOKED_AT]
