from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tersely.model.card import Origin, write_card
from tests.model.test_folder import small_model

SETTINGS: dict[str, Any] = {
    "trained": {"steps": 7000, "dev": {"kept_fraction": 0.435, "loss_nats_a_token": 0.6723}},
    "budgets": [
        {"budget": 0.35, "typed_fraction": 0.352, "loss_nats_a_token": 0.787},
        {"budget": 0.5, "typed_fraction": 0.472, "loss_nats_a_token": 0.387},
    ],
}


def card(
    settings: dict[str, Any] = SETTINGS, *, origin: Origin | None = None, text: str | None = None
) -> str:
    model = replace(
        small_model(),
        settings=settings,
        tensors={"embedding": np.zeros((1500, 4), np.float32)},
        card="\n# Everyday\n\nOld text.\n",
    )
    return write_card(model, "int8", weight_bytes=6_000, origin=origin or Origin(), text=text)


def test_the_card_keeps_the_heading_and_lists_the_figures() -> None:
    lines = card().splitlines()
    assert lines[0] == "# Everyday"
    assert "Old text." not in lines
    assert "- Parameters: 6,000, stored as int8 in 0.0 MB" in lines
    assert "- Steps trained: 7,000" in lines
    assert "- Tokens kept on dev: 43.5%" in lines
    assert "- Loss on dev, nats a token: 0.672" in lines
    assert lines[-2:] == ["| 0.35 | 35.2% | 0.787 |", "| 0.50 | 47.2% | 0.387 |"]


def test_a_given_text_replaces_heading_and_description_only() -> None:
    replaced = card(text="# Mine\n\nFor letters.\n\n")
    assert replaced.startswith("# Mine\n\nFor letters.\n\n## Figures\n")
    assert replaced.endswith(card().partition("## Figures")[2])


def test_only_known_parts_of_the_origin_are_listed() -> None:
    listed = card(origin=Origin(corpus="Tatoeba\nsentences", licence="CC BY 2.0"))
    assert "- Corpus: Tatoeba sentences\n- Licence: CC BY 2.0\n" in listed
    assert "Attribution" not in listed
    assert "Corpus" not in card()


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"trained": None, "budgets": {}},
        {"trained": {"steps": "many", "dev": []}, "budgets": [1, {"budget": "x"}, None]},
        {"trained": {"steps": True}, "budgets": []},
    ],
)
def test_settings_without_figures_give_a_card_without_them(settings: dict[str, Any]) -> None:
    made = card(settings)
    assert "- Vocabulary: 7 tokens" in made
    assert "trained" not in made.partition("## Figures")[2]
    assert "| budget" not in made


def test_a_model_without_a_card_gets_a_heading() -> None:
    made = write_card(replace(small_model(), card=""), "float16", weight_bytes=1, origin=Origin())
    assert made.startswith("# A tersely model\n")
