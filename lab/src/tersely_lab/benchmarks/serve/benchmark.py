"""Measurements of `tersely bench serve`.

Closed loops of 1, 16 and 64 clients on loopback, every request distinct, against `tersely serve`
and against the same model behind one plain route (baseline.py). Then one client alone, against the
library call and an empty route. Rounds take turns, so that load from other processes is shared.
"""

import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from tersely.errors import TerselyError
from tersely_lab.benchmarks.command import markdown_table
from tersely_lab.benchmarks.measurement import Log, percentile
from tersely_lab.benchmarks.serve.load_generator import Loop, run_loop, summarise

CLIENTS = (1, 16, 64)
WARM_UP_REQUESTS = 4
TIMEOUT_SECONDS = 120


@dataclass(frozen=True, slots=True)
class ServeBench:
    """Settings of a run."""

    model: str
    requests: int = 200
    """In each round, at each number of clients."""
    rounds: int = 3
    workers: int = 1


def measure(bench: ServeBench, *, log: Log) -> dict[str, Any]:
    """Run all loops in turns."""
    loop_count = 2 * bench.rounds * len(CLIENTS)
    keywords = iter(distinct_keywords(bench.requests * loop_count + 2 * WARM_UP_REQUESTS))
    ours: dict[int, list[Loop]] = {clients: [] for clients in CLIENTS}
    plain: dict[int, list[Loop]] = {clients: [] for clients in CLIENTS}
    library: list[float] = []
    empty: list[Loop] = []
    complete = _library_call(bench.model)
    service = ["-m", "tersely", "serve", "--model", bench.model, *_service_options(bench)]
    baseline = ["-m", "tersely_lab.benchmarks.serve.baseline", bench.model]
    with _started(service) as our_url, _started(baseline) as plain_url:
        for url in (our_url, plain_url):
            warm_up = list(islice(keywords, WARM_UP_REQUESTS))
            run_loop(f"{url}/v1/complete", warm_up, clients=1)
        for number in range(bench.rounds):
            for clients in CLIENTS:
                log(f"round {number + 1}: {clients} clients")
                for url, loops in ((our_url, ours), (plain_url, plain)):
                    batch = list(islice(keywords, bench.requests))
                    loops[clients].append(run_loop(f"{url}/v1/complete", batch, clients=clients))
            # In turns with the empty route, so that the library call too finds cold caches.
            empty.append(
                run_loop(
                    f"{plain_url}/empty",
                    distinct_keywords(bench.requests, seed=number + 2),
                    clients=1,
                    after_response=lambda words: library.append(_seconds(complete, words)),
                )
            )
    return _results(bench, ours, plain, library, empty)


def _results(
    bench: ServeBench,
    ours: dict[int, list[Loop]],
    plain: dict[int, list[Loop]],
    library: list[float],
    empty: list[Loop],
) -> dict[str, Any]:
    rows = {
        "tersely": [summarise(ours[clients]) for clients in CLIENTS],
        "plain route": [summarise(plain[clients]) for clients in CLIENTS],
    }
    library_ms = round(1000 * percentile(sorted(library), 95), 2)
    empty_ms = summarise(empty)["p95_milliseconds"]
    service_ms = rows["tersely"][0]["p95_milliseconds"]
    return {
        "model": Path(bench.model).name,
        "requests": bench.requests,
        "rounds": bench.rounds,
        "workers": bench.workers,
        "processors": os.cpu_count(),
        "loops": rows,
        "times_the_throughput_at_64": round(
            rows["tersely"][-1]["per_second"] / rows["plain route"][-1]["per_second"], 2
        ),
        "one_client": {
            "service_p95_milliseconds": service_ms,
            "library_p95_milliseconds": library_ms,
            "empty_route_p95_milliseconds": empty_ms,
            "times_library_and_empty_route": round(service_ms / (library_ms + empty_ms), 2),
        },
    }


def render(results: dict[str, Any]) -> str:
    """Lay out the results."""
    head = ["", "clients", "requests/s", "p50 ms", "p95 ms", "p99 ms"]
    rows = [
        [
            name,
            str(row["clients"]),
            f"{row['per_second']:.1f}",
            *(f"{row[f'p{percent}_milliseconds']:.1f}" for percent in (50, 95, 99)),
        ]
        for name, loops in results["loops"].items()
        for row in loops
    ]
    single = results["one_client"]
    return "\n".join(
        [
            markdown_table(head, rows),
            "",
            f"{results['times_the_throughput_at_64']} times the plain route's throughput at 64",
            f"one client, p95: {single['service_p95_milliseconds']} ms, "
            f"{single['times_library_and_empty_route']} times the library call "
            f"({single['library_p95_milliseconds']} ms) and an empty route "
            f"({single['empty_route_p95_milliseconds']} ms)",
        ]
    )


def distinct_keywords(count: int, *, seed: int = 1) -> list[str]:
    """Draw two to four words of sentences of the fixture; all sets are distinct."""
    from tersely.corpus.fixture import fixture_sentences

    rng = random.Random(seed)
    drawn: dict[str, None] = {}
    while len(drawn) < count:
        for sentence in fixture_sentences(20_000):
            words = re.findall(r"[a-z']+", sentence.lower())
            if len(words) >= 4:
                positions = sorted(rng.sample(range(len(words)), rng.randint(2, 4)))
                drawn[" ".join(words[position] for position in positions)] = None
            if len(drawn) == count:
                break
    return list(drawn)


def _library_call(model: str) -> Callable[[str], object]:
    from tersely.completion.completer import Completer

    completer = Completer.load(model)
    completer.complete("warm up")
    return lambda keywords: completer.complete(keywords, 3)


def _seconds(complete: Callable[[str], object], keywords: str) -> float:
    start = time.perf_counter()
    complete(keywords)
    return time.perf_counter() - start


def _service_options(bench: ServeBench) -> list[str]:
    workers = ["--workers", str(bench.workers), "--log-level", "warning"]
    return ["--port", "0", "--no-browser", "--rate", "0", "--deadline", "60", *workers]


@contextmanager
def _started(command: Sequence[str]) -> Iterator[str]:
    """Start a service without the user's settings; yield its address once it is ready."""
    with TemporaryDirectory() as folder:
        environment = {name: value for name, value in os.environ.items() if "TERSELY" not in name}
        # The same number of threads for all: a beam's matrices are small.
        environment |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        environment |= {"XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder}
        process = subprocess.Popen(
            [sys.executable, *command], env=environment, stdout=subprocess.PIPE, text=True
        )
        try:
            assert process.stdout is not None
            match = re.search(r"http://\S+(?=/ )", process.stdout.readline())
            if match is None:
                raise TerselyError("A service to measure could not start; its error is above.")
            _wait_for(match[0])
            yield match[0]
        finally:
            process.terminate()
            process.wait(TIMEOUT_SECONDS)


def _wait_for(url: str) -> None:
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        try:
            with urlopen(f"{url}/readyz", timeout=TIMEOUT_SECONDS):
                return
        except URLError:
            time.sleep(0.1)
    raise TerselyError(f"{url}: did not become ready in {TIMEOUT_SECONDS} seconds.")
