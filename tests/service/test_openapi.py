"""The API matches its OpenAPI schema: generated requests, valid and invalid, to a service."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.generation import GenerationMode

from tersely.service.app import create_app
from tests.service.services import served, settings_for

# A schema cannot limit the size of a body as a whole: valid data may be too large.
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
    """Send valid and invalid cases to each operation; return how many were sent."""
    sent = 0
    for operation in [result.ok() for result in schema.get_all_operations()]:
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
def test_the_api_matches_its_schema(schema: Any) -> None:
    assert check(schema, 15) >= 150


@pytest.mark.long
@pytest.mark.promise(15)
def test_the_api_matches_its_schema_on_five_thousand_cases(schema: Any) -> None:
    assert check(schema, 600) >= 5000
