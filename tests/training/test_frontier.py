"""At the same typed fraction, a learned encoder recovers more sentences than a random one."""

from pathlib import Path

import pytest

from tersely.completion.completer import Completer
from tersely.corpus.fixture import fixture_sentences
from tersely.evaluation.metrics import predict, summarise
from tersely.training.config import RunConfig, load_config, with_changes
from tersely.training.run import RunRequest, train
from tests.training.small import small_corpus

TINY = Path(__file__).parents[2] / "configs" / "tiny.toml"


def trained(data: Path, run: Path, changes: list[str]) -> Completer:
    config: RunConfig = with_changes(load_config(TINY), changes)
    train(RunRequest(config=config, data=data, out=run, threads=1), lambda step, row: None)
    return Completer.load(run)


def figures(completer: Completer) -> dict[str, float]:
    held_out = list(fixture_sentences(400, seed=77))
    return summarise(predict(completer, held_out, budget=None), intervals=False)


@pytest.mark.timeout(3600)
def test_constrained_beats_unif_at_the_same_typed_fraction(tmp_path: Path) -> None:
    data = small_corpus(tmp_path / "data", sentences=12_000, vocabulary=1000)
    learned = figures(trained(data, tmp_path / "constrained", ["training.max_steps=1100"]))
    share = learned["typed_fraction"]
    assert 0.15 < share < 0.75  # neither all nor none
    changes = ["objective.kind=unif", f"objective.delta={share:.3f}", "training.max_steps=1100"]
    drawn = figures(trained(data, tmp_path / "unif", changes))
    assert drawn["typed_fraction"] == pytest.approx(share, abs=0.03)
    assert learned["exact_match"] > 1.3 * drawn["exact_match"]
    assert learned["top3"] > 1.3 * drawn["top3"]
