from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from tersely.completion.options import CompletionOptions
from tersely.service.schemas import (
    BatchCompletionRequest,
    CompletionBody,
    CompletionRequest,
    ForgetAllRequest,
    ForgetBody,
    ForgetRequest,
    RememberRequest,
)

COMPLETION: TypeAdapter[Any] = TypeAdapter(CompletionBody)
FORGET: TypeAdapter[Any] = TypeAdapter(ForgetBody)


def test_the_fields_of_a_body_select_its_schema() -> None:
    single, batch = {"keywords": "a"}, {"batch": [{"keywords": "a"}]}
    assert isinstance(COMPLETION.validate_python(single), CompletionRequest)
    assert isinstance(COMPLETION.validate_python(batch), BatchCompletionRequest)
    assert isinstance(FORGET.validate_python({"text": "a"}), ForgetRequest)
    assert isinstance(FORGET.validate_python({"all": True}), ForgetAllRequest)


def test_a_request_has_every_option_of_the_library_but_the_deadline() -> None:
    request = CompletionRequest(
        keywords="soup",
        n=5,
        prefix=True,
        order="free",
        including=["hot"],
        without=["cold"],
        context="Hello.",
        corrections=True,
    )
    assert request.options() == CompletionOptions(
        n=5,
        prefix=True,
        order="free",
        including=("hot",),
        without=("cold",),
        context="Hello.",
        corrections=True,
    )
    options = set(CompletionOptions.__dataclass_fields__) - {"deadline"}
    assert set(CompletionRequest.model_fields) == options | {"keywords", "model"}
    assert CompletionRequest(keywords="soup").options() == CompletionOptions()


def test_32_keywords_are_accepted() -> None:
    for blank in (" ", "\n", "  ", "\t"):
        for words in (0, 1, 31, 32):
            text = blank.join(["é!"] * words)
            for keywords in (text, blank + text, text + blank):
                assert CompletionRequest(keywords=keywords).keywords == keywords


def test_33_keywords_are_refused() -> None:
    for blank in (" ", "\n", "\t\r"):
        with pytest.raises(ValidationError):
            CompletionRequest(keywords=blank.join(["a"] * 33))


def test_an_error_names_the_field() -> None:
    with pytest.raises(ValidationError) as error:
        COMPLETION.validate_python({"keywords": "a", "n": 11})
    (problem,) = error.value.errors()
    assert problem["loc"][-1] == "n"


def test_a_blank_sentence_cannot_be_remembered() -> None:
    for text in ("", " ", "\n\t", "\x1f", "\u2003"):
        with pytest.raises(ValidationError):
            RememberRequest(text=text)


def test_an_integer_may_be_written_with_a_point() -> None:
    assert COMPLETION.validate_python({"keywords": "a", "n": 3.0}).n == 3
    with pytest.raises(ValidationError):
        COMPLETION.validate_python({"keywords": "a", "n": 3.5})
