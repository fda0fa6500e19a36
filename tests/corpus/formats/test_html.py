import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.corpus.formats.html import html_to_text


def test_blocks_are_lines_and_breaks_in_the_source_are_spaces() -> None:
    markup = "<html><body><p>Hello\n  <b>dear</b>&nbsp;Ann,</p><div>bye<br>now</div></body></html>"
    assert html_to_text(markup) == "Hello dear Ann,\n\nbye\nnow"


@pytest.mark.parametrize(
    "unseen",
    [
        "<head><title>Title</title></head>",
        "<style>p { color: red }</style>",
        "<script>if (a < b) alert('x')</script>",
        "<!-- a note -->",
        '<div class="gmail_signature">Bob <div>Ray</div></div>',
    ],
)
def test_hidden_elements_and_signatures_are_left_out(unseen: str) -> None:
    assert html_to_text(f"<p>One.</p>{unseen}<p>Two.</p>").split() == ["One.", "Two."]


@pytest.mark.parametrize(
    "quotation",
    [
        "<blockquote>Shall <blockquote>we</blockquote> go?</blockquote>",
        '<div class="gmail_quote">On Monday <div>Ann</div> wrote: <div>Shall we?</div></div>',
    ],
)
def test_a_quotation_becomes_a_mark(quotation: str) -> None:
    assert html_to_text(f"Yes.{quotation}No.").split() == ["Yes.", ">", "No."]


def test_character_references_are_decoded() -> None:
    assert html_to_text("Fish &amp; chips &eacute; &#8217;") == "Fish & chips é ’"


@given(st.text(st.sampled_from("<>/ab \n&;!-'\"=") | st.characters()))
def test_any_markup_can_be_converted(markup: str) -> None:
    assert isinstance(html_to_text(markup), str)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("piece", ["<", "<!--", "<a b='", "<![", "<script", "</", "&", "<style>"])
def test_unclosed_markup_takes_linear_time(piece: str) -> None:
    assert isinstance(html_to_text(piece * (200_000 // len(piece))), str)


def test_a_comparison_is_not_a_tag() -> None:
    assert html_to_text("<p>1 < 2 and 3 > 2</p>") == "1 < 2 and 3 > 2"


def test_a_comment_may_contain_tags() -> None:
    assert html_to_text("a<!-- <p>not this</p> -->b") == "ab"
