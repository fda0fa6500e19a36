"""hatch_build.py: compiling the kernels, replacing the library, and the wheel's name."""

import importlib.util
import mmap
import os
import shutil
import subprocess
import sys
import sysconfig
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
KERNELS = ROOT / "src/tersely/runtime/kernels"
INCLUDE = Path(sysconfig.get_paths()["include"])


def load_hatch_build(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """Import hatch_build.py; hatchling itself is not needed to compile."""
    name = "hatchling.builders.hooks.plugin.interface"
    interface = types.ModuleType(name)
    interface.BuildHookInterface = object  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, name, interface)
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_process_keeps_the_library_it_loaded_when_it_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hatch_build = load_hatch_build(monkeypatch)
    source, target = tmp_path / "new.so", tmp_path / "kernels" / "compiled.so"
    target.parent.mkdir()
    source.write_bytes(b"new" * 1000)
    source.chmod(0o755)
    target.write_bytes(b"old" * 1000)
    with target.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        hatch_build.replace_file(source, target)
        assert mapped[:] == b"old" * 1000, "written in place: code would change under a process"
    assert target.read_bytes() == b"new" * 1000
    assert target.stat().st_mode & 0o111
    assert [path.name for path in target.parent.iterdir()] == ["compiled.so"]


def test_a_failed_copy_leaves_the_old_library_and_no_other_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hatch_build = load_hatch_build(monkeypatch)
    target = tmp_path / "compiled.so"
    target.write_bytes(b"old")
    with pytest.raises(FileNotFoundError):
        hatch_build.replace_file(tmp_path / "missing.so", target)
    assert [path.name for path in tmp_path.iterdir()] == ["compiled.so"]
    assert target.read_bytes() == b"old"


@pytest.mark.parametrize("compiler", ["gcc", "clang", "aarch64-linux-gnu-gcc"])
def test_the_source_compiles_without_warnings(compiler: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    if not (INCLUDE / "Python.h").exists():
        pytest.skip("Python's headers are not installed")
    flags = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"]
    flags += ["-Wno-missing-field-initializers"]
    for source in sorted(KERNELS.glob("*.c")):
        command = [compiler, "-fsyntax-only", *flags, f"-I{INCLUDE}", str(source)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def copy_sources(folder: Path) -> Path:
    """Copy what a wheel is built from, without the compiled library."""
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    package = folder / "src/tersely"
    (package / "runtime").mkdir(parents=True)
    shutil.copy(ROOT / "src/tersely/__init__.py", package)
    ignored = shutil.ignore_patterns("*.so", "__pycache__")
    shutil.copytree(KERNELS, package / "runtime/kernels", ignore=ignored)
    return folder


def build_wheel(folder: Path, compiler: str | None) -> str:
    """Build a wheel without isolation; return its name."""
    pytest.importorskip("hatchling", reason="the build backend, hatchling, is not installed")
    environment = dict(os.environ)
    if compiler is not None:
        environment["CC"] = compiler
    code = "from hatchling.build import build_wheel; print(build_wheel('.'))"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


def test_a_wheel_with_kernels_is_tagged_for_the_stable_abi(tmp_path: Path) -> None:
    if not list(KERNELS.glob("compiled.abi3.*")):
        pytest.skip("no compiler at installation")
    wheel = build_wheel(copy_sources(tmp_path), compiler=None)
    name, _, *tag = wheel.removesuffix(".whl").split("-")
    assert name == "tersely"
    assert tag[:2] == ["cp311", "abi3"]
    assert tag[2] not in ("any", "")
    assert list((tmp_path / "src/tersely/runtime/kernels").glob("compiled.abi3.*"))


def test_a_wheel_without_kernels_is_pure(tmp_path: Path) -> None:
    wheel = build_wheel(copy_sources(tmp_path), compiler="false")  # a compiler that always fails
    assert wheel.endswith("-py3-none-any.whl")
