"""CSV: each table as a file, its numbers as they are; an interval takes two columns."""

import csv
from pathlib import Path

from tersely.storage.atomic import new_file
from tersely_lab.reproduction.report.document import Table, Value


def write_csv(table: Table, folder: Path) -> None:
    """Write one table."""
    header: list[str] = []
    for column in table.columns:
        is_interval = column.shape == "interval"
        header += [f"{column.title} from", f"{column.title} to"] if is_interval else [column.title]
    with (
        new_file(folder / f"{table.name}.csv") as partial,
        partial.open("w", encoding="utf-8", newline="") as file,
    ):
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for row in table.rows:
            cells: list[str] = []
            for column, value in zip(table.columns, row, strict=True):
                cells += _cells(value, is_interval=column.shape == "interval")
            writer.writerow(cells)


def _cells(value: Value, *, is_interval: bool) -> list[str]:
    if is_interval:
        return ["", ""] if value is None else [repr(float(end)) for end in _pair(value)]
    if value is None:
        return [""]
    if isinstance(value, float):
        return [repr(float(value))]
    if isinstance(value, str):
        return [defused(value)]
    return [str(value)]


def _pair(value: Value) -> tuple[float, float]:
    assert isinstance(value, tuple)
    return value


def defused(text: str) -> str:
    """Text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
