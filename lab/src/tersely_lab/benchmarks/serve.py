"""What do batches bring, and what does the service cost a lone client?

Closed loops of 1, 16 and 64 clients on loopback, every request distinct, against `tersely
serve` and against the same model behind one plain FastAPI route. Then one client alone,
against the library call and a route that does nothing. Rounds take turns, so that a busy
machine does not favour one.
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
from tersely_lab.benchmarks.closed_loop import Loop, percentile, run_loop, summarise
from tersely_lab.benchmarks.markdown import table

CLIENTS = (1, 16, 64)
WARMING = 4
PATIENCE_SECONDS = 120


@dataclass(frozen=True, slots=True)
class ServeBench:
    """What is measured."""

    model: str
    requests: int = 200
    """In each round, at each number of clients."""
    rounds: int = 3
    workers: int = 1


def measure(bench: ServeBench, *, say: Callable[[str], None]) -> dict[str, Any]:
    """Run all loops in turns."""
    loops_run = 2 * bench.rounds * len(CLIENTS)
    questions = iter(distinct_keywords(bench.requests * loops_run + 2 * WARMING))
    ours: dict[int, list[Loop]] = {clients: [] for clients in CLIENTS}
    plain: dict[int, list[Loop]] = {clients: [] for clients in CLIENTS}
    library: list[float] = []
    empty: list[Loop] = []
    complete = _library(bench.model)
    with _started(_our_command(bench)) as our_url, _started(_plain_command(bench)) as plain_url:
        for url in (our_url, plain_url):
            run_loop(f"{url}/v1/complete", _take(questions, WARMING), clients=1)
        for number in range(bench.rounds):
            for clients in CLIENTS:
                say(f"round {number + 1}: {clients} clients")
                for url, loops in ((our_url, ours), (plain_url, plain)):
                    own = _take(questions, bench.requests)
                    loops[clients].append(run_loop(f"{url}/v1/complete", own, clients=clients))
            own = distinct_keywords(bench.requests, seed=number + 2)
            # In turns: whoever waited for the network finds caches cold, a service or a library.
            empty.append(
                run_loop(
                    f"{plain_url}/empty",
                    own,
                    clients=1,
                    then=lambda question: library.append(_seconds(complete, question)),
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
    alone = rows["tersely"][0]["p95_milliseconds"]
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
            "service_p95_milliseconds": alone,
            "library_p95_milliseconds": library_ms,
            "empty_route_p95_milliseconds": empty_ms,
            "times_library_and_empty_route": round(alone / (library_ms + empty_ms), 2),
        },
    }


def render(results: dict[str, Any]) -> str:
    """Show the results as tables."""
    head = ["", "clients", "requests/s", "p50 ms", "p95 ms", "p99 ms"]
    rows = [
        [
            name,
            str(row["clients"]),
            f"{row['per_second']:.1f}",
            *(f"{row[f'p{share}_milliseconds']:.1f}" for share in (50, 95, 99)),
        ]
        for name, loops in results["loops"].items()
        for row in loops
    ]
    one = results["one_client"]
    return "\n".join(
        [
            table(head, rows),
            "",
            f"{results['times_the_throughput_at_64']} times the plain route's throughput at 64",
            f"one client, p95: {one['service_p95_milliseconds']} ms, "
            f"{one['times_library_and_empty_route']} times the library call "
            f"({one['library_p95_milliseconds']} ms) and an empty route "
            f"({one['empty_route_p95_milliseconds']} ms)",
        ]
    )


def distinct_keywords(count: int, *, seed: int = 1) -> list[str]:
    """Two to four words of sentences of the fixture, no two sets alike."""
    from tersely.corpus.fixture import fixture_sentences

    rng = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        for sentence in fixture_sentences(20_000):
            words = re.findall(r"[a-z']+", sentence.lower())
            if len(words) >= 4:
                places = sorted(rng.sample(range(len(words)), rng.randint(2, 4)))
                found[" ".join(words[place] for place in places)] = None
            if len(found) == count:
                break
    return list(found)


def _take(questions: Iterator[str], count: int) -> list[str]:
    return list(islice(questions, count))


def _library(model: str) -> Callable[[str], object]:
    from tersely.completion.completer import Completer

    completer = Completer.load(model)
    completer.complete("warm up")
    return lambda question: completer.complete(question, 3)


def _seconds(run: Callable[[str], object], question: str) -> float:
    start = time.perf_counter()
    run(question)
    return time.perf_counter() - start


def _our_command(bench: ServeBench) -> list[str]:
    given = ["--port", "0", "--no-browser", "--rate", "0", "--deadline", "60"]
    workers = ["--workers", str(bench.workers), "--log-level", "warning"]
    return ["-m", "tersely", "serve", "--model", bench.model, *given, *workers]


def _plain_command(bench: ServeBench) -> list[str]:
    return ["-m", "tersely_lab.benchmarks.plain_service", bench.model]


@contextmanager
def _started(command: Sequence[str]) -> Iterator[str]:
    """Start a service with settings of nobody's; yields its address once it is ready."""
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
            found = re.search(r"http://\S+(?=/ )", process.stdout.readline())
            if found is None:
                raise TerselyError("A service to measure could not start; see above.")
            _wait_for(found[0])
            yield found[0]
        finally:
            process.terminate()
            process.wait(PATIENCE_SECONDS)


def _wait_for(url: str) -> None:
    latest = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < latest:
        try:
            with urlopen(f"{url}/readyz", timeout=PATIENCE_SECONDS):
                return
        except URLError:
            time.sleep(0.1)
    raise TerselyError(f"{url}: did not become ready.")
