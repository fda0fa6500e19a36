"""Routes of the memory: switch, remember, list, forget, export; and the settings of the page.

They are plain functions, which FastAPI runs in threads, because a file may be slow.
"""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import PlainTextResponse

from tersely.service.components import Service
from tersely.service.memory_store import MemoryStore
from tersely.service.schemas import (
    MAX_INPUT_CHARACTERS,
    ForgetAllRequest,
    ForgetBody,
    ForgetResponse,
    Limits,
    MemoryResponse,
    MemoryState,
    MemorySwitchRequest,
    RememberedSentence,
    RememberRequest,
    SettingsResponse,
)
from tersely.web.errors import error_responses

WRITE_ERRORS = error_responses(400, 401, 403, 408, 409, 413, 415, 422, 429)
READ_ERRORS = error_responses(401, 403, 422, 429)
MAX_LISTED = 1000

router = APIRouter(prefix="/v1", tags=["memory"])


@router.get("/settings", responses=READ_ERRORS)
def settings(service: Service) -> SettingsResponse:
    """Return the state of the memory and the limits of requests."""
    return SettingsResponse(memory=_state(service.memory), limits=Limits())


@router.put("/memory", responses=WRITE_ERRORS)
def switch_memory(body: MemorySwitchRequest, service: Service) -> MemoryState:
    """Switch the memory on or off. Switching off deletes nothing."""
    service.memory.switch(on=body.on)
    return _state(service.memory)


@router.get("/memory", responses=READ_ERRORS)
def list_memory(
    service: Service,
    search: Annotated[str, Query(max_length=MAX_INPUT_CHARACTERS)] = "",
    limit: Annotated[int, Query(ge=1, le=MAX_LISTED)] = 100,
) -> MemoryResponse:
    """List remembered sentences, most used first."""
    memory = service.memory.open_to_read()
    if memory is None:
        return MemoryResponse(sentences=[], total=0)
    sentences = [
        RememberedSentence(text=entry.text, times=entry.times, last_used=entry.last_used)
        for entry in memory.search(search, limit=limit)
    ]
    return MemoryResponse(sentences=sentences, total=len(memory))


@router.post("/memory", responses=WRITE_ERRORS)
def remember(body: RememberRequest, service: Service) -> MemoryState:
    """Remember a sentence, or count one more use of it."""
    service.memory.open_to_write().remember(body.text)
    return _state(service.memory)


@router.delete("/memory", responses=WRITE_ERRORS)
def forget(body: ForgetBody, service: Service) -> ForgetResponse:
    """Forget one sentence, or all of them."""
    memory = service.memory.open_to_read()
    if memory is None:
        return ForgetResponse(forgotten=0)
    if isinstance(body, ForgetAllRequest):
        return ForgetResponse(forgotten=memory.forget_all())
    return ForgetResponse(forgotten=int(memory.forget(body.text)))


@router.get(
    "/memory/export",
    response_class=PlainTextResponse,
    responses={**READ_ERRORS, 200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
def export_memory(service: Service) -> PlainTextResponse:
    """Return all remembered sentences as a text file, one per line, oldest first."""
    memory = service.memory.open_to_read()
    entries = [] if memory is None else memory.export()
    text = "".join(" ".join(entry.text.split()) + "\n" for entry in entries)
    headers = {"Content-Disposition": 'attachment; filename="tersely-memory.txt"'}
    return PlainTextResponse(text, headers=headers)


def _state(memory: MemoryStore) -> MemoryState:
    return MemoryState(available=memory.is_available, on=memory.is_on())
