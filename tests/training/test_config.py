from pathlib import Path
from typing import Any

import pytest

from tersely.errors import UsageError
from tersely.training.config import (
    RENAMED_KEYS,
    RunConfig,
    load_config,
    parse_config,
    with_changes,
)
from tests.training.small import CONFIGS


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.toml")), ids=lambda path: path.name)
def test_every_shipped_config_is_valid(path: Path) -> None:
    if "runs" not in path.read_text():
        assert isinstance(load_config(path), RunConfig)


def test_the_papers_settings_are_the_papers() -> None:
    config = load_config(CONFIGS / "paper.toml")
    assert config.model.embedding_units == config.model.encoder_units == 300
    assert config.model.reader_units == config.model.decoder_units == 300
    assert config.model.initial_range == 0.1
    assert config.model.softmax == "full"
    assert config.training.learning_rate == 0.001
    assert config.training.batch_sentences == 128
    assert config.objective.weight_tokens_per_nat == 5.0
    assert config.objective.weight_learning_rate == 0.01
    assert config.objective.decoder_gradient == "scaled_by_weight"
    assert config.estimator.samples == 1
    assert config.estimator.baseline == "moving_average"
    assert config.estimator.exploration_floor == config.estimator.decoder_first_steps == 0
    assert config.estimator.entropy_bonus_tokens_per_nat == 0


@pytest.mark.parametrize(
    ("tables", "complaint"),
    [
        ({"modle": {}}, 'unknown key "modle". Did you mean "model"'),
        ({"model": {"embeding_units": 3}}, 'Did you mean "embedding_units"'),
        ({"model": {"embedding_units": "300"}}, "must be an integer, got '300'"),
        ({"model": {"embedding_units": 300.0}}, "must be an integer"),
        ({"model": 3}, "must be a table"),
        ({"model": {"softmax": "hierarchical"}}, "one of full, adaptive"),
        ({"model": {"adaptive_cutoffs": 5}}, "must be a list"),
        ({"model": {"reader_units": 7}}, "must be even"),
        ({"model": {"decoder_units": 100}}, "zeros"),
        ({"estimator": {"baseline": "leave_one_out"}}, "samples"),
        ({"estimator": {"exploration_floor": 0.5}}, "floor"),
        ({"objective": {"delta": 2.0}}, "objective.delta must be in [0, 1]"),
        ({"training": {"learning_rate": 0.0}}, "above 0"),
        ({"training": {"learning_rate": float("inf")}}, "finite"),
        ({"training": {"gradient_norm_limit": -1.0}}, "above 0"),
        ({"training": {"max_steps": 0}}, "training.max_steps must be at least 1"),
        ({"training": {"seed": -1}}, "training.seed must be at least 0"),
        ({"training": {"train_sentences": 0}}, "training.train_sentences must be at least 1"),
        ({"model": {"encoder_units": 0}}, "model.encoder_units must be at least 1"),
        (
            {"model": {"initial_keep_probability": 0.0}},
            "initial_keep_probability must be in (0, 1)",
        ),
        ({"model": {"adaptive_cutoffs": [9, 5]}}, "adaptive_cutoffs must increase"),
        ({"model": {"adaptive_cutoffs": list(range(1, 99))}}, "at most 64 entries"),
        ({"model": {"adaptive_division": 0.0}}, "adaptive_division must be in [1, 1024]"),
        ({"model": {"softmax": "adaptive", "adaptive_division": 100.0}}, "without units"),
        ({"estimator": {"baseline_decay": 1.0}}, "baseline_decay must be in"),
        ({"distillation": {"value_noise": 0.0}}, "distillation.value_noise must be above 0"),
        ({"distillation": {"threshold_noise": 0.4}}, 'unknown key "threshold_noise"'),
        ({"distillation": {"no_budget_share": 1.5}}, "no_budget_share must be in [0, 1]"),
        ({"distillation": {"default_budget": -0.1}}, "default_budget must be in [0, 1]"),
        ({"distillation": {"rule_share": 2}}, "rule_share must be in [0, 1]"),
        ({"distillation": {"rules": []}}, "must name a rule"),
        ({"distillation": {"rules": ["dice"]}}, "must be from chance, coin, stopwords, content"),
        ({"model": {"architecture": "monotone"}}, "go together"),
        ({"model": {"architecture": "toy"}}, "architecture must be one of paper, monotone"),
        ({"objective": {"kind": "distilled"}}, "go together"),
    ],
)
def test_an_invalid_config_is_an_error_that_names_the_key(
    tables: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(UsageError) as caught:
        parse_config(tables, where="x.toml")
    assert complaint in str(caught.value)
    assert str(caught.value).startswith("x.toml: ")


def test_an_invalid_change_is_an_error_that_names_the_option() -> None:
    with pytest.raises(UsageError, match=r"^--set: objective\.kind must be one of constrained"):
        with_changes(RunConfig(), ["objective.kind=hinge"])


def test_earlier_names_of_keys_are_read() -> None:
    old = {"distillation": {"untold_share": 0.2, "worth_noise": 0.6, "free_share": 0.1}}
    new = {"distillation": {"no_budget_share": 0.2, "value_noise": 0.6, "on_average_share": 0.1}}
    config = parse_config(old, where="run.json")
    assert config == parse_config(new, where="run.json")
    assert config.as_dict()["distillation"].keys() >= new["distillation"].keys()
    assert with_changes(RunConfig(), ["distillation.free_share=0.1"]).distillation == (
        with_changes(RunConfig(), ["distillation.on_average_share=0.1"]).distillation
    )
    assert "untold_share" in old["distillation"]
    with pytest.raises(UsageError, match="free_share is now on_average_share"):
        both = {"free_share": 0.1, "on_average_share": 0.1}
        parse_config({"distillation": both}, where="x.toml")


def test_every_earlier_name_of_a_key_has_a_new_one() -> None:
    tables = RunConfig().as_dict()
    for table, names in RENAMED_KEYS.items():
        assert set(names.values()) <= tables[table].keys()
        assert not names.keys() & tables[table].keys()


def test_an_integer_is_a_valid_float() -> None:
    assert parse_config({"objective": {"delta": 1}}, where="x").objective.delta == 1.0


def test_noise_may_exceed_one() -> None:
    made = parse_config({"distillation": {"value_noise": 2.5}}, where="x")
    assert made.distillation.value_noise == 2.5


def test_changes_are_written_as_in_toml() -> None:
    config = with_changes(
        RunConfig(),
        [
            "training.seed=2",
            "objective.kind=unif",
            "objective.delta=0.3",
            "model.adaptive_cutoffs=[5]",
        ],
    )
    assert config.training.seed == 2
    assert (config.objective.kind, config.objective.delta) == ("unif", 0.3)
    assert config.model.adaptive_cutoffs == (5,)
    for bad in ("seed=2", "training=2", "nothing.seed=2", "training.sead=2"):
        with pytest.raises(UsageError):
            with_changes(RunConfig(), [bad])


@pytest.mark.parametrize("content", [b"[model", b"\xff\xfe"])
def test_invalid_toml_is_an_error_that_names_the_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "c.toml"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="not valid TOML"):
        load_config(path)
    with pytest.raises(UsageError, match="cannot be read"):
        load_config(tmp_path / "no.toml")


def test_an_empty_config_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text("# nothing yet\n")
    with pytest.raises(UsageError, match=r"c\.toml: empty"):
        load_config(tmp_path / "c.toml")
