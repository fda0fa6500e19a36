"""A fake of the service: the same API and headers, with responses set by the test.

A test can hold responses back to simulate a slow service exactly; every request is recorded.
manual_server.py serves the page with a real model.
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

Json = dict[str, Any]


def spans_of(keywords: str, text: str) -> list[list[int]]:
    """Return the spans of the keywords in the text, in order."""
    spans, start = [], 0
    for word in keywords.split():
        at = text.lower().find(word.lower().strip('?!."'), start)
        if at >= 0:
            start = at + len(word.strip('?!."'))
            spans.append([at, start])
    return spans


def suggestion(keywords: str, text: str, **fields: Any) -> Json:
    """Return a suggestion as in the API; `fields` override the defaults."""
    defaults = {"text": text, "score": 0.5, "source": "model", "corrected": []}
    return {**defaults, "spans": spans_of(keywords, text), **fields}


def suggest(request: Json) -> list[Json]:
    """Return the sentences of PATTERNS, each with the keywords."""
    keywords = request["keywords"]
    texts = (pattern.format(keywords) for pattern in PATTERNS)
    return [suggestion(keywords, text) for text in texts][: request["n"]]


def choose_keywords(request: Json) -> Json:
    """Keep the longest tokens, up to the budget; half of them without a budget."""
    matches = list(re.finditer(r"\w+|[^\w\s]", request["sentence"]))
    budget = 0.5 if request["budget"] is None else request["budget"]
    longest = sorted(matches, key=lambda match: -len(match.group()))
    kept = longest[: round(budget * len(matches))]
    tokens: list[Json] = [
        {
            "token": match.group().lower(),
            "keep": round(min(len(match.group()) / 8, 1.0), 3),
            "typed": match in kept,
            "start": match.start(),
            "end": match.end(),
        }
        for match in matches
    ]
    keywords = [token["token"] for token in tokens if token["typed"]]
    return {
        "keywords": keywords,
        "tokens": tokens,
        "typed_characters": len(" ".join(keywords)),
        "sentence_characters": len(request["sentence"]),
    }


@dataclass
class FakeService:
    """The responses of the fake service, and the requests it has received."""

    suggest: Callable[[Json], list[Json]] = suggest
    choose_keywords: Callable[[Json], Json] = choose_keywords
    hold: Callable[[Json], bool] = lambda request: False
    allowed_origins: tuple[str, ...] = ()
    token: str | None = None
    memory_available: bool = True
    memory_on: bool = False
    models: tuple[str, ...] = ("everyday",)
    failures: list[tuple[int, Json, int]] = field(default_factory=list)
    pages: dict[str, bytes] = field(default_factory=dict)
    remembered: dict[str, int] = field(default_factory=dict)
    requests: list[tuple[str, str, Json]] = field(default_factory=list)
    release: threading.Event = field(default_factory=threading.Event)
    url: str = ""

    def request_bodies(self, path: str = "/v1/complete", method: str = "POST") -> list[Json]:
        """Return the bodies of the requests to a path, in order."""
        return [
            body
            for request_method, request_path, body in self.requests
            if (request_method, request_path) == (method, path)
        ]

    def requests_for(self, keywords: str) -> list[Json]:
        """Return the completion requests with exactly these keywords."""
        return [body for body in self.request_bodies() if body["keywords"] == keywords]

    @contextmanager
    def serving(self, port: int = 0) -> Iterator["FakeService"]:
        """Serve on a loopback port until the block ends."""
        with FakeServer(port) as server:
            server.service = self
            self.url = server.url
            try:
                yield self
            finally:
                self.release.set()

    def respond(self, method: str, path: str, query: Json, body: Json) -> Json | None:
        """Return the response of a route, or None if there is no such route."""
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
        return self._respond_memory(method, query, body) if path == "/v1/memory" else None

    def _respond_memory(self, method: str, query: Json, body: Json) -> Json | None:
        if method == "PUT":
            self.memory_on = body["on"]
            return {"on": self.memory_on}
        if method == "POST":
            self.remembered[body["text"]] = self.remembered.get(body["text"], 0) + 1
            return {"remembered": body["text"]}
        if method == "DELETE":
            forgotten = list(self.remembered) if body.get("all") else [body["text"]]
            for text in forgotten:
                self.remembered.pop(text, None)
            return {"forgotten": len(forgotten)}
        search = query.get("search", [""])[0].lower()
        rows = [
            {"text": text, "times": times, "last_used": "2026-01-01T00:00:00Z"}
            for text, times in self.remembered.items()
            if search in text.lower()
        ]
        return {"sentences": rows, "total": len(self.remembered)}


class FakeServer(ThreadingHTTPServer):
    """A server on a loopback port; each test may set another `service`."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/"
        self.service = FakeService()

    def __enter__(self) -> "FakeServer":
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: FakeServer
    protocol_version = "HTTP/1.1"

    @property
    def service(self) -> FakeService:
        return self.server.service

    def _handle(self) -> None:
        address = urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else {}
        self.service.requests.append((self.command, address.path, body))
        if self.command == "OPTIONS":
            self._send(204, b"", "text/plain")
        elif address.path.startswith("/v1/"):
            self._respond(address.path, parse_qs(address.query), body)
        else:
            self._send_file(address.path)

    do_GET = do_POST = do_PUT = do_DELETE = do_OPTIONS = _handle  # noqa: N815

    def _respond(self, path: str, query: Json, body: Json) -> None:
        service = self.service
        token = service.token
        if token and self.headers.get("Authorization") != f"Bearer {token}":
            self._send_json(
                401, {"error": {"code": "unauthorised", "message": "A token is needed."}}
            )
        elif path == "/v1/complete" and service.failures:
            status, failure, seconds = service.failures.pop(0)
            self._send_json(status, failure, {"Retry-After": str(seconds)})
        elif path == "/v1/memory/export":
            text = "".join(f"{sentence}\n" for sentence in service.remembered)
            self._send(200, text.encode(), "text/plain; charset=utf-8")
        else:
            response = service.respond(self.command, path, query, body)
            not_found = {"error": {"code": "not_found", "message": "No such route."}}
            self._send_json(*((404, not_found) if response is None else (200, response)))

    def _send_file(self, path: str) -> None:
        if path in self.service.pages:
            self._send(200, self.service.pages[path], TYPES[".html"], policy=None)
            return
        file = STATIC / (path.lstrip("/") or "index.html")
        if file.is_file() and STATIC in file.resolve().parents:
            self._send(200, file.read_bytes(), TYPES[file.suffix])
        else:
            self._send(404, b"", "text/plain")

    def _send_json(self, status: int, reply: Json, headers: dict[str, str] | None = None) -> None:
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
            pass  # the browser has aborted the request

    def _allow_origin(self, is_api: bool) -> None:
        """Allow every site to load files, and allowed origins to call the API."""
        origin = self.headers.get("Origin")
        if not is_api:
            self.send_header("Access-Control-Allow-Origin", "*")
        elif origin in self.service.allowed_origins:
            self.send_header("Access-Control-Allow-Origin", origin)
            self.send_header("Access-Control-Allow-Headers", "Authorization, Content-Type")
            self.send_header("Access-Control-Expose-Headers", "Retry-After")

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""
