"""A service that stands in for the real one: the same API and headers, and answers made to order.

Answers can be held back until the test lets them go, which makes slow servers exact; every request
is written down. To try the page by hand with a real model, see by_hand.py.
"""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import tersely

STATIC = Path(tersely.__file__).parent / "service" / "static"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
PATTERNS = ("I would like {}.", "Can we talk about {}?", "She told me that {} is fine.")

Reply = dict[str, Any]


def spans_of(keywords: str, text: str) -> list[list[int]]:
    """Where the keywords stand in the text, in order."""
    spans, start = [], 0
    for word in keywords.split():
        at = text.lower().find(word.lower().strip('?!."'), start)
        if at >= 0:
            start = at + len(word.strip('?!."'))
            spans.append([at, start])
    return spans


def suggestion(keywords: str, text: str, **more: Any) -> Reply:
    """A suggestion as the API tells it."""
    plain = {"text": text, "score": 0.5, "source": "model", "corrected": []}
    return {**plain, "spans": spans_of(keywords, text), **more}


def suggest(question: Reply) -> list[Reply]:
    """Sentences made by pattern; every one contains the keywords."""
    words = question["keywords"]
    return [suggestion(words, one.format(words)) for one in PATTERNS][: question["n"]]


def choose_keywords(question: Reply) -> Reply:
    """Keep the longest words: as many as the budget says, half of them without one."""
    found = list(re.finditer(r"\w+|[^\w\s]", question["sentence"]))
    budget = 0.5 if question["budget"] is None else question["budget"]
    longest = sorted(found, key=lambda match: -len(match.group()))
    kept = longest[: round(budget * len(found))]
    tokens = [
        {
            "token": match.group().lower(),
            "keep": round(min(len(match.group()) / 8, 1.0), 3),
            "typed": match in kept,
            "start": match.start(),
            "end": match.end(),
        }
        for match in found
    ]
    keywords = [token["token"] for token in tokens if token["typed"]]
    return {
        "keywords": keywords,
        "tokens": tokens,
        "typed_characters": len(" ".join(keywords)),
        "sentence_characters": len(question["sentence"]),
    }


@dataclass
class StandIn:
    """What the stand-in answers, and what it was asked."""

    suggest: Callable[[Reply], list[Reply]] = suggest
    choose_keywords: Callable[[Reply], Reply] = choose_keywords
    hold: Callable[[Reply], bool] = lambda question: False
    allowed_origins: tuple[str, ...] = ()
    token: str | None = None
    memory_available: bool = True
    memory_on: bool = False
    models: tuple[str, ...] = ("everyday",)
    failures: list[tuple[int, Reply, int]] = field(default_factory=list)
    pages: dict[str, bytes] = field(default_factory=dict)
    remembered: dict[str, int] = field(default_factory=dict)
    requests: list[tuple[str, str, Reply]] = field(default_factory=list)
    release: threading.Event = field(default_factory=threading.Event)
    url: str = ""

    def asked(self, path: str = "/v1/complete", method: str = "POST") -> list[Reply]:
        """The bodies of the requests for a path, in order."""
        return [body for verb, where, body in self.requests if (verb, where) == (method, path)]

    def asked_about(self, keywords: str) -> list[Reply]:
        """The questions with exactly these keywords; a request given up may be read late."""
        return [body for body in self.asked() if body["keywords"] == keywords]

    @contextmanager
    def serving(self, port: int = 0) -> Iterator["StandIn"]:
        """Answer on a loopback port until the block ends."""
        with Server(port) as server:
            server.standin = self
            self.url = server.url
            try:
                yield self
            finally:
                self.release.set()

    def answer(self, method: str, path: str, query: Reply, body: Reply) -> Reply | None:
        """The API, route by route; None where there is no such route."""
        if (method, path) == ("POST", "/v1/complete"):
            if self.hold(body):
                self.release.wait(20)
            return {"suggestions": self.suggest(body), "model": self.models[0], "milliseconds": 1.0}
        if (method, path) == ("POST", "/v1/keywords"):
            return self.choose_keywords(body)
        if (method, path) == ("GET", "/v1/models"):
            models = [{"name": name, "default": name == self.models[0]} for name in self.models]
            return {"models": models}
        if (method, path) == ("GET", "/v1/settings"):
            memory = {"available": self.memory_available, "on": self.memory_on}
            limits = {"keywords": 32, "characters": 200, "n": 10}
            return {"memory": memory, "limits": limits}
        return self._answer_memory(method, query, body) if path == "/v1/memory" else None

    def _answer_memory(self, method: str, query: Reply, body: Reply) -> Reply | None:
        if method == "PUT":
            self.memory_on = body["on"]
            return {"on": self.memory_on}
        if method == "POST":
            self.remembered[body["text"]] = self.remembered.get(body["text"], 0) + 1
            return {"remembered": body["text"]}
        if method == "DELETE":
            gone = list(self.remembered) if body.get("all") else [body["text"]]
            for text in gone:
                self.remembered.pop(text, None)
            return {"forgotten": len(gone)}
        wanted = query.get("search", [""])[0].lower()
        rows = [
            {"text": text, "times": times, "last_used": "2026-01-01T00:00:00Z"}
            for text, times in self.remembered.items()
            if wanted in text.lower()
        ]
        return {"sentences": rows, "total": len(self.remembered)}


class Server(ThreadingHTTPServer):
    """A loopback port; who stands behind it may change from test to test."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/"
        self.standin = StandIn()

    def __enter__(self) -> "Server":
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    @property
    def standin(self) -> StandIn:
        return self.server.standin

    def _handle(self) -> None:
        address = urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else {}
        self.standin.requests.append((self.command, address.path, body))
        if self.command == "OPTIONS":
            self._send(204, b"", "text/plain")
        elif address.path.startswith("/v1/"):
            self._answer(address.path, parse_qs(address.query), body)
        else:
            self._file(address.path)

    do_GET = do_POST = do_PUT = do_DELETE = do_OPTIONS = _handle  # noqa: N815

    def _answer(self, path: str, query: Reply, body: Reply) -> None:
        standin = self.standin
        token = standin.token
        if token and self.headers.get("Authorization") != f"Bearer {token}":
            self._json(401, {"error": {"code": "unauthorised", "message": "A token is needed."}})
        elif path == "/v1/complete" and standin.failures:
            status, reply, seconds = standin.failures.pop(0)
            self._json(status, reply, {"Retry-After": str(seconds)})
        elif path == "/v1/memory/export":
            text = "".join(f"{one}\n" for one in standin.remembered)
            self._send(200, text.encode(), "text/plain; charset=utf-8")
        else:
            reply = standin.answer(self.command, path, query, body)
            missing = {"error": {"code": "not_found", "message": "No such route."}}
            self._json(*((404, missing) if reply is None else (200, reply)))

    def _file(self, path: str) -> None:
        if path in self.standin.pages:
            self._send(200, self.standin.pages[path], TYPES[".html"], policy=None)
            return
        file = STATIC / (path.lstrip("/") or "index.html")
        if file.is_file() and STATIC in file.resolve().parents:
            self._send(200, file.read_bytes(), TYPES[file.suffix])
        else:
            self._send(404, b"", "text/plain")

    def _json(self, status: int, reply: Reply, headers: dict[str, str] | None = None) -> None:
        self._send(status, json.dumps(reply).encode(), "application/json", headers)

    def _send(
        self,
        status: int,
        body: bytes,
        kind: str,
        headers: dict[str, str] | None = None,
        policy: str | None = POLICY,
    ) -> None:
        try:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("X-Content-Type-Options", "nosniff")
            is_api = self.path.startswith("/v1/")
            self.send_header("Cache-Control", "no-store" if is_api else "max-age=600")
            if policy:
                self.send_header("Content-Security-Policy", policy)
            self._allow_origin(is_api)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the browser gave the request up; that is what the tests are about

    def _allow_origin(self, is_api: bool) -> None:
        """Scripts and styles are for every site, answers only for those allowed."""
        origin = self.headers.get("Origin")
        if not is_api:
            self.send_header("Access-Control-Allow-Origin", "*")
        elif origin in self.standin.allowed_origins:
            self.send_header("Access-Control-Allow-Origin", origin)
            self.send_header("Access-Control-Allow-Headers", "Authorization, Content-Type")
            self.send_header("Access-Control-Expose-Headers", "Retry-After")

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""
