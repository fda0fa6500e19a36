"""The API is its schema: generated requests, sound and unsound, against a service at a socket."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.generation import GenerationMode

from tersely.service.app import create_app
from tests.service.serving import served, settings_for

# What no schema can say: a body may be right in every part and too large as a whole.
CONFIG = schemathesis.Config.from_dict(
    {
        "checks": {
            "positive_data_acceptance": {"expected-statuses": [200, 403, 404, 409, 413]},
            "negative_data_rejection": {"expected-statuses": [400, 404, 409, 413, 415, 422]},
        }
    }
)
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)


@pytest.fixture(scope="module")
def schema(trained: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("schema")
    with served(create_app(settings_for(folder, model=str(trained), deadline=60))) as url:
        yield schemathesis.openapi.from_url(f"{url}/openapi.json", config=CONFIG)


def check(schema: Any, cases: int) -> int:
    """Send so many cases of each kind to each operation; return how many were sent."""
    sent = 0
    for operation in [found.ok() for found in schema.get_all_operations()]:
        modes = MODES if operation.body or operation.query else MODES[:1]
        for mode in modes:

            @settings(
                max_examples=cases,
                phases=[Phase.generate],
                deadline=None,
                database=None,
                derandomize=True,
                suppress_health_check=list(HealthCheck),
            )
            @given(case=operation.as_strategy(generation_mode=mode))
            def conforms(case: Any) -> None:
                nonlocal sent
                sent += 1
                case.call_and_validate(timeout=60)

            conforms()
    return sent


@pytest.mark.promise(15)
def test_the_api_is_its_schema(schema: Any) -> None:
    assert check(schema, 15) >= 150


@pytest.mark.long
@pytest.mark.promise(15)
def test_the_api_is_its_schema_on_five_thousand_cases(schema: Any) -> None:
    assert check(schema, 600) >= 5000
