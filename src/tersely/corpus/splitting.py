"""Splitting: shuffled documents → test, dev and train of stated sizes.

A document's sentences never stand in two splits. Words that would flood the
corpus can be capped in train; dev and test stay as the corpus is.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tersely.errors import UsageError
from tersely.text.tokens import SHIFT


@dataclass(frozen=True, slots=True)
class SplitSizes:
    """How many sentences each split gets; None: a twentieth, at most 10,000 (train: the rest)."""

    train: int | None = None
    dev: int | None = None
    test: int | None = None

    def resolve(self, available: int) -> "SplitSizes":
        """Put numbers in place of None; refuse what the corpus cannot give."""
        usual = min(10_000, available // 20)
        dev = usual if self.dev is None else self.dev
        test = usual if self.test is None else self.test
        train = max(0, available - dev - test) if self.train is None else self.train
        if train + dev + test > available or (self.train is None and train == 0):
            raise UsageError(
                f"{available:,} sentences are not enough for {train:,} train, {dev:,} dev and "
                f"{test:,} test. Give smaller sizes (--train, --dev, --test) or more text."
            )
        return SplitSizes(train, dev, test)


def split_documents(
    documents: Iterable[tuple[str, ...]], sizes: SplitSizes
) -> Iterator[tuple[str, str]]:
    """Yield (split, sentence): whole documents to test until it is full, then dev, then train.

    What a document has beyond the size of its split is left out, so that sizes are exact.
    """
    left = {"test": sizes.test or 0, "dev": sizes.dev or 0, "train": sizes.train or 0}
    names = iter(left)
    name: str | None = next(names)
    for sentences in documents:
        while name is not None and left[name] == 0:
            name = next(names, None)
        if name is None:
            return
        for sentence in sentences[: left[name]]:
            left[name] -= 1
            yield name, sentence


class WordCap:
    """Lets through at most a given share of sentences that contain a given word."""

    def __init__(self, shares: Mapping[str, float]) -> None:
        for word, share in shares.items():
            if not 0 <= share <= 1:
                raise UsageError(
                    f"--cap-word {word}={share}: a share between 0 and 1, as Tom=0.02."
                )
        self._shares = {word.lower(): share for word, share in shares.items()}
        self._containing = dict.fromkeys(self._shares, 0)
        self._passed = 0
        self.dropped = 0

    def allows(self, sentence: str) -> bool:
        """Tell whether the sentence may pass, and count it if so."""
        if not self._shares:
            return True
        words = {token.lower() for token in sentence.split(" ") if token != SHIFT}
        capped = [word for word in self._shares if word in words]
        total = self._passed + 1
        if any(self._containing[word] + 1 > self._shares[word] * total for word in capped):
            self.dropped += 1
            return False
        self._passed = total
        for word in capped:
            self._containing[word] += 1
        return True
