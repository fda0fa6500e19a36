"""Sifting: a document's text → the tokenised sentences worth learning from.

This is what the worker processes of prepare.py do; everything here can be pickled.
"""

from dataclasses import dataclass, fields

from tersely.text.sentences import split_sentences
from tersely.text.tokens import detokenise, tokenise


@dataclass(slots=True)
class Tally:
    """How many sentences were seen, dropped and restored exactly."""

    sentences: int = 0
    too_long: int = 0
    restored_exactly: int = 0

    def add(self, other: "Tally") -> None:
        """Add another tally to this one."""
        for name in (item.name for item in fields(self)):
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass(frozen=True, slots=True)
class SiftedDocument:
    """A document's kept sentences, each as tokens joined by spaces."""

    text: str
    sentences: list[str]
    is_single: bool  # it was one sentence only


@dataclass(frozen=True, slots=True)
class Sifter:
    """Cuts documents into sentences and keeps those short enough."""

    max_tokens: int
    segment: bool = True

    def __call__(self, texts: list[str]) -> tuple[list[SiftedDocument], Tally]:
        """Sift a batch of documents."""
        tally = Tally()
        return [self._sift(text, tally) for text in texts], tally

    def _sift(self, text: str, tally: Tally) -> SiftedDocument:
        # A lone surrogate (from a JSON escape) cannot be written to any file.
        text = text if text.isascii() else text.encode("utf-8", "replace").decode()
        sentences = split_sentences(text) if self.segment else [text.strip()]
        kept: list[str] = []
        for sentence in filter(None, sentences):
            tokenised = tokenise(sentence)
            tally.sentences += 1
            tally.restored_exactly += detokenise(tokenised) == sentence
            if len(tokenised.tokens) <= self.max_tokens:
                kept.append(" ".join(tokenised.tokens))
            else:
                tally.too_long += 1
        return SiftedDocument(text, kept, is_single=len(sentences) <= 1)
