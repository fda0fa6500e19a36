"""Routes that use a model: /v1/complete, /v1/keywords and /v1/models."""

import asyncio
import time
from collections.abc import Coroutine
from typing import Any, TypeVar

from fastapi import APIRouter, Request

from tersely.completion.suggestion import Keywords, Suggestion
from tersely.service.components import Service
from tersely.service.schemas import (
    BatchCompletionRequest,
    BatchCompletionResponse,
    CompletionBody,
    CompletionResponse,
    Correction,
    KeywordsRequest,
    KeywordsResponse,
    KeywordToken,
    ModelResponse,
    ModelsResponse,
    SuggestionResponse,
)
from tersely.text.alignment import token_spans
from tersely.text.tokens import SHIFT
from tersely.web.errors import ApiError, error_responses

MODEL_ERRORS = error_responses(400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 503)
READ_ERRORS = error_responses(401, 403, 429)

ResultT = TypeVar("ResultT")
router = APIRouter(prefix="/v1", tags=["completion"])


@router.post("/complete", responses=MODEL_ERRORS)
async def complete(
    body: CompletionBody, request: Request, service: Service
) -> CompletionResponse | BatchCompletionResponse:
    """Complete keywords to sentences: one set of keywords, or a batch of them."""
    start = time.perf_counter()
    is_batch = isinstance(body, BatchCompletionRequest)
    requests = body.batch if isinstance(body, BatchCompletionRequest) else [body]
    service.limiter.charge(request.scope, len(requests) - 1)  # the middleware charged one
    completions = await cancel_on_disconnect(request, service.engine.complete(requests))
    milliseconds = round((time.perf_counter() - start) * 1000, 3)
    responses = [
        CompletionResponse(
            suggestions=[_suggestion_response(suggestion) for suggestion in completion.suggestions],
            model=completion.model,
            milliseconds=milliseconds,
        )
        for completion in completions
    ]
    return BatchCompletionResponse(answers=responses) if is_batch else responses[0]


@router.post("/keywords", responses=MODEL_ERRORS)
async def keywords(body: KeywordsRequest, request: Request, service: Service) -> KeywordsResponse:
    """Select the keywords that would have been enough for a sentence."""
    selected = await cancel_on_disconnect(request, service.engine.select_keywords(body))
    return _keywords_response(body.sentence, selected)


@router.get("/models", responses=READ_ERRORS)
def models(service: Service) -> ModelsResponse:
    """List the models that a request can name, the default model first."""
    return ModelsResponse(
        models=[
            ModelResponse(
                name=model.name,
                architecture=model.architecture,
                default=model.is_default,
                vocabulary=model.vocabulary_size,
            )
            for model in service.models.list_models()
        ]
    )


async def cancel_on_disconnect(request: Request, work: Coroutine[Any, Any, ResultT]) -> ResultT:
    """Return the result of `work`; cancel it if the client disconnects.

    The body of the request must have been read.
    """
    result = asyncio.ensure_future(work)
    disconnect = asyncio.ensure_future(_wait_for_disconnect(request))
    try:
        await asyncio.wait({result, disconnect}, return_when=asyncio.FIRST_COMPLETED)
        if result.done():
            return result.result()
        raise ApiError(499, "gone", "The client has closed the connection.")
    finally:
        result.cancel()
        disconnect.cancel()


async def _wait_for_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _suggestion_response(suggestion: Suggestion) -> SuggestionResponse:
    return SuggestionResponse(
        text=suggestion.text,
        score=suggestion.score,
        source=suggestion.source,
        corrected=[
            Correction(typed=typed, read=correction) for typed, correction in suggestion.corrected
        ],
        spans=list(suggestion.spans),
    )


def _keywords_response(sentence: str, selected: Keywords) -> KeywordsResponse:
    spans = token_spans(selected.tokens, sentence)
    tokens = [
        KeywordToken(token=token, keep=probability, typed=is_typed, start=start, end=end)
        for token, probability, is_typed, (start, end) in zip(
            selected.tokens, selected.probabilities, selected.keep, spans, strict=True
        )
    ]
    lengths = [len(token) for token in selected.keywords if token != SHIFT]
    return KeywordsResponse(
        keywords=selected.keywords,
        tokens=tokens,
        typed_characters=sum(lengths) + max(0, len(lengths) - 1),  # with spaces between them
        sentence_characters=len(sentence),
    )
