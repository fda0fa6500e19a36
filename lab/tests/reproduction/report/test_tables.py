import csv
from pathlib import Path

from tersely_lab.reproduction.report.document import Column, Table
from tersely_lab.reproduction.report.tables import defused, write_csv

COLUMNS = (Column("name"), Column("kept", "share"), Column("95 %", "interval"), Column("is", "yes"))


def test_numbers_keep_every_digit_and_intervals_take_two_columns(tmp_path: Path) -> None:
    rows = [("a, “b”", 1 / 3, (0.1, 0.2), True), ("c", None, None, False)]
    write_csv(Table("t", "T", COLUMNS, rows), tmp_path)
    with (tmp_path / "t.csv").open(newline="", encoding="utf-8") as file:
        found = list(csv.reader(file))
    assert found == [
        ["name", "kept", "95 % from", "95 % to", "is"],
        ["a, “b”", repr(1 / 3), "0.1", "0.2", "True"],
        ["c", "", "", "", "False"],
    ]


def test_no_cell_is_a_formula() -> None:
    for text in ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1"):
        assert defused(text) == f"'{text}"
    assert defused("plain = text") == "plain = text"
