"""Vocabulary: tokens ⇄ ids, with ids for words copied from the keywords.

The special tokens come first, then words by falling frequency. A word outside
the vocabulary can still be said if it is among the keywords: the k-th such word
has the id `len(vocabulary) + k` within its sentence (See et al. 2017, section 2.2).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Self

from tersely.errors import TerselyError
from tersely.text.tokens import SHIFT

PAD, UNK, BOS, EOS = "<pad>", "<unk>", "<s>", "</s>"
SPECIAL_TOKENS = (PAD, UNK, BOS, EOS, SHIFT)
PAD_ID, UNK_ID, BOS_ID, EOS_ID, SHIFT_ID = range(len(SPECIAL_TOKENS))


class Vocabulary:
    """An ordered list of distinct tokens; a token's place in it is its id."""

    def __init__(self, tokens: Sequence[str]) -> None:
        """Take the whole list, special tokens first."""
        if tuple(tokens[: len(SPECIAL_TOKENS)]) != SPECIAL_TOKENS:
            raise TerselyError(
                f"A vocabulary begins with {' '.join(SPECIAL_TOKENS)}; "
                f"this one with {' '.join(tokens[:5])!r:.60}."
            )
        self.tokens = tuple(tokens)
        self._ids = {token: index for index, token in enumerate(self.tokens)}
        if len(self._ids) != len(self.tokens):
            raise TerselyError(f'The vocabulary has "{_first_repeated(self.tokens)}" twice.')

    @classmethod
    def from_counts(cls, counts: Mapping[str, int], size: int) -> Self:
        """Take the most frequent tokens, `size` in all with the special ones."""
        words = (token for token in counts if token not in SPECIAL_TOKENS)
        ranked = sorted(words, key=lambda token: (-counts[token], token))
        return cls([*SPECIAL_TOKENS, *ranked[: max(0, size - len(SPECIAL_TOKENS))]])

    @classmethod
    def load(cls, path: Path, *, size: int | None = None) -> Self:
        """Read a file of one token a line; only the first `size` if given."""
        try:
            lines = path.read_bytes().decode("utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise TerselyError(f"{path}: cannot be read as a vocabulary ({error}).") from error
        if lines.pop():
            raise TerselyError(f"{path}: its last line does not end; the file is cut off.")
        for number, token in enumerate(lines, 1):
            if token.split() != [token]:
                raise TerselyError(f"{path}, line {number}: a token has no white space in it.")
        try:
            return cls(lines[:size])
        except TerselyError as error:
            raise TerselyError(f"{path}: {error}") from error

    def save(self, path: Path) -> None:
        """Write one token a line."""
        path.write_bytes("".join(f"{token}\n" for token in self.tokens).encode())

    def __len__(self) -> int:
        return len(self.tokens)

    def __contains__(self, token: object) -> bool:
        return token in self._ids

    def id_of(self, token: str) -> int:
        """Return the token's id, or that of `<unk>`."""
        return self._ids.get(token, UNK_ID)

    def encode(self, tokens: Iterable[str]) -> list[int]:
        """Turn tokens into ids; unknown ones into `<unk>`."""
        ids = self._ids
        return [ids.get(token, UNK_ID) for token in tokens]

    def encode_with_copies(self, tokens: Iterable[str], copies: Sequence[str]) -> list[int]:
        """Turn tokens into ids; those only found in `copies` get ids past the vocabulary."""
        beyond = {token: len(self) + index for index, token in enumerate(copies)}
        return [self._ids.get(token, beyond.get(token, UNK_ID)) for token in tokens]

    def unknown(self, keywords: Iterable[str]) -> list[str]:
        """List the distinct keywords outside the vocabulary, in order: what can be copied."""
        return list(dict.fromkeys(word for word in keywords if word not in self._ids))

    def decode(self, ids: Iterable[int], copies: Sequence[str] = ()) -> list[str]:
        """Turn ids back into tokens; ids past the vocabulary are taken from `copies`."""
        known = len(self.tokens)
        return [self.tokens[i] if i < known else copies[i - known] for i in map(int, ids)]


def _first_repeated(tokens: Sequence[str]) -> str:
    return next(token for token, count in Counter(tokens).items() if count > 1)
