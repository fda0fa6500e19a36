"""What `tersely bench latency` prints: its figures as Markdown tables, targets missed included."""

from typing import Any

from tersely_lab.benchmarks.latency import MODEL
from tersely_lab.benchmarks.markdown import table


def render(found: dict[str, Any]) -> str:
    """Show all figures."""
    return "\n\n".join(
        [
            _setting(found),
            _times(found["contestants"]),
            _sizes(found["contestants"]),
            _batch(found["batch"]),
            _start(found["cold_start"]),
            _install(found["install"]),
            _targets(found["targets"]),
        ]
    )


def _setting(found: dict[str, Any]) -> str:
    machine, asked = found["machine"], found["asked"]
    return (
        f"{machine['processor']}, {machine['cores']} cores, one thread, load "
        f"{machine['load_average']:.1f}; Python {machine['python']}.\n"
        f"{asked['sets']} sets of {asked['keywords']:.1f} keywords, answers of "
        f"{asked['tokens']:.1f} tokens in the mean, 3 of them, beam 5; {found['rounds']} rounds in "
        "turns.\nJudged by processor time, which stands still while something else has the core."
    )


def _times(rows: dict[str, Any]) -> str:
    base = rows[MODEL]["processor_ms"]["p50"]
    cells = [
        [
            name,
            *(f"{row['processor_ms'][share]:.1f}" for share in ("p50", "p95", "p99")),
            *(f"{row['clock_ms'][share]:.1f}" for share in ("p50", "p95", "p99")),
            f"{row['processor_ms']['p50'] / base:.1f}",
        ]
        for name, row in rows.items()
    ]
    head = ["milliseconds", "p50", "p95", "p99", "p50, clock", "p95", "p99", "× the model"]
    return table(head, cells)


def _sizes(rows: dict[str, Any]) -> str:
    cells = [
        [
            name,
            f"{row['parameters'] / 1e6:.1f}",
            f"{row['multiply_adds_a_row'] / 1e6:.2f}",
            f"{row['peak_mib']:.0f}",
            f"{row['tokens']:.1f}",
        ]
        for name, row in rows.items()
    ]
    head = ["", "million parameters", "million multiply-adds a step and row", "peak MiB", "tokens"]
    return table(head, cells)


def _batch(batch: dict[str, Any]) -> str:
    milliseconds = 1e3 * batch["processor_seconds"] / batch["answers"]
    return (
        f"`complete_batch` of {batch['batch']}: {milliseconds:.2f} ms an answer; its matrix "
        f"products alone would take {batch['share_of_rate']:.0%} of that at the rate this machine "
        "reaches at their shapes."
    )


def _start(start: dict[str, Any]) -> str:
    rows = [
        [
            label,
            f"{1e3 * start[clock]['tersely']:.0f}",
            f"{1e3 * start[clock]['numpy']:.0f}",
            f"{start[clock]['ratio']:.1f}",
        ]
        for label, clock in (("processor", "processor_seconds"), ("clock", "seconds"))
    ]
    head = ["cold start, ms", '`tersely complete "late"`', '`python -c "import numpy"`', "ratio"]
    return f"{table(head, rows)}\n\n{start['peak_mib']:.0f} MiB resident at its peak."


def _install(install: dict[str, Any] | None) -> str:
    if install is None:
        return "The install was not weighed."
    names = ", ".join(install["packages"])
    if install["wheels_mb"] is None:
        return f"The wheels ({names}) could not be fetched, so they were not weighed."
    return (
        f"Light install: {install['wheels_mb']:.1f} MB of wheels ({names}; "
        f"{install['own_mb']:.1f} MB of our own)."
    )


def _targets(rows: list[dict[str, Any]]) -> str:
    lines = [
        f"- {row['name']}: {row['measured']:.2f}; wanted {row['wanted']}: "
        f"{'reached' if row['reached'] else 'NOT REACHED'}"
        for row in rows
    ]
    return "\n".join(["Targets:", *lines])
