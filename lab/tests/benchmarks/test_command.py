from tersely_lab.benchmarks.command import markdown_table


def test_the_first_column_is_aligned_left_and_the_others_right() -> None:
    assert markdown_table(["scheme", "typed", "top three"], [["ours", "0.3", "50 %"]]) == (
        "| scheme | typed | top three |\n| --- | ---: | ---: |\n| ours | 0.3 | 50 % |"
    )


def test_rows_keep_their_order() -> None:
    assert markdown_table(["a"], [["2"], ["1"]]).splitlines() == [
        "| a |",
        "| --- |",
        "| 2 |",
        "| 1 |",
    ]


def test_a_table_may_have_no_rows() -> None:
    assert markdown_table(["a", "b"], []) == "| a | b |\n| --- | ---: |"
