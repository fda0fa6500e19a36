from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tersely.completion.completer import Completer
from tersely.errors import TerselyError
from tersely.model.folder import ModelFolder
from tersely.model.quantization import (
    Arrays,
    Floats,
    QuantizedTensor,
    Tensor,
    WeightDtype,
    cast_weights,
    check_finite,
    dequantize,
    from_stored,
    loaded_manifest,
    quantize,
    to_stored,
)
from tersely.model.validation import TensorSpec
from tests.game.small_monotone import monotone_folder_of, small_monotone

CONFIG = Path("config.json")
MATRICES = arrays(
    np.float32,
    st.tuples(st.integers(1, 5), st.integers(1, 7)),
    elements=st.floats(-1e6, 1e6, width=32),
)


def weights() -> dict[str, Floats]:
    rng = np.random.default_rng(1)
    shapes = {"embedding": (80, 64), "bias": (5000,), "place": (1, 64)}
    return {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def kinds(tensors: Mapping[str, Tensor]) -> dict[str, str]:
    return {
        name: "int8" if isinstance(tensor, QuantizedTensor) else tensor.dtype.name
        for name, tensor in tensors.items()
    }


@given(MATRICES)
def test_an_entry_is_off_by_at_most_half_a_scale_of_its_row(matrix: Floats) -> None:
    quantized = quantize(matrix)
    assert quantized.values.dtype == np.int8
    assert quantized.scales.shape == (len(matrix),)
    error = np.abs(quantized.dequantized() - matrix)
    scales = np.abs(matrix).max(axis=1) / 127
    assert (error <= 0.501 * scales[:, None] + 1e-35).all()


def test_a_row_of_zeros_stays_zero_and_the_greatest_entry_becomes_127() -> None:
    quantized = quantize(np.array([[0, 0, 0], [1, -4, 2]], np.float32))
    assert quantized.values.tolist() == [[0, 0, 0], [32, -127, 64]]
    matrix = quantized.dequantized()
    assert matrix.dtype == np.float32
    assert matrix[0].tolist() == [0, 0, 0]
    assert matrix[1, 1] == pytest.approx(-4)


def test_a_quantised_tensor_has_the_shape_and_size_of_its_matrix() -> None:
    quantized = quantize(np.ones((4, 3), np.float32))
    assert (quantized.shape, quantized.size, quantized.nbytes) == ((4, 3), 12, 12 + 4 * 4)


def test_only_large_matrices_are_compressed() -> None:
    assert kinds(cast_weights(weights(), "int8")) == {
        "embedding": "int8",
        "bias": "float32",
        "place": "float32",
    }
    assert kinds(cast_weights(weights(), "float16"))["embedding"] == "float16"
    assert set(kinds(cast_weights(weights(), "float32")).values()) == {"float32"}


def test_a_quantised_model_can_be_compressed_as_any_kind() -> None:
    once = cast_weights(weights(), "int8")
    again = cast_weights(once, "int8")["embedding"]
    assert isinstance(again, QuantizedTensor)
    assert np.array_equal(dequantize(again), dequantize(once["embedding"]))
    assert kinds(cast_weights(once, "float16"))["embedding"] == "float16"
    whole = cast_weights(once, "float32")["embedding"]
    assert np.array_equal(dequantize(whole), dequantize(once["embedding"]))


@pytest.mark.parametrize(("kind", "error"), [("float32", 0.0), ("float16", 2e-3), ("int8", 0.02)])
def test_stored_tensors_are_loaded_under_their_names(kind: WeightDtype, error: float) -> None:
    before = weights()
    after = from_stored(to_stored(cast_weights(before, kind)))
    assert after.keys() == before.keys()
    assert kinds(after)["embedding"] == ("int8" if kind == "int8" else "float32")
    for name, tensor in after.items():
        array = dequantize(tensor)
        assert array.dtype == np.float32
        assert np.abs(array - before[name]).max() <= error


def test_stored_int8_is_stored_unchanged_again() -> None:
    rng = np.random.default_rng(1)
    stored: Arrays = {
        "m": rng.integers(-127, 128, (4, 3)).astype(np.int8),
        "m.scales": rng.uniform(0.1, 2, 4).astype(np.float32),
        "bias": np.ones(3, np.float32),
        "flags": np.ones(3, np.int8),
        "other.scales": np.ones(2, np.float32),
    }
    tensors = from_stored(stored)
    assert kinds(tensors) == {
        "m": "int8",
        "bias": "float32",
        "flags": "int8",
        "other.scales": "float32",
    }
    again = to_stored(tensors)
    assert again.keys() == stored.keys()
    for name, array in stored.items():
        assert np.array_equal(again[name], array)
        assert again[name].dtype == array.dtype


def test_values_beyond_127_are_dequantised_because_kernels_cannot_take_them() -> None:
    stored: Arrays = {
        "m": np.array([[-128, 127]], np.int8),
        "m.scales": np.array([0.5], np.float32),
    }
    matrix = from_stored(stored)["m"]
    assert not isinstance(matrix, QuantizedTensor)
    assert matrix.tolist() == [[-64.0, 63.5]]


def test_entries_too_large_for_float16_are_refused() -> None:
    large = {"embedding": np.full((80, 64), 1e6, np.float32)}
    with pytest.raises(TerselyError, match=r"embedding.*float16.*--int8"):
        cast_weights(large, "float16")
    assert dequantize(cast_weights(large, "int8")["embedding"]).max() == pytest.approx(1e6)


@pytest.mark.parametrize("scale", [np.nan, np.inf, -np.inf, 3e38])
def test_scales_that_make_entries_infinite_are_refused(scale: float) -> None:
    values, scales = np.full((2, 2), 2, np.int8), np.array([1.0, scale], np.float32)
    with pytest.raises(TerselyError, match=r"config\.json: tensor m .*not finite"):
        check_finite(CONFIG, {"m": QuantizedTensor(values, scales)})


def test_a_scale_may_be_large_if_its_entries_are_finite() -> None:
    tensor = QuantizedTensor(np.ones((1, 2), np.int8), np.array([3e38], np.float32))
    check_finite(CONFIG, {"m": tensor, "flags": np.ones(2, np.int8)})


def test_a_manifest_implies_the_tensors_that_will_be_loaded() -> None:
    manifest = {
        "m": TensorSpec((4, 3), "I8"),
        "m.scales": TensorSpec((4,), "F32"),
        "half": TensorSpec((2,), "F16"),
        "whole": TensorSpec((2,), "I8"),
        "other.scales": TensorSpec((2,), "F32"),
    }
    assert loaded_manifest(CONFIG, manifest) == {
        "m": TensorSpec((4, 3), "F32"),
        "half": TensorSpec((2,), "F32"),
        "whole": TensorSpec((2,), "I8"),
        "other.scales": TensorSpec((2,), "F32"),
    }


@pytest.mark.promise(1)
def test_weights_too_large_as_float32_are_refused_by_their_manifest() -> None:
    rows, columns = 1 << 15, 1 << 16  # 2 GiB on disk, 8 GiB as float32
    manifest = {"m": TensorSpec((rows, columns), "I8"), "m.scales": TensorSpec((rows,), "F32")}
    with pytest.raises(TerselyError, match="need 8,589,934,592 bytes"):
        loaded_manifest(CONFIG, manifest)


@pytest.mark.parametrize(("kind", "tolerance"), [("float16", 0.02), ("int8", 0.2)])
def test_a_compressed_model_completes_like_the_original(
    kind: WeightDtype, tolerance: float, tmp_path: Path
) -> None:
    model = monotone_folder_of(small_monotone(width=0.8))
    compressed: dict[str, Tensor] = {}
    for name, tensor in model.tensors.items():
        array = dequantize(tensor)
        is_matrix = array.ndim == 2  # however small: the tiny model has no large ones
        stored = quantize(array) if kind == "int8" and is_matrix else array
        compressed[name] = array.astype(np.float16) if kind == "float16" and is_matrix else stored
    replace(model, tensors=compressed).save_pretrained(tmp_path / "m")
    loaded = ModelFolder.from_pretrained(tmp_path / "m")
    assert ("int8" in kinds(loaded.tensors).values()) == (kind == "int8")
    ours, theirs = Completer(model), Completer(loaded)
    for text in ("w7", "w5 w9", "w12 w6 w8"):
        expected, actual = ours.complete(text, 1)[0], theirs.complete(text, 1)[0]
        assert actual.score == pytest.approx(expected.score, rel=tolerance)
