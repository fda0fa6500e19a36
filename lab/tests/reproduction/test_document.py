import pytest

from tersely_lab.reproduction.document import (
    Column,
    Document,
    Section,
    Shape,
    Table,
    Text,
    Value,
)


@pytest.mark.parametrize(
    ("shape", "value", "formatted"),
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
def test_a_column_formats_its_values(shape: Shape, value: Value, formatted: str) -> None:
    assert Column("title", shape).format(value) == formatted


def test_blocks_come_in_the_order_of_sections() -> None:
    table = Table("t", "T", (Column("a"),), [("x",)])
    page = Document("P", (Section("1", (Text("a"), table)), Section("2", (Text("b"),))))
    assert page.blocks() == [Text("a"), table, Text("b")]
    assert table.formatted_rows() == [["x"]]
    assert [Column("a").is_numeric, Column("a", "share").is_numeric] == [False, True]
