import csv
from html.parser import HTMLParser
from pathlib import Path

from lab.tests.reproduction.synthetic import synthetic_run
from tersely_lab.reproduction import figure4
from tersely_lab.reproduction.document import (
    Block,
    Column,
    Document,
    Figure,
    Row,
    Section,
    Table,
    Text,
)
from tersely_lab.reproduction.rendering import (
    render_html,
    render_markdown,
    save_figure,
    without_formula,
    write_csv,
)

EVIL = "<script>alert(1)</script>\"'&"
COLUMNS = (Column("name"), Column("kept", "share"), Column("95 %", "interval"), Column("is", "yes"))


class LinkReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [
            value or "" for name, value in attrs if name in ("src", "href", "onload", "onclick")
        ]


def test_no_text_becomes_html() -> None:
    table = Table("t", EVIL, (Column(EVIL),), [(EVIL,), ("holds",), ("does not hold",)])
    hidden = Table("h", "only a file", (Column("x"),), [("unseen",)], is_shown=False)
    figure = Figure("f", EVIL, lambda canvas: None)
    text = render_html(Document(EVIL, (Section(EVIL, (Text(EVIL), table, hidden, figure)),)))
    reader = LinkReader()
    reader.feed(text)
    assert "script" not in reader.tags
    assert not [link for link in reader.links if "://" in link]
    assert {"plots/f.svg", "plots/f.png", "tables/t.csv", "tables/h.csv"} <= set(reader.links)
    assert "unseen" not in text
    assert 'class="holds"' in text
    assert 'class="does-not-hold"' in text


def markdown(*blocks: Block) -> str:
    return render_markdown(Document("Title", (Section("Part", blocks),)), "paper/plots")


def test_tables_figures_and_text_become_markdown() -> None:
    table = Table("t", "A caption", (Column("run"), Column("kept", "share")), [("a", 0.5)])
    hidden = Table("h", "Hidden", (Column("run"),), [("secret",)], is_shown=False)
    text = markdown(Text("Hello."), table, hidden, Figure("f", "A plot", lambda canvas: None))
    assert "# Title\n\n## Part\n\nHello." in text
    assert "| run | kept |\n| --- | ---: |\n| a | 50.00 |" in text
    assert "![f](paper/plots/f.png)\n\nA plot" in text
    assert "secret" not in text


def test_markdown_syntax_in_text_is_escaped() -> None:
    text = markdown(Table("t", "c", (Column("x"),), [("<b>a|b</b>\n`*[x](y)",)]))
    assert r"\<b\>a\|b\</b\> \`\*\[x\](y)" in text


def test_csv_keeps_every_digit_and_an_interval_takes_two_columns(tmp_path: Path) -> None:
    rows: list[Row] = [("a, “b”", 1 / 3, (0.1, 0.2), True), ("c", None, None, False)]
    write_csv(Table("t", "T", COLUMNS, rows), tmp_path)
    with (tmp_path / "t.csv").open(newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == [
            ["name", "kept", "95 % from", "95 % to", "is"],
            ["a, “b”", repr(1 / 3), "0.1", "0.2", "True"],
            ["c", "", "", "", "False"],
        ]


def test_no_csv_cell_is_a_formula() -> None:
    for text in ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1"):
        assert without_formula(text) == f"'{text}"
    assert without_formula("plain = text") == "plain = text"


def test_equal_figures_give_equal_bytes(tmp_path: Path) -> None:
    draw = figure4.plot(synthetic_run("constrained", 0.4, 0.5, 0.5))
    for folder in ("a", "b"):
        save_figure(Figure("f", "c", draw, (4.0, 3.0)), tmp_path / folder)
    for kind in ("png", "svg"):
        first, second = ((tmp_path / folder / f"f.{kind}").read_bytes() for folder in ("a", "b"))
        assert first == second


def test_long_paragraphs_are_wrapped_and_no_line_becomes_a_list() -> None:
    text = markdown(Text("word " * 60 + "- 1. end " + "more " * 30))
    assert max(map(len, text.splitlines())) <= 100
    assert not [line for line in text.splitlines() if line.startswith(("- ", "1. "))]
