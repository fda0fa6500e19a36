"""Schemas: the JSON bodies of requests and responses. Unknown fields are refused."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag

from tersely.completion.memory import MAX_REMEMBERED_CHARACTERS
from tersely.completion.options import MAX_SUGGESTIONS, CompletionOptions

MAX_KEYWORDS = 32
MAX_INPUT_CHARACTERS = 200
MAX_BATCH = 32
MAX_WORDS = 16
MAX_WORD_CHARACTERS = 50
MAX_MODEL_NAME_CHARACTERS = 64
KEYWORDS_PATTERN = (
    rf"^[ \t\r\n]*([^ \t\r\n]+[ \t\r\n]+){{0,{MAX_KEYWORDS - 1}}}[^ \t\r\n]*[ \t\r\n]*$"
)
"""At most MAX_KEYWORDS words."""
NOT_BLANK_PATTERN = r"[^\s\x1c-\x1f]"
_SINGLE, _BATCH, _ALL = "single", "batch_of", "everything"
UNION_TAGS = frozenset((_SINGLE, _BATCH, _ALL))
"""Tags of the unions below. Pydantic names them in the location of a validation error."""


def _to_int(value: Any) -> Any:
    """Convert 3.0 to 3: JSON has one type of number."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Integer = Annotated[int, BeforeValidator(_to_int)]
Word = Annotated[str, Field(min_length=1, max_length=MAX_WORD_CHARACTERS)]
ModelName = Annotated[str, Field(max_length=MAX_MODEL_NAME_CHARACTERS, examples=["default"])]


class RequestBody(BaseModel):
    """A request body: exactly its fields, exactly of their types."""

    model_config = ConfigDict(strict=True, extra="forbid")


class CompletionRequest(RequestBody):
    """Keywords, and how to complete them."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"keywords": "10 minutes late"}]})

    keywords: str = Field(max_length=MAX_INPUT_CHARACTERS, pattern=KEYWORDS_PATTERN)
    n: Integer = Field(default=3, ge=1, le=MAX_SUGGESTIONS, description="number of suggestions")
    model: ModelName | None = Field(default=None, description="null: the default model")
    prefix: bool = Field(default=False, description="the last word may be unfinished")
    context: str = Field(default="", max_length=MAX_INPUT_CHARACTERS, description="the text before")
    order: Literal["typed", "free"] = Field(default="typed", description="order of the keywords")
    without: list[Word] = Field(default=[], max_length=MAX_WORDS, description="must not appear")
    including: list[Word] = Field(
        default=[], max_length=MAX_WORDS, description="must appear, anywhere"
    )
    corrections: bool = Field(default=False, description="correct misspelt keywords")

    def options(self) -> CompletionOptions:
        """Return the options of the library; UsageError if they contradict each other."""
        return CompletionOptions(**self.model_dump(exclude={"keywords", "model"}))


class BatchCompletionRequest(RequestBody):
    """Several sets of keywords."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"batch": [{"keywords": "10 late"}, {"keywords": "thx"}]}]}
    )

    batch: list[CompletionRequest] = Field(min_length=1, max_length=MAX_BATCH)


def _completion_tag(body: Any) -> str:
    if isinstance(body, dict):
        return _BATCH if "batch" in body else _SINGLE
    return _BATCH if isinstance(body, BatchCompletionRequest) else _SINGLE


CompletionBody = Annotated[
    Annotated[CompletionRequest, Tag(_SINGLE)] | Annotated[BatchCompletionRequest, Tag(_BATCH)],
    Discriminator(_completion_tag),
]


class Correction(BaseModel):
    """A misspelt keyword and the word it was read as."""

    typed: str
    read: str


class SuggestionResponse(BaseModel):
    """A suggested sentence."""

    text: str
    score: float
    source: Literal["model", "memory"]
    corrected: list[Correction]
    spans: list[tuple[int, int]] = Field(
        description="where the typed keywords are: first character, and the one after the last"
    )


class CompletionResponse(BaseModel):
    """Suggestions, most likely first."""

    suggestions: list[SuggestionResponse]
    model: str
    milliseconds: float


class BatchCompletionResponse(BaseModel):
    """One response for each request of the batch, in order."""

    answers: list[CompletionResponse]


class KeywordsRequest(RequestBody):
    """A sentence to select keywords from."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"sentence": "I will be 10 minutes late.", "budget": 0.3}]}
    )

    sentence: str = Field(max_length=MAX_INPUT_CHARACTERS)
    budget: float | None = Field(
        default=None, ge=0, le=1, description="mean share of tokens to type"
    )
    model: ModelName | None = None


class KeywordToken(BaseModel):
    """A token, the probability that it is kept, and its span; that of `<shift>` is empty."""

    token: str
    keep: float
    typed: bool
    start: int
    end: int


class KeywordsResponse(BaseModel):
    """The keywords of a sentence."""

    keywords: list[str]
    tokens: list[KeywordToken]
    typed_characters: int
    sentence_characters: int


class ModelResponse(BaseModel):
    """A model that requests can name."""

    name: str
    architecture: str
    default: bool
    vocabulary: int


class ModelsResponse(BaseModel):
    """All models, the default one first."""

    models: list[ModelResponse]


class MemoryState(BaseModel):
    """Whether the service can have a memory, and whether it is on."""

    available: bool
    on: bool


class Limits(BaseModel):
    """The limits of a request."""

    keywords: int = MAX_KEYWORDS
    characters: int = MAX_INPUT_CHARACTERS
    n: int = MAX_SUGGESTIONS


class SettingsResponse(BaseModel):
    """The settings that a page needs."""

    memory: MemoryState
    limits: Limits


class MemorySwitchRequest(RequestBody):
    """Switch the memory on or off."""

    on: bool


class RememberRequest(RequestBody):
    """A sentence to remember."""

    text: str = Field(min_length=1, max_length=MAX_REMEMBERED_CHARACTERS, pattern=NOT_BLANK_PATTERN)


class ForgetRequest(RequestBody):
    """A sentence to forget, exactly as it is listed."""

    text: str = Field(max_length=MAX_REMEMBERED_CHARACTERS)


class ForgetAllRequest(RequestBody):
    """Forget all sentences."""

    all: Literal[True]


def _forget_tag(body: Any) -> str:
    if isinstance(body, dict):
        return _ALL if "all" in body else _SINGLE
    return _ALL if isinstance(body, ForgetAllRequest) else _SINGLE


ForgetBody = Annotated[
    Annotated[ForgetRequest, Tag(_SINGLE)] | Annotated[ForgetAllRequest, Tag(_ALL)],
    Discriminator(_forget_tag),
]


class RememberedSentence(BaseModel):
    """A remembered sentence, the number of its uses, and the time of the last (UTC)."""

    text: str
    times: int
    last_used: str


class MemoryResponse(BaseModel):
    """Remembered sentences, most used first."""

    sentences: list[RememberedSentence]
    total: int


class ForgetResponse(BaseModel):
    """The number of forgotten sentences."""

    forgotten: int


class HealthResponse(BaseModel):
    """The state of the service."""

    status: str
