"""A model's card: what it is, what it was made from, and the figures its settings hold.

The text may be a person's own; the figures are always those of the model itself. Settings
may come from a stranger, so only what looks like a figure is shown.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tersely.model.folder import ModelFolder
from tersely.model.quantization import Kind

DESCRIPTION = (
    "A keyword-to-sentence model for [tersely](https://arxiv.org/abs/1911.06964): type a few\n"
    "keywords, get the sentence. It runs with NumPy alone, and nothing in this folder is code.\n"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a model comes from, as far as it is told."""

    corpus: str | None = None
    attribution: str | None = None
    licence: str | None = None


def write_card(
    model: ModelFolder, kind: Kind, *, weight_bytes: int, origin: Origin, text: str | None = None
) -> str:
    """Put the card together; `text` stands for heading and description."""
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
    """The heading of the card there was."""
    for line in card.splitlines():
        if line.startswith("# ") and line[2:].strip():
            return line[2:].strip()
    return "A tersely model"


def _figures(model: ModelFolder, kind: Kind, weight_bytes: int) -> dict[str, str | None]:
    trained = _table(model.settings.get("trained"))
    dev = _table(trained.get("dev"))
    parameters = sum(array.size for array in model.tensors.values())
    return {
        "Architecture": model.architecture,
        "Vocabulary": f"{len(model.vocabulary):,} tokens",
        "Parameters": f"{parameters:,}, stored as {kind} in {weight_bytes / 1e6:.1f} MB",
        "Steps trained": _number(trained.get("steps"), ",.0f"),
        "Tokens kept on dev": _number(dev.get("kept_fraction"), ".1%"),
        "Loss on dev, nats a token": _number(dev.get("loss_nats_a_token"), ".3f"),
    }


def _budgets(rows: object) -> str:
    """What a budget gives on dev, where the model takes one."""
    if not isinstance(rows, list):
        return ""
    shapes = {"budget": ".2f", "typed_fraction": ".1%", "loss_nats_a_token": ".3f"}
    lines = ["| budget | tokens typed on dev | loss, nats a token |", "| ---: | ---: | ---: |"]
    for row in rows:
        cells = [_number(_table(row).get(name), shape) for name, shape in shapes.items()]
        if None not in cells:
            lines.append(f"| {' | '.join(cell or '' for cell in cells)} |")
    return "\n".join(lines) if len(lines) > 2 else ""


def _list(lines: Mapping[str, str | None]) -> str:
    return "\n".join(
        f"- {name}: {' '.join(told.split())}" for name, told in lines.items() if told is not None
    )


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _number(value: object, shape: str) -> str | None:
    return format(value, shape) if type(value) in (int, float) else None
