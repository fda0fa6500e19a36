"""Schemas: what goes in and what comes out, as programs see it; nothing else is taken."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag

from tersely.service.settings import MAX_CHARACTERS, MAX_KEYWORDS, MAX_SUGGESTIONS

MAX_BATCH = 32
MAX_WORDS = 16
MAX_REMEMBERED_CHARACTERS = 1000
AT_MOST_32_WORDS = (
    rf"^[ \t\r\n]*([^ \t\r\n]+[ \t\r\n]+){{0,{MAX_KEYWORDS - 1}}}[^ \t\r\n]*[ \t\r\n]*$"
)


def _whole(value: Any) -> Any:
    """JSON knows one kind of number: 3.0 is a whole one."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Whole = Annotated[int, BeforeValidator(_whole)]
Word = Annotated[str, Field(min_length=1, max_length=50)]
ModelName = Annotated[str, Field(max_length=64, examples=["default"])]


class Asked(BaseModel):
    """A body: exactly these fields, exactly of these types."""

    model_config = ConfigDict(strict=True, extra="forbid")


class CompleteOne(Asked):
    """Keywords, and how to complete them."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"keywords": "10 minutes late"}]})

    keywords: str = Field(max_length=MAX_CHARACTERS, pattern=AT_MOST_32_WORDS)
    n: Whole = Field(3, ge=1, le=MAX_SUGGESTIONS, description="suggestions wanted")
    model: ModelName | None = Field(None, description="null: the default model")
    prefix: bool = Field(False, description="whether the last word may be unfinished")
    context: str = Field("", max_length=MAX_CHARACTERS, description="what was written before")
    order: Literal["typed", "free"] = Field("typed", description="order of the keywords")
    without: list[Word] = Field([], max_length=MAX_WORDS, description="must not appear")
    including: list[Word] = Field([], max_length=MAX_WORDS, description="must appear, anywhere")
    corrections: bool = Field(False, description="whether misspelt keywords may be corrected")


class CompleteMany(Asked):
    """Several at once."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"batch": [{"keywords": "10 late"}, {"keywords": "thx"}]}]}
    )

    batch: list[CompleteOne] = Field(min_length=1, max_length=MAX_BATCH)


def _which(body: Any) -> str:
    has_batch = "batch" in body if isinstance(body, dict) else isinstance(body, CompleteMany)
    return "batch_of" if has_batch else "one"


CompleteBody = Annotated[
    Annotated[CompleteOne, Tag("one")] | Annotated[CompleteMany, Tag("batch_of")],
    Discriminator(_which),
]


class Correction(BaseModel):
    """A keyword that was read as another word."""

    typed: str
    read: str


class SuggestionAnswer(BaseModel):
    """A sentence that may be the one meant."""

    text: str
    score: float
    source: Literal["model", "memory"]
    corrected: list[Correction]
    spans: list[tuple[int, int]] = Field(
        description="where the typed keywords stand: first character, and the one after the last"
    )


class CompleteAnswer(BaseModel):
    """Suggestions, likeliest first."""

    suggestions: list[SuggestionAnswer]
    model: str
    milliseconds: float


class CompleteAnswers(BaseModel):
    """One answer for each of the batch, in order."""

    answers: list[CompleteAnswer]


class KeywordsBody(Asked):
    """A sentence someone wants to say."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"sentence": "I will be 10 minutes late.", "budget": 0.3}]}
    )

    sentence: str = Field(max_length=MAX_CHARACTERS)
    budget: float | None = Field(None, ge=0, le=1, description="mean share of tokens to type")
    model: ModelName | None = None


class KeywordToken(BaseModel):
    """A token, how likely it is kept, and where it stands; `<shift>` takes no room."""

    token: str
    keep: float
    typed: bool
    start: int
    end: int


class KeywordsAnswer(BaseModel):
    """Which words would have been enough."""

    keywords: list[str]
    tokens: list[KeywordToken]
    typed_characters: int
    sentence_characters: int


class ModelAnswer(BaseModel):
    """A model."""

    name: str
    architecture: str
    default: bool
    vocabulary: int


class ModelsAnswer(BaseModel):
    """All models, the default one first."""

    models: list[ModelAnswer]


class MemoryState(BaseModel):
    """Whether there can be a memory here, and whether it is on."""

    available: bool
    on: bool


class Limits(BaseModel):
    """How much may be asked."""

    keywords: int = MAX_KEYWORDS
    characters: int = MAX_CHARACTERS
    n: int = MAX_SUGGESTIONS


class SettingsAnswer(BaseModel):
    """What a page must know of its service."""

    memory: MemoryState
    limits: Limits


class MemorySwitch(Asked):
    """On or off."""

    on: bool


class RememberBody(Asked):
    """A sentence to remember."""

    text: str = Field(min_length=1, max_length=MAX_REMEMBERED_CHARACTERS, pattern=r"[^\s\x1c-\x1f]")


class ForgetOne(Asked):
    """A sentence to forget, exactly as it is listed."""

    text: str = Field(max_length=MAX_REMEMBERED_CHARACTERS)


class ForgetAll(Asked):
    """Everything is to be forgotten."""

    all: Literal[True]


def _what(body: Any) -> str:
    has_all = "all" in body if isinstance(body, dict) else isinstance(body, ForgetAll)
    return "all" if has_all else "one"


ForgetBody = Annotated[
    Annotated[ForgetOne, Tag("one")] | Annotated[ForgetAll, Tag("all")], Discriminator(_what)
]


class RememberedAnswer(BaseModel):
    """A remembered sentence, how often it was used, and when last (UTC)."""

    text: str
    times: int
    last_used: str


class MemoryAnswer(BaseModel):
    """Remembered sentences, those used most first."""

    sentences: list[RememberedAnswer]
    total: int


class Forgotten(BaseModel):
    """How many sentences were forgotten."""

    forgotten: int


class Health(BaseModel):
    """How it is."""

    status: str
