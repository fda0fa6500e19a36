import time
from pathlib import Path

import pytest

from tersely.errors import TerselyError
from tersely.model.folder import ModelFolder
from tersely.model.validation import TensorSpec
from tests.model.hostile import ways
from tests.model.test_folder import small_model

WAYS = dict(ways())


def test_there_are_a_hundred_ways() -> None:
    assert len(WAYS) >= 100


@pytest.mark.promise(1)
@pytest.mark.parametrize("way", WAYS)
def test_a_wrong_folder_is_refused_at_once_and_clearly(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "m"
    small_model().save_pretrained(folder)
    WAYS[way](folder)
    start = time.process_time()  # of this process: another one may keep the processor busy
    with pytest.raises(TerselyError) as caught:
        ModelFolder.from_pretrained(folder)
    assert time.process_time() - start < 1
    message = str(caught.value)
    assert str(folder) in message
    assert "\n" not in message
    assert len(message) < 500
    assert [path.name for path in tmp_path.iterdir()] == ["m"]  # nothing was run


def test_a_spec_knows_its_size_and_how_to_be_read() -> None:
    assert TensorSpec((7, 4), "F32").byte_count == 112
    assert TensorSpec((), "F16").byte_count == 2
    assert str(TensorSpec((7, 4), "I8")) == "I8 [7, 4]"
