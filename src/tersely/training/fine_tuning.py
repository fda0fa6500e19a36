"""Fine-tuning: a model goes on with someone's own text, under the config it was made with.

Only how long and how fast differ: a short run that begins gently, so that what the model
knows is bent, not broken, and ends with small steps. Any of it can be changed with --set.
"""

from dataclasses import replace

from tersely.errors import TerselyError, UsageError
from tersely.model.folder import ModelFolder
from tersely.training.config import RunConfig, TrainingConfig, parse_config

GENTLE = TrainingConfig(
    batch_sentences=64,
    learning_rate=0.001,
    schedule="linear",
    warmup_steps=50,
    gradient_norm_limit=5.0,
    max_steps=1_500,
    evaluate_every_steps=250,
    checkpoint_every_steps=250,
)


def config_to_go_on(model: ModelFolder) -> RunConfig:
    """The config that a model carries, with a gentle way to train."""
    trained = model.settings.get("trained")
    tables = trained.get("config") if isinstance(trained, dict) else None
    if not isinstance(tables, dict):
        raise UsageError("--init: the model does not say how it was trained. Give --config.")
    try:
        config = parse_config(tables, where="the model's config.json")
    except UsageError as error:
        raise TerselyError(f"--init: {error} Give --config.") from error
    return replace(config, training=GENTLE)
