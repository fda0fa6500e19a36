import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.corpus.formats.markup import text_of_html


def test_blocks_are_lines_and_breaks_in_the_source_are_spaces():
    markup = "<html><body><p>Hello\n  <b>dear</b>&nbsp;Ann,</p><div>bye<br>now</div></body></html>"
    assert text_of_html(markup) == "Hello dear Ann,\n\nbye\nnow"


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
def test_what_nobody_reads_is_left_out(unseen):
    assert text_of_html(f"<p>One.</p>{unseen}<p>Two.</p>").split() == ["One.", "Two."]


@pytest.mark.parametrize(
    "quotation",
    [
        "<blockquote>Shall <blockquote>we</blockquote> go?</blockquote>",
        '<div class="gmail_quote">On Monday <div>Ann</div> wrote: <div>Shall we?</div></div>',
    ],
)
def test_a_quotation_becomes_a_mark(quotation):
    assert text_of_html(f"Yes.{quotation}No.").split() == ["Yes.", ">", "No."]


def test_characters_by_their_names_are_themselves():
    assert text_of_html("Fish &amp; chips &eacute; &#8217;") == "Fish & chips é ’"


@given(st.text(st.sampled_from("<>/ab \n&;!-'\"=") | st.characters()))
def test_any_markup_survives(markup):
    assert isinstance(text_of_html(markup), str)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("piece", ["<", "<!--", "<a b='", "<![", "<script", "</", "&", "<style>"])
def test_what_is_never_closed_takes_no_longer_than_it_should(piece):
    assert isinstance(text_of_html(piece * (200_000 // len(piece))), str)


def test_a_comparison_is_no_tag():
    assert text_of_html("<p>1 < 2 and 3 > 2</p>") == "1 < 2 and 3 > 2"


def test_a_comment_may_hold_tags():
    assert text_of_html("a<!-- <p>not this</p> -->b") == "ab"
