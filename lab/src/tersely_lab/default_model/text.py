"""The text of the model that ships: what people say and write to each other.

    python -m tersely_lab.default_model.text --data DATA --out text.tsv

reads the corpora below DATA (everyday, messages, dialogues, people), removes what must not be
trained on, and writes one `source TAB sentence` per line. It prints how many sentences of each
source were removed, and why.

- Sentences of four or more words that occur in a held-out set are removed, case and
  punctuation aside; so are the messages that were set aside.
- "Tom" and "Mary", in a quarter of the everyday sentences, become varied names.
- Of Enron's mail a sentence is dropped if it holds a capitalised word that is rare elsewhere, and
  given names in the rest are replaced. No name that occurs only in Enron's mail remains.
- Sentences with crude words are dropped.
- Dialogues keep their natural repetition; two narrow sources are capped.
"""

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path

from tersely.text.sentences import split_sentences

MIN_HELD_OUT_WORDS = 4
MIN_USES_ELSEWHERE = 20
"""A capitalised word of Enron's mail must occur this often in other sources."""
CAPS = {"persuasion4good": 5000, "casino": 5000}
"""Sentences taken of a source about one narrow subject."""
HELD_OUT_FILES = ("everyday/dev.txt", "everyday/test.txt")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


@dataclass
class Counts:
    """How many sentences were read, removed by reason, and kept, by source."""

    read: Counter[str] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)
    removed: dict[str, Counter[str]] = field(default_factory=dict)

    def remove(self, source: str, reason: str) -> None:
        """Count one sentence that was left out."""
        self.removed.setdefault(source, Counter())[reason] += 1

    def as_json(self) -> dict[str, object]:
        """Return plain values, one entry per source."""
        return {
            source: {
                "read": self.read[source],
                "kept": self.kept[source],
                "removed": dict(self.removed.get(source, {})),
            }
            for source in sorted(self.read)
        }


def words_of(sentence: str) -> list[str]:
    """The words of a sentence in lower case, without punctuation."""
    return [word.lower().replace("’", "'") for word in _WORD.findall(sentence)]


def normalized(sentence: str) -> str:
    """A sentence as it is compared with held-out ones: case and punctuation aside."""
    return " ".join(words_of(sentence))


def held_out(data: Path, set_aside: Path) -> set[str]:
    """Normalised sentences that no model may be trained on."""
    sentences = [line for name in HELD_OUT_FILES for line in _lines(data / name)]
    sentences += [
        line for path in sorted((data / "messages").glob("dev_*.txt")) for line in _lines(path)
    ]
    sentences += [line.split("\t")[2] for line in _lines(data / "people" / "typed_dev.tsv")]
    long_enough = (
        normalized(sentence)
        for sentence in sentences
        if len(words_of(sentence)) >= MIN_HELD_OUT_WORDS
    )
    messages = (normalized(line.split("\t")[2]) for line in _lines(set_aside))
    return {*long_enough, *messages}


def read_sources(data: Path) -> Iterator[tuple[str, str]]:
    """Yield source and sentence of all corpora, in a fixed order."""
    for line in _lines(data / "everyday" / "train.txt"):
        yield "everyday", line
    for line in _lines(data / "messages" / "train.tsv"):
        source, _, sentence = line.partition("\t")
        yield source, sentence
    for path in sorted((data / "dialogues").glob("*.jsonl")):
        for line in _lines(path):
            for turn in json.loads(line)["turns"]:
                for sentence in split_sentences(turn):
                    yield f"dialogue:{path.stem}", sentence
    for line in _lines(data / "people" / "written.tsv"):
        yield "written", line.split("\t")[2]


def build(data: Path, set_aside: Path, *, seed: int = 1) -> tuple[list[tuple[str, str]], Counts]:
    """Return the cleaned (source, sentence) pairs, and what was removed."""
    rng, counts = random.Random(seed), Counts()
    banned, capitalised = held_out(data, set_aside), _capitalised_elsewhere(data)
    kept: list[tuple[str, str]] = []
    for source, sentence in read_sources(data):
        counts.read[source] += 1
        reason = _reason_to_remove(source, sentence, banned, capitalised)
        cap = CAPS.get(source.removeprefix("dialogue:"))
        if reason is None and cap is not None and counts.kept[source] >= cap:
            reason = "over the cap"
        if reason is not None:
            counts.remove(source, reason)
            continue
        counts.kept[source] += 1
        kept.append((source, _with_other_names(source, sentence, rng)))
    return kept, counts


def _reason_to_remove(
    source: str, sentence: str, banned: set[str], capitalised: Counter[str]
) -> str | None:
    words = words_of(sentence)
    if not words:
        return "no word"
    if " ".join(words) in banned:
        return "held out"
    if any(_is_crude(word) for word in words):
        return "crude"
    if source.startswith("enron") and _has_rare_name(sentence, capitalised):
        return "rare name"
    return None


def _is_crude(word: str) -> bool:
    return word.startswith(_crude_prefixes()) and not word.startswith(("cockt", "cockp", "dicken"))


def _has_rare_name(sentence: str, capitalised: Counter[str]) -> bool:
    """Whether a capitalised word, the first one included, is hardly used in other sources."""
    return any(
        capitalised[word.lower()] < MIN_USES_ELSEWHERE
        for word in _WORD.findall(sentence)
        if word[0].isupper() and word != "I" and not word.startswith(("I'", "I’"))
    )


def _capitalised_elsewhere(data: Path) -> Counter[str]:
    """How often each word occurs outside Enron's mail, in lower case."""
    return Counter(
        word
        for source, sentence in read_sources(data)
        if not source.startswith("enron")
        for word in words_of(sentence)
    )


def _with_other_names(source: str, sentence: str, rng: random.Random) -> str:
    """Replace given names; the same name gets the same replacement within a sentence."""
    men, women = _given_names()
    chosen: dict[str, str] = {}

    def replacement(match: re.Match[str]) -> str:
        name = match[0]
        if name not in chosen:
            chosen[name] = rng.choice(women if name == "Mary" or name in women else men)
        return chosen[name]

    if source == "everyday":
        return re.sub(r"\b(?:Tom|Mary)\b", replacement, sentence)
    if source.startswith("enron"):
        return _any_given_name().sub(replacement, sentence)
    return sentence


@cache
def _given_names() -> tuple[list[str], list[str]]:
    men, women = (line.split() for line in _data_lines("given_names.txt"))
    return men, women


@cache
def _any_given_name() -> re.Pattern[str]:
    men, women = _given_names()
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, [*men, *women]))})\b")


@cache
def _crude_prefixes() -> tuple[str, ...]:
    return tuple(_data_lines("crude_words.txt"))


def _data_lines(name: str) -> list[str]:
    text = files("tersely_lab.default_model").joinpath(name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def _lines(path: Path) -> Iterable[str]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            if stripped := line.rstrip("\n").strip():
                yield stripped


def main() -> None:
    """Build the text and print the counts as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--set-aside", type=Path, required=True, help="messages never trained on")
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    arguments = parser.parse_args()
    pairs, counts = build(arguments.data, arguments.set_aside)
    text = "".join(f"{source}\t{sentence}\n" for source, sentence in pairs)
    arguments.out.write_text(text, encoding="utf-8")
    print(json.dumps(counts.as_json(), indent=2))


if __name__ == "__main__":
    main()
