import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tersely.errors import TerselyError, UsageError
from tersely.model.folder import ModelFolder
from tersely.model.quantization import QuantizedTensor, dequantize
from tersely.model.validation import TensorSpec
from tersely.text.vocabulary import SPECIAL_TOKENS, Vocabulary


def small_model(seed: int = 1) -> ModelFolder:
    rng = np.random.default_rng(seed)
    return ModelFolder(
        architecture="example",
        settings={"units": 4},
        tensors={
            "embedding": rng.normal(size=(7, 4)).astype(np.float32),
            "scale": np.array([1.5], np.float16),
            "packed": rng.integers(-127, 128, (4, 4)).astype(np.int8),
            "packed.scales": rng.uniform(0.1, 2, 4).astype(np.float32),
            "flags": rng.integers(0, 2, 5).astype(np.uint8),
        },
        vocabulary=Vocabulary([*SPECIAL_TOKENS, "late", "naïve"]),
        card="# A model\n",
    )


def assert_same_embedding(ours: ModelFolder, theirs: ModelFolder) -> None:
    assert np.array_equal(
        dequantize(ours.tensors["embedding"]), dequantize(theirs.tensors["embedding"])
    )


def test_a_saved_model_loads_the_same(tmp_path: Path) -> None:
    model = small_model()
    model.save_pretrained(tmp_path / "m")
    assert sorted(os.listdir(tmp_path / "m")) == [
        "README.md", "config.json", "model.safetensors", "vocab.txt",
    ]  # fmt: skip
    loaded = ModelFolder.from_pretrained(tmp_path / "m")
    assert (loaded.architecture, loaded.settings, loaded.card) == (
        "example",
        {"units": 4},
        "# A model\n",
    )
    assert loaded.vocabulary.tokens == model.vocabulary.tokens
    assert loaded.tensors.keys() == {"embedding", "scale", "packed", "flags"}
    for name in ("embedding", "flags"):
        ours, theirs = dequantize(model.tensors[name]), dequantize(loaded.tensors[name])
        assert np.array_equal(theirs, ours)
        assert theirs.dtype == ours.dtype


def test_float16_becomes_float32_and_int8_stays_quantised(tmp_path: Path) -> None:
    model = small_model()
    model.save_pretrained(tmp_path / "m")
    loaded = ModelFolder.from_pretrained(tmp_path / "m").tensors
    scale, packed = loaded["scale"], loaded["packed"]
    assert not isinstance(scale, QuantizedTensor)
    assert scale.dtype == np.float32
    assert scale.tolist() == [1.5]
    assert isinstance(packed, QuantizedTensor)
    assert np.array_equal(packed.values, dequantize(model.tensors["packed"]))
    assert np.array_equal(packed.scales, dequantize(model.tensors["packed.scales"]))


def test_a_quantised_model_is_saved_as_it_was_loaded(tmp_path: Path) -> None:
    model = small_model()
    fewer = {name: model.tensors[name] for name in model.tensors if name != "scale"}
    replace(model, tensors=fewer).save_pretrained(tmp_path / "a")
    ModelFolder.from_pretrained(tmp_path / "a").save_pretrained(tmp_path / "b")
    for name in os.listdir(tmp_path / "a"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_run_is_loaded_as_its_model(tmp_path: Path) -> None:
    small_model().save_pretrained(tmp_path / "run" / "model")
    assert ModelFolder.from_pretrained(tmp_path / "run").settings == {"units": 4}


def test_saving_again_replaces_the_model(tmp_path: Path) -> None:
    small_model(1).save_pretrained(tmp_path / "m")
    small_model(2).save_pretrained(tmp_path / "m")
    loaded = ModelFolder.from_pretrained(tmp_path / "m")
    assert_same_embedding(loaded, small_model(2))
    assert os.listdir(tmp_path) == ["m"]


def test_saving_never_removes_other_files(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "thesis.tex").write_text("years of work")
    with pytest.raises(UsageError, match="holds more than a model"):
        small_model().save_pretrained(tmp_path / "m")
    assert (tmp_path / "m" / "thesis.tex").read_text() == "years of work"


def test_a_save_that_fails_leaves_the_old_model(tmp_path: Path) -> None:
    small_model(1).save_pretrained(tmp_path / "m")
    broken = small_model(2)
    broken.settings["units"] = object()
    with pytest.raises(TypeError):
        broken.save_pretrained(tmp_path / "m")
    loaded = ModelFolder.from_pretrained(tmp_path / "m")
    assert_same_embedding(loaded, small_model(1))


def test_tensors_must_be_those_that_are_expected(tmp_path: Path) -> None:
    small_model().save_pretrained(tmp_path / "m")
    expected = {
        "embedding": TensorSpec((7, 4), "F32"),
        "scale": TensorSpec((1,), "F32"),
        "packed": TensorSpec((4, 4), "F32"),
        "flags": TensorSpec((5,), "U8"),
    }
    ModelFolder.from_pretrained(tmp_path / "m", expected=expected)
    with pytest.raises(TerselyError, match=r"embedding is F32 \[7, 4\], expected F32 \[8, 4\]"):
        ModelFolder.from_pretrained(
            tmp_path / "m", expected={**expected, "embedding": TensorSpec((8, 4), "F32")}
        )
    with pytest.raises(TerselyError, match="bias is missing, expected"):
        ModelFolder.from_pretrained(
            tmp_path / "m", expected={**expected, "bias": TensorSpec((1,), "F32")}
        )


def test_tensors_of_unknown_dtype_are_not_saved(tmp_path: Path) -> None:
    model = small_model()
    model = replace(model, tensors={**model.tensors, "double": np.zeros(3)})
    with pytest.raises(TerselyError, match="float64"):
        model.save_pretrained(tmp_path / "m")
    assert os.listdir(tmp_path) == []


def test_a_missing_folder_or_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such model folder"):
        ModelFolder.from_pretrained(tmp_path / "nowhere")
    small_model().save_pretrained(tmp_path / "m")
    (tmp_path / "m" / "vocab.txt").unlink()
    with pytest.raises(UsageError, match=r"vocab\.txt missing"):
        ModelFolder.from_pretrained(tmp_path / "m")


def test_the_config_is_readable(tmp_path: Path) -> None:
    small_model().save_pretrained(tmp_path / "m")
    config = json.loads((tmp_path / "m" / "config.json").read_text())
    assert config["format_version"] == 1
    assert config["tensors"]["embedding"] == {"shape": [7, 4], "dtype": "F32"}
