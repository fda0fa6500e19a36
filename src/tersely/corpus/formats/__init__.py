"""Formats: one reader per corpus format.

To add a format, write its reader in this package, name it below with its file suffixes, and
register the reader in corpus/reader.py.
"""

SUFFIXES: dict[str, tuple[str, ...]] = {
    "text": (".txt", ".text"),
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "jsonl": (".jsonl", ".ndjson", ".json"),
    "parquet": (".parquet",),
    "yelp": (),  # detected by the names of several files
    "pairs": (),  # detected by the first lines
    "mailbox": (".mbox",),
}
FORMATS = tuple(SUFFIXES)
