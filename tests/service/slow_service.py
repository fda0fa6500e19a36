"""A service with a slow model, as its own process: SECONDS per batch.

python -m tests.service.slow_service SECONDS MEMORY
"""

import sys

from starlette.types import ASGIApp

from tersely.cli.main import main
from tersely.service import server
from tersely.service.app import create_app
from tersely.service.settings import ServiceSettings
from tests.service.services import FakeModels


def create_slow_app(settings: ServiceSettings) -> ASGIApp:
    """Return the usual app with a slow model."""
    return create_app(settings, models=FakeModels(seconds=float(sys.argv[1])))


if __name__ == "__main__":
    vars(server)["create_app"] = create_slow_app
    options = ["--port", "0", "--no-browser", "--rate", "0", "--deadline", "9", "--batch", "256"]
    sys.exit(main(["serve", *options, "--memory", sys.argv[2], *sys.argv[3:]]))
