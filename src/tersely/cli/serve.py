"""`tersely serve`: start the web page and the REST service."""

import argparse
import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from tersely.errors import UsageError

if TYPE_CHECKING:
    from tersely.service.settings import LoadedSettings

EXAMPLES = """\
examples:
  tersely serve --model runs/notes                 opens the page in a browser
  tersely serve --model runs/notes --port 9000 --no-browser
  tersely serve --models models --workers 2
  tersely serve --settings serve.toml --show-settings
  tersely serve --host 0.0.0.0 --allow-origin https://example.org   with TERSELY_TOKEN set

Every option is also an environment variable (TERSELY_PORT=9000) and a key of the settings
file (port = 9000). An option overrides a variable, a variable overrides the file.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options; ServiceSettings holds their defaults."""
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add("--model", metavar="MODEL", help="the default model: a model folder or a run")
    add(
        "--models", type=Path, metavar="DIR", help="a folder of models that requests choose by name"
    )
    add("--host", metavar="HOST", help="address to bind to (default 127.0.0.1)")
    add("--port", type=int, metavar="P", help="port; 0 chooses a free one (default 8765)")
    add("--no-browser", action="store_true", help="do not open a browser")
    add("--workers", type=int, metavar="N", help="worker processes (default 1)")
    add("--memory", type=Path, metavar="FILE", help="where remembered sentences are stored")
    add(
        "--log-level",
        choices=["debug", "info", "warning", "error"],
        help="minimum level (default info)",
    )
    add("--settings", type=Path, metavar="FILE", help="a TOML file of these options")
    add("--show-settings", action="store_true", help="print each setting and its source")
    _add_access_options(parser.add_argument_group("access from other computers"))
    _add_limit_options(parser.add_argument_group("limits"))


def _add_access_options(group: Any) -> None:
    add = group.add_argument
    add("--token", metavar="TOKEN", help="access token; TERSELY_TOKEN hides it from ps")
    add(
        "--allow-origin",
        action="append",
        metavar="ORIGIN",
        help="a site whose pages may send requests",
    )
    add("--allow-host", action="append", metavar="NAME", help="another host name of this service")
    add(
        "--trust-proxy",
        action="append",
        metavar="IP",
        help="a proxy whose X-Forwarded-For is trusted",
    )
    add(
        "--open-to-all",
        action="store_true",
        help="allow a public address without token and origins",
    )


def _add_limit_options(group: Any) -> None:
    add = group.add_argument
    add(
        "--rate",
        type=float,
        metavar="R",
        help="requests per second and client; 0: no limit (default 60)",
    )
    add("--burst", type=int, metavar="N", help="requests a client may send at once (default 120)")
    add(
        "--queue",
        type=int,
        metavar="N",
        help="requests that may wait; more get status 503 (default 256)",
    )
    add("--batch", type=int, metavar="N", help="maximum batch size (default 16)")
    add(
        "--deadline", type=float, metavar="S", help="time limit of a request in seconds (default 2)"
    )
    add("--cache", type=int, metavar="N", help="responses in the cache (default 4096)")


def run(args: argparse.Namespace) -> None:
    """Load the settings, bind the port, open the page and serve."""
    loaded = _load_settings(args)
    if args.show_settings:
        print("\n".join(loaded.toml_lines()))
        return
    from tersely.service.server import bind, serve, url_of

    settings = loaded.settings
    with bind(settings) as listener:
        url = url_of(listener)
        print(f"tersely is at {url} (Ctrl-C stops it)", flush=True)
        if not args.no_browser:
            _open(url, settings.token.get_secret_value() if settings.token else None)
        serve(settings, listener)


def _load_settings(args: argparse.Namespace) -> "LoadedSettings":
    try:
        import cachetools  # noqa: F401
        import fastapi  # noqa: F401
        import prometheus_client  # noqa: F401
        import pydantic_settings  # noqa: F401
        import uvicorn  # noqa: F401

        from tersely.service.settings import ServiceSettings, load_settings
    except ImportError as error:
        raise UsageError(
            f'{error.name} is not installed. Try: pip install "tersely[serve]"'
        ) from error
    flags: dict[str, Any] = {
        name: getattr(args, name) for name in ServiceSettings.model_fields if name in args
    }
    return load_settings(flags, file=args.settings)


def _open(url: str, token: str | None) -> None:
    """Open the page in a thread: a browser may be slow to start, or missing."""
    address = url if token is None else f"{url}?token={quote(token, safe='')}"
    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
