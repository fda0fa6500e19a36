"""Table 1's examples, and what was found with people."""

from collections.abc import Iterator

from tersely_lab.reproduction import paper
from tersely_lab.reproduction.analysis import Analysis
from tersely_lab.reproduction.examples import Completed
from tersely_lab.reproduction.verdicts import Verdict, percent, ruling

WANTED = {
    "under": ("generic sentences for under-specified keywords", "not among the top three"),
    "properly": ("the sentence for properly specified keywords", "in the first place"),
    "over": ("almost the same sentences for over-specified keywords", "in the first place"),
}


def judge(analysis: Analysis) -> Iterator[Verdict]:
    """Say of table 1 whether it comes out so; what people did is not ours to say here."""
    name = analysis.studied.name if analysis.studied else ""
    known = analysis.examples.completed if analysis.examples else ()
    own = [one for one in known if one.run == name]
    for specified, (claim, wanted) in WANTED.items():
        rows = [one for one in own if one.specified == specified]
        yield Verdict(
            "Table 1",
            f"The system proposes {claim}",
            "in both examples",
            f"the sentence stands {wanted}, its capitals and end mark aside; the studied run",
            "; ".join(f"“{one.keywords}”: {_place(one)}" for one in rows) or "no model at hand",
            ruling(all(_is_as_wanted(one) for one in rows) if rows else None),
        )
    yield Verdict(
        "User study",
        "Users save nearly 50 % of time",
        f"{paper.KEYWORD_SECONDS} s against {paper.SENTENCE_SECONDS} s: 33 % less time, or 1.49 "
        "times as fast",
        "needs people",
        "no people took part in a sweep",
        "not comparable",
    )
    yield Verdict(
        "User study",
        "Suggestions are equivalent to what was meant",
        f"top {percent(paper.TOP1_EQUIVALENT)}, one of three {percent(paper.TOP3_EQUIVALENT)}, "
        f"exact match {percent(paper.STUDY_EXACT)}",
        "needs people, who judge and who choose keywords",
        "no people took part in a sweep",
        "not comparable",
    )


def _place(one: Completed) -> str:
    return "not among the top three" if one.place is None else f"place {one.place}"


def _is_as_wanted(one: Completed) -> bool:
    return one.place is None if one.specified == "under" else one.place == 1
