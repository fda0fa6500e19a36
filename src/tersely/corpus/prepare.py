"""Prepare: documents → shuffled, split, tokenised, counted, on disk.

    documents ─► sentences, tokens ─► spool ─► test, dev, train ─► lexicon ─► arrays
     readers       sifting            spool       splitting        counting   prepared

Every step streams, so memory does not grow with the corpus; the order of the output
depends on the seed and the texts alone. The folder appears whole or not at all.
"""

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from tersely.corpus.arrays import write_split
from tersely.corpus.counting import TokenCounter
from tersely.corpus.dataset import FORMAT_VERSION, SPLITS
from tersely.corpus.processes import map_in_order, processors
from tersely.corpus.shuffle import Spool
from tersely.corpus.sifting import Sifter, Tally
from tersely.corpus.splitting import SplitSizes, WordCap, split_documents
from tersely.errors import UsageError
from tersely.storage.atomic import new_folder
from tersely.text.vocabulary import SPECIAL_TOKENS, Vocabulary

DOCUMENTS_A_BATCH = 256
CHARACTERS_A_BATCH = 1 << 18


@dataclass(frozen=True, slots=True)
class PrepareSettings:
    """How a corpus is prepared."""

    max_tokens: int = 16
    """Longer sentences are dropped; counted are words, punctuation and `<shift>`."""
    vocabulary_size: int = 10_000
    """Words a model can generate, with the special ones; others it can copy."""
    max_types: int = 1_000_000
    """Distinct tokens remembered in all; rarer ones become `<unk>`."""
    sizes: SplitSizes = field(default_factory=SplitSizes)
    """Sentences in each split."""
    cap_words: Mapping[str, float] = field(default_factory=dict)
    """Greatest share of train sentences that may contain a word."""
    segment: bool = True
    """Cut documents into sentences; otherwise each is one already."""
    seed: int = 1
    """Decides the shuffle, and so the splits."""
    processes: int = field(default_factory=processors)
    """Worker processes; the result is the same for any number."""


class Progress(Protocol):
    """Told what is being done, so that a person sees it."""

    def phase(self, name: str) -> None:
        """A new step begins."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where documents come from."""

    names: Sequence[str]
    """What to call it in the summary."""
    open: Callable[[Callable[[str], None]], Iterable[str]]
    """Opens the stream; told whom to tell the place of each document that is too long."""


def prepare(
    sources: Mapping[str, Source],
    out: Path,
    settings: PrepareSettings,
    *,
    progress: Progress,
    replace: bool = False,
) -> dict[str, Any]:
    """Write a prepared corpus to `out` and return its summary.

    `sources` maps "all" to the documents to be split; "dev" and "test" may bring
    documents of their own, which then are not taken from "all".
    """
    check_target(out, replace=replace)
    with new_folder(out) as partial:
        work = partial / ".work"
        work.mkdir()
        job = _Job(settings, work, progress)
        spools = {name: job.spool(name, source) for name, source in sources.items()}
        sizes = _sizes(settings.sizes, spools)
        job.split(spools, sizes)
        summary = job.write(partial, sources)
        shutil.rmtree(work)
        progress.phase("plotting")
        _plot(partial, summary)
    return summary


def check_target(out: Path, *, replace: bool) -> None:
    """Refuse to write over what is there, unless asked to and it was made by prepare."""
    if not out.exists():
        return
    is_ours = (out / "summary.json").exists() and (out / "lexicon.txt").exists()
    if not (out.is_dir() and (is_ours or not any(out.iterdir()))):
        raise UsageError(f"{out}: exists and is no prepared corpus. Give another --out.")
    if is_ours and not replace:
        raise UsageError(f"{out}: exists. Give another --out, or --replace to write it anew.")


class _Job:
    """One run of prepare: what has been counted, and where intermediate files lie."""

    def __init__(self, settings: PrepareSettings, work: Path, progress: Progress) -> None:
        self.settings = settings
        self.work = work
        self.progress = progress
        self.documents = 0
        self.skipped = 0
        self.repeated = 0
        self.tally = Tally()
        self.cap = WordCap(settings.cap_words)
        self.counter = TokenCounter(work)

    def spool(self, name: str, source: Source) -> "_Spooled":
        """Sift documents in the workers and file what is left."""
        self.progress.phase("reading" if name == "all" else f"reading {name}")
        spool = Spool(self.work / f"spool-{name}", seed=self.settings.seed)
        sifter = Sifter(self.settings.max_tokens, segment=self.settings.segment)
        for documents, tally in map_in_order(
            sifter, _batches(source.open(self._skip)), processes=self.settings.processes
        ):
            self.tally.add(tally)
            for document in documents:
                spool.add(document.text, document.sentences, is_single=document.is_single)
            self.documents += len(documents)
        return _Spooled(spool, self.work / f"distinct-{name}")

    def _skip(self, _place: str) -> None:
        self.skipped += 1

    def split(self, spools: Mapping[str, "_Spooled"], sizes: Mapping[str, SplitSizes]) -> None:
        """Deal the sentences out to the splits and count the tokens."""
        self.progress.phase("splitting")
        files = {name: (self.work / name).open("w", encoding="utf-8") for name in SPLITS}
        try:
            for source, spooled in spools.items():
                self.repeated += spooled.repeated
                for split, sentence in split_documents(spooled.documents(), sizes[source]):
                    if split != "train":
                        self.counter.mention(sentence.split(" "))
                    elif self.cap.allows(sentence):
                        self.counter.add(sentence.split(" "))
                    else:
                        continue
                    files[split].write(sentence + "\n")
        finally:
            for file in files.values():
                file.close()

    def write(self, folder: Path, sources: Mapping[str, Source]) -> dict[str, Any]:
        """Write lexicon, arrays and summary."""
        self.progress.phase("writing")
        counts = self.counter.most_frequent(self.settings.max_types)
        lexicon = Vocabulary.from_counts(counts, len(counts) + len(SPECIAL_TOKENS))
        lexicon.save(folder / "lexicon.txt")
        vocabulary_size = min(self.settings.vocabulary_size, len(lexicon))
        splits = {
            name: write_split(self.work / name, folder, lexicon, vocabulary_size) for name in SPLITS
        }
        summary = {
            "format_version": FORMAT_VERSION,
            "sources": {name: list(source.names) for name, source in sources.items()},
            "settings": _recorded(self.settings),
            "documents": self.documents,
            "too_long_documents_skipped": self.skipped,
            "repeated_documents_removed": self.repeated,
            "sentences": self.tally.sentences,
            "too_long": self.tally.too_long,
            "too_long_share": _share(self.tally.too_long, self.tally.sentences),
            "restored_exactly": self.tally.restored_exactly,
            "restored_exactly_share": _share(self.tally.restored_exactly, self.tally.sentences),
            "capped": self.cap.dropped,
            "vocabulary_size": vocabulary_size,
            "lexicon_size": len(lexicon),
            "splits": splits,
            "most_frequent": dict(islice(counts.items(), 30)),
        }
        text = json.dumps(summary, indent=2, ensure_ascii=False) + "\n"
        (folder / "summary.json").write_text(text, encoding="utf-8")
        return summary


class _Spooled:
    """A spool read once: its distinct documents lie in a file, their sentences are counted."""

    def __init__(self, spool: Spool, path: Path) -> None:
        self._path = path
        self.sentences = 0
        with path.open("w", encoding="utf-8") as file:
            for document in spool.documents():
                if document.sentences:
                    file.write("\t".join(document.sentences) + "\n")
                    self.sentences += len(document.sentences)
        self.repeated = spool.repeated

    def documents(self) -> Iterator[tuple[str, ...]]:
        """Yield each document's sentences, in shuffled order."""
        with self._path.open(encoding="utf-8", newline="\n") as file:
            for line in file:
                yield tuple(line.rstrip("\n").split("\t"))


def _sizes(asked: SplitSizes, spools: Mapping[str, _Spooled]) -> dict[str, SplitSizes]:
    """Work out how many sentences each source gives to each split."""
    available = {name: spooled.sentences for name, spooled in spools.items()}
    if not sum(available.values()):
        raise UsageError("No sentence is left: the sources are empty, or all are too long.")
    own = {name: available[name] for name in ("dev", "test") if name in available}
    from_all = SplitSizes(
        asked.train, 0 if "dev" in own else asked.dev, 0 if "test" in own else asked.test
    )
    sizes = {"all": from_all.resolve(available["all"])}
    for name, count in own.items():
        sizes[name] = SplitSizes(**{"train": 0, "dev": 0, "test": 0, name: count})
    return sizes


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """Gather documents into batches of bounded size."""
    batch: list[str] = []
    characters = 0
    for text in texts:
        batch.append(text)
        characters += len(text)
        if len(batch) >= DOCUMENTS_A_BATCH or characters >= CHARACTERS_A_BATCH:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _recorded(settings: PrepareSettings) -> dict[str, Any]:
    """What the result depends on: not the number of processes."""
    recorded = asdict(settings)
    del recorded["processes"]
    return recorded


def _share(part: int, whole: int) -> float:
    return round(part / whole, 6) if whole else 0.0


def _plot(folder: Path, summary: Mapping[str, Any]) -> None:
    from tersely.corpus.histogram import plot_histogram

    plot_histogram(folder, summary)
