from tersely_lab.reproduction.report.document import Column, Document, Figure, Section, Table, Text
from tersely_lab.reproduction.report.markdown import render


def page(*blocks) -> str:
    return render(Document("Title", (Section("Part", blocks),)), "paper/plots")


def test_tables_figures_and_text_become_markdown() -> None:
    table = Table("t", "A caption", (Column("run"), Column("kept", "share")), [("a", 0.5)])
    hidden = Table("h", "Hidden", (Column("run"),), [("secret",)], is_shown=False)
    text = page(Text("Hello."), table, hidden, Figure("f", "A plot", lambda canvas: None))
    assert "# Title\n\n## Part\n\nHello." in text
    assert "| run | kept |\n| --- | ---: |\n| a | 50.00 |" in text
    assert "![A plot](paper/plots/f.png)" in text
    assert "secret" not in text


def test_text_stays_text() -> None:
    table = Table("t", "c", (Column("x"),), [("<b>a|b</b>\n`*[x](y)",)])
    text = page(table)
    assert r"\<b\>a\|b\</b\> \`\*\[x\](y)" in text
