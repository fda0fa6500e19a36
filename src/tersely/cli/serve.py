"""`tersely serve`: the page and the service, on this computer or for others."""

import argparse
import os
import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from tersely.errors import UsageError

if TYPE_CHECKING:
    from tersely.service.layers import Layered
EXAMPLES = """\
examples:
  tersely serve --model runs/notes                 opens the page in a browser
  tersely serve --model runs/notes --port 9000 --no-browser
  tersely serve --models models --workers 2
  tersely serve --settings serve.toml --show-settings
  tersely serve --host 0.0.0.0 --allow-origin https://example.org   with TERSELY_TOKEN set

Every option is also a variable (TERSELY_PORT=9000) and a key of the settings file
(port = 9000). A flag beats a variable, a variable beats the file.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options; their defaults are the settings' own."""
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add("--model", metavar="MODEL", help="a model folder or a run: the default one (ours)")
    add("--models", type=Path, metavar="DIR", help="a folder of models, asked for by name")
    add("--host", metavar="HOST", help="address to bind to (127.0.0.1)")
    add("--port", type=int, metavar="P", help="port; 0 takes a free one (8765)")
    add("--no-browser", action="store_true", help="open no browser")
    add("--workers", type=int, metavar="N", help="processes that serve (1)")
    add("--memory", type=Path, metavar="FILE", help="where sentences are kept, once switched on")
    wider = parser.add_argument_group("for others than this computer")
    add = wider.add_argument
    add("--token", metavar="TOKEN", help="access token; others may see it here: use TERSELY_TOKEN")
    add("--allow-origin", action="append", metavar="ORIGIN", help="site whose pages may ask")
    add("--allow-host", action="append", metavar="NAME", help="one more name of this service")
    add("--trust-proxy", action="append", metavar="IP", help="its X-Forwarded-For counts")
    add("--open-to-all", action="store_true", help="bind wider without token and origins")
    limits = parser.add_argument_group("limits")
    add = limits.add_argument
    add("--rate", type=float, metavar="R", help="requests a second and client; 0: any (60)")
    add("--burst", type=int, metavar="N", help="requests a client may send at once (120)")
    add("--queue", type=int, metavar="N", help="requests that may wait; beyond them 503 (256)")
    add("--batch", type=int, metavar="N", help="requests decoded together at most (16)")
    add("--deadline", type=float, metavar="S", help="seconds a request may take (2)")
    add("--cache", type=int, metavar="N", help="answers kept (4096)")
    add = parser.add_argument
    add("--log-level", choices=["debug", "info", "warning", "error"], help="(info)")
    add("--settings", type=Path, metavar="FILE", help="a TOML file of these options")
    add("--show-settings", action="store_true", help="print what would be used, and from where")


def run(given: argparse.Namespace) -> None:
    """Gather the settings, take the port, open the page, serve."""
    layered = _settings(given)
    if given.show_settings:
        print("\n".join(layered.lines()))
        return
    from tersely.service.running import bind, serve, url_of
    from tersely.service.workers import serve_with_workers

    settings = layered.settings
    with bind(settings) as listening:
        url = url_of(listening)
        print(f"tersely is at {url} (Ctrl-C stops it)", flush=True)
        if not given.no_browser:
            _open(url, settings.token.get_secret_value() if settings.token else None)
        if settings.workers == 1:
            serve(settings, listening)
        else:
            serve_with_workers(settings, listening)


def _settings(given: argparse.Namespace) -> "Layered":
    try:
        import fastapi  # noqa: F401
        import prometheus_client  # noqa: F401
        import uvicorn  # noqa: F401

        from tersely.service.layers import gather
        from tersely.service.settings import ServiceSettings
    except ImportError as error:
        raise UsageError(
            f'{error.name} is not installed. Try: pip install "tersely[serve]"'
        ) from error
    flags: dict[str, Any] = {
        name: getattr(given, name) for name in ServiceSettings.model_fields if name in given
    }
    return gather(flags, file=given.settings, environment=os.environ)


def _open(url: str, token: str | None) -> None:
    """Open the page; a browser may take its time, and there may be none."""
    address = url if token is None else f"{url}?token={quote(token, safe='')}"
    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
