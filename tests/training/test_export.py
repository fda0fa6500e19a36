import json
from pathlib import Path

import numpy as np
import pytest
import torch

from tersely.completion.completer import Completer
from tersely.model.folder import ModelFolder
from tersely.model.quantization import dequantize
from tersely.selection.keep_probability import KeepProbabilitySelector
from tersely.text.vocabulary import SPECIAL_TOKENS, Vocabulary
from tersely.training.config import RunConfig
from tersely.training.export import export_model, scheme_title
from tersely.training.paper_task import encoder_settings
from tersely.training.tasks import TrainingTask, build_task
from tests.training.small import small_config

VOCABULARY = Vocabulary([*SPECIAL_TOKENS, "the", "waiter", "late", "."])
DEV = {"kept_fraction": 0.25, "loss_nats_a_token": 1.2345, "cost_tokens": 2.0}


def exported(config: RunConfig) -> ModelFolder:
    encoder = {
        "encoder": encoder_settings(config),
        "keep_quantiles": np.linspace(0, 1, 101).tolist(),
    }
    return export_model(task_of(config), VOCABULARY, config, step=1234, encoder=encoder, dev=DEV)


def task_of(config: RunConfig) -> TrainingTask:
    return build_task(config, len(VOCABULARY), VOCABULARY, torch.Generator().manual_seed(1))


@pytest.mark.parametrize("kind", ["constrained", "linear", "unif", "stopword"])
def test_an_exported_scheme_can_be_saved_loaded_and_used(kind: str, tmp_path: Path) -> None:
    model = exported(small_config(objective={"kind": kind}))
    model.save_pretrained(tmp_path / "m")
    completer = Completer.load(tmp_path / "m")
    assert completer.complete("waiter late")
    assert completer.keywords("the waiter .").tokens == ["the", "waiter", "."]
    assert isinstance(completer.selector, KeepProbabilitySelector)
    assert completer.selector.is_learned == (kind in ("constrained", "linear"))


def test_the_model_has_the_weights_and_settings_of_the_run() -> None:
    config = small_config(training={"seed": 7})
    model = exported(config)
    scheme = task_of(config).scheme
    for name, tensor in scheme.state_dict().items():
        assert np.array_equal(dequantize(model.tensors[name]), tensor.numpy())
    trained = json.loads(json.dumps(model.settings))["trained"]
    assert trained["steps"] == 1234
    assert trained["config"]["training"]["seed"] == 7
    assert trained["dev"] == DEV


def test_the_card_has_the_scheme_and_its_dev_metrics() -> None:
    card = exported(small_config()).card
    assert card.startswith("# Constrained(ε=0.5)\n")
    assert "steps: 1,234" in card
    assert "25.0%" in card
    assert "1.234 nats" in card or "1.235 nats" in card


def test_schemes_are_named_as_in_the_paper() -> None:
    names = {
        scheme_title(small_config(objective=table).objective)
        for table in (
            {"epsilon_nats_per_token": 0.25},
            {"kind": "linear", "weight_tokens_per_nat": 4.3},
            {"kind": "unif", "delta": 0.3},
            {"kind": "stopword", "delta": 0.0},
        )
    }
    assert names == {"Constrained(ε=0.25)", "Linear(λ=4.3)", "Unif(δ=0.3)", "Stopword(δ=0)"}
