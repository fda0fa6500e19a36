from pathlib import Path

import pytest

from tersely_lab.benchmarks import transformers_venv
from tersely_lab.benchmarks.transformers_venv import (
    T5_SMALL,
    VERSION,
    ensure_installed,
    step_multiply_adds,
)


def test_transformers_gets_the_torch_we_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = {}

    def ensure_venv(folder: Path, commands: list[list[str]], **named: object) -> None:
        made.update(folder=folder, commands=commands, **named)

    monkeypatch.setattr(transformers_venv, "ensure_venv", ensure_venv)
    ensure_installed(tmp_path / "peer", torch_version="2.13.0+cpu")
    assert made["commands"][1][-2:] == ["torch==2.13.0", "numpy"]
    assert made["commands"][2][-1] == f"transformers=={VERSION}"
    assert made["versions"] == {"transformers": VERSION, "torch": "2.13.0+cpu"}


def test_a_t5_step_multiplies_its_decoder_and_the_vocabulary() -> None:
    assert step_multiply_adds(T5_SMALL) == 6 * (6 * 512 * 512 + 2 * 512 * 2048) + 512 * 32_128
