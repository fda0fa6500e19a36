"""Compiles the kernels as tersely is built; where there is no compiler, it goes without them."""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

KERNELS = Path("src/tersely/runtime/kernels")


class CompiledKernels(BuildHookInterface):
    """Leaves kernels/compiled.*.so beside its source, and has the wheel take it along."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before the files of a wheel are gathered."""
        built = _compile(Path(self.root))
        if built is None:
            self.app.display_warning("The kernels were not compiled; tersely will use NumPy.")
            return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        build_data["artifacts"].append(str(KERNELS / built))


def _compile(root: Path) -> str | None:
    """Return the name of what was made; compiler and flags are setuptools' business."""
    from setuptools import Distribution, Extension
    from setuptools.errors import BaseError, CCompilerError

    extension = Extension(
        "tersely.runtime.kernels.compiled",
        [str(root / KERNELS / "compiled.c")],
        extra_compile_args=[] if sys.platform == "win32" else ["-O3", "-g0"],
        py_limited_api=True,
    )
    with tempfile.TemporaryDirectory() as folder:
        command: Any = Distribution({"ext_modules": [extension]}).get_command_obj("build_ext")
        command.build_lib = command.build_temp = folder
        command.ensure_finalized()
        try:
            command.run()
            made = Path(command.get_ext_fullpath(extension.name))
            shutil.copy(made, root / KERNELS / made.name)
        except (BaseError, CCompilerError, OSError):
            return None
        return made.name
