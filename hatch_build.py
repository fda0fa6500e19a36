"""Compile the kernels when a wheel is built; without a C compiler the wheel has none."""

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

KERNELS = Path("src/tersely/runtime/kernels")
FLAGS = ["-O3", "-g0", "-fvisibility=hidden", "-ffp-contract=fast"]
"""Contraction to fused multiply-adds is GCC's default; Clang's results are then the same."""


class CompiledKernels(BuildHookInterface):
    """Build kernels/compiled.*.so beside its source and include it in the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before the files of the wheel are collected."""
        library = compile_kernels(Path(self.root))
        if library is None:
            self.app.display_warning("The kernels were not compiled; tersely will use NumPy.")
            return
        build_data["pure_python"] = False
        build_data["artifacts"].append(str(KERNELS / library))
        interpreter, abi, platform = self.build_config.builder.get_best_matching_tag().split("-")
        if ".abi3." in library:  # Python's stable ABI, from 3.11 on (arguments.h)
            interpreter, abi = "cp311", "abi3"
        build_data["tag"] = f"{interpreter}-{abi}-{platform}"


def compile_kernels(root: Path) -> str | None:
    """Compile with setuptools' compiler and flags; return the file's name, None on failure."""
    from setuptools import Distribution, Extension
    from setuptools.errors import BaseError, CCompilerError

    extension = Extension(
        "tersely.runtime.kernels.compiled",
        sorted(str(source) for source in (root / KERNELS).glob("*.c")),
        extra_compile_args=[] if sys.platform == "win32" else FLAGS,
        py_limited_api=True,
    )
    with tempfile.TemporaryDirectory() as folder:
        command: Any = Distribution({"ext_modules": [extension]}).get_command_obj("build_ext")
        command.build_lib = command.build_temp = folder
        command.ensure_finalized()
        try:
            command.run()
            built = Path(command.get_ext_fullpath(extension.name))
            replace_file(built, root / KERNELS / built.name)
        except (BaseError, CCompilerError, OSError):
            return None
        return built.name


def replace_file(source: Path, target: Path) -> None:
    """Copy a file over another one in one step.

    A process that has loaded the old library keeps it; overwriting it in place would crash it.
    """
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    os.close(handle)
    try:
        shutil.copy(source, name)  # with its permissions
        os.replace(name, target)  # noqa: PTH105
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
