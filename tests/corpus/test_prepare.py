import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.corpus.dataset import SPLITS, PreparedCorpus
from tersely.corpus.fixture import fixture_sentences
from tersely.corpus.prepare import PrepareSettings, SentenceExtractor, Source, TokenCounter, prepare
from tersely.corpus.shuffle import SplitSizes
from tersely.errors import UsageError
from tersely.text.sentences import load_segmenter
from tersely.text.tokens import detokenise, tokenise


class Silent:
    def phase(self, name: str) -> None:
        assert name


def documents(count: int) -> list[str]:
    """Return documents of one to five sentences, some of them duplicates."""
    sentences = list(fixture_sentences(count * 3))
    made = [" ".join(sentences[n : n + 1 + n % 5]) for n in range(0, len(sentences) - 5, 3)]
    return made + made[:50]


def prepared(out: Path, texts: list[str], **settings: Any) -> tuple[dict[str, Any], PreparedCorpus]:
    settings.setdefault("processes", 1)
    summary = prepare(
        {"all": Source(["texts"], lambda _: iter(texts))},
        out,
        PrepareSettings(**settings),
        progress=Silent(),
    )
    return summary, PreparedCorpus.open(out)


def sentences_of(corpus: PreparedCorpus, name: str) -> list[str]:
    return list(corpus.sentences(name))


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def test_a_corpus_is_split_tokenised_and_counted(tmp_path: Path) -> None:
    summary, corpus = prepared(
        tmp_path / "out", documents(1000), sizes=SplitSizes(dev=100, test=120), vocabulary_size=300
    )
    assert {name: len(corpus.split(name)) for name in ("dev", "test")} == {"dev": 100, "test": 120}
    assert len(corpus.split("train")) == summary["splits"]["train"]["sentences"] > 1000
    assert len(corpus.vocabulary()) == 300
    assert summary["lexicon_size"] == len(corpus.lexicon())
    assert summary["restored_exactly_share"] == 1.0
    assert max(int(length) for length in summary["splits"]["train"]["lengths"]) <= 16
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(
        ["lexicon.txt", "summary.json", "histogram.png"]
        + [f"{split}.{kind}.npy" for split in SPLITS for kind in ("tokens", "offsets")]
    )
    assert (tmp_path / "out" / "histogram.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads((tmp_path / "out" / "summary.json").read_text()) == summary


def test_every_sentence_is_in_the_prepared_corpus_unchanged(tmp_path: Path) -> None:
    texts = list(fixture_sentences(2000))
    _, corpus = prepared(tmp_path / "out", texts, max_tokens=100, segment=False)
    arrived = [sentence for name in SPLITS for sentence in sentences_of(corpus, name)]
    with_usual_spacing = [detokenise(tokenise(text).tokens) for text in texts]
    assert sorted(arrived) == sorted(with_usual_spacing)


def test_duplicate_documents_are_removed_and_single_sentences_kept(tmp_path: Path) -> None:
    summary, corpus = prepared(
        tmp_path / "out",
        ["We came late. We left early."] * 3 + ["Love it!"] * 40,
        sizes=SplitSizes(dev=2, test=2),
    )
    assert summary["repeated_documents_removed"] == 2
    everything = [sentence for name in SPLITS for sentence in sentences_of(corpus, name)]
    assert everything.count("Love it!") == 40
    assert everything.count("We came late.") == 1


def test_no_document_is_in_two_splits(tmp_path: Path) -> None:
    texts = [f"This is number {n}a. This is number {n}b. This is number {n}c." for n in range(300)]
    _, corpus = prepared(tmp_path / "out", texts)
    home: dict[str, str] = {}
    for name in SPLITS:
        for sentence in sentences_of(corpus, name):
            number = sentence.split()[-1][:-2]
            assert home.setdefault(number, name) == name
    assert set(home.values()) == set(SPLITS)


def test_the_result_is_the_same_for_any_number_of_processes(tmp_path: Path) -> None:
    texts = documents(1500)
    for processes in (1, 2, 3):
        prepared(tmp_path / str(processes), texts, processes=processes)
    assert digests(tmp_path / "1") == digests(tmp_path / "2") == digests(tmp_path / "3")


def test_another_seed_gives_another_split(tmp_path: Path) -> None:
    texts = documents(300)
    for seed in (1, 2):
        prepared(tmp_path / str(seed), texts, seed=seed)
    first, second = (PreparedCorpus.open(tmp_path / str(seed)) for seed in (1, 2))
    assert sentences_of(first, "test") != sentences_of(second, "test")


def test_a_capped_word_is_capped_in_train_alone(tmp_path: Path) -> None:
    texts = ["Tom left early."] * 500 + ["We stayed for a while."] * 500
    summary, corpus = prepared(tmp_path / "out", texts, cap_words={"Tom": 0.02})
    train = sentences_of(corpus, "train")
    assert 0 < sum("Tom" in sentence for sentence in train) <= 0.02 * len(train)
    assert sum("Tom" in sentence for sentence in sentences_of(corpus, "test")) > 5
    assert summary["capped"] > 400


def test_dev_and_test_may_come_from_files_of_their_own(tmp_path: Path) -> None:
    prepare(
        {
            "all": Source(["a"], lambda _: ["We left."] * 30),
            "dev": Source(["b"], lambda _: ["Dev it is."] * 3),
            "test": Source(["c"], lambda _: []),
        },
        tmp_path / "out",
        PrepareSettings(processes=1),
        progress=Silent(),
    )
    corpus = PreparedCorpus.open(tmp_path / "out")
    assert [len(corpus.split(name)) for name in SPLITS] == [30, 3, 0]
    assert set(sentences_of(corpus, "dev")) == {"Dev it is."}


@pytest.mark.parametrize("texts", [[], [""], ["far too long " * 20]])
def test_nothing_to_learn_from_is_an_error(tmp_path: Path, texts: list[str]) -> None:
    with pytest.raises(UsageError, match="No sentence is left"):
        prepared(tmp_path / "out", texts)
    assert list(tmp_path.iterdir()) == []


def test_without_sentencex_the_error_names_the_extra_and_sentences_still_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sentencex", None)
    load_segmenter.cache_clear()
    with pytest.raises(UsageError, match=r'sentencex: pip install "tersely\[train\]".*--sentences'):
        prepared(tmp_path / "out", ["One. Two."])
    assert list(tmp_path.iterdir()) == []
    summary, _ = prepared(tmp_path / "out", ["We left."] * 30, segment=False)
    assert summary["sentences"] == 30


def test_existing_folders_are_not_overwritten(tmp_path: Path) -> None:
    prepared(tmp_path / "out", documents(50))
    before = digests(tmp_path / "out")
    with pytest.raises(UsageError, match="--replace"):
        prepared(tmp_path / "out", documents(60))
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "a.tex").write_text("years of work")
    with pytest.raises(UsageError, match="not a prepared corpus"):
        prepared(tmp_path / "thesis", documents(50))
    assert digests(tmp_path / "out") == before


def test_an_interrupted_run_leaves_no_half_output(tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text("\n".join(fixture_sentences(200_000)))
    command = [
        sys.executable,
        "-m",
        "tersely",
        "prepare",
        str(source),
        "--out",
        str(tmp_path / "o"),
    ]
    for kind in (signal.SIGTERM, signal.SIGINT):
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        while not any(path.name.startswith(".o.") for path in tmp_path.iterdir()):
            assert process.poll() is None
            time.sleep(0.01)
        time.sleep(0.3)
        os.kill(process.pid, kind)
        _, complaint = process.communicate(timeout=240)
        assert process.returncode == 1
        lines = complaint.splitlines()
        assert any(line.startswith("tersely: interrupted") for line in lines), complaint
        assert [path.name for path in tmp_path.iterdir()] == ["in.txt"]


def test_documents_become_tokenised_sentences_short_enough() -> None:
    extractor = SentenceExtractor(max_tokens=6)
    documents, counts = extractor(["It was good. It was a very long and winding evening.", "Yum!"])
    assert documents[0].sentences == ["<shift> it was good ."]
    assert not documents[0].is_single
    assert documents[1].sentences == ["<shift> yum !"]
    assert documents[1].is_single
    assert (counts.sentences, counts.too_long, counts.restored_exactly) == (3, 1, 3)


def test_documents_are_not_segmented_if_each_is_one_sentence() -> None:
    documents, _ = SentenceExtractor(max_tokens=16, segment=False)(["Wow. Just wow. "])
    assert documents[0].sentences == ["<shift> wow . <shift> just wow ."]


def test_nothing_and_lone_surrogates_do_no_harm() -> None:
    documents, counts = SentenceExtractor(max_tokens=16)(["", "  ", "bad \ud800 here"])
    assert [document.sentences for document in documents] == [[], [], ["bad ? here"]]
    assert counts.sentences == 1


@given(st.lists(st.lists(st.text(alphabet="abñ😀", min_size=1, max_size=2))), st.integers(1, 6))
def test_counts_are_the_same_however_often_they_spill(
    tmp_path_factory: pytest.TempPathFactory, lists: list[list[str]], max_types: int
) -> None:
    counter = TokenCounter(tmp_path_factory.mktemp("counts"), max_types=max_types)
    for tokens in lists:
        counter.add(tokens)
    expected = Counter(token for tokens in lists for token in tokens)
    ranked = sorted(expected.items(), key=lambda pair: (-pair[1], pair[0]))
    assert list(counter.most_frequent(100).items()) == ranked
    assert list(counter.most_frequent(2).items()) == ranked[:2]


def test_uncounted_tokens_are_listed_last(tmp_path: Path) -> None:
    counter = TokenCounter(tmp_path, max_types=2)
    counter.add_uncounted(["x", "a"])
    counter.add(["b", "b", "a"])
    assert counter.most_frequent(10) == {"b": 2, "a": 1, "x": 0}
