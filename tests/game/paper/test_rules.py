import pytest
import torch

from tersely.game.batch import Batch
from tersely.game.paper.rules import RandomRateRule, StopwordRule, UnifRule
from tersely.text.keywords import Stopword
from tersely.text.vocabulary import SPECIAL_TOKENS, Vocabulary


def batch(rows: int = 2000) -> Batch:
    return Batch(torch.full((rows, 10), 6), torch.full((rows,), 10))


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(1)


def test_unif_keeps_its_share() -> None:
    assert float(UnifRule(0.3)(batch(), generator()).float().mean()) == pytest.approx(0.3, abs=0.01)


def test_random_rates_differ_between_sentences() -> None:
    rates = RandomRateRule()(batch(), generator()).float().mean(dim=1)
    assert float(rates.mean()) == pytest.approx(0.5, abs=0.03)
    assert float(rates.std()) > 0.25


@pytest.mark.parametrize(("delta", "share"), [(0.0, 0.0), (0.5, 0.5)])
def test_stopword_drops_only_stop_words(delta: float, share: float) -> None:
    lexicon = Vocabulary([*SPECIAL_TOKENS, "food", "the", "."])
    tokens = torch.tensor([[4, 6, 5, 7]]).repeat(4000, 1)  # <shift> the food .
    keep = StopwordRule(Stopword(delta), lexicon)(
        Batch(tokens, torch.full((4000,), 4)), generator()
    )
    assert keep[:, [0, 2, 3]].all()
    assert float(keep[:, 1].float().mean()) == pytest.approx(share, abs=0.03)
