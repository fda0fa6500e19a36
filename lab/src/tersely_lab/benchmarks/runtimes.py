"""`tersely bench runtimes`: a decoder step in our runtime and in onnxruntime.

A step is a few small products, and search reads its outcome in NumPy. Measured are the time of a
step at the beam's number of rows, the time of an import, the size of an install, and whether the
runtimes agree: NumPy with our kernels, onnxruntime, and onnxruntime with int8 weights. Needs a
monotone model. docs/decisions/runtime.md draws the conclusions.
"""

import argparse
import logging
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from tersely.errors import UsageError
from tersely.model.folder import ModelFolder
from tersely.model.quantization import dequantize
from tersely.model.shapes import MONOTONE, MonotoneShape
from tersely.runtime.arrays import Floats, Ids
from tersely.runtime.kernels.backend import BACKEND, log_softmax
from tersely.runtime.monotone import MonotoneRuntime, MonotoneState
from tersely_lab.benchmarks.command import (
    check_installed,
    check_positive,
    markdown_table,
    print_results,
)

StepOutput = tuple[Floats, Floats, Floats, Floats]  # hidden, cell, place, log p of the head
Step = Callable[[Ids, Floats, Floats, Floats], StepOutput]
ResultT = TypeVar("ResultT")
OURS = "tersely"
PACKAGES = {"NumPy": ("numpy",), "onnxruntime": ("onnxruntime", "flatbuffers", "protobuf")}
"""For each runtime the module to import, and further packages that an install needs."""

OPSET = 17  # read by every onnxruntime of recent years
IR_VERSION = 8
ONNX_INPUTS = ("last", "fed", "hidden", "cell")
ONNX_OUTPUTS = ("new_hidden", "new_cell", "place", "words")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("--model", required=True, type=Path, metavar="MODEL", help="a monotone model or run")
    add("--rows", type=int, default=5, metavar="N", help="hypotheses side by side (5)")
    add("--steps", type=int, default=400, metavar="N", help="steps in each of 5 rounds (400)")


def run(args: argparse.Namespace) -> None:
    """Measure and print."""
    check_positive(args, "rows", "steps")
    check_installed("onnx", "onnxruntime", extra="bench", name="onnxruntime")
    model = ModelFolder.from_pretrained(args.model)
    bench = RuntimesBench(model=model, rows=args.rows, steps=args.steps)
    print_results(measure(bench), render, as_json=args.json)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimesBench:
    """Settings of a run."""

    model: ModelFolder
    rows: int = 5
    steps: int = 400
    rounds: int = 5
    imports: int = 5


def measure(bench: RuntimesBench) -> dict[str, Any]:
    """Time all runtimes in turns, on one thread, by processor time."""
    if bench.model.architecture != MONOTONE:
        raise UsageError(
            f'The model has the architecture "{bench.model.architecture}"; '
            f'a "{MONOTONE}" one is needed.'
        )
    graph = step_graph(bench.model)
    content, int8_content = graph.SerializeToString(), quantise(graph)
    runtime, our_load = _timed(lambda: MonotoneRuntime(bench.model))
    session, onnx_load = _timed(lambda: OnnxStep(content))
    int8_session, int8_load = _timed(lambda: OnnxStep(int8_content))
    load_times = (our_load, onnx_load, int8_load)
    state, tokens = _start(bench, runtime)
    steps: dict[str, Step] = {
        OURS: _our_step(runtime, state),
        "onnxruntime": session,
        "onnxruntime, int8": int8_session,
    }
    seconds: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(bench.rounds):
        for name, step in steps.items():
            seconds[name].append(_seconds_per_step(step, state, tokens))
    ours = _first_output(steps[OURS], state, tokens[0])
    return {
        "rows": bench.rows,
        "steps": bench.steps,
        "runtimes": {
            name: {
                "microseconds_a_step": 1e6 * statistics.median(seconds[name]),
                "rounds_microseconds": [round(1e6 * value, 1) for value in seconds[name]],
                "ready_seconds": load_seconds,
                "greatest_difference": _difference(ours, _first_output(step, state, tokens[0])),
            }
            for (name, step), load_seconds in zip(steps.items(), load_times, strict=True)
        },
        "imports": {
            name: {
                "seconds": _import_seconds(packages[0], bench.imports),
                "installed_mb": sum(map(installed_bytes, packages)) / 1e6,
            }
            for name, packages in PACKAGES.items()
        },
    }


def render(results: dict[str, Any]) -> str:
    """Lay out the results."""
    base = results["runtimes"][OURS]["microseconds_a_step"]
    steps = [
        [
            name,
            f"{row['microseconds_a_step']:.0f}",
            f"{row['microseconds_a_step'] / base:.2f}",
            f"{1e3 * row['ready_seconds']:.0f}",
            f"{row['greatest_difference']:.1e}",
        ]
        for name, row in results["runtimes"].items()
    ]
    imports = [
        [name, f"{1e3 * row['seconds']:.0f}", f"{row['installed_mb']:.1f}"]
        for name, row in results["imports"].items()
    ]
    return "\n\n".join(
        [
            f"A step of {results['rows']} rows, one thread, processor time; kernels: {BACKEND}.",
            markdown_table(
                ["runtime", "µs a step", "× tersely", "ready, ms", "greatest difference"], steps
            ),
            markdown_table(["runtime", "import, ms", "installed, MB"], imports),
        ]
    )


def installed_bytes(package: str) -> int:
    """Return the size of an installed package; 0 if it is not installed."""
    try:
        paths = files(package) or []
    except PackageNotFoundError:
        return 0
    return sum(path.size or 0 for path in paths)


def _start(bench: RuntimesBench, runtime: MonotoneRuntime) -> tuple[MonotoneState, list[Ids]]:
    """Return a state after two keywords, and random frequent tokens to feed."""
    rng = np.random.default_rng(1)
    words = runtime.vocabulary.tokens
    state = runtime.begin([[words[-1], words[-2]]] * bench.rows)
    frequent = min(len(words), 1000)
    tokens = [rng.integers(5, frequent - 2, bench.rows) for _ in range(bench.steps)]
    return state, tokens


def _our_step(runtime: MonotoneRuntime, start: MonotoneState) -> Step:
    def step(last: Ids, fed: Floats, hidden: Floats, cell: Floats) -> StepOutput:
        state, next_token = runtime.step(replace(start, hidden=hidden, cell=cell), last)
        log_probs = log_softmax(next_token.softmax.head_scores(state.hidden))
        return state.hidden, state.cell, next_token.place_logit[:, None], log_probs

    return step


def _seconds_per_step(step: Step, state: MonotoneState, tokens: list[Ids]) -> float:
    fed = _first_keywords(state)
    hidden, cell = state.hidden, state.cell
    start = time.process_time()
    for last in tokens:
        hidden, cell, _, _ = step(last, fed, hidden, cell)
    return (time.process_time() - start) / len(tokens)


def _timed(build: Callable[[], ResultT]) -> tuple[ResultT, float]:
    start = time.process_time()
    result = build()
    return result, time.process_time() - start


def _first_output(step: Step, state: MonotoneState, last: Ids) -> StepOutput:
    return step(last, _first_keywords(state), state.hidden, state.cell)


def _first_keywords(state: MonotoneState) -> Floats:
    """Return the projection of the first keyword of each row."""
    return np.ascontiguousarray(state.projected[:: state.keywords.shape[1]])


def _difference(ours: StepOutput, theirs: StepOutput) -> float:
    return max(float(np.abs(a - b).max()) for a, b in zip(ours, theirs, strict=True))


def _import_seconds(module: str, times: int) -> float:
    """Return the time of an import, without the start of Python."""
    return max(0.0, _run_seconds(f"import {module}", times) - _run_seconds("pass", times))


def _run_seconds(code: str, times: int) -> float:
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        seconds.append(time.perf_counter() - start)
    return min(seconds)


class OnnxStep:
    """A decoder step of the monotone decoder and the head of its softmax, in onnxruntime.

    The graph has the same operations as runtime/monotone.py, on one thread.
    """

    def __init__(self, content: bytes) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            content, options, providers=["CPUExecutionProvider"]
        )

    def __call__(self, last: Ids, fed: Floats, hidden: Floats, cell: Floats) -> StepOutput:
        """Return the next state, the logit of placing, and log p of the head's words."""
        inputs = dict(zip(ONNX_INPUTS, (last, fed, hidden, cell), strict=True))
        new_hidden, new_cell, place, words = self._session.run(ONNX_OUTPUTS, inputs)
        return new_hidden, new_cell, place, words


def step_graph(model: ModelFolder) -> Any:
    """Build the ONNX graph of a step with a model's weights."""
    from onnx import checker, helper, numpy_helper

    shape = MonotoneShape.from_settings(model.settings)
    weights = [numpy_helper.from_array(array, name) for name, array in _weights(model).items()]
    graph = helper.make_graph(_nodes(), "step", *_inputs_and_outputs(shape), weights)
    onnx_model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
    onnx_model.ir_version = IR_VERSION
    checker.check_model(onnx_model)
    return onnx_model


def quantise(graph: Any) -> bytes:
    """Return the graph with int8 weights per channel and dynamically quantised activations.

    Weights use 7 of the 8 bits: without VNNI, pairs of products are added in 16 bits, and larger
    ones would saturate (onnxruntime's documentation of `reduce_range`).
    """
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder) / "step.onnx", Path(folder) / "int8.onnx"
        onnx.save(graph, before)
        level = logging.root.manager.disable
        logging.disable(logging.WARNING)  # it recommends preprocessing that only matters for images
        try:
            quantize_dynamic(
                before,
                after,
                weight_type=QuantType.QInt8,
                per_channel=True,
                reduce_range=True,
            )
        finally:
            logging.disable(level)
        return after.read_bytes()


def _weights(model: ModelFolder) -> Mapping[str, npt.NDArray[Any]]:
    tensors = {name: dequantize(tensor) for name, tensor in model.tensors.items()}
    embedding = tensors["decoder.embedding.weight"]
    head = "decoder.softmax.output.weight"
    weights = {
        "embedding": embedding,
        "inputs": tensors["decoder.lstm.weight_ih_l0"][:, : embedding.shape[1]].T,
        "recurrence": tensors["decoder.lstm.weight_hh_l0"].T,
        "place_weight": tensors["decoder.place.weight"].T,
        "place_bias": tensors["decoder.place.bias"],
        "head": tensors[head if head in tensors else "decoder.softmax.output.head.weight"].T,
        "head_bias": tensors.get("decoder.softmax.output.bias", np.zeros(1, np.float32)),
    }
    return {name: np.ascontiguousarray(array) for name, array in weights.items()}


def _nodes() -> list[Any]:
    from onnx import helper

    def node(operator: str, inputs: str, outputs: str, **attributes: Any) -> Any:
        return helper.make_node(operator, inputs.split(), outputs.split(), **attributes)

    return [
        node("Gather", "embedding last", "embedded"),
        node("MatMul", "embedded inputs", "projected"),
        node("MatMul", "hidden recurrence", "recurrent"),
        node("Add", "projected recurrent", "sum"),
        node("Add", "sum fed", "gates"),
        node("Split", "gates", "input_gate forget_gate cell_gate output_gate", axis=1),
        *(
            node("Sigmoid", gate, f"{gate}_value")
            for gate in ("input_gate", "forget_gate", "output_gate")
        ),
        node("Tanh", "cell_gate", "cell_gate_value"),
        node("Mul", "forget_gate_value cell", "remembered"),
        node("Mul", "input_gate_value cell_gate_value", "added"),
        node("Add", "remembered added", "new_cell"),
        node("Tanh", "new_cell", "cell_value"),
        node("Mul", "output_gate_value cell_value", "new_hidden"),
        node("MatMul", "new_hidden place_weight", "placing"),
        node("Add", "placing place_bias", "place"),
        node("MatMul", "new_hidden head", "scores"),
        node("Add", "scores head_bias", "biased"),
        node("LogSoftmax", "biased", "words", axis=1),
    ]


def _inputs_and_outputs(shape: MonotoneShape) -> tuple[list[Any], list[Any]]:
    from onnx import TensorProto, helper

    units = shape.decoder_units

    def value(name: str, *extents: str | int, kind: int = TensorProto.FLOAT) -> Any:
        return helper.make_tensor_value_info(name, kind, ["rows", *extents])

    words = shape.adaptive_cutoffs[0] + len(shape.adaptive_cutoffs) if shape.adaptive_cutoffs else 0
    inputs = [
        value("last", kind=TensorProto.INT64),
        value("fed", 4 * units),
        value("hidden", units),
        value("cell", units),
    ]
    outputs = [
        value("new_hidden", units),
        value("new_cell", units),
        value("place", 1),
        value("words", words or shape.vocabulary_size),
    ]
    return inputs, outputs
