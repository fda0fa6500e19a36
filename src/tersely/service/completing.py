"""Routes that ask a model: /v1/complete, /v1/keywords, /v1/models."""

import time

from fastapi import APIRouter, Request

from tersely.completion.completer import Keywords, Suggestion
from tersely.service.answering import Answering
from tersely.service.catalogue import Models
from tersely.service.marking import keyword_spans, token_spans
from tersely.service.schemas import (
    CompleteAnswer,
    CompleteAnswers,
    CompleteBody,
    CompleteMany,
    CompleteOne,
    Correction,
    KeywordsAnswer,
    KeywordsBody,
    KeywordToken,
    ModelAnswer,
    ModelsAnswer,
    SuggestionAnswer,
)
from tersely.text.tokens import SHIFT
from tersely.web.errors import documented
from tersely.web.leaving import unless_gone
from tersely.web.rate import RateLimiter

ASKING = documented(400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 503)
READING = documented(401, 403, 429)


def completing_routes(answering: Answering, models: Models, limiter: RateLimiter) -> APIRouter:
    """The routes, over what answers them."""
    router = APIRouter(prefix="/v1", tags=["completing"])

    @router.post("/complete", responses=ASKING)
    async def complete(body: CompleteBody, request: Request) -> CompleteAnswer | CompleteAnswers:
        """Turn keywords into sentences: for one set of keywords, or for a batch of them."""
        start = time.perf_counter()
        asked = body.batch if isinstance(body, CompleteMany) else [body]
        limiter.charge(request.scope, len(asked) - 1)  # the request itself has been charged
        found = await unless_gone(request, answering.complete(asked))
        milliseconds = round((time.perf_counter() - start) * 1000, 3)
        answers = [
            CompleteAnswer(
                suggestions=[_suggestion(one, suggestion) for suggestion in suggestions],
                model=answering.named(one.model),
                milliseconds=milliseconds,
            )
            for one, suggestions in zip(asked, found, strict=True)
        ]
        return CompleteAnswers(answers=answers) if isinstance(body, CompleteMany) else answers[0]

    @router.post("/keywords", responses=ASKING)
    async def keywords(body: KeywordsBody, request: Request) -> KeywordsAnswer:
        """Tell which words of a sentence would have been enough."""
        return _keywords(body.sentence, await unless_gone(request, answering.keywords(body)))

    @router.get("/models", responses=READING)
    def list_models() -> ModelsAnswer:
        """List the models that can be asked for by name."""
        return ModelsAnswer(
            models=[
                ModelAnswer(
                    name=one.name,
                    architecture=one.architecture,
                    default=one.default,
                    vocabulary=one.vocabulary,
                )
                for one in models.listed()
            ]
        )

    return router


def _suggestion(asked: CompleteOne, found: Suggestion) -> SuggestionAnswer:
    return SuggestionAnswer(
        text=found.text,
        score=found.score,
        source=found.source,
        corrected=[Correction(typed=typed, read=read) for typed, read in found.corrected],
        spans=keyword_spans(
            asked.keywords,
            found.tokens,
            found.text,
            prefix=asked.prefix,
            read_as=dict(found.corrected),
        ),
    )


def _keywords(sentence: str, chosen: Keywords) -> KeywordsAnswer:
    spans = token_spans(chosen.tokens, sentence)
    tokens = [
        KeywordToken(token=token, keep=keep, typed=typed, start=start, end=end)
        for token, keep, typed, (start, end) in zip(
            chosen.tokens, chosen.probabilities, chosen.keep, spans, strict=True
        )
    ]
    words = [len(token) for token in chosen.keywords if token != SHIFT]
    return KeywordsAnswer(
        keywords=chosen.keywords,
        tokens=tokens,
        typed_characters=sum(words) + max(0, len(words) - 1),  # with blanks between them
        sentence_characters=len(sentence),
    )
