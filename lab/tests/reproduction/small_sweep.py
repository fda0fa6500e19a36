"""A small sweep for tests: models trained for a few steps and evaluated as by `tersely sweep`.

The models have learned next to nothing, so exact matches are drawn at random, more where more is
typed. All else in predictions.jsonl comes from the models.
"""

import json
import random
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

from tersely.completion.completer import Completer
from tersely.corpus.fixture import fixture_sentences
from tersely.evaluation.metrics import MaskSelector, Prediction, length_matched, predict, summarise
from tersely.selection.keep_probability import sentence_rng
from tersely.text.keywords import Unif
from tests.training.small import small_config, small_run

SENTENCES = list(fixture_sentences(40))
# name, objective, seed, share kept by learned encoders (None: by the rule), share exact
RUNS = (
    ("constrained-0.8", {"kind": "constrained", "epsilon_nats_per_token": 0.8}, 1, 0.35, 0.3),
    ("constrained-0.4", {"kind": "constrained", "epsilon_nats_per_token": 0.4}, 1, 0.55, 0.6),
    ("constrained-0.4-seed2", {"kind": "constrained", "epsilon_nats_per_token": 0.4}, 2, 0.6, 0.6),
    ("linear-3", {"kind": "linear", "weight_tokens_per_nat": 3.0}, 1, 0.3, 0.1),
    ("linear-6", {"kind": "linear", "weight_tokens_per_nat": 6.0}, 1, 0.7, 0.4),
    ("unif-0.3", {"kind": "unif", "delta": 0.3}, 1, None, 0.1),
    ("unif-0.7", {"kind": "unif", "delta": 0.7}, 1, None, 0.4),
    ("stopword-0", {"kind": "stopword", "delta": 0.0}, 1, None, 0.3),
)


def small_sweep(corpus: Path, folder: Path) -> Path:
    with patch("tersely.training.loop.plot_metrics"):  # most of the time would be plots
        _train_and_evaluate(corpus, folder)
    (folder / "plan.json").write_text(json.dumps([row[0] for row in RUNS]))
    return folder


def _train_and_evaluate(corpus: Path, folder: Path) -> None:
    for name, objective, seed, kept, exact in RUNS:
        config = small_config(
            model={"initial_range": 0.5},
            objective=objective,
            training={
                "max_steps": 25,
                "evaluate_every_steps": 5,
                "checkpoint_every_steps": 25,
                "seed": seed,
            },
        )
        run = small_run(corpus, folder / name, config)
        choose = None if kept is None else _keep(kept, seed)
        predictions = predict(Completer.load(run), SENTENCES, choose=choose)
        write_evaluation(run, _with_random_matches(predictions, exact, name))


def write_evaluation(run: Path, predictions: list[Prediction]) -> None:
    """Write evaluation.json and predictions.jsonl as `tersely evaluate` does."""
    limit, short = length_matched(predictions)
    evaluation = {
        **summarise(predictions, intervals=False),
        "length_matched": {"max_tokens": limit, **summarise(short, intervals=False)},
    }
    (run / "evaluation.json").write_text(json.dumps(evaluation))
    with (run / "predictions.jsonl").open("w", encoding="utf-8") as file:
        for prediction in predictions:
            file.write(json.dumps(prediction.as_dict(), ensure_ascii=False) + "\n")


def _keep(share: float, seed: int) -> MaskSelector:
    def choose(sentences: list[list[str]]) -> list[list[bool]]:
        return [
            Unif(share).mask(tokens, sentence_rng([*tokens, str(seed)])) for tokens in sentences
        ]

    return choose


def _with_random_matches(
    predictions: list[Prediction], share: float, name: str
) -> list[Prediction]:
    rng = random.Random(name)
    drawn = []
    for prediction in predictions:
        exact = rng.random() < share
        top3 = exact or rng.random() < 0.2
        drawn.append(replace(prediction, exact=exact, served=exact, in_top3=top3))
    return drawn
