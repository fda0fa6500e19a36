import json
from pathlib import Path

import numpy as np
import pytest
import torch

from tersely.completion.completer import Completer
from tersely.model.folder import ModelFolder
from tersely.text.vocabulary import SPECIAL_TOKENS, Vocabulary
from tersely.training.build import build_match, encoder_settings
from tersely.training.config import RunConfig
from tersely.training.export import as_model, describe
from tersely.training.paper_step import Match
from tests.training.small import small_config

VOCABULARY = Vocabulary([*SPECIAL_TOKENS, "the", "waiter", "late", "."])
JUDGED = {"kept_fraction": 0.25, "loss_nats_a_token": 1.2345, "cost_tokens": 2.0}


def exported(config: RunConfig) -> ModelFolder:
    encoder = {
        "encoder": encoder_settings(config),
        "keep_quantiles": np.linspace(0, 1, 101).tolist(),
    }
    return as_model(match(config), VOCABULARY, config, step=1234, encoder=encoder, judged=JUDGED)


def match(config: RunConfig) -> Match:
    return build_match(config, len(VOCABULARY), VOCABULARY, torch.Generator().manual_seed(1))


@pytest.mark.parametrize("kind", ["constrained", "linear", "unif", "stopword"])
def test_an_exported_scheme_can_be_saved_loaded_and_used(kind: str, tmp_path: Path) -> None:
    model = exported(small_config(objective={"kind": kind}))
    model.save_pretrained(tmp_path / "m")
    completer = Completer.load(tmp_path / "m")
    assert completer.complete("waiter late")
    assert completer.keywords("the waiter .").tokens == ["the", "waiter", "."]
    assert completer.selector.is_learned == (kind in ("constrained", "linear"))


def test_weights_and_settings_are_those_of_the_run() -> None:
    config = small_config(training={"seed": 7})
    model = exported(config)
    scheme = match(config).scheme
    for name, tensor in scheme.state_dict().items():
        assert np.array_equal(model.tensors[name], tensor.numpy())
    trained = json.loads(json.dumps(model.settings))["trained"]
    assert trained["steps"] == 1234
    assert trained["config"]["training"]["seed"] == 7
    assert trained["dev"] == JUDGED


def test_the_card_says_what_it_is_and_how_good() -> None:
    card = exported(small_config()).card
    assert card.startswith("# Constrained(ε=0.5)\n")
    assert "steps: 1,234" in card
    assert "25.0%" in card
    assert "1.234 nats" in card or "1.235 nats" in card


def test_schemes_are_named_as_in_the_paper() -> None:
    names = {
        describe(small_config(objective=table).objective)
        for table in (
            {"epsilon_nats_per_token": 0.25},
            {"kind": "linear", "weight_tokens_per_nat": 4.3},
            {"kind": "unif", "delta": 0.3},
            {"kind": "stopword", "delta": 0.0},
        )
    }
    assert names == {"Constrained(ε=0.25)", "Linear(λ=4.3)", "Unif(δ=0.3)", "Stopword(δ=0)"}


def test_a_model_chooses_keywords_as_it_was_trained() -> None:
    def settings(**changes: dict) -> dict:
        return encoder_settings(small_config(**changes))

    assert settings() == {"kind": "learned", "keep": "threshold"}
    assert settings(evaluation={"keep": "sample"}) == {"kind": "learned", "keep": "sample"}
    assert settings(objective={"kind": "unif", "delta": 0.2}) == {"kind": "unif", "delta": 0.2}
    assert settings(
        objective={"kind": "stopword", "delta": 0.5, "stopword_drops_punctuation": True}
    ) == {"kind": "stopword", "delta": 0.5, "drop_shift": False, "drop_punctuation": True}
