import pytest

from tersely_lab.reproduction.report.document import Column, Document, Section, Table, Text


@pytest.mark.parametrize(
    ("shape", "value", "shown"),
    [
        ("text", "a", "a"),
        ("count", 12345.0, "12,345"),
        ("share", 0.1173, "11.73"),
        ("points", 0.1173, "+11.73"),
        ("relative", -0.5, "-50.00"),
        ("number", 0.12345, "0.123"),
        ("interval", (0.1, 0.25), "10.00 to 25.00"),
        ("yes", True, "yes"),
        ("share", None, "–"),
    ],
)
def test_a_column_says_how_its_values_read(shape, value, shown: str) -> None:
    assert Column("title", shape).show(value) == shown


def test_blocks_come_in_the_order_of_sections() -> None:
    table = Table("t", "T", (Column("a"),), [("x",)])
    page = Document("P", (Section("1", (Text("a"), table)), Section("2", (Text("b"),))))
    assert page.blocks() == [Text("a"), table, Text("b")]
    assert table.shown_rows() == [["x"]]
    assert [Column("a").is_numeric, Column("a", "share").is_numeric] == [False, True]
