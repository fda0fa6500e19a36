"""A service whose model takes its time, as a process of its own: SECONDS a batch.

python -m tests.service.slow_service SECONDS MEMORY
"""

import sys

import tersely.service.running as running
from tersely.cli.main import main
from tersely.service.app import create_app
from tersely.service.settings import ServiceSettings
from tests.service.serving import FakeModels


def slow_app(settings: ServiceSettings) -> object:
    """The usual app over a slow model."""
    return create_app(settings, models=FakeModels(seconds=float(sys.argv[1])))


if __name__ == "__main__":
    running.create_app = slow_app
    given = ["serve", "--port", "0", "--no-browser", "--rate", "0", "--deadline", "9"]
    sys.exit(main([*given, "--batch", "256", "--memory", sys.argv[2], *sys.argv[3:]]))
