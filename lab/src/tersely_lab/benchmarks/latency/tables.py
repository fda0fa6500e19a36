"""Tables of `tersely bench latency`, as Markdown."""

from typing import Any

from tersely_lab.benchmarks.command import format_targets, format_verdict, markdown_table
from tersely_lab.benchmarks.latency.benchmark import MODEL

PERCENTILES = ("p50", "p95", "p99")


def render(results: dict[str, Any]) -> str:
    """Lay out all results."""
    return "\n\n".join(
        [
            _setting(results),
            _times(results["contestants"]),
            _sizes(results["contestants"]),
            _batch(results["batch"]),
            _cold_start(results["cold_start"]),
            _install(results["install"]),
            _targets(results["targets"]),
        ]
    )


def _setting(results: dict[str, Any]) -> str:
    machine, queries = results["machine"], results["asked"]
    return (
        f"{machine['processor']}, {machine['cores']} cores, one thread, load "
        f"{machine['load_average']:.1f}; Python {machine['python']}.\n"
        f"{queries['sets']} sets of {queries['keywords']:.1f} keywords; 3 suggestions of "
        f"{queries['tokens']:.1f} tokens on average, beam 5; {results['rounds']} rounds in turns.\n"
        "Compared by processor time, which does not advance while another process has the core."
    )


def _times(rows: dict[str, Any]) -> str:
    base = rows[MODEL]["processor_ms"]["p50"]
    cells = [
        [
            name,
            *(f"{row['processor_ms'][key]:.1f}" for key in PERCENTILES),
            *(f"{row['clock_ms'][key]:.1f}" for key in PERCENTILES),
            f"{row['processor_ms']['p50'] / base:.1f}",
        ]
        for name, row in rows.items()
    ]
    head = ["milliseconds", *PERCENTILES, "p50, clock", "p95", "p99", "× the model"]
    return markdown_table(head, cells)


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
    return markdown_table(head, cells)


def _batch(batch: dict[str, Any]) -> str:
    milliseconds = 1e3 * batch["processor_seconds"] / batch["answers"]
    return (
        f"`complete_batch` of {batch['batch']}: {milliseconds:.2f} ms per query. Its matrix "
        f"products alone would take {batch['share_of_rate']:.0%} of that at the rate this machine "
        "reaches at their shapes."
    )


def _cold_start(start: dict[str, Any]) -> str:
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
    return f"{markdown_table(head, rows)}\n\nPeak memory: {start['peak_mib']:.0f} MiB resident."


def _install(install: dict[str, Any] | None) -> str:
    if install is None:
        return "The size of the install was not measured."
    names = ", ".join(install["packages"])
    if install["wheels_mb"] is None:
        return f"The wheels ({names}) could not be downloaded, so their size is unknown."
    return (
        f"Light install: {install['wheels_mb']:.1f} MB of wheels ({names}; "
        f"{install['own_mb']:.1f} MB of our own)."
    )


def _targets(rows: list[dict[str, Any]]) -> str:
    return format_targets(
        [
            f"{row['name']}: {row['measured']:.2f}; target {row['wanted']}: "
            f"{format_verdict(row['reached'])}"
            for row in rows
        ]
    )
