"""`tersely prepare`: options, progress bar and summary. corpus/prepare.py does the work."""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tersely.errors import UsageError
from tersely.progress import ProgressBar

if TYPE_CHECKING:
    from tersely.corpus.document import ReadOptions
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
MINIMUMS = {"max_tokens": 1, "vocabulary": 6, "train": 1, "processes": 1, "max_document_kib": 1}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add("sources", nargs="+", metavar="SOURCE", help="a file, hf:NAME, or fixture:COUNT")
    add("--out", required=True, type=Path, metavar="DIR", help="the folder to write")
    add("--replace", action="store_true", help="replace a prepared corpus at --out")
    add("--json", action="store_true", help="print the summary as JSON")
    _add_reading_options(parser.add_argument_group("reading"))
    _add_dataset_options(parser.add_argument_group("dataset"))


def _add_reading_options(group: Any) -> None:
    add = group.add_argument
    add("--format", metavar="NAME", help="format of the sources (default: detected)")
    add("--column", metavar="NAME", help="column or key of the text")
    add(
        "--encoding", default="utf-8", metavar="NAME", help="encoding of text files (default utf-8)"
    )
    add(
        "--unit",
        default="line",
        metavar="UNIT",
        help="document of plain text: line, paragraph or file (default line)",
    )
    add(
        "--sentences",
        action="store_true",
        help="each document is one sentence: do not segment",
    )
    add(
        "--business",
        metavar="FILE",
        help="Yelp: the business file, if it is not beside the reviews",
    )
    add(
        "--categories",
        default="Restaurants",
        metavar="LIST",
        help='Yelp: comma-separated categories, or "all" (default Restaurants)',
    )
    add("--sender", metavar="ADDRESS", help="mailbox: read only the mail of this sender")
    add(
        "--max-document-kib",
        type=int,
        default=1024,
        metavar="N",
        help="skip longer documents (default 1024)",
    )
    add(
        "--hub-split",
        default="train",
        metavar="NAME",
        help="split of a hub dataset (default train)",
    )


def _add_dataset_options(group: Any) -> None:
    add = group.add_argument
    add(
        "--max-tokens", type=int, default=16, metavar="N", help="drop longer sentences (default 16)"
    )
    add(
        "--vocabulary",
        type=int,
        default=10_000,
        metavar="N",
        help="vocabulary size (default 10000)",
    )
    add("--train", type=int, metavar="N", help="training sentences (default: all others)")
    add("--dev", metavar="N|FILE", help="number of dev sentences, or a file")
    add("--test", metavar="N|FILE", help="number of test sentences, or a file")
    add(
        "--cap-word",
        action="append",
        default=[],
        metavar="WORD=SHARE",
        help="maximum share of training sentences that contain WORD; repeatable",
    )
    add("--seed", type=int, default=1, metavar="N", help="random seed of the shuffle (default 1)")
    add("--processes", type=int, metavar="N", help="worker processes (default: one per core)")


def run(args: argparse.Namespace) -> None:
    """Prepare a corpus and print its summary."""
    from tersely.corpus.prepare import check_target, prepare
    from tersely.corpus.reader import total_bytes

    settings, options = _settings(args), _read_options(args)
    check_target(args.out, replace=args.replace)
    groups = {"all": list(args.sources)}
    for name in ("dev", "test"):
        value = getattr(args, name)
        if value is not None and not _is_number(value):
            groups[name] = [value]
    started = time.monotonic()
    size = total_bytes([path for paths in groups.values() for path in paths])
    with ProgressBar(size, unit="B") as bar:
        sources = {name: _source(paths, options, bar) for name, paths in groups.items()}
        summary = prepare(sources, args.out, settings, progress=bar, replace=args.replace)
    if args.json:
        print(json.dumps(summary, ensure_ascii=False))
    else:
        print(_format_summary(summary, args.out, seconds=time.monotonic() - started))


def _settings(args: argparse.Namespace) -> "PrepareSettings":
    from tersely.cli.options import check_minimum
    from tersely.corpus.prepare import PrepareSettings
    from tersely.corpus.processes import available_cpus
    from tersely.corpus.shuffle import SplitSizes

    check_minimum(args, MINIMUMS)
    counts = {name: getattr(args, name) for name in ("dev", "test")}
    sizes = {name: int(count) for name, count in counts.items() if _is_number(count)}
    return PrepareSettings(
        max_tokens=args.max_tokens,
        vocabulary_size=args.vocabulary,
        sizes=SplitSizes(train=args.train, **sizes),
        cap_words=dict(_parse_cap(text) for text in args.cap_word),
        segment=not args.sentences,
        seed=args.seed,
        processes=args.processes or available_cpus(),
    )


def _read_options(args: argparse.Namespace) -> "ReadOptions":
    from tersely.corpus.document import ReadOptions

    categories = tuple(name.strip() for name in args.categories.split(",") if name.strip())
    return ReadOptions(
        format=args.format,
        column=args.column,
        encoding=args.encoding,
        unit=args.unit,
        business=args.business,
        categories=() if args.categories.lower() == "all" else categories,
        sender=args.sender,
        hub_split=args.hub_split,
        max_document_bytes=args.max_document_kib << 10,
    )


def _is_number(value: str | None) -> bool:
    return value is not None and value.isascii() and value.isdigit()


def _parse_cap(text: str) -> tuple[str, float]:
    word, _, share = text.rpartition("=")
    try:
        if word:
            return word, float(share)
    except ValueError:
        pass
    raise UsageError(f"--cap-word {text}: must be WORD=SHARE, for example Tom=0.02.")


def _source(paths: list[str], options: "ReadOptions", bar: ProgressBar) -> "Source":
    from tersely.corpus.prepare import Source
    from tersely.corpus.reader import read_documents

    def texts(on_skip: Callable[[str], None]) -> Iterator[str]:
        for document in read_documents(paths, options, on_bytes=bar.advance, on_skip=on_skip):
            yield document.text

    return Source([Path(path).name for path in paths], texts)


def _format_summary(summary: dict[str, Any], out: Path, *, seconds: float) -> str:
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
