"""Export: a scheme in training → a complete model folder."""

from typing import Any

from tersely.game.scheme import Scheme
from tersely.model.folder import ModelFolder
from tersely.model.shape import ARCHITECTURE
from tersely.text.vocab import Vocabulary
from tersely.training.config import ObjectiveConfig, RunConfig


def as_model(
    scheme: Scheme,
    vocabulary: Vocabulary,
    config: RunConfig,
    *,
    step: int,
    keep_quantiles: list[float],
    judged: dict[str, float],
) -> ModelFolder:
    """Gather weights, vocabulary and settings; write the card."""
    settings: dict[str, Any] = {
        "shape": scheme.shape.as_settings(),
        "encoder": encoder_settings(config),
        "keep_quantiles": keep_quantiles,
        "trained": {"steps": step, "config": config.as_dict(), "dev": judged},
    }
    tensors = {name: tensor.detach().numpy() for name, tensor in scheme.state_dict().items()}
    return ModelFolder(ARCHITECTURE, settings, tensors, vocabulary, _card(config, step, judged))


def encoder_settings(config: RunConfig) -> dict[str, Any]:
    """How the model chooses keywords: by its own encoder, or by the rule it was trained with."""
    objective = config.objective
    if objective.kind == "unif":
        return {"kind": "unif", "delta": objective.delta}
    if objective.kind == "stopword":
        return {
            "kind": "stopword",
            "delta": objective.delta,
            "drop_shift": objective.stopword_drops_shift,
            "drop_punctuation": objective.stopword_drops_punctuation,
        }
    return {"kind": "learned", "keep": config.evaluation.keep}


def describe(objective: ObjectiveConfig) -> str:
    """Name a scheme the way the paper does."""
    return {
        "constrained": f"Constrained(ε={objective.epsilon_nats_per_token:g})",
        "linear": f"Linear(λ={objective.weight_tokens_per_nat:g})",
        "unif": f"Unif(δ={objective.delta:g})",
        "stopword": f"Stopword(δ={objective.delta:g})",
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
