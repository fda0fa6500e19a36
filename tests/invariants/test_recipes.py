"""CONTRIBUTING's recipes, followed: a new decoder, encoder, corpus format and REST route.

tests/game/test_extension.py follows those for objectives and rule encoders.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi import APIRouter
from starlette.testclient import TestClient

from tersely.completion.completer import Completer
from tersely.corpus import reader
from tersely.corpus.document import Document, OnSkip, ReadOptions
from tersely.corpus.reader import READERS, read_documents
from tersely.corpus.streams import RawFile
from tersely.errors import TerselyError
from tersely.model.folder import ModelFolder
from tersely.runtime.monotone import MonotoneRuntime
from tersely.runtime.registry import RUNTIMES
from tersely.selection.registry import SELECTORS
from tersely.selection.surprisal import SurprisalSelector
from tersely.service import app
from tests.game.small_monotone import monotone_folder_of, small_monotone
from tests.service.services import settings_for
from tests.web.asgi import BASE_URL

ROOT = Path(__file__).parents[2]


class ReversedKeywords(MonotoneRuntime):
    """A toy decoder: a monotone one that reads its keywords backwards."""


class FirstTokens(SurprisalSelector):
    """A toy encoder: keeps the first two tokens."""

    def masks(
        self, sentences: Sequence[Sequence[str]], budget: float | None = None
    ) -> list[list[bool]]:
        return [[index < 2 for index in range(len(tokens))] for tokens in sentences]


def test_a_registered_decoder_and_encoder_run(monkeypatch: pytest.MonkeyPatch) -> None:
    model: ModelFolder = replace(monotone_folder_of(small_monotone()), architecture="toy")
    with pytest.raises(TerselyError, match="known are paper and monotone"):
        Completer(model)
    monkeypatch.setitem(RUNTIMES, "toy", ReversedKeywords)
    monkeypatch.setitem(SELECTORS, "toy", FirstTokens)
    completer = Completer(model)
    assert isinstance(completer.runtime, ReversedKeywords)
    assert completer.complete("a")
    assert completer.keywords("a b c").keep == [True, True, False]


def read_shouted(file: RawFile, options: ReadOptions, /, *, on_skip: OnSkip) -> Iterator[Document]:
    """A toy format: one document a line, in capitals."""
    for number, line in enumerate(file.stream, 1):
        yield Document(line.decode("utf-8").strip().capitalize(), f"{file.label}, line {number}")


def test_a_registered_corpus_format_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "notes.shout"
    path.write_text("SEE YOU THERE.\nTHANKS.\n", encoding="utf-8")
    monkeypatch.setitem(READERS, "shout", read_shouted)
    monkeypatch.setitem(reader.FORMAT_OF_SUFFIX, ".shout", "shout")
    documents = list(read_documents([str(path)], ReadOptions()))
    assert [document.text for document in documents] == ["See you there.", "Thanks."]


def test_a_registered_route_is_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    router = APIRouter(prefix="/v1")

    @router.get("/echo")
    def echo(word: str) -> dict[str, str]:
        return {"word": word}

    monkeypatch.setattr(app, "ROUTERS", (*app.ROUTERS, router))
    service = app.create_app(settings_for(tmp_path))
    with TestClient(service, base_url=BASE_URL, client=("127.0.0.1", 50_000)) as client:
        response = client.get("/v1/echo", params={"word": "late"})
        assert response.json() == {"word": "late"}
        assert "/v1/echo" in client.get("/openapi.json").json()["paths"]


def test_the_answers_to_where_to_look_exist() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+\?) \| (.+) \|$", page, re.MULTILINE)
    assert len(rows) == 12
    for question, answer in rows:
        paths = re.findall(r"`([\w./]+/[\w./]*)`", answer)
        names = re.findall(r"`([A-Za-z_]+(?:\.[a-z_]+)?)`", answer)
        assert paths, question
        files = [
            ROOT / path if path.startswith("lab/") else ROOT / "src/tersely" / path
            for path in paths
        ]
        assert all(file.exists() for file in files), question
        source = "".join(file.read_text(encoding="utf-8") for file in files if file.is_file())
        for name in names:
            assert name.rpartition(".")[2] in source, f"{question} {name}"
