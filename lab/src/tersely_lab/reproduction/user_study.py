"""The user study (section 3): claims that a sweep cannot judge. `tersely study` can test them."""

from tersely_lab.reproduction import paper
from tersely_lab.reproduction.verdicts import Reproduction, Verdict, percent

ITEM = "User study"


def reproduce() -> Reproduction:
    """Return the claims as not comparable."""
    return Reproduction(
        (
            Verdict(
                ITEM,
                "Users save nearly 50 % of time",
                f"{paper.KEYWORD_SECONDS} s against {paper.SENTENCE_SECONDS} s: 33 % less time, or "
                "1.49 times as fast",
                "needs people",
                "no people took part in a sweep",
                "not comparable",
            ),
            Verdict(
                ITEM,
                "Suggestions are equivalent to what was meant",
                f"top {percent(paper.TOP1_EQUIVALENT)}, one of three "
                f"{percent(paper.TOP3_EQUIVALENT)}, exact match {percent(paper.STUDY_EXACT)}",
                "needs people, who judge and who choose keywords",
                "no people took part in a sweep",
                "not comparable",
            ),
        )
    )
