import argparse
from pathlib import Path

import pytest

from tersely.cli.options import add_model_option, check_minimum
from tersely.completion.completer import Completer
from tersely.errors import UsageError


def test_a_model_can_be_a_run_or_its_model_folder(trained: Path) -> None:
    parser = argparse.ArgumentParser()
    add_model_option(parser)
    for path in (trained, trained / "model"):
        args = parser.parse_args(["--model", str(path)])
        assert Completer.load(args.model).complete("late")


def test_a_value_below_its_minimum_is_a_usage_error() -> None:
    args = argparse.Namespace(limit=0, max_tokens=None)
    check_minimum(args, {"limit": 0, "max_tokens": 1})
    with pytest.raises(UsageError, match="--limit must be at least 1, got 0"):
        check_minimum(args, {"max_tokens": 1, "limit": 1})
