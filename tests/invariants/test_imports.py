"""Which package may import which; read from the source, so that a local import counts too."""

import ast
from pathlib import Path

import pytest

import tersely
import tersely_lab

PRODUCT, LAB = Path(tersely.__file__).parent, Path(tersely_lab.__file__).parent
FILES = sorted(PRODUCT.rglob("*.py"))
LAB_FILES = sorted(LAB.rglob("*.py"))

BELOW: dict[str, set[str]] = {
    "storage": set(),
    "text": set(),
    "corpus": {"storage", "text"},
    "model": {"storage", "text"},
    "runtime": {"text", "model"},
    "decoding": {"text", "model", "runtime"},
    "selection": {"text", "model", "runtime"},
    "completion": {"storage", "text", "model", "runtime", "decoding", "selection"},
    "evaluation": {"text", "model", "runtime", "decoding", "selection", "completion"},
    "game": {"text", "model", "selection"},
    "training": {"storage", "text", "corpus", "model", "selection", "game"},
    "web": set(),
    "service": {"storage", "text", "model", "decoding", "completion", "web"},
}
"""The packages each package may import beside itself; errors.py stands below all of them."""
TOP = {
    "__init__.py": {"completion"},
    "__main__.py": {"cli"},
    "errors.py": set(),
    "progress.py": set(),
}
MAY_IMPORT_TORCH = {"game", "training"}
UNSAFE = {"pickle", "dill", "joblib", "cloudpickle", "marshal", "shelve"}


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def package_of(path: Path) -> str:
    """The package directly below `tersely` that a file belongs to; empty for a top-level file."""
    parts = path.relative_to(PRODUCT).parts
    return parts[0] if len(parts) > 1 else ""


def packages_imported(path: Path) -> set[str]:
    parts = (name.split(".") for name in imported(path))
    inside = {part[1] for part in parts if part[0] == "tersely" and len(part) > 1}
    return {name for name in inside if (PRODUCT / name).is_dir()}


def test_imports_go_up_the_staircase_only() -> None:
    wrong = []
    for path in FILES:
        package = package_of(path)
        if package == "cli":
            continue
        allowed = BELOW[package] | {package} if package else TOP[path.name]
        if extra := packages_imported(path) - allowed:
            wrong.append(f"{path.relative_to(PRODUCT)} imports {', '.join(sorted(extra))}")
    assert not wrong, "\n".join(wrong)


def test_the_product_does_not_import_the_lab() -> None:
    assert not [path for path in FILES if any("tersely_lab" in name for name in imported(path))]


def test_the_lab_does_not_import_the_command_line() -> None:
    wrong = [path for path in LAB_FILES if "cli" in packages_imported(path)]
    assert not wrong


def test_torch_stays_in_game_training_and_lab() -> None:
    users = {package_of(path) for path in FILES if "torch" in top_level_names(path)}
    assert users <= MAY_IMPORT_TORCH


def top_level_names(path: Path) -> set[str]:
    return {name.split(".")[0] for name in imported(path)}


def test_modules_do_not_import_in_circles() -> None:
    modules = {module_name(path): path for path in FILES + LAB_FILES}
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


def module_name(path: Path) -> str:
    root = PRODUCT.parent if path.is_relative_to(PRODUCT) else LAB.parent
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


@pytest.mark.promise(1)
def test_nothing_unpickles() -> None:
    for path in FILES + LAB_FILES:
        source = path.read_text(encoding="utf-8")
        assert not top_level_names(path) & UNSAFE, path
        assert "torch.load" not in source, path
        assert "allow_pickle=True" not in source, path


def test_each_package_has_tests_that_carry_its_name() -> None:
    tests = Path(__file__).parents[1]
    lab_tests = tests.parent / "lab" / "tests"
    for root, files, folder in ((PRODUCT, FILES, tests), (LAB, LAB_FILES, lab_tests)):
        packages = {path.parent.relative_to(root) for path in files} - {Path()}
        for package in packages:
            own = list((folder / package).glob("test_*.py"))
            shared = folder / package.parent / f"test_{package.name}.py"
            assert own or shared.exists(), f"no tests for {package}"
