"""Prepare a corpus: documents → tokenised, shuffled, split and counted, on disk.

    documents ─► tokenised sentences ─► shuffled ─► test, dev, train ─► lexicon ─► arrays
     reader       SentenceExtractor        shuffle        shuffle       TokenCounter  dataset

Every step streams, so memory does not grow with the corpus. The output depends only on the
seed and the texts. The folder appears complete or not at all.
"""

import heapq
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any, Protocol

from tersely.corpus.dataset import FORMAT_VERSION, SPLITS, write_split
from tersely.corpus.histogram import plot_histogram
from tersely.corpus.processes import available_cpus, map_in_order
from tersely.corpus.shuffle import DocumentShuffler, SplitSizes, WordCap, split_documents
from tersely.errors import UsageError
from tersely.storage.atomic import new_folder
from tersely.text.sentences import load_segmenter, split_sentences
from tersely.text.tokens import detokenise, tokenise
from tersely.text.vocabulary import SPECIAL_TOKENS, Vocabulary

BATCH_DOCUMENTS = 256
BATCH_CHARACTERS = 1 << 18
_MOST_FREQUENT_SHOWN = 30


@dataclass(frozen=True, slots=True)
class PrepareSettings:
    """How a corpus is prepared."""

    max_tokens: int = 16
    """Longer sentences are dropped; words, punctuation and `<shift>` are counted."""
    vocabulary_size: int = 10_000
    """Words that a model can generate, including the special tokens; others can be copied."""
    max_types: int = 1_000_000
    """Distinct tokens in the lexicon; rarer ones become `<unk>`."""
    sizes: SplitSizes = field(default_factory=SplitSizes)
    """Sentences per split."""
    cap_words: Mapping[str, float] = field(default_factory=dict)
    """Maximum share of train sentences that contain a word."""
    segment: bool = True
    """Split documents into sentences; if False, each document is one sentence."""
    seed: int = 1
    """Determines the shuffle, and so the splits."""
    processes: int = field(default_factory=available_cpus)
    """Worker processes; the result does not depend on it."""


class Progress(Protocol):
    """Receives the steps of `prepare`."""

    def phase(self, name: str) -> None:
        """Receive the name of the step that starts."""


@dataclass(frozen=True, slots=True)
class Source:
    """A stream of documents."""

    names: Sequence[str]
    """Names for the summary."""
    open: Callable[[Callable[[str], None]], Iterable[str]]
    """Open the stream; its argument receives the location of each document skipped for length."""


def prepare(
    sources: Mapping[str, Source],
    out: Path,
    settings: PrepareSettings,
    *,
    progress: Progress,
    replace: bool = False,
) -> dict[str, Any]:
    """Write a prepared corpus to `out` and return its summary.

    `sources` maps "all" to the documents to split. Documents under "dev" and "test" form
    these splits, which then take nothing from "all".
    """
    check_target(out, replace=replace)
    if settings.segment:
        load_segmenter()  # fails here if it is not installed
    with new_folder(out) as partial:
        work = partial / ".work"
        work.mkdir()
        pipeline = _Pipeline(settings, work, progress)
        shuffled = {name: pipeline.shuffle(name, source) for name, source in sources.items()}
        pipeline.split(shuffled, _split_sizes(settings.sizes, shuffled))
        summary = pipeline.write(partial, sources)
        shutil.rmtree(work)
        progress.phase("plotting")
        plot_histogram(partial, summary)
    return summary


def check_target(out: Path, *, replace: bool) -> None:
    """Raise UsageError if `out` exists, unless `replace` is True and prepare wrote it."""
    if not out.exists():
        return
    is_corpus = (out / "summary.json").exists() and (out / "lexicon.txt").exists()
    if not (out.is_dir() and (is_corpus or not any(out.iterdir()))):
        raise UsageError(f"{out}: exists and is not a prepared corpus. Choose another --out.")
    if is_corpus and not replace:
        raise UsageError(f"{out}: exists. Choose another --out, or pass --replace to overwrite it.")


@dataclass(slots=True)
class SentenceCounts:
    """Number of sentences, of those too long, and of those restored exactly."""

    sentences: int = 0
    too_long: int = 0
    restored_exactly: int = 0

    def add(self, other: "SentenceCounts") -> None:
        """Add other counts to these."""
        for name in (item.name for item in fields(self)):
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass(frozen=True, slots=True)
class TokenisedDocument:
    """The sentences of a document that are short enough, each as tokens joined by spaces."""

    text: str
    sentences: list[str]
    is_single: bool  # the document has only one sentence


@dataclass(frozen=True, slots=True)
class SentenceExtractor:
    """Splits documents into tokenised sentences; runs in worker processes."""

    max_tokens: int
    segment: bool = True

    def __call__(self, texts: list[str]) -> tuple[list[TokenisedDocument], SentenceCounts]:
        """Process a batch of documents."""
        counts = SentenceCounts()
        return [self._extract(text, counts) for text in texts], counts

    def _extract(self, text: str, counts: SentenceCounts) -> TokenisedDocument:
        # A lone surrogate (from a JSON escape) cannot be encoded.
        text = text if text.isascii() else text.encode("utf-8", "replace").decode()
        sentences = split_sentences(text) if self.segment else [text.strip()]
        short: list[str] = []
        for sentence in filter(None, sentences):
            tokenised = tokenise(sentence)
            counts.sentences += 1
            counts.restored_exactly += detokenise(tokenised) == sentence
            if len(tokenised.tokens) <= self.max_tokens:
                short.append(" ".join(tokenised.tokens))
            else:
                counts.too_long += 1
        return TokenisedDocument(text, short, is_single=len(sentences) <= 1)


class TokenCounter:
    """Counts tokens in bounded memory.

    Counts of more than `max_types` tokens are written to disk in sorted order; the sorted
    files are merged at the end.
    """

    def __init__(self, folder: Path, *, max_types: int = 1_000_000) -> None:
        self._folder = folder
        self._max_types = max_types
        self._counts: Counter[str] = Counter()
        self._spilled: list[Path] = []

    def add(self, tokens: Iterable[str]) -> None:
        """Count each of the tokens once."""
        self._counts.update(tokens)
        if len(self._counts) > self._max_types:
            self._spill()

    def add_uncounted(self, tokens: Iterable[str]) -> None:
        """Include the tokens without increasing their counts."""
        for token in tokens:
            self._counts.setdefault(token, 0)
        if len(self._counts) > self._max_types:
            self._spill()

    def most_frequent(self, limit: int) -> dict[str, int]:
        """Return at most `limit` tokens with their counts, by decreasing count, then by name."""
        ranked = heapq.nsmallest(limit, self._merged(), key=lambda pair: (-pair[1], pair[0]))
        return dict(ranked)

    def _merged(self) -> Iterator[tuple[str, int]]:
        if not self._spilled:
            yield from self._counts.items()
            return
        self._spill()
        files = [_read_counts(path) for path in self._spilled]
        for token, pairs in groupby(heapq.merge(*files, key=itemgetter(0)), key=itemgetter(0)):
            yield token, sum(count for _, count in pairs)

    def _spill(self) -> None:
        path = self._folder / f"counts-{len(self._spilled)}"
        with path.open("w", encoding="utf-8") as file:
            file.writelines(f"{token} {count}\n" for token, count in sorted(self._counts.items()))
        self._spilled.append(path)
        self._counts.clear()


def _read_counts(path: Path) -> Iterator[tuple[str, int]]:
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            token, count = line.rstrip("\n").split(" ")
            yield token, int(count)


class _Pipeline:
    """The state of one run: its counts and the folder for intermediate files."""

    def __init__(self, settings: PrepareSettings, work: Path, progress: Progress) -> None:
        self.settings = settings
        self.work = work
        self.progress = progress
        self.documents = 0
        self.skipped = 0
        self.duplicates = 0
        self.counts = SentenceCounts()
        self.cap = WordCap(settings.cap_words)
        self.counter = TokenCounter(work)

    def shuffle(self, name: str, source: Source) -> "_ShuffledSource":
        """Tokenise the documents of a source in the workers, then shuffle them on disk."""
        self.progress.phase("reading" if name == "all" else f"reading {name}")
        shuffler = DocumentShuffler(self.work / f"shuffle-{name}", seed=self.settings.seed)
        extractor = SentenceExtractor(self.settings.max_tokens, segment=self.settings.segment)
        batches = _batches(source.open(self._count_skipped))
        for documents, counts in map_in_order(
            extractor, batches, processes=self.settings.processes
        ):
            self.counts.add(counts)
            for document in documents:
                shuffler.add(document.text, document.sentences, is_single=document.is_single)
            self.documents += len(documents)
        return _ShuffledSource(shuffler, self.work / f"distinct-{name}")

    def _count_skipped(self, _location: str) -> None:
        self.skipped += 1

    def split(
        self, sources: Mapping[str, "_ShuffledSource"], sizes: Mapping[str, SplitSizes]
    ) -> None:
        """Assign the sentences to splits and count the tokens."""
        self.progress.phase("splitting")
        files = {name: (self.work / name).open("w", encoding="utf-8") for name in SPLITS}
        try:
            for name, source in sources.items():
                self.duplicates += source.duplicates
                for split, sentence in split_documents(source.documents(), sizes[name]):
                    if split != "train":
                        self.counter.add_uncounted(sentence.split(" "))
                    elif self.cap.accept(sentence):
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
        token_counts = self.counter.most_frequent(self.settings.max_types)
        lexicon = Vocabulary.from_counts(token_counts, len(token_counts) + len(SPECIAL_TOKENS))
        lexicon.save(folder / "lexicon.txt")
        vocabulary_size = min(self.settings.vocabulary_size, len(lexicon))
        splits = {
            name: write_split(self.work / name, folder, lexicon, vocabulary_size) for name in SPLITS
        }
        counts = self.counts
        summary = {
            "format_version": FORMAT_VERSION,
            "sources": {name: list(source.names) for name, source in sources.items()},
            "settings": _recorded(self.settings),
            "documents": self.documents,
            "too_long_documents_skipped": self.skipped,
            "repeated_documents_removed": self.duplicates,
            "sentences": counts.sentences,
            "too_long": counts.too_long,
            "too_long_share": _share(counts.too_long, counts.sentences),
            "restored_exactly": counts.restored_exactly,
            "restored_exactly_share": _share(counts.restored_exactly, counts.sentences),
            "capped": self.cap.dropped,
            "vocabulary_size": vocabulary_size,
            "lexicon_size": len(lexicon),
            "splits": splits,
            "most_frequent": dict(islice(token_counts.items(), _MOST_FREQUENT_SHOWN)),
        }
        text = json.dumps(summary, indent=2, ensure_ascii=False) + "\n"
        (folder / "summary.json").write_text(text, encoding="utf-8")
        return summary


class _ShuffledSource:
    """The distinct documents of a source in a file, with their number of sentences."""

    def __init__(self, shuffler: DocumentShuffler, path: Path) -> None:
        self._path = path
        self.sentences = 0
        with path.open("w", encoding="utf-8") as file:
            for document in shuffler.documents():
                if document.sentences:
                    file.write("\t".join(document.sentences) + "\n")
                    self.sentences += len(document.sentences)
        self.duplicates = shuffler.duplicates

    def documents(self) -> Iterator[tuple[str, ...]]:
        """Yield the sentences of each document, in shuffled order."""
        with self._path.open(encoding="utf-8", newline="\n") as file:
            for line in file:
                yield tuple(line.rstrip("\n").split("\t"))


def _split_sizes(
    requested: SplitSizes, sources: Mapping[str, _ShuffledSource]
) -> dict[str, SplitSizes]:
    """Return the number of sentences that each source gives to each split."""
    available = {name: source.sentences for name, source in sources.items()}
    if not sum(available.values()):
        raise UsageError(
            "No sentence is left: the sources are empty, or all sentences are too long. "
            "Add text, or raise --max-tokens."
        )
    separate = {name: available[name] for name in ("dev", "test") if name in available}
    from_all = SplitSizes(
        requested.train,
        0 if "dev" in separate else requested.dev,
        0 if "test" in separate else requested.test,
    )
    sizes = {"all": from_all.resolve(available["all"])}
    for name, count in separate.items():
        sizes[name] = SplitSizes(**{"train": 0, "dev": 0, "test": 0, name: count})
    return sizes


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """Group documents into batches of bounded size."""
    batch: list[str] = []
    characters = 0
    for text in texts:
        batch.append(text)
        characters += len(text)
        if len(batch) >= BATCH_DOCUMENTS or characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _recorded(settings: PrepareSettings) -> dict[str, Any]:
    """Return the settings that determine the result, which excludes the number of processes."""
    recorded = asdict(settings)
    del recorded["processes"]
    return recorded


def _share(part: int, whole: int) -> float:
    return round(part / whole, 6) if whole else 0.0
