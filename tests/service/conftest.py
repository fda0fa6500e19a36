"""A service with the tiny model, shared by the tests that change nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tersely.service.app import create_app
from tests.service.services import client_for, settings_for


@pytest.fixture(scope="module")
def service(trained: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A client of a service with the tiny model; its memory is off."""
    folder = tmp_path_factory.mktemp("service")
    with client_for(create_app(settings_for(folder, model=str(trained)))) as client:
        yield client
