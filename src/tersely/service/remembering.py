"""Routes of the memory: switch, remember, list, forget, export; and what a page must know."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import PlainTextResponse

from tersely.service.phrases import Phrases
from tersely.service.schemas import (
    ForgetAll,
    ForgetBody,
    Forgotten,
    Limits,
    MemoryAnswer,
    MemoryState,
    MemorySwitch,
    RememberBody,
    RememberedAnswer,
    SettingsAnswer,
)
from tersely.web.errors import documented

WRITING = documented(400, 401, 403, 408, 409, 413, 415, 422, 429)
READING = documented(401, 403, 422, 429)
MAX_SHOWN = 1000


def remembering_routes(phrases: Phrases) -> APIRouter:
    """The routes, over a memory. They run in threads: a file may be slow."""
    router = APIRouter(prefix="/v1", tags=["memory"])

    @router.get("/settings", responses=READING)
    def settings() -> SettingsAnswer:
        """Tell whether there is a memory and how much may be asked."""
        return SettingsAnswer(memory=_state(phrases), limits=Limits())

    @router.put("/memory", responses=WRITING)
    def switch(body: MemorySwitch) -> MemoryState:
        """Switch the memory on or off. Off forgets nothing."""
        phrases.switch(on=body.on)
        return _state(phrases)

    @router.get("/memory", responses=READING)
    def show(
        search: Annotated[str, Query(max_length=200)] = "",
        limit: Annotated[int, Query(ge=1, le=MAX_SHOWN)] = 100,
    ) -> MemoryAnswer:
        """List remembered sentences, those used most first."""
        memory = phrases.to_look_into()
        if memory is None:
            return MemoryAnswer(sentences=[], total=0)
        found = memory.search(search, limit=limit)
        sentences = [
            RememberedAnswer(text=one.text, times=one.times, last_used=one.last_used)
            for one in found
        ]
        return MemoryAnswer(sentences=sentences, total=len(memory))

    @router.post("/memory", responses=WRITING)
    def remember(body: RememberBody) -> MemoryState:
        """Remember a sentence, or count it once more."""
        phrases.to_write().remember(body.text)
        return _state(phrases)

    @router.delete("/memory", responses=WRITING)
    def forget(body: ForgetBody) -> Forgotten:
        """Forget one sentence, or all of them."""
        memory = phrases.to_look_into()
        if memory is None:
            return Forgotten(forgotten=0)
        if isinstance(body, ForgetAll):
            return Forgotten(forgotten=memory.forget_all())
        return Forgotten(forgotten=int(memory.forget(body.text)))

    @router.get(
        "/memory/export",
        response_class=PlainTextResponse,
        responses={**READING, 200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    )
    def export() -> PlainTextResponse:
        """All remembered sentences, oldest first, one a line."""
        memory = phrases.to_look_into()
        lines = [] if memory is None else [one.text for one in memory.export()]
        text = "".join(" ".join(line.split()) + "\n" for line in lines)
        named = {"Content-Disposition": 'attachment; filename="tersely-memory.txt"'}
        return PlainTextResponse(text, headers=named)

    return router


def _state(phrases: Phrases) -> MemoryState:
    return MemoryState(available=phrases.available, on=phrases.is_on())
