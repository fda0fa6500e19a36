"""A sweep, as figures and tables read it: its runs' results with bootstraps on both subsets."""

from dataclasses import dataclass

from tersely_lab.reproduction import paper
from tersely_lab.reproduction.bootstrap import SUBSETS, Bootstrap, bootstrap
from tersely_lab.reproduction.runs import Point, Results, Run


@dataclass(frozen=True, slots=True)
class Sweep:
    """Results with their bootstraps."""

    results: Results
    all_sentences: Bootstrap
    short_sentences: Bootstrap  # of about the paper's mean length

    @property
    def bootstraps(self) -> tuple[Bootstrap, Bootstrap]:
        """Both subsets, in the order of SUBSETS."""
        return self.all_sentences, self.short_sentences

    @property
    def draws(self) -> int:
        """Number of bootstrap draws."""
        return self.all_sentences.draws

    def points(self, kind: str) -> list[Point]:
        """Return the points of one objective's curve, by rising parameter."""
        return self.results.points(kind)

    def studied_run(self) -> Run | None:
        """Return the Constrained run that keeps about as much as the user study's model.

        The paper does not name the model of table 1 and appendix E; its user study has Constr(0.6).
        """
        target = paper.KEPT_WITH_EOS["constrained", 0.6]
        return min(
            (point.runs[0] for point in self.points("constrained")),
            key=lambda run: abs(float(run.evaluation["kept_with_eos"]) - target),
            default=None,
        )


def resampled(results: Results, *, draws: int = 1000) -> Sweep:
    """Bootstrap the metrics of all runs."""
    return Sweep(results, *(bootstrap(results.runs, subset, draws=draws) for subset in SUBSETS))
