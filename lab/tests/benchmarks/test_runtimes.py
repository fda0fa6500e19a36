import json

import pytest

pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")

from tersely.cli.main import main
from tersely.errors import UsageError
from tersely.model.folder import ModelFolder
from tersely_lab.benchmarks.runtimes import RuntimesBench, installed_bytes, measure, render
from tests.game.small_monotone import monotone_folder_of, small_monotone


@pytest.fixture(scope="module")
def found():
    model = monotone_folder_of(small_monotone(width=0.8))
    return measure(RuntimesBench(model=model, rows=3, steps=4, rounds=2, imports=1))


def test_all_runtimes_take_turns_and_agree(found) -> None:
    assert list(found["runtimes"]) == ["tersely", "onnxruntime", "onnxruntime, int8"]
    for row in found["runtimes"].values():
        assert len(row["rounds_microseconds"]) == 2
        assert row["microseconds_a_step"] > 0
    assert found["runtimes"]["tersely"]["greatest_difference"] == 0
    assert 0 < found["runtimes"]["onnxruntime"]["greatest_difference"] < 1e-5


def test_the_figures_are_json_and_print_as_tables(found) -> None:
    assert json.loads(json.dumps(found))["rows"] == 3
    text = render(found)
    assert "| tersely |" in text
    assert "| NumPy |" in text
    assert "1.00" in text
    assert "installed, MB" in text


def test_a_package_has_a_size_where_it_is_installed() -> None:
    assert installed_bytes("numpy") > 10_000_000
    assert installed_bytes("no-such-package-anywhere") == 0


def test_another_architecture_is_refused(trained, capsys) -> None:
    with pytest.raises(UsageError, match=r'"paper"; a "monotone" one is needed'):
        measure(RuntimesBench(model=ModelFolder.from_pretrained(trained)))
    assert main(["bench", "runtimes", "--model", str(trained)]) == 2


def test_the_command_prints_json(tmp_path, capsys) -> None:
    monotone_folder_of(small_monotone(width=0.8)).save_pretrained(tmp_path / "m")
    command = ["bench", "runtimes", "--model", str(tmp_path / "m"), "--steps", "2", "--json"]
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out)["steps"] == 2
    assert main([*command, "--rows", "0"]) == 2
    assert "--rows 0" in capsys.readouterr().err
