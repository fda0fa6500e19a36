from tersely.decoding.constraints import ConstraintTable, KeywordConstraint
from tersely.text.vocabulary import EOS_ID, SHIFT_ID

CONSTRAINTS = [
    KeywordConstraint([7, 8], adjacent=(False, True, False), capitalised=(True, False)),
    KeywordConstraint([9]),
]


def test_a_row_holds_the_required_tokens_of_a_sentence() -> None:
    table = ConstraintTable.build(CONSTRAINTS, enforce=True)
    assert table.required.tolist() == [[7, 8, EOS_ID], [9, EOS_ID, EOS_ID]]
    assert table.remaining_counts.tolist() == [[3, 1, 0], [1, 0, 0]]
    assert table.adjacent.tolist() == [[False, True, False], [False] * 3]
    assert table.capitalised.tolist() == [[True, False, False], [False] * 3]
    assert table.token_counts.tolist() == [3, 1]
    assert table.has_capitalised.tolist() == [True, False]


def test_constraints_that_are_not_enforced_require_nothing() -> None:
    table = ConstraintTable.build(CONSTRAINTS, enforce=False)
    assert not table.remaining_counts.any()
    assert not table.adjacent.any()
    assert not table.capitalised.any()
    assert (table.required == EOS_ID).all()
    assert table.keywords[0].tolist() == [7, 8, EOS_ID]
    assert table.token_counts.tolist() == [2, 1]


def test_the_remaining_tokens_are_keywords_and_their_case_marks() -> None:
    table = ConstraintTable.build(CONSTRAINTS, enforce=True)
    assert table.remaining(0, 0, last=5) == [SHIFT_ID, 7, 8]
    assert table.remaining(0, 0, last=SHIFT_ID) == [7, 8]
    assert table.remaining(0, 1, last=7) == [8]
    assert table.remaining(1, 1, last=9) == []
    assert ConstraintTable.build(CONSTRAINTS, enforce=False).remaining(0, 0, last=5) == []


def test_there_may_be_no_keywords_and_no_sentences() -> None:
    empty = ConstraintTable.build([KeywordConstraint([])], enforce=True)
    assert empty.remaining_counts.tolist() == [[0]]
    assert ConstraintTable.build([], enforce=True).token_counts.tolist() == []
