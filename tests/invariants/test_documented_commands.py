"""Every command that a page or a --help shows is one that the program takes."""

import re
import shlex
from pathlib import Path

import pytest

from tersely.cli.main import COMMANDS, parser

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "configs").glob("*.toml")]
)
PLACEHOLDERS = {"N": "1", "F": "0.5", "M": "1"}


def shown_in(text: str) -> list[str]:
    """Find lines of code that call tersely, and whole calls within running text."""
    names = "|".join(COMMANDS)
    fenced = re.findall(rf"^[ #$]*((?:nice )?tersely (?:{names}) .*)$", text, re.MULTILINE)
    inline = re.findall(r"`(tersely (?:bench|train|evaluate) [^`]* [^`]*)`", text)
    return [line.split("  #")[0].strip() for line in [*fenced, *inline] if "…" not in line]


def words_of(command: str) -> list[str]:
    call = re.split(r" [|<>] ", command.removeprefix("nice "))[0]
    words = shlex.split(call, comments=True)[1:]
    return [PLACEHOLDERS.get(word, word) for word in words]


COMMAND_LINES = sorted(
    {line for page in PAGES for line in shown_in(page.read_text(encoding="utf-8"))}
)


def test_there_are_commands_to_check() -> None:
    assert len(COMMAND_LINES) > 10


@pytest.mark.parametrize("line", COMMAND_LINES)
def test_a_command_on_a_page_is_accepted(line: str) -> None:
    words = words_of(line)
    parser(words).parse_args(words)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_examples_of_a_command_are_accepted(name: str) -> None:
    import importlib

    examples = importlib.import_module(f"tersely.cli.{name}").EXAMPLES
    lines = re.findall(r"^  ((?:nice )?tersely .*?)(?:  +\S.*)?$", examples, re.MULTILINE)
    assert lines
    for line in lines:
        words = words_of(re.split(r" [<>] ", line)[0])
        parser(words).parse_args(words)


def test_the_readme_opens_with_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme.index("make demo") < readme.index("make test") < 1500
