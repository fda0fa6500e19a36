"""Every Python example of the README and the guides runs, with the model that ships."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md"))]


def blocks_of(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def test_there_are_examples_to_run() -> None:
    assert sum(len(blocks_of(page)) for page in PAGES) >= 10


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_run_one_after_the_other(
    page: Path, tmp_path: Path, trained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "notes").symlink_to(trained)
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {}
    for block in blocks_of(page):
        exec(compile(block, str(page), "exec"), namespace)
