"""Model folders written by an earlier version load, and give the suggestions they gave then.

`old_folder/` holds a tiny model of each architecture, one of them in int8, and the answers of the
code that wrote them.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tersely.completion.completer import Completer
from tersely.model.folder import ModelFolder
from tersely.model.quantization import QuantizedTensor

FOLDER = Path(__file__).parent / "old_folder"
ANSWERS: dict[str, dict[str, dict[str, Any]]] = json.loads((FOLDER / "answers.json").read_text())


@pytest.mark.parametrize("name", ANSWERS)
def test_an_old_model_gives_the_suggestions_it_gave(name: str) -> None:
    completer = Completer.load(FOLDER / name)
    for text, expected in ANSWERS[name]["complete"].items():
        suggestions = completer.complete(text)
        assert [suggestion.text for suggestion in suggestions] == [row[0] for row in expected]
        for suggestion, (_, score) in zip(suggestions, expected, strict=True):
            assert suggestion.score == pytest.approx(score, rel=0, abs=1e-6)
            assert suggestion.score == pytest.approx(score, rel=2e-5, abs=0)


@pytest.mark.parametrize("name", ANSWERS)
def test_an_old_model_selects_the_keywords_it_selected(name: str) -> None:
    completer = Completer.load(FOLDER / name)
    for sentence, expected in ANSWERS[name]["keywords"].items():
        keywords = completer.keywords(sentence)
        assert keywords.tokens == [token for token, _, _ in expected]
        assert keywords.keep == [keep for _, keep, _ in expected]
        probabilities = [probability for _, _, probability in expected]
        assert keywords.probabilities == pytest.approx(probabilities, abs=1e-6)


def test_an_old_int8_model_stays_quantised_and_is_saved_unchanged(tmp_path: Path) -> None:
    model = ModelFolder.from_pretrained(FOLDER / "monotone-int8")
    assert any(isinstance(tensor, QuantizedTensor) for tensor in model.tensors.values())
    model.save_pretrained(tmp_path / "again")
    for path in (FOLDER / "monotone-int8").iterdir():
        assert (tmp_path / "again" / path.name).read_bytes() == path.read_bytes(), path.name
