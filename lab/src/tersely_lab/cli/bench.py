"""`tersely bench`: one question a subcommand; each answers as a table or as JSON."""

import argparse
import json
import sys
from importlib.util import find_spec
from pathlib import Path

from tersely.errors import UsageError
from tersely.progress import ProgressBar

EXAMPLES = """\
examples:
  tersely bench text
  tersely bench text --sentences reviews.txt --limit 50000 --json
  tersely bench segment
  tersely bench train --threads 1
  tersely bench train --no-peer --steps 3
  tersely bench latency --model runs/distilled --sentences test.txt --json
  tersely bench runtimes --model runs/distilled
  tersely bench frontier --sweep sweeps/reviews --model runs/distilled --sentences test.txt
  tersely bench specialists --sweep sweeps/reviews --model runs/distilled --data data/reviews
  tersely bench calibration --sentences dev.txt --plot reliability.png
  tersely bench showcase
  tersely bench serve --requests 100 --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the benchmarks and their options."""
    parser.epilog = EXAMPLES
    benches = parser.add_subparsers(dest="bench", metavar="BENCH", required=True)
    text = benches.add_parser("text", help="tokenising and prepare, against spaCy and sacremoses")
    text.add_argument("--sentences", type=Path, metavar="FILE", help="one a line (the fixture)")
    text.add_argument("--limit", type=int, default=20_000, metavar="N", help="sentences (20000)")
    segment = benches.add_parser("segment", help="sentence segmenters on review-like text")
    train = benches.add_parser("train", help="training, against OpenNMT-py")
    add = train.add_argument
    add("--threads", type=int, metavar="N", help="processor threads, the same for all (all)")
    add("--steps", type=int, default=10, metavar="N", help="steps in each of 3 rounds (10)")
    add("--peers", type=Path, metavar="DIR", help="OpenNMT-py's venv, made if it is not there")
    add("--no-peer", action="store_true", help="leave OpenNMT-py out")
    frontier = benches.add_parser("frontier", help="a model with a budget against a sweep")
    add = frontier.add_argument
    add("--sweep", required=True, type=Path, metavar="SWEEP", help="with finished runs")
    add("--model", required=True, type=Path, action="append", help="ours; again for more seeds")
    add("--sentences", required=True, type=Path, metavar="FILE", help="held out, one a line")
    add("--limit", type=int, metavar="N", help="only the first N sentences")
    add("--others", type=int, default=2000, metavar="N", help="for others' keywords (2000)")
    add("--plot", type=Path, metavar="PNG", help="draw the curves")
    specialists = benches.add_parser("specialists", help="against decoders trained on one rule")
    add = specialists.add_argument
    add("--sweep", required=True, type=Path, metavar="SWEEP", help="a sweep, or its small results")
    add("--model", required=True, type=Path, action="append", help="ours; again for more seeds")
    add("--data", required=True, type=Path, metavar="DIR", help="the corpus the sweep learned from")
    add("--limit", type=int, metavar="N", help="of the sentences it was judged on, the first N")
    calibration = benches.add_parser("calibration", help="whether scores are probabilities")
    add = calibration.add_argument
    add("--model", metavar="MODEL", help="a model folder or a run (ours)")
    add("--sentences", required=True, type=Path, metavar="FILE", help="held out, one a line")
    add("--limit", type=int, default=1000, metavar="N", help="only the first N sentences (1000)")
    add("--plot", type=Path, metavar="PNG", help="draw the reliability")
    showcase = benches.add_parser("showcase", help="sixty inputs of every kind, and the answers")
    showcase.add_argument("--model", metavar="MODEL", help="a model folder or a run (ours)")
    runtimes = benches.add_parser("runtimes", help="a decoder step in NumPy and in onnxruntime")
    add = runtimes.add_argument
    add("--model", required=True, type=Path, metavar="MODEL", help="a monotone model or run")
    add("--rows", type=int, default=5, metavar="N", help="hypotheses side by side (5)")
    add("--steps", type=int, default=400, metavar="N", help="steps in each of 5 rounds (400)")
    latency = benches.add_parser("latency", help="three suggestions, against OpenNMT-py and a T5")
    add = latency.add_argument
    add("--model", metavar="MODEL", help="a model folder or a run (ours)")
    add("--sentences", type=Path, metavar="FILE", help="held out, one a line (the fixture)")
    add("--sets", type=int, default=300, metavar="N", help="sets of keywords to complete (300)")
    add("--rounds", type=int, default=3, metavar="N", help="in which all take turns (3)")
    add("--peers", type=Path, metavar="DIR", help="folder of the peers' venvs, made if need be")
    add("--no-peer", action="store_true", help="leave OpenNMT-py and transformers out")
    serve = benches.add_parser("serve", help="the service, against one plain route")
    add = serve.add_argument
    add("--model", default="default", metavar="MODEL", help="a model folder or a run (ours)")
    add("--requests", type=int, default=200, metavar="N", help="in each of 3 rounds (200)")
    add("--workers", type=int, default=1, metavar="N", help="processes of the service (1)")
    quality = (frontier, specialists, calibration, showcase)
    for command in (text, segment, train, runtimes, latency, serve, *quality):
        command.add_argument("--json", action="store_true", help="print the figures as JSON")


def run(given: argparse.Namespace) -> None:
    """Run the benchmark asked for and print its figures."""
    if given.bench == "text":
        from tersely_lab.benchmarks import text

        results = text.measure(text.read_sentences(given.sentences, given.limit))
        print(json.dumps(results) if given.json else text.render(results))
    elif given.bench == "train":
        _run_train(given)
    elif given.bench == "frontier":
        _run_frontier(given)
    elif given.bench == "specialists":
        _run_specialists(given)
    elif given.bench == "calibration":
        _run_calibration(given)
    elif given.bench == "serve":
        _run_serve(given)
    elif given.bench == "showcase":
        from tersely.completion.completer import Completer
        from tersely_lab.benchmarks import showcase, showcase_cases

        rows = showcase.measure(Completer.load(given.model), showcase_cases.cases())
        print(json.dumps(rows) if given.json else showcase.render(rows))
    elif given.bench == "runtimes":
        _run_runtimes(given)
    elif given.bench == "latency":
        _run_latency(given)
    else:
        from tersely_lab.benchmarks import segmentation

        print(segmentation.run(as_json=given.json))


def _run_train(given: argparse.Namespace) -> None:
    if find_spec("torch") is None:
        raise UsageError('This benchmark needs torch. Try: pip install "tersely[train]"')
    _check_counts(given, "threads", "steps")
    _check_peers(given)
    from tersely.corpus.processes import available_cpus
    from tersely_lab.benchmarks import opennmt, train, train_tables

    folder = (given.peers or opennmt.DEFAULT_FOLDER).expanduser().absolute()
    bench = train.TrainBench(
        threads=given.threads or available_cpus(),
        steps=given.steps,
        peers=None if given.no_peer else folder,
    )
    found = train.measure(bench, say=lambda line: print(line, file=sys.stderr, flush=True))
    print(json.dumps(found) if given.json else train_tables.render(found))


def _run_serve(given: argparse.Namespace) -> None:
    if find_spec("fastapi") is None or find_spec("uvicorn") is None:
        raise UsageError('This benchmark needs FastAPI. Try: pip install "tersely[serve]"')
    for name in ("requests", "workers"):
        if getattr(given, name) < 1:
            raise UsageError(f"--{name} {getattr(given, name)}: a number from 1 on.")
    from tersely.completion.completer import Completer
    from tersely_lab.benchmarks import serve

    Completer.load(given.model)  # what is wrong with it is told here, in one line
    bench = serve.ServeBench(given.model, requests=given.requests, workers=given.workers)
    found = serve.measure(bench, say=lambda line: print(line, file=sys.stderr, flush=True))
    print(json.dumps(found) if given.json else serve.render(found))


def _run_frontier(given: argparse.Namespace) -> None:
    from tersely.text.encoding import read_sentences
    from tersely_lab.benchmarks import frontier, frontier_tables

    _check_counts(given, "limit", "others")
    bench = frontier.FrontierBench(
        sweep=given.sweep,
        models=given.model,
        sentences=read_sentences(given.sentences, given.limit),
        robustness_sentences=given.others,
    )
    found = frontier.measure(bench, say=lambda line: print(line, file=sys.stderr, flush=True))
    print(json.dumps(found) if given.json else frontier_tables.render(found))
    if given.plot:
        frontier_tables.plot(found, given.plot)


def _run_specialists(given: argparse.Namespace) -> None:
    from tersely.corpus.dataset import PreparedCorpus
    from tersely_lab.benchmarks import specialists

    _check_counts(given, "limit")
    bench = specialists.SpecialistsBench(
        sweep=given.sweep,
        models=given.model,
        sentences=[*PreparedCorpus.open(given.data).sentences("test")],
        limit=given.limit,
    )
    found = specialists.measure(bench, say=lambda line: print(line, file=sys.stderr, flush=True))
    print(json.dumps(found) if given.json else specialists.render(found))


def _run_calibration(given: argparse.Namespace) -> None:
    from tersely.completion.completer import Completer
    from tersely.text.encoding import read_sentences
    from tersely_lab.benchmarks import calibration

    _check_counts(given, "limit")
    sentences = read_sentences(given.sentences, given.limit)
    with ProgressBar(unit="sentence") as bar:
        found = calibration.measure(Completer.load(given.model), sentences, bar.advance)
    print(json.dumps(found) if given.json else calibration.render(found))
    if given.plot:
        calibration.plot(found, given.plot)


def _run_runtimes(given: argparse.Namespace) -> None:
    _check_counts(given, "rows", "steps")
    if find_spec("onnx") is None or find_spec("onnxruntime") is None:
        raise UsageError('This benchmark needs onnxruntime. Try: pip install "tersely-lab[peers]"')
    from tersely.model.folder import ModelFolder
    from tersely_lab.benchmarks import runtimes

    model = ModelFolder.from_pretrained(given.model)
    bench = runtimes.RuntimesBench(model=model, rows=given.rows, steps=given.steps)
    found = runtimes.measure(bench)
    print(json.dumps(found) if given.json else runtimes.render(found))


def _run_latency(given: argparse.Namespace) -> None:
    _check_counts(given, "sets", "rounds")
    _check_peers(given)
    if find_spec("torch") is None:
        raise UsageError('This benchmark needs torch. Try: pip install "tersely[train]"')
    from tersely_lab.benchmarks import latency, latency_tables, opennmt
    from tersely_lab.benchmarks.text import read_sentences

    folder = (given.peers or opennmt.DEFAULT_FOLDER.parent).expanduser().absolute()
    bench = latency.LatencyBench(
        sentences=read_sentences(given.sentences, 20 * given.sets),
        model=None if given.model is None else Path(given.model),
        count=given.sets,
        rounds=min(given.rounds, given.sets),
        peers=None if given.no_peer else folder,
    )
    found = latency.measure(bench, say=lambda line: print(line, file=sys.stderr, flush=True))
    print(json.dumps(found) if given.json else latency_tables.render(found))


def _check_peers(given: argparse.Namespace) -> None:
    if given.no_peer and given.peers:
        raise UsageError("--peers and --no-peer exclude each other. Give one of them.")


def _check_counts(given: argparse.Namespace, *names: str) -> None:
    for name in names:
        value = getattr(given, name)
        if value is not None and value < 1:
            raise UsageError(f"--{name} {value}: a number from 1 on.")
