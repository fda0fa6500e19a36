from pathlib import Path

from tersely_lab.benchmarks import machine
from tersely_lab.benchmarks.machine import processor_name


def test_a_processor_has_a_name(monkeypatch) -> None:
    assert processor_name().strip()

    def refuse(*_: object, **__: object) -> str:
        raise OSError

    monkeypatch.setattr(Path, "read_text", refuse)
    monkeypatch.setattr(machine.platform, "processor", lambda: "Z80")
    assert processor_name() == "Z80"
