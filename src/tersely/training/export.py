"""Export: a scheme in training → a model folder."""

from typing import Any

from tersely.game.paper.objective import OBJECTIVES, ObjectiveConfig
from tersely.game.paper.rules import RULES
from tersely.model.folder import ModelFolder
from tersely.text.vocabulary import Vocabulary
from tersely.training.config import RunConfig
from tersely.training.tasks import TrainingTask


def export_model(
    task: TrainingTask,
    vocabulary: Vocabulary,
    config: RunConfig,
    *,
    step: int,
    encoder: dict[str, Any],
    dev: dict[str, float],
) -> ModelFolder:
    """Collect weights, vocabulary, settings and model card."""
    settings: dict[str, Any] = {
        "shape": task.scheme.shape.as_settings(),
        **encoder,
        "trained": {"steps": step, "config": config.as_dict(), "dev": dev},
    }
    tensors = {name: tensor.detach().numpy() for name, tensor in task.scheme.state_dict().items()}
    card = _card(config, step, dev)
    return ModelFolder(task.architecture, settings, tensors, vocabulary, card)


def scheme_title(objective: ObjectiveConfig) -> str:
    """Return the name of a scheme, as in the paper where it is the paper's."""
    if objective.kind in OBJECTIVES:
        return OBJECTIVES[objective.kind].title(objective)
    if objective.kind in RULES:
        return RULES[objective.kind].title(objective)
    return "Distilled surprisal, all budgets"


def _card(config: RunConfig, step: int, dev: dict[str, float]) -> str:
    return (
        f"# {scheme_title(config.objective)}\n\n"
        "A keyword-to-sentence scheme trained with tersely by the method of *Learning\n"
        "Autocomplete Systems as a Communication Game* (Lee, Hashimoto, Liang 2019).\n\n"
        f"- steps: {step:,}\n"
        f"- tokens kept on dev: {dev['kept_fraction']:.1%}\n"
        f"- loss on dev: {dev['loss_nats_a_token']:.3f} nats a token\n\n"
        "Settings are in `config.json`. The text it was trained on is not part of this folder.\n"
    )
