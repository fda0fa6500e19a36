from html.parser import HTMLParser

from tersely_lab.reproduction.report.document import Column, Document, Figure, Section, Table, Text
from tersely_lab.reproduction.report.html import render

EVIL = "<script>alert(1)</script>\"'&"


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.sources: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.sources += [
            value or "" for name, value in attrs if name in ("src", "href", "onload", "onclick")
        ]


def test_no_text_becomes_markup() -> None:
    table = Table("t", EVIL, (Column(EVIL),), [(EVIL,), ("holds",), ("does not hold",)])
    hidden = Table("h", "only a file", (Column("x"),), [("unseen",)], is_shown=False)
    figure = Figure("f", EVIL, lambda canvas: None)
    text = render(Document(EVIL, (Section(EVIL, (Text(EVIL), table, hidden, figure)),)))
    reader = Reader()
    reader.feed(text)
    assert "script" not in reader.tags
    assert not [source for source in reader.sources if "://" in source]
    assert {"plots/f.svg", "plots/f.png", "tables/t.csv", "tables/h.csv"} <= set(reader.sources)
    assert "unseen" not in text
    assert 'class="holds"' in text
    assert 'class="does-not-hold"' in text
