"""Model card: the README.md of a model folder, with origin, size and dev results.

The description may be replaced; the figures always come from the model. Settings may come from
anyone, so only numbers are copied from them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tersely.model.folder import ModelFolder
from tersely.model.quantization import WeightDtype

DESCRIPTION = (
    "A keyword-to-sentence model for [tersely](https://arxiv.org/abs/1911.06964): type a few\n"
    "keywords, get the sentence. It runs with NumPy alone, and nothing in this folder is code.\n"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a model comes from; None where unknown."""

    corpus: str | None = None
    attribution: str | None = None
    licence: str | None = None


def write_card(
    model: ModelFolder,
    kind: WeightDtype,
    *,
    weight_bytes: int,
    origin: Origin,
    text: str | None = None,
) -> str:
    """Return the card; `text` replaces heading and description."""
    parts = [
        text.strip() if text is not None else f"# {_title(model.card)}\n\n{DESCRIPTION.strip()}",
        _list(
            {
                "Corpus": origin.corpus,
                "Attribution": origin.attribution,
                "Licence": origin.licence,
            }
        ),
        "## Figures",
        _list(_figures(model, kind, weight_bytes)),
        _budgets(model.settings.get("budgets")),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _title(card: str) -> str:
    """Return the heading of a card."""
    for line in card.splitlines():
        if line.startswith("# ") and line[2:].strip():
            return line[2:].strip()
    return "A tersely model"


def _figures(model: ModelFolder, kind: WeightDtype, weight_bytes: int) -> dict[str, str | None]:
    trained = _table(model.settings.get("trained"))
    dev = _table(trained.get("dev"))
    parameters = sum(tensor.size for tensor in model.tensors.values())
    return {
        "Architecture": model.architecture,
        "Vocabulary": f"{len(model.vocabulary):,} tokens",
        "Parameters": f"{parameters:,}, stored as {kind} in {weight_bytes / 1e6:.1f} MB",
        "Steps trained": _number(trained.get("steps"), ",.0f"),
        "Tokens kept on dev": _number(dev.get("kept_fraction"), ".1%"),
        "Loss on dev, nats a token": _number(dev.get("loss_nats_a_token"), ".3f"),
    }


def _budgets(rows: object) -> str:
    """Return the table of dev results by budget; empty if the model takes no budget."""
    if not isinstance(rows, list):
        return ""
    formats = {"budget": ".2f", "typed_fraction": ".1%", "loss_nats_a_token": ".3f"}
    lines = ["| budget | tokens typed on dev | loss, nats a token |", "| ---: | ---: | ---: |"]
    for row in rows:
        cells = [_number(_table(row).get(key), spec) for key, spec in formats.items()]
        if None not in cells:
            lines.append(f"| {' | '.join(cell or '' for cell in cells)} |")
    return "\n".join(lines) if len(lines) > 2 else ""


def _list(facts: Mapping[str, str | None]) -> str:
    return "\n".join(
        f"- {name}: {' '.join(fact.split())}" for name, fact in facts.items() if fact is not None
    )


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _number(value: object, spec: str) -> str | None:
    return format(value, spec) if type(value) in (int, float) else None
