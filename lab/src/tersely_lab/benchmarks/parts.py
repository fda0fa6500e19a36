"""Where the time of a step goes: each part of the scheme is watched as it runs.

Forward, the parts are told apart by hooks on the modules; backward, the softmax from
the rest. What lies between the watched modules is the difference.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from torch import nn

from tersely_lab.benchmarks.pace import Clock
from tersely_lab.benchmarks.variant import Variant

PARTS = (
    "batch",
    "encoder",
    "reader",
    "decoder LSTM",
    "attention and copying",
    "softmax",
    "drawing and sums",
    "backward, softmax",
    "backward, rest",
    "optimizer",
)


def seconds_by_part(variant: Variant, *, first: int, steps: int, clock: Clock) -> dict[str, float]:
    """Seconds a step spends in each part, averaged over some steps."""
    watch = _Watch(clock)
    decoder = variant.scheme.decoder
    with ExitStack() as stack:
        stack.enter_context(watch.module("encoder", variant.scheme.encoder))
        stack.enter_context(watch.module("decoder", decoder))
        stack.enter_context(watch.module("reader", decoder.reader))
        stack.enter_context(watch.module("lstm", decoder.lstm))
        stack.enter_context(watch.module("softmax", decoder.softmax, backward=True))
        for step in range(first, first + steps):
            with watch.part("batch"):
                batch = variant.batches.at(step)
            with watch.part("play"):
                scalar, record = variant.play(batch)
            with watch.part("backward"):
                variant.differentiate(scalar)
            with watch.part("optimizer"):
                variant.update(record)
    spent = watch.seconds
    in_decoder = spent["reader"] + spent["lstm"] + spent["softmax"]
    found = {
        "batch": spent["batch"],
        "encoder": spent["encoder"],
        "reader": spent["reader"],
        "decoder LSTM": spent["lstm"],
        "attention and copying": spent["decoder"] - in_decoder,
        "softmax": spent["softmax"],
        "drawing and sums": spent["play"] - spent["encoder"] - spent["decoder"],
        "backward, softmax": spent["softmax backward"],
        "backward, rest": spent["backward"] - spent["softmax backward"],
        "optimizer": spent["optimizer"],
    }
    return {part: found[part] / steps for part in PARTS}


class _Watch:
    """Adds up the seconds spent under each name."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._started: dict[str, float] = {}
        self.seconds: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Watch a block."""
        self._start(name)()
        yield
        self._stop(name)()

    @contextmanager
    def module(self, name: str, module: nn.Module, *, backward: bool = False) -> Iterator[None]:
        """Watch a module's calls as long as the block lasts."""
        hooks = [
            module.register_forward_pre_hook(self._start(name)),
            module.register_forward_hook(self._stop(name)),
        ]
        if backward:
            hooks += [
                module.register_full_backward_pre_hook(self._start(f"{name} backward")),
                module.register_full_backward_hook(self._stop(f"{name} backward")),
            ]
        try:
            yield
        finally:
            for hook in hooks:
                hook.remove()

    def _start(self, name: str) -> Callable[..., None]:
        def start(*_: Any) -> None:
            self._started[name] = self._clock()

        return start

    def _stop(self, name: str) -> Callable[..., None]:
        def stop(*_: Any) -> None:
            self.seconds[name] += self._clock() - self._started[name]

        return stop
