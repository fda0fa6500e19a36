from pathlib import Path

import pytest

from tersely.cli.main import main
from tests.training.small import small_corpus
from tests.training.test_sweep import BASE, PLAN


@pytest.mark.promise(25)
def test_bad_input_is_a_one_line_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "base.toml").write_text(BASE)
    (tmp_path / "plan.toml").write_text(PLAN)
    (tmp_path / "bad.toml").write_text("[[runs")
    (tmp_path / "binary.toml").write_bytes(bytes(range(256)))
    data = small_corpus(tmp_path / "data", sentences=100)
    cases = [
        (["no.toml"], data),
        (["bad.toml"], data),
        (["binary.toml"], data),
        (["base.toml"], data),
        (["plan.toml"], tmp_path / "nowhere"),
        (["plan.toml", "--parallel", "0"], data),
    ]
    for arguments, where in cases:
        command = [str(tmp_path / arguments[0]), *arguments[1:]]
        code = main(["sweep", *command, "--data", str(where), "--out", str(tmp_path / "s")])
        assert code == 2, arguments
        message = capsys.readouterr().err.strip().splitlines()[-1]
        assert message.startswith("tersely: ")
        assert not (tmp_path / "s").exists()


def test_a_sweep_prints_the_status_of_each_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "base.toml").write_text(BASE)
    (tmp_path / "plan.toml").write_text('base = "base.toml"\n[[runs]]\nname = "one"\n')
    data = small_corpus(tmp_path / "data")
    arguments = [str(tmp_path / "plan.toml"), "--data", str(data), "--out", str(tmp_path / "s")]
    assert main(["sweep", *arguments, "--evaluate-sentences", "5", "--threads", "1"]) == 0
    output = capsys.readouterr().out
    assert "one: training" in output
    assert "all 1 runs are done" in output
