"""What machine figures were measured on."""

import platform
from pathlib import Path


def processor_name() -> str:
    """The processor's name, as far as the system tells one."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.machine()
