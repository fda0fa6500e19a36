"""Options and checks that several commands share."""

import argparse

from tersely.errors import UsageError


def add_model_option(parser: argparse.ArgumentParser) -> None:
    """Add `--model`, which takes a model folder, a run or the name of a model."""
    parser.add_argument(
        "--model", metavar="MODEL", help="a model folder or a run (default: the model that ships)"
    )


def check_minimum(args: argparse.Namespace, minimums: dict[str, int]) -> None:
    """Raise UsageError if an option is given and below its minimum."""
    for name, minimum in minimums.items():
        value = getattr(args, name)
        if value is not None and value < minimum:
            option = f"--{name.replace('_', '-')}"
            raise UsageError(f"{option} must be at least {minimum}, got {value}.")
