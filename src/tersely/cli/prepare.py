"""`tersely prepare`: options, progress and report. The work is corpus/prepare.py's."""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tersely.errors import UsageError

if TYPE_CHECKING:
    from tersely.corpus.formats.options import ReadOptions
    from tersely.corpus.prepare import PrepareSettings, Source
EXAMPLES = """\
examples:
  tersely prepare my-notes.txt --out data/notes
  tersely prepare reviews.csv.gz --column body --out data/reviews
  tersely prepare yelp_dataset.tar --format yelp --train 500000 --out data/yelp
  tersely prepare eng-fra.zip --format pairs --cap-word Tom=0.02 --out data/everyday
  tersely prepare Sent.mbox --sender me@example.org --out data/mail
  tersely prepare train.txt --dev dev.txt --test test.txt --sentences --out data/mine
"""


_LEAST = {"max_tokens": 1, "vocabulary": 6, "train": 1, "processes": 1, "max_document_kib": 1}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add("sources", nargs="+", metavar="SOURCE", help="a file, hf:NAME, or fixture:COUNT")
    add("--out", required=True, type=Path, metavar="DIR", help="folder to write")
    add("--replace", action="store_true", help="write over an older prepared corpus")
    add("--json", action="store_true", help="print the summary as JSON")
    _add_reading_options(parser.add_argument_group("reading"))
    _add_making_options(parser.add_argument_group("making"))


def _add_reading_options(group: Any) -> None:
    add = group.add_argument
    add("--format", metavar="NAME", help="how to read the sources (default: by name and content)")
    add("--column", metavar="NAME", help="column or key that holds the text")
    add("--encoding", default="utf-8", metavar="NAME", help="of text files (utf-8)")
    add(
        "--unit",
        default="line",
        metavar="UNIT",
        help="what a document is in plain text: line, paragraph or file (line)",
    )
    add(
        "--sentences",
        action="store_true",
        help="each document is one sentence already: do not segment",
    )
    add("--business", metavar="FILE", help="Yelp: the business file, if not beside the reviews")
    add(
        "--categories",
        default="Restaurants",
        metavar="LIST",
        help='Yelp: comma-separated categories, or "all" (Restaurants)',
    )
    add("--sender", metavar="ADDRESS", help="mailbox: whose mail to take")
    add(
        "--max-document-kib",
        type=int,
        default=1024,
        metavar="N",
        help="skip documents longer than this (1024)",
    )
    add("--hub-split", default="train", metavar="NAME", help="split of a hub dataset (train)")


def _add_making_options(group: Any) -> None:
    add = group.add_argument
    add("--max-tokens", type=int, default=16, metavar="N", help="drop longer sentences (16)")
    add("--vocabulary", type=int, default=10_000, metavar="N", help="words to generate (10000)")
    add("--train", type=int, metavar="N", help="train sentences (all that is left)")
    add("--dev", metavar="N|FILE", help="dev sentences, or a file of them")
    add("--test", metavar="N|FILE", help="test sentences, or a file of them")
    add(
        "--cap-word",
        action="append",
        default=[],
        metavar="WORD=SHARE",
        help="at most this share of train sentences contain WORD; may be repeated",
    )
    add("--seed", type=int, default=1, metavar="N", help="decides the shuffle (1)")
    add("--processes", type=int, metavar="N", help="worker processes (one a core)")


def run(given: argparse.Namespace) -> None:
    """Prepare a corpus and say how it went."""
    from tersely.corpus.prepare import check_target, prepare

    settings, options = _settings(given), _options(given)
    check_target(given.out, replace=given.replace)
    groups = {"all": list(given.sources)}
    for name in ("dev", "test"):
        value = getattr(given, name)
        if value is not None and not _is_number(value):
            groups[name] = [value]
    started = time.monotonic()
    with _Bar(groups) as bar:
        sources = {name: _source(paths, options, bar) for name, paths in groups.items()}
        summary = prepare(sources, given.out, settings, progress=bar, replace=given.replace)
    if given.json:
        print(json.dumps(summary, ensure_ascii=False))
    else:
        print(_report(summary, given.out, seconds=time.monotonic() - started))


def _settings(given: argparse.Namespace) -> "PrepareSettings":
    from tersely.corpus.prepare import PrepareSettings
    from tersely.corpus.processes import processors
    from tersely.corpus.splitting import SplitSizes

    for name, least in _LEAST.items():
        value = getattr(given, name)
        if value is not None and value < least:
            raise UsageError(f"--{name.replace('_', '-')} {value}: at least {least}.")
    sizes = {name: int(v) for name in ("dev", "test") if _is_number(v := getattr(given, name))}
    return PrepareSettings(
        max_tokens=given.max_tokens,
        vocabulary_size=given.vocabulary,
        sizes=SplitSizes(train=given.train, **sizes),
        cap_words=dict(_cap(text) for text in given.cap_word),
        segment=not given.sentences,
        seed=given.seed,
        processes=given.processes or processors(),
    )


def _options(given: argparse.Namespace) -> "ReadOptions":
    from tersely.corpus.formats.options import ReadOptions

    categories = tuple(name.strip() for name in given.categories.split(",") if name.strip())
    return ReadOptions(
        format=given.format,
        column=given.column,
        encoding=given.encoding,
        unit=given.unit,
        business=given.business,
        categories=() if given.categories.lower() == "all" else categories,
        sender=given.sender,
        hub_split=given.hub_split,
        max_document_bytes=given.max_document_kib << 10,
    )


def _is_number(value: str | None) -> bool:
    return value is not None and value.isascii() and value.isdigit()


def _cap(text: str) -> tuple[str, float]:
    word, _, share = text.rpartition("=")
    try:
        if word:
            return word, float(share)
    except ValueError:
        pass
    raise UsageError(f"--cap-word {text}: write it as WORD=SHARE, for example Tom=0.02.")


def _source(paths: list[str], options: "ReadOptions", bar: "_Bar") -> "Source":
    from tersely.corpus.prepare import Source
    from tersely.corpus.sources import read_documents

    def texts(on_skipped: Callable[[str], None]) -> Iterator[str]:
        for document in read_documents(paths, options, on_bytes=bar.advance, on_skipped=on_skipped):
            yield document.text

    return Source([Path(path).name for path in paths], texts)


class _Bar:
    """A progress bar over the bytes of the sources, with time left."""

    def __init__(self, groups: dict[str, list[str]]) -> None:
        from tersely.corpus.sources import total_bytes

        self._total = total_bytes([path for paths in groups.values() for path in paths])

    def __enter__(self) -> "_Bar":
        from tqdm import tqdm

        self._bar = tqdm(
            total=self._total, unit="B", unit_scale=True, unit_divisor=1024, dynamic_ncols=True
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def phase(self, name: str) -> None:
        self._bar.set_description(name)

    def advance(self, count: int) -> None:
        self._bar.update(count)


def _report(summary: dict[str, Any], out: Path, *, seconds: float) -> str:
    splits = summary["splits"]
    rows = "\n".join(
        f"  {name:<6}{split['sentences']:>11,} sentences {split['tokens_a_sentence']:>6.2f} tokens "
        f"each  {split['in_vocabulary_share']:>6.1%} in the vocabulary"
        for name, split in splits.items()
    )
    skipped = summary["too_long_documents_skipped"]
    return (
        f"{out}: {summary['sentences']:,} sentences from {summary['documents']:,} documents "
        f"in {seconds:.0f} s\n"
        f"  {summary['repeated_documents_removed']:,} repeated documents removed, "
        f"{skipped:,} too long ones skipped\n  "
        f"{summary['too_long_share']:.1%} of sentences too long, {summary['capped']:,} capped\n"
        f"  {summary['restored_exactly_share']:.3%} of sentences restored exactly\n"
        f"{rows}\n"
        f"  vocabulary {summary['vocabulary_size']:,} of {summary['lexicon_size']:,} tokens; "
        f"see summary.json and histogram.png"
    )
