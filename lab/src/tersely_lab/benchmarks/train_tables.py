"""What `tersely bench train` prints: its figures as Markdown tables, targets missed included."""

from typing import Any

from tersely_lab.benchmarks.markdown import table
from tersely_lab.benchmarks.opennmt import VERSION


def render(found: dict[str, Any]) -> str:
    """Show all figures."""
    sections = [
        _setting(found),
        _paces(found),
        _targets(found),
        _peak(found),
        _parts(found),
        _growth(found["growth"]),
        _memory(found["memory"]),
    ]
    return "\n\n".join(sections)


def _setting(found: dict[str, Any]) -> str:
    machine, corpus = found["machine"], found["corpus"]
    judged = {
        "processor": "processor time, which stands still while something else has the core",
        "clock": "the clock on the wall",
    }[found["judged_by"]]
    return (
        f"{machine['processor']}, {machine['cores']} cores, {_count(machine['threads'], 'thread')}"
        f", load {machine['load_average']:.1f}; Python {machine['python']}, torch "
        f"{machine['torch']}.\n"
        f"{corpus['sentences']:,} generated sentences, {corpus['tokens']:,} tokens, vocabulary "
        f"{corpus['vocabulary']:,}, {corpus['units']} units, batches of {corpus['batch']}.\n"
        f"Median of {_count(found['rounds'], 'round')} in turns, "
        f"{_count(found['steps_a_round'], 'step')} each. Judged by {judged}."
    )


def _paces(found: dict[str, Any]) -> str:
    rows = [
        [
            name,
            _rate(row["tokens_per_processor_second"]),
            _rate(row["tokens_per_second"]),
            _ratio(found, name, "by_processor"),
            _ratio(found, name, "by_clock"),
        ]
        for name, row in found["variants"].items()
    ]
    peer, name = found["peer"], f"OpenNMT-py {VERSION}"
    if peer:
        rates = [peer["tokens_per_processor_second"], peer["tokens_per_second"]]
        rows.append([name, *map(_rate, rates), "1", "1"])
    head = ["target tokens", "per processor second", "per second", "× peer", "× peer by the clock"]
    note = "" if peer else f"\n\n{name} was not run (--no-peer), so there are no ratios."
    return table(head, rows) + note


def _ratio(found: dict[str, Any], name: str, clock: str) -> str:
    ratio = found["ratios"].get(name, {}).get(clock)
    return "–" if ratio is None else f"{ratio:.2f}"


def _targets(found: dict[str, Any]) -> str:
    clock = "by_processor" if found["judged_by"] == "processor" else "by_clock"
    lines = [
        f"- {name}: {row[clock]:.2f} × the peer; wanted ≥ {row['target']:g}: "
        f"{_verdict(row['reached'])}"
        for name, row in found["ratios"].items()
        if row["target"] is not None
    ]
    return "\n".join(["Targets:", *lines]) if lines else "Targets: not judged without the peer."


def _peak(found: dict[str, Any]) -> str:
    peaks = found["peak_gflops"]
    products = table(
        ["matrix product", "GFLOP/s"], [[name, f"{rate:.0f}"] for name, rate in peaks.items()]
    )
    rows = [
        [
            name,
            f"{sum(row['gflop_a_step'].values()):.1f}",
            f"{row['gflops']:.0f}",
            f"{row['share_of_peak']:.0%}",
        ]
        for name, row in found["variants"].items()
    ]
    shares = table(["training", "GFLOP a step", "GFLOP/s", "of the peak"], rows)
    return f"{products}\n\n{shares}"


def _parts(found: dict[str, Any]) -> str:
    variants = found["variants"]
    parts = list(next(iter(variants.values()))["seconds_by_part"])
    rows = [
        [part, *(f"{1e3 * row['seconds_by_part'][part]:.1f}" for row in variants.values())]
        for part in parts
    ]
    whole = [1e3 * sum(row["seconds_by_part"].values()) for row in variants.values()]
    rows.append(["a step", *(f"{total:.1f}" for total in whole)])
    return table(["milliseconds", *variants], rows)


def _growth(growth: dict[str, Any]) -> str:
    keys = ("milliseconds_a_step", "milliseconds_a_batch", "milliseconds_a_shuffle")
    rows = [
        [f"{row['sentences']:,}", *(f"{row[key]:.2f}" for key in keys)] for row in growth["corpora"]
    ]
    head = ["sentences", "ms a step", "of it drawing the batch", "shuffle, once an epoch"]
    return (
        f"{table(head, rows)}\n\n"
        f"A step on the large corpus takes {growth['ratio']:.2f} × one on the small; wanted ≤ "
        f"{growth['target']:g}: {_verdict(growth['reached'])}"
    )


def _memory(memory: dict[str, Any] | None) -> str:
    if memory is None:
        return "Memory was not measured."
    return (
        f"`tersely train` on {memory['sentences']:,} sentences, {memory['steps']} steps, judging "
        f"and checkpoint: {memory['peak_mib']:,.0f} MiB at its peak; wanted < "
        f"{memory['target_mib']:,}: {_verdict(memory['reached'])}"
    )


def _rate(rate: float | None) -> str:
    return "–" if rate is None else f"{rate:,.0f}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _verdict(reached: bool) -> str:
    return "reached" if reached else "NOT REACHED"
