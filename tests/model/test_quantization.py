from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tersely.completion.completer import Completer
from tersely.errors import TerselyError
from tersely.model.folder import ModelFolder
from tersely.model.quantization import compress, expand, expanded_manifest, quantise
from tersely.model.validation import TensorSpec
from tests.game.small_monotone import monotone_folder_of, small_monotone

WHERE = Path("config.json")
MATRICES = arrays(
    np.float32,
    st.tuples(st.integers(1, 5), st.integers(1, 7)),
    elements=st.floats(-1e6, 1e6, width=32),
)


def weights(seed: int = 1) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    shapes = {"embedding": (80, 64), "bias": (5000,), "place": (1, 64)}
    return {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


@given(MATRICES)
def test_an_entry_is_off_by_half_a_step_of_its_row_at_most(matrix: np.ndarray) -> None:
    whole, scales = quantise(matrix)
    assert whole.dtype == np.int8
    assert scales.shape == (len(matrix),)
    error = np.abs(expand({"m": whole, "m.scales": scales})["m"] - matrix)
    step = np.abs(matrix).max(axis=1) / 127
    assert (error <= 0.501 * step[:, None] + 1e-35).all()


def test_a_row_of_zeros_stays_zero_and_the_greatest_entry_exact() -> None:
    matrix = np.array([[0, 0, 0], [1, -4, 2]], np.float32)
    whole, scales = quantise(matrix)
    assert whole.tolist() == [[0, 0, 0], [32, -127, 64]]
    restored = expand({"m": whole, "m.scales": scales})["m"]
    assert restored[0].tolist() == [0, 0, 0]
    assert restored[1, 1] == pytest.approx(-4)


def test_only_large_matrices_become_compact() -> None:
    stored = compress(weights(), "int8")
    kinds = {name: array.dtype.name for name, array in stored.items()}
    assert kinds == {
        "embedding": "int8",
        "embedding.scales": "float32",
        "bias": "float32",
        "place": "float32",
    }
    halves = compress(weights(), "float16")
    assert {name for name, array in halves.items() if array.dtype == np.float16} == {"embedding"}


@pytest.mark.parametrize("kind", ["float32", "float16", "int8"])
def test_names_and_shapes_come_back_as_float32(kind) -> None:
    before, after = weights(), expand(compress(weights(), kind))
    assert after.keys() == before.keys()
    for name, array in after.items():
        assert array.dtype == np.float32
        assert (
            np.abs(array - before[name]).max()
            <= {"float32": 0, "float16": 2e-3, "int8": 0.02}[kind]
        )


def test_entries_that_half_precision_cannot_hold_are_refused() -> None:
    large = {"embedding": np.full((80, 64), 1e6, np.float32)}
    with pytest.raises(TerselyError, match=r"embedding.*float16.*--int8"):
        compress(large, "float16")
    assert compress(large, "int8")["embedding"].max() == 127


def test_a_manifest_tells_what_will_be_loaded() -> None:
    manifest = {
        "m": TensorSpec((4, 3), "I8"),
        "m.scales": TensorSpec((4,), "F32"),
        "half": TensorSpec((2,), "F16"),
        "whole": TensorSpec((2,), "I8"),
        "other.scales": TensorSpec((2,), "F32"),
    }
    assert expanded_manifest(WHERE, manifest) == {
        "m": TensorSpec((4, 3), "F32"),
        "half": TensorSpec((2,), "F32"),
        "whole": TensorSpec((2,), "I8"),
        "other.scales": TensorSpec((2,), "F32"),
    }


@pytest.mark.promise(1)
def test_weights_that_would_grow_too_large_are_refused_by_their_manifest() -> None:
    rows, columns = 1 << 15, 1 << 16  # 2 GiB on disk, 8 GiB in memory
    manifest = {"m": TensorSpec((rows, columns), "I8"), "m.scales": TensorSpec((rows,), "F32")}
    with pytest.raises(TerselyError, match="grow to 8,589,934,592 bytes"):
        expanded_manifest(WHERE, manifest)


@pytest.mark.parametrize("kind", ["float16", "int8"])
def test_a_compact_model_completes_like_the_one_it_was_made_of(kind, tmp_path: Path) -> None:
    model = monotone_folder_of(small_monotone(width=0.8))
    stored = ModelFolder(
        model.architecture,
        model.settings,
        {
            name: part
            for key, array in model.tensors.items()
            for name, part in _small(key, array, kind).items()
        },
        model.vocabulary,
    )
    stored.save_pretrained(tmp_path / "m")
    ours, theirs = Completer(model), Completer.load(tmp_path / "m")
    for text in ("w7", "w5 w9", "w12 w6 w8"):
        best, other = ours.complete(text, 1)[0], theirs.complete(text, 1)[0]
        assert other.score == pytest.approx(best.score, rel={"float16": 0.02, "int8": 0.2}[kind])


def _small(name: str, array: np.ndarray, kind: str) -> dict[str, np.ndarray]:
    """Compress whatever is a matrix, however small: the tiny model has no large ones."""
    if array.ndim != 2:
        return {name: array}
    if kind == "float16":
        return {name: array.astype(np.float16)}
    whole, scales = quantise(array)
    return {name: whole, f"{name}.scales": scales}
