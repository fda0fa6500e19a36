"""Export: a scheme in training → a complete model folder."""

from typing import Any

from tersely.model.folder import ModelFolder
from tersely.text.vocabulary import Vocabulary
from tersely.training.config import ObjectiveConfig, RunConfig
from tersely.training.paper_step import Match


def as_model(
    match: Match,
    vocabulary: Vocabulary,
    config: RunConfig,
    *,
    step: int,
    encoder: dict[str, Any],
    judged: dict[str, float],
) -> ModelFolder:
    """Gather weights, vocabulary and settings; write the card."""
    scheme = match.scheme
    settings: dict[str, Any] = {
        "shape": scheme.shape.as_settings(),
        **encoder,
        "trained": {"steps": step, "config": config.as_dict(), "dev": judged},
    }
    tensors = {name: tensor.detach().numpy() for name, tensor in scheme.state_dict().items()}
    card = _card(config, step, judged)
    return ModelFolder(match.architecture, settings, tensors, vocabulary, card)


def describe(objective: ObjectiveConfig) -> str:
    """Name a scheme the way the paper does."""
    return {
        "constrained": f"Constrained(ε={objective.epsilon_nats_per_token:g})",
        "linear": f"Linear(λ={objective.weight_tokens_per_nat:g})",
        "unif": f"Unif(δ={objective.delta:g})",
        "stopword": f"Stopword(δ={objective.delta:g})",
        "distilled": "Distilled surprisal, all budgets",
    }[objective.kind]


def _card(config: RunConfig, step: int, judged: dict[str, float]) -> str:
    return (
        f"# {describe(config.objective)}\n\n"
        "A keyword-to-sentence scheme trained with tersely by the method of *Learning\n"
        "Autocomplete Systems as a Communication Game* (Lee, Hashimoto, Liang 2019).\n\n"
        f"- steps: {step:,}\n"
        f"- tokens kept on dev: {judged['kept_fraction']:.1%}\n"
        f"- loss on dev: {judged['loss_nats_a_token']:.3f} nats a token\n\n"
        "Settings are in `config.json`. The text it was trained on is not part of this folder.\n"
    )
