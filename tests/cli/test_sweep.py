from pathlib import Path

import pytest

from tersely.cli.main import main
from tests.training.small import small_corpus
from tests.training.test_sweep import BASE, PLAN


@pytest.mark.promise(25)
def test_bad_input_is_one_clear_line(tmp_path: Path, capsys) -> None:
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
        complaint = capsys.readouterr().err.strip().splitlines()[-1]
        assert complaint.startswith("tersely: ")
        assert not (tmp_path / "s").exists()


def test_a_sweep_tells_how_it_goes(tmp_path: Path, capsys) -> None:
    (tmp_path / "base.toml").write_text(BASE)
    (tmp_path / "plan.toml").write_text('base = "base.toml"\n[[runs]]\nname = "one"\n')
    data = small_corpus(tmp_path / "data")
    arguments = [str(tmp_path / "plan.toml"), "--data", str(data), "--out", str(tmp_path / "s")]
    assert main(["sweep", *arguments, "--evaluate-sentences", "5", "--threads", "1"]) == 0
    said = capsys.readouterr().out
    assert "one: training" in said
    assert "all 1 runs are done" in said
