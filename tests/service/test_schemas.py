import pytest
from pydantic import TypeAdapter, ValidationError

from tersely.service.schemas import (
    CompleteBody,
    CompleteMany,
    CompleteOne,
    ForgetAll,
    ForgetBody,
    ForgetOne,
    RememberBody,
)

BODY = TypeAdapter(CompleteBody)
FORGET = TypeAdapter(ForgetBody)


def test_a_body_is_one_or_many() -> None:
    assert isinstance(BODY.validate_python({"keywords": "a"}), CompleteOne)
    assert isinstance(BODY.validate_python({"batch": [{"keywords": "a"}]}), CompleteMany)
    assert isinstance(FORGET.validate_python({"text": "a"}), ForgetOne)
    assert isinstance(FORGET.validate_python({"all": True}), ForgetAll)


@pytest.mark.parametrize("words", [0, 1, 31, 32])
@pytest.mark.parametrize("blank", [" ", "\n", "  ", "\t"])
def test_32_keywords_are_few_enough(words: int, blank: str) -> None:
    text = blank.join(["é!"] * words)
    for keywords in (text, blank + text, text + blank):
        assert CompleteOne(keywords=keywords).keywords == keywords


@pytest.mark.parametrize("blank", [" ", "\n", "\t\r"])
def test_33_are_too_many(blank: str) -> None:
    with pytest.raises(ValidationError):
        CompleteOne(keywords=blank.join(["a"] * 33))


def test_a_complaint_speaks_of_the_field_alone() -> None:
    with pytest.raises(ValidationError) as error:
        BODY.validate_python({"keywords": "a", "n": 11})
    (problem,) = error.value.errors()
    assert problem["loc"][-1] == "n"


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\x1f", "\u2003"])
def test_nothing_is_nothing_to_remember(text: str) -> None:
    with pytest.raises(ValidationError):
        RememberBody(text=text)


def test_a_whole_number_may_have_a_point() -> None:
    assert BODY.validate_python({"keywords": "a", "n": 3.0}).n == 3
    with pytest.raises(ValidationError):
        BODY.validate_python({"keywords": "a", "n": 3.5})
