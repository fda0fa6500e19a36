import argparse
from pathlib import Path

import pytest

from tersely.cli.options import add_model_option, check_text, load_completer
from tersely.errors import UsageError


def test_a_model_may_be_a_run_or_its_model_folder(trained: Path) -> None:
    parser = argparse.ArgumentParser()
    add_model_option(parser)
    for path in (trained, trained / "model"):
        given = parser.parse_args(["--model", str(path)])
        assert load_completer(given.model).complete("late")


def test_without_a_model_the_one_that_ships_is_used() -> None:
    assert "late" in load_completer(None).complete("late")[0].text.lower()


def test_bytes_that_are_no_text_are_refused() -> None:
    check_text("naïve 🙂 \x00", "It")
    with pytest.raises(UsageError, match="It: not UTF-8 text"):
        check_text("\udcff", "It")
