"""Draw which package of tersely imports which, from the source: docs/images/packages.svg.

    python docs/draw_packages.py            # write the picture
    python docs/draw_packages.py --check    # exit 1 if the committed picture is out of date

A package stands one row above the highest package that it imports. Arrows that follow from
other arrows are left out.
"""

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "images" / "packages.svg"
SOURCES = {"tersely": ROOT / "src" / "tersely", "lab": ROOT / "lab" / "src" / "tersely_lab"}

BOX_WIDTH, BOX_HEIGHT, GAP_X, GAP_Y, MARGIN = 118, 36, 26, 48, 20

Graph = dict[str, set[str]]


def imports() -> Graph:
    """Map each package to the packages that its modules import, itself left out."""
    graph: Graph = {path.name: set() for path in packages()}
    for path in packages():
        for source in path.rglob("*.py"):
            graph[path.name] |= imported_packages(source) & graph.keys() - {path.name}
    graph["lab"] = {
        package
        for source in SOURCES["lab"].rglob("*.py")
        for package in imported_packages(source)
        if package in graph
    }
    return graph


def packages() -> list[Path]:
    """The packages directly below `tersely`."""
    return sorted(path.parent for path in SOURCES["tersely"].glob("*/__init__.py"))


def imported_packages(source: Path) -> set[str]:
    """The second component of each `tersely.…` that a module imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    parts = (name.split(".") for name in names)
    return {part[1] for part in parts if part[0] == "tersely" and len(part) > 1}


def rows(graph: Graph) -> list[list[str]]:
    """Packages by the length of the longest import chain below them, lowest first."""

    def height(package: str) -> int:
        return 1 + max((height(other) for other in graph[package]), default=-1)

    heights = {package: height(package) for package in graph}
    return [
        sorted(package for package in graph if heights[package] == level)
        for level in range(max(heights.values()) + 1)
    ]


def reduced(graph: Graph) -> Graph:
    """The same graph without the edges that longer paths imply."""

    def reachable(package: str) -> set[str]:
        return graph[package].union(*(reachable(other) for other in graph[package]))

    return {
        package: {
            target
            for target in targets
            if not any(target in reachable(other) for other in targets - {target})
        }
        for package, targets in graph.items()
    }


def draw(graph: Graph) -> str:
    """Return the picture as SVG text; the same graph gives the same text."""
    layers = rows(graph)
    width = max(len(layer) for layer in layers) * (BOX_WIDTH + GAP_X) - GAP_X + 2 * MARGIN
    height = len(layers) * (BOX_HEIGHT + GAP_Y) - GAP_Y + 2 * MARGIN
    place: dict[str, tuple[float, float]] = {}
    for level, layer in enumerate(layers):
        layer_width = len(layer) * (BOX_WIDTH + GAP_X) - GAP_X
        for column, package in enumerate(layer):
            x = (width - layer_width) / 2 + column * (BOX_WIDTH + GAP_X)
            y = height - MARGIN - BOX_HEIGHT - level * (BOX_HEIGHT + GAP_Y)
            place[package] = (x, y)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        'font-family="system-ui, sans-serif" font-size="14">',
        "<style>rect{fill:#f4f6f8;stroke:#57606a}text{fill:#1f2328}path{stroke:#8c959f;fill:none}"
        "@media(prefers-color-scheme:dark){rect{fill:#21262d;stroke:#8b949e}text{fill:#e6edf3}"
        "path{stroke:#6e7681}}</style>",
    ]
    lines += [
        arrow(place[package], place[target])
        for package, targets in sorted(reduced(graph).items())
        for target in sorted(targets)
    ]
    lines += [box(package, *place[package]) for package in sorted(place)]
    return "\n".join([*lines, "</svg>", ""])


def arrow(start: tuple[float, float], end: tuple[float, float]) -> str:
    """A curve from the bottom of one box to the top of another."""
    x1, y1 = start[0] + BOX_WIDTH / 2, start[1] + BOX_HEIGHT
    x2, y2 = end[0] + BOX_WIDTH / 2, end[1]
    middle = (y1 + y2) / 2
    return f'<path d="M{x1:g} {y1:g}C{x1:g} {middle:g} {x2:g} {middle:g} {x2:g} {y2:g}"/>'


def box(package: str, x: float, y: float) -> str:
    """A box with a package's name in it."""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="6"/>'
        f'<text x="{x + BOX_WIDTH / 2:g}" y="{y + BOX_HEIGHT / 2 + 5:g}" '
        f'text-anchor="middle">{package}</text>'
    )


def main() -> int:
    """Write the picture, or compare it with the committed one."""
    picture = draw(imports())
    if "--check" in sys.argv[1:]:
        is_current = PICTURE.exists() and PICTURE.read_text(encoding="utf-8") == picture
        print(f"{PICTURE.name} is {'current' if is_current else 'out of date'}")
        return 0 if is_current else 1
    PICTURE.write_text(picture, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
