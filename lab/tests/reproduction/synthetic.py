"""Synthetic runs for tests: real sentences, with retention and exact match of one's choice."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tersely.evaluation.outcomes import count_outcomes
from tersely_lab.reproduction.runs import OBJECTIVES, Gap, Results, Run
from tersely_lab.reproduction.sweep import Sweep, resampled
from tests.evaluation.predictions import Keep, make_predictions


def synthetic_run(
    kind: str,
    parameter: float,
    keep: float | Keep,
    exact: float,
    *,
    seed: int = 1,
    loss: float = 0.1,
    kept_on_dev: Sequence[float] = (0.95, 0.9, 0.8, 0.7, 0.6, 0.5),
    ending: str = "flat",
    **model: Any,
) -> Run:
    """Return a finished run with this retention and exact match."""
    outcomes = count_outcomes(make_predictions(keep, exact, seed=seed + round(1000 * parameter)))
    config = {
        "model": {"decoder_units": 200, **model},
        "objective": {"kind": kind, OBJECTIVES[kind].parameter: parameter},
        "training": {"seed": seed, "batch_sentences": 128},
    }
    typed, tokens, count = outcomes.typed.sum(), outcomes.tokens.sum(), len(outcomes)
    log = [
        {
            "step": 100 * step,
            "kind": kind_of_row,
            "kept_fraction": kept,
            "cost_tokens": 10 * kept,
            "loss_nats_a_token": 0.3,
            "weight_tokens_per_nat": 4.0,
            "tokens_per_second": 5000.0,
        }
        for step, kept in enumerate(kept_on_dev, 1)
        for kind_of_row in ("train", "dev")
    ]
    return Run(
        name=f"{kind}-{parameter:g}-seed{seed}",
        folder=Path("nowhere"),
        kind=kind,
        parameter=parameter,
        seed=seed,
        record={"config": config, "data": {}},
        result={
            "ending": ending,
            "steps": 100 * len(kept_on_dev),
            "seconds": 360.0,
            "train_sentences": 250_000,
            "dev": {"loss_nats_a_token": 0.3, "weight_tokens_per_nat": 4.0},
        },
        evaluation={
            "typed_fraction": float(typed / tokens),
            "kept_with_eos": float((typed + count) / (tokens + count)),
            "exact_match": float(outcomes.exact.mean()),
            "exact_match_served": float(outcomes.served.mean()),
            "top3": float(outcomes.in_top3.mean()),
            "nll_per_token": loss,
        },
        outcomes=outcomes,
        log=tuple(log),
    )


def synthetic_results(*runs: Run, gaps: Sequence[Gap] = ()) -> Results:
    return Results(Path("nowhere"), tuple(runs), tuple(gaps))


def synthetic_sweep(*runs: Run, gaps: Sequence[Gap] = (), draws: int = 150) -> Sweep:
    return resampled(synthetic_results(*runs, gaps=gaps), draws=draws)
