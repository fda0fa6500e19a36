"""The text of the model that ships: nothing held out, nobody's name, no crude word remains."""

import json
from pathlib import Path

import pytest

from tersely_lab.default_model.text import build, held_out, normalized, words_of


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder of corpora in the shape of the real ones, a few sentences each."""
    frequent = [f"The plan for Houston is number {number}." for number in range(30)]
    files = {
        "everyday/train.txt": [
            "Tom told Mary that Tom was late.",
            "The bus is late today.",
            *frequent,
        ],
        "everyday/dev.txt": ["Where did you put my keys?"],
        "everyday/test.txt": ["It rained all day."],
        "messages/train.tsv": [
            "enron_ham\tPlease send the plan to Kaminski.",
            "enron_ham\tThe plan for Houston is late today.",
            "enron_ham\tSimon told Sarah the plan is late today.",
            "goemotions\tThis is bullshit.",
            "goemotions\twhere did YOU put my keys",
            "goemotions\tThanks!",
        ],
        "messages/dev_email.txt": ["Thanks!"],
        "people/written.tsv": [
            "chat\tlate today\tI'll be late today.",
            "chat\thome soon\tI'm home soon.",
        ],
        "people/typed_dev.tsv": ["email\tplan attached\tThe plan is attached here."],
    }
    for name, lines in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (tmp_path / "dialogues").mkdir()
    turns = {"turns": ["Thank you! See you then.", "Thank you!"]}
    (tmp_path / "dialogues" / "star.jsonl").write_text(json.dumps(turns) + "\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def set_aside(tmp_path: Path) -> Path:
    """One message that must not be trained on."""
    path = tmp_path / "set_aside.tsv"
    path.write_text("chat\thome soon\tI'm home soon.\n", encoding="utf-8")
    return path


def test_case_and_punctuation_do_not_matter_when_sentences_are_compared() -> None:
    assert (
        normalized("Don’t  you SEE, Tom?") == normalized("don't you see tom") == "don't you see tom"
    )
    assert words_of("…!") == []


def test_held_out_sentences_of_four_words_and_messages_set_aside_are_removed(
    data: Path, set_aside: Path
) -> None:
    pairs, counts = build(data, set_aside)
    sentences = {normalized(sentence) for _, sentence in pairs}
    assert not sentences & held_out(data, set_aside)
    assert "thanks" in sentences, "sentences of fewer than four words are common property"
    assert "i'm home soon" not in sentences
    assert counts.removed["goemotions"]["held out"] == 1
    assert counts.removed["written"]["held out"] == 1


def test_dialogues_keep_their_repetition(data: Path, set_aside: Path) -> None:
    pairs, _ = build(data, set_aside)
    assert [sentence for source, sentence in pairs if source == "dialogue:star"] == [
        "Thank you!",
        "See you then.",
        "Thank you!",
    ]


def test_tom_and_mary_become_other_names_and_stay_the_same_within_a_sentence(
    data: Path, set_aside: Path
) -> None:
    pairs, _ = build(data, set_aside)
    first = next(sentence for source, sentence in pairs if source == "everyday")
    words = first.split()
    assert "Tom" not in words
    assert "Mary" not in words
    assert words[0] == words[4]
    assert words[0] != words[2]


def test_no_name_that_only_enron_knows_remains(data: Path, set_aside: Path) -> None:
    pairs, counts = build(data, set_aside)
    mail = [sentence for source, sentence in pairs if source == "enron_ham"]
    assert "Kaminski" not in " ".join(mail)
    assert counts.removed["enron_ham"]["rare name"] == 2  # Kaminski; Simon and Sarah are rare here
    assert mail == ["The plan for Houston is late today."]


def test_sentences_with_crude_words_are_removed(data: Path, set_aside: Path) -> None:
    pairs, counts = build(data, set_aside)
    assert "This is bullshit." not in [sentence for _, sentence in pairs]
    assert counts.removed["goemotions"]["crude"] == 1


def test_the_counts_add_up(data: Path, set_aside: Path) -> None:
    _, counts = build(data, set_aside)
    for source, row in counts.as_json().items():
        assert isinstance(row, dict)
        assert row["read"] == row["kept"] + sum(row["removed"].values()), source


def test_the_same_seed_gives_the_same_text(data: Path, set_aside: Path) -> None:
    assert build(data, set_aside)[0] == build(data, set_aside)[0]
