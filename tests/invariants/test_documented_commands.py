"""Every command on the pages, in the configs and in the examples of `--help` parses."""

import contextlib
import importlib
import io
import re
import shlex
from collections.abc import Iterable
from pathlib import Path

from tersely.cli.main import COMMANDS, LAB_COMMANDS, parser

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "lab").glob("*.md"),
        *(ROOT / "configs").glob("*.toml"),
    ]
)
NAMES = "|".join(COMMANDS | LAB_COMMANDS)
PLACEHOLDERS = {"N": "1", "F": "0.5", "M": "1"}
MIN_COMMANDS = 60
"""Fewer commands than this mean that the patterns below no longer find them."""


def commands_on(page: Path) -> list[str]:
    """Return the lines that call tersely, and the complete calls within running text."""
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = re.findall(rf"^[ #$]*((?:nice )?tersely (?:{NAMES}) .*)$", text, re.MULTILINE)
    inline = re.findall(r"`(tersely\s(?:bench|train|evaluate)\s[^`]*\s[^`]*)`", text)
    commands = (re.sub(r"\s+", " ", command.split("  #")[0]) for command in [*lines, *inline])
    return [command.strip() for command in commands if "…" not in command and "`" not in command]


def commands_in_help(name: str) -> list[str]:
    """Return the examples in the help text of a command."""
    package = "tersely" if name in COMMANDS else "tersely_lab"
    examples = importlib.import_module(f"{package}.cli.{name}").EXAMPLES
    return re.findall(r"^  ((?:nice )?tersely .*?)(?:  +\S.*)?$", examples, re.MULTILINE)


def parse_error(command: str) -> str | None:
    """Parse a command; return the error message, None if there is none."""
    call = re.split(r" [|<>] ", command.removeprefix("nice "))[0]
    words = [PLACEHOLDERS.get(word, word) for word in shlex.split(call, comments=True)[1:]]
    stderr = io.StringIO()
    try:
        with contextlib.redirect_stderr(stderr):
            parser(words).parse_args(words)
    except SystemExit:
        return stderr.getvalue().strip().splitlines()[-1]
    return None


def parse_errors(source: str, commands: Iterable[str]) -> list[str]:
    """Return source, command and error of each command that does not parse."""
    errors = {command: parse_error(command) for command in commands}
    return [f"{source}: {command}\n  {error}" for command, error in errors.items() if error]


def test_every_command_on_a_page_parses() -> None:
    commands = {page: commands_on(page) for page in PAGES}
    assert sum(map(len, commands.values())) >= MIN_COMMANDS
    failures = [
        failure
        for page, on_page in commands.items()
        for failure in parse_errors(str(page.relative_to(ROOT)), on_page)
    ]
    assert not failures, "\n".join(failures)


def test_the_examples_of_every_command_parse() -> None:
    examples = {name: commands_in_help(name) for name in COMMANDS | LAB_COMMANDS}
    assert all(examples.values()), examples
    failures = [
        failure
        for name, commands in examples.items()
        for failure in parse_errors(f"tersely {name} --help", commands)
    ]
    assert not failures, "\n".join(failures)


def test_a_wrong_option_or_command_would_be_noticed() -> None:
    for command in ("tersely bench text --limmit 5", "tersely report sweeps/yelp", "tersely bake"):
        assert parse_errors("a page", [command]), command
    assert parse_errors("a page", ["tersely complete late > out.jsonl"]) == []


def test_the_readme_starts_with_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme.index("make demo") < readme.index("make test") < 1500
