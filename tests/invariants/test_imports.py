"""Who may import whom; read from the source, so that an import inside a function counts too."""

import ast
from pathlib import Path

import pytest

import tersely

ROOT = Path(tersely.__file__).parent
MAY_IMPORT = {
    "text": set(),
    "kernels": set(),
    "model": {"text", "kernels"},
    "game": {"text", "model"},
    "training": {"text", "model", "game"},
    "evaluation": {"text", "model"},
    "report": {"text", "model", "evaluation"},
    "web": set(),
    "service": {"text", "model", "web"},
    "bench": None,  # anything
    "cli": None,
}
MAY_IMPORT_TORCH = {"game", "training", "bench"}
FILES = sorted(ROOT.rglob("*.py"))


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def room_of(path: Path) -> str:
    inside = path.relative_to(ROOT).parts
    return inside[0] if len(inside) > 1 else ""


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_room_only_imports_what_it_may(path: Path) -> None:
    room = room_of(path)
    rooms = {
        name.split(".")[1]
        for name in imported(path)
        if name.startswith("tersely.") and (ROOT / name.split(".")[1]).is_dir()
    }
    if room == "":
        # The top: errors and atomic stand below every room; __init__ and __main__ open the door.
        allowed = {"model", "cli"} if path.name in ("__init__.py", "__main__.py") else set()
        assert rooms <= allowed
        return
    assert room in MAY_IMPORT, f"{room}/ is a new room: say who it may import"
    allowed = MAY_IMPORT[room]
    assert allowed is None or rooms <= allowed | {room}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_torch_stays_where_training_is(path: Path) -> None:
    uses_torch = any(name.split(".")[0] == "torch" for name in imported(path))
    assert not uses_torch or room_of(path) in MAY_IMPORT_TORCH


def test_modules_do_not_import_in_circles() -> None:
    modules = {
        ".".join(("tersely", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(
            ".__init__"
        ): path
        for path in FILES
    }
    graph = {
        module: {
            other
            for name in imported(path)
            for other in (name, name.rpartition(".")[0])
            if other in modules and other != module
        }
        for module, path in modules.items()
    }
    done: set[str] = set()

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert module not in trail, " → ".join((*trail, module))
        if module not in done:
            for other in graph[module]:
                visit(other, (*trail, module))
            done.add(module)

    for module in graph:
        visit(module, ())


def test_nothing_unpickles() -> None:
    for path in FILES:
        forbidden = {"pickle", "dill", "joblib", "cloudpickle", "marshal", "shelve"}
        assert not {name.split(".")[0] for name in imported(path)} & forbidden, path
        assert "torch.load" not in path.read_text(encoding="utf-8"), path
        assert "allow_pickle=True" not in path.read_text(encoding="utf-8"), path


def test_every_module_has_its_test() -> None:
    tests = Path(__file__).parents[1]
    for path in FILES:
        inside = path.relative_to(ROOT)
        if path.name in ("__init__.py", "__main__.py"):
            continue
        own = tests / inside.parent / f"test_{path.name}"
        package = tests / inside.parent.parent / f"test_{inside.parent.name}.py"
        assert own.exists() or package.exists(), f"no test for {inside}"
