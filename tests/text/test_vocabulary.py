from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.errors import TerselyError
from tersely.text.vocabulary import SPECIAL_TOKENS, UNK, UNK_ID, Vocabulary

WORDS = st.lists(st.text(alphabet="abcde", min_size=1, max_size=3), max_size=12)


def vocabulary(*words: str) -> Vocabulary:
    return Vocabulary([*SPECIAL_TOKENS, *words])


@given(WORDS, WORDS)
def test_words_of_the_sentence_found_in_the_keywords_survive(
    known: list[str], said: list[str]
) -> None:
    words = vocabulary(*dict.fromkeys(known))
    copies = words.out_of_vocabulary(said)
    assert words.decode(words.encode_with_copies(said, copies), copies) == said


def test_unknown_words_become_unk_without_copies() -> None:
    words = vocabulary("late")
    assert words.decode(words.encode(["late", "Zanzibar"])) == ["late", UNK]
    assert words.encode_with_copies(["Zanzibar"], ["other"]) == [UNK_ID]


def test_frequent_words_come_first_and_ties_go_by_name() -> None:
    words = Vocabulary.from_counts({"b": 2, "a": 2, "c": 5, "<shift>": 9}, size=7)
    assert words.tokens == (*SPECIAL_TOKENS, "c", "a")


def test_a_saved_vocabulary_loads_the_same(tmp_path: Path) -> None:
    words = vocabulary("naïve", "我", "😀", "\u200b")
    words.save(tmp_path / "vocab.txt")
    assert Vocabulary.load(tmp_path / "vocab.txt").tokens == words.tokens
    assert len(Vocabulary.load(tmp_path / "vocab.txt", size=6)) == 6


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "begins with"),
        ("\n".join([*SPECIAL_TOKENS, "a"]), "cut off"),
        ("a\nb\n", "begins with"),
        ("\n".join([*SPECIAL_TOKENS, "a", "a", ""]), "twice"),
        ("\n".join([*SPECIAL_TOKENS, "a b", ""]), "line 6"),
        ("\n".join([*SPECIAL_TOKENS, "", "b", ""]), "line 6"),
    ],
)
def test_a_bad_vocabulary_is_refused(tmp_path: Path, content: str, complaint: str) -> None:
    path = tmp_path / "vocab.txt"
    path.write_text(content)
    with pytest.raises(TerselyError, match=complaint):
        Vocabulary.load(path)


def test_a_vocabulary_of_other_bytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TerselyError, match="cannot be read"):
        Vocabulary.load(path)
