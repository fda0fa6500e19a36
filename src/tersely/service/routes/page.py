"""The page and the widget: the static files of one folder.

The folder is listed once, and each file gets its own routes, below / and below /static/, so
that no path can lead to another file.
"""

from pathlib import Path

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

STATIC = Path(__file__).parents[1] / "static"
SUFFIXES = frozenset(
    (".html", ".js", ".css", ".svg", ".png", ".ico", ".webmanifest", ".woff2", ".txt")
)
INDEX = "index.html"
PUBLIC_HEADERS = {
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
"""Scripts and styles hold no personal data, so pages of other sites may load them."""


def add_page(app: FastAPI, folder: Path = STATIC) -> None:
    """Serve the files of a folder, and index.html as /."""
    if not folder.is_dir():
        return
    files = StaticFiles(directory=folder)
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in SUFFIXES:
            _add_file(app, files, path.relative_to(folder).as_posix())


def _add_file(app: FastAPI, files: StaticFiles, name: str) -> None:
    async def serve_file(request: Request) -> Response:
        response = await files.get_response(name, request.scope)
        response.headers["Cache-Control"] = "no-cache"  # revalidate: 304 if unchanged
        if not name.endswith(".html"):
            response.headers.update(PUBLIC_HEADERS)
        return response

    paths = ["/"] if name == INDEX else [f"/{name}", f"/static/{name}"]
    for path in paths:
        app.add_api_route(path, serve_file, methods=["GET", "HEAD"], include_in_schema=False)
