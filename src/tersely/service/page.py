"""The page and the widget: files of one folder, and no others, whatever is asked for.

Which files there are is looked up once; each gets a route of its own, so that no path
leads anywhere else. They stand below / and below /static/.
"""

from pathlib import Path

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

STATIC = Path(__file__).with_name("static")
KINDS = frozenset(
    (".html", ".js", ".css", ".svg", ".png", ".ico", ".webmanifest", ".woff2", ".txt")
)
START = "index.html"
SHARED = {"Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin"}
"""Scripts and styles hold nothing of anyone's; pages of other sites may load them."""


def add_page(app: FastAPI, folder: Path = STATIC) -> None:
    """Serve the files of a folder; the start page as /."""
    if not folder.is_dir():
        return
    files = StaticFiles(directory=folder)
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in KINDS:
            _add(app, files, path.relative_to(folder).as_posix())


def _add(app: FastAPI, files: StaticFiles, name: str) -> None:
    async def give(request: Request) -> Response:
        response = await files.get_response(name, request.scope)
        response.headers["Cache-Control"] = "no-cache"  # asks again, and is told "unchanged"
        if not name.endswith(".html"):
            response.headers.update(SHARED)
        return response

    paths = ["/"] if name == START else [f"/{name}", f"/static/{name}"]
    for path in paths:
        app.add_api_route(path, give, methods=["GET", "HEAD"], include_in_schema=False)
