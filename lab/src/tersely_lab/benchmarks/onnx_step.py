"""One step of the monotone decoder as an ONNX graph, run by onnxruntime on one thread.

The same sums as runtime/monotone.py's step and the head of its softmax, built node by
node from a model's weights, so that both runtimes can be timed at the same work.
"""

import logging
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.model.folder import ModelFolder
from tersely.model.quantization import dense
from tersely.model.shapes import MonotoneShape
from tersely.runtime.arrays import Floats, Ids

OPSET = 17  # the last that every onnxruntime of the past years reads
IR_VERSION = 8
INPUTS = ("last", "fed", "hidden", "cell")
OUTPUTS = ("new_hidden", "new_cell", "place", "words")


class OnnxStep:
    """A session that says the last word and scores the place and the frequent words."""

    def __init__(self, content: bytes) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            content, options, providers=["CPUExecutionProvider"]
        )

    def __call__(
        self, last: Ids, fed: Floats, hidden: Floats, cell: Floats
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Map the state to the next state, the logit of placing, and log p of the head's words."""
        given = dict(zip(INPUTS, (last, fed, hidden, cell), strict=True))
        new_hidden, new_cell, place, words = self._session.run(OUTPUTS, given)
        return new_hidden, new_cell, place, words


def step_graph(model: ModelFolder) -> Any:
    """Build the graph of a step with a model's weights in it."""
    from onnx import checker, helper, numpy_helper

    shape = MonotoneShape.from_settings(model.settings)
    weights = [numpy_helper.from_array(array, name) for name, array in _weights(model).items()]
    units = shape.decoder_units
    graph = helper.make_graph(_nodes(), "step", *_ends(shape, units), weights)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
    made.ir_version = IR_VERSION
    checker.check_model(made)
    return made


def quantised(graph: Any) -> bytes:
    """The same graph with int8 weights a channel, activations quantised as they come.

    Weights take 7 of the 8 bits: where a processor has no VNNI, pairs of products are added in
    16 bits, and larger ones would be cut off (onnxruntime's documentation of `reduce_range`).
    """
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder) / "step.onnx", Path(folder) / "int8.onnx"
        onnx.save(graph, before)
        level = logging.root.manager.disable
        logging.disable(logging.WARNING)  # it recommends a step that only matters for images
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
    tensors = {name: dense(tensor) for name, tensor in model.tensors.items()}
    embedding = tensors["decoder.embedding.weight"]
    head = "decoder.softmax.output.weight"
    own = {
        "embedding": embedding,
        "inputs": tensors["decoder.lstm.weight_ih_l0"][:, : embedding.shape[1]].T,
        "recurrence": tensors["decoder.lstm.weight_hh_l0"].T,
        "place_weight": tensors["decoder.place.weight"].T,
        "place_bias": tensors["decoder.place.bias"],
        "head": tensors[head if head in tensors else "decoder.softmax.output.head.weight"].T,
        "head_bias": tensors.get("decoder.softmax.output.bias", np.zeros(1, np.float32)),
    }
    return {name: np.ascontiguousarray(array) for name, array in own.items()}


def _nodes() -> list[Any]:
    from onnx import helper

    def node(kind: str, given: str, made: str, **how: Any) -> Any:
        return helper.make_node(kind, given.split(), made.split(), **how)

    return [
        node("Gather", "embedding last", "embedded"),
        node("MatMul", "embedded inputs", "projected"),
        node("MatMul", "hidden recurrence", "recurred"),
        node("Add", "projected recurred", "both"),
        node("Add", "both fed", "gates"),
        node("Split", "gates", "let_in keep_on candidate let_out", axis=1),
        *(node("Sigmoid", gate, f"{gate}_share") for gate in ("let_in", "keep_on", "let_out")),
        node("Tanh", "candidate", "candidate_value"),
        node("Mul", "keep_on_share cell", "kept"),
        node("Mul", "let_in_share candidate_value", "added"),
        node("Add", "kept added", "new_cell"),
        node("Tanh", "new_cell", "cell_value"),
        node("Mul", "let_out_share cell_value", "new_hidden"),
        node("MatMul", "new_hidden place_weight", "placing"),
        node("Add", "placing place_bias", "place"),
        node("MatMul", "new_hidden head", "scores"),
        node("Add", "scores head_bias", "biased"),
        node("LogSoftmax", "biased", "words", axis=1),
    ]


def _ends(shape: MonotoneShape, units: int) -> tuple[list[Any], list[Any]]:
    from onnx import TensorProto, helper

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
