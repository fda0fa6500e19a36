"""Tables of `tersely bench train`, as Markdown."""

from typing import Any

from tersely_lab.benchmarks.command import format_targets, format_verdict, markdown_table
from tersely_lab.benchmarks.peers import OPENNMT_VERSION


def render(results: dict[str, Any]) -> str:
    """Lay out all results."""
    sections = [
        _setting(results),
        _throughput(results),
        _targets(results),
        _peak(results),
        _parts(results),
        _growth(results["growth"]),
        _memory(results["memory"]),
    ]
    return "\n\n".join(sections)


def _setting(results: dict[str, Any]) -> str:
    machine, corpus = results["machine"], results["corpus"]
    clock = {
        "processor": "processor time, which does not advance while another process has the core",
        "clock": "wall-clock time",
    }[results["judged_by"]]
    return (
        f"{machine['processor']}, {machine['cores']} cores, {_count(machine['threads'], 'thread')}"
        f", load {machine['load_average']:.1f}; Python {machine['python']}, torch "
        f"{machine['torch']}.\n"
        f"{corpus['sentences']:,} generated sentences, {corpus['tokens']:,} tokens, vocabulary "
        f"{corpus['vocabulary']:,}, {corpus['units']} units, batches of {corpus['batch']}.\n"
        f"Median of {_count(results['rounds'], 'round')} in turns, "
        f"{_count(results['steps_a_round'], 'step')} each. Compared by {clock}."
    )


def _throughput(results: dict[str, Any]) -> str:
    rows = [
        [
            name,
            _rate(row["tokens_per_processor_second"]),
            _rate(row["tokens_per_second"]),
            _ratio(results, name, "by_processor"),
            _ratio(results, name, "by_clock"),
        ]
        for name, row in results["variants"].items()
    ]
    peer, name = results["peer"], f"OpenNMT-py {OPENNMT_VERSION}"
    if peer:
        rates = [peer["tokens_per_processor_second"], peer["tokens_per_second"]]
        rows.append([name, *map(_rate, rates), "1", "1"])
    head = ["target tokens", "per processor second", "per second", "× peer", "× peer by the clock"]
    note = "" if peer else f"\n\n{name} was not run (--no-peer), so there are no ratios."
    return markdown_table(head, rows) + note


def _ratio(results: dict[str, Any], name: str, clock: str) -> str:
    ratio = results["ratios"].get(name, {}).get(clock)
    return "–" if ratio is None else f"{ratio:.2f}"


def _targets(results: dict[str, Any]) -> str:
    clock = "by_processor" if results["judged_by"] == "processor" else "by_clock"
    lines = [
        f"{name}: {row[clock]:.2f} × the peer; target ≥ {row['target']:g}: "
        f"{format_verdict(row['reached'])}"
        for name, row in results["ratios"].items()
        if row["target"] is not None
    ]
    return format_targets(lines) if lines else "Targets: not judged without the peer."


def _peak(results: dict[str, Any]) -> str:
    peaks = results["peak_gflops"]
    products = markdown_table(
        ["matrix product", "GFLOP/s"], [[name, f"{rate:.0f}"] for name, rate in peaks.items()]
    )
    rows = [
        [
            name,
            f"{sum(row['gflop_a_step'].values()):.1f}",
            f"{row['gflops']:.0f}",
            f"{row['share_of_peak']:.0%}",
        ]
        for name, row in results["variants"].items()
    ]
    shares = markdown_table(["training", "GFLOP a step", "GFLOP/s", "of the peak"], rows)
    return f"{products}\n\n{shares}"


def _parts(results: dict[str, Any]) -> str:
    variants = results["variants"]
    parts = list(next(iter(variants.values()))["seconds_by_part"])
    rows = [
        [part, *(f"{1e3 * row['seconds_by_part'][part]:.1f}" for row in variants.values())]
        for part in parts
    ]
    whole = [1e3 * sum(row["seconds_by_part"].values()) for row in variants.values()]
    rows.append(["a step", *(f"{total:.1f}" for total in whole)])
    return markdown_table(["milliseconds", *variants], rows)


def _growth(growth: dict[str, Any]) -> str:
    keys = ("milliseconds_a_step", "milliseconds_a_batch", "milliseconds_a_shuffle")
    rows = [
        [f"{row['sentences']:,}", *(f"{row[key]:.2f}" for key in keys)] for row in growth["corpora"]
    ]
    head = ["sentences", "ms per step", "of it drawing the batch", "shuffle, once per epoch"]
    return (
        f"{markdown_table(head, rows)}\n\n"
        f"A step on the large corpus takes {growth['ratio']:.2f} × one on the small; target ≤ "
        f"{growth['target']:g}: {format_verdict(growth['reached'])}"
    )


def _memory(memory: dict[str, Any] | None) -> str:
    if memory is None:
        return "Memory was not measured."
    return (
        f"`tersely train` on {memory['sentences']:,} sentences, {memory['steps']} steps, dev "
        f"evaluation and checkpoint: {memory['peak_mib']:,.0f} MiB at its peak; target < "
        f"{memory['target_mib']:,}: {format_verdict(memory['reached'])}"
    )


def _rate(rate: float | None) -> str:
    return "–" if rate is None else f"{rate:,.0f}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
