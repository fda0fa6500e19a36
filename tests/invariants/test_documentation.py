"""The pages: every one can be reached, every link and path leads somewhere, lines are short."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "lab").glob("*.md")])
MAX_LINE = 100
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_PATH = re.compile(
    r"`((?:src|lab|tests|docs|configs|data)/[\w./-]+|[a-z_]+/[\w/]+\.(?:py|js|c|h))`"
)
SOURCES = ("", "src/tersely/", "lab/src/tersely_lab/", "src/tersely/service/static/", "tests/")


def prose(page: Path) -> str:
    """The text of a page without its blocks of code."""
    return _FENCE.sub("", page.read_text(encoding="utf-8"))


def links(page: Path) -> list[str]:
    """The relative targets that a page links to, without anchors."""
    targets = (first or second for first, second in _LINK.findall(prose(page)))
    local = (target for target in targets if not re.match(r"[a-z]+:", target))
    return [target.split("#")[0] for target in local if not target.startswith("#")]


def test_every_link_leads_to_a_file() -> None:
    broken = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in PAGES
        for target in links(page)
        if not (page.parent / target).exists()
    ]
    assert not broken, "\n".join(broken)


def test_every_page_of_the_documentation_can_be_reached_from_its_index() -> None:
    reached: set[Path] = set()
    waiting = [ROOT / "docs" / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached:
            continue
        reached.add(page)
        targets = [(page.parent / target).resolve() for target in links(page)]
        waiting += [target for target in targets if target.suffix == ".md" and target.exists()]
    missing = {page for page in PAGES if page.is_relative_to(ROOT / "docs")} - reached
    assert not missing, sorted(str(page.relative_to(ROOT)) for page in missing)


def test_lines_of_prose_have_at_most_100_characters() -> None:
    long_lines = [
        f"{page.relative_to(ROOT)}: {line[:60]}…"
        for page in PAGES
        for line in prose(page).splitlines()
        if len(line) > MAX_LINE and not line.startswith("|") and "](http" not in line
    ]
    assert not long_lines, "\n".join(long_lines)


def test_every_path_that_a_page_names_exists() -> None:
    wrong = [
        f"{page.relative_to(ROOT)}: {path}"
        for page in PAGES
        if page.name != "CHANGELOG.md"
        for path in _PATH.findall(prose(page))
        if not any((ROOT / source / path).exists() for source in SOURCES)
    ]
    assert not wrong, "\n".join(wrong)


def test_the_picture_of_the_packages_is_current() -> None:
    command = [sys.executable, str(ROOT / "docs" / "draw_packages.py"), "--check"]
    assert subprocess.run(command, check=False).returncode == 0, (
        "docs/images/packages.svg is out of date. Run: python docs/draw_packages.py"
    )
