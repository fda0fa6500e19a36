import json
import stat
import sys
from pathlib import Path

import pytest

from tersely.errors import TerselyError
from tersely_lab.benchmarks.train.peer import (
    Report,
    parse_report,
    sum_reports,
    train,
    write_task,
)
from tersely_lab.benchmarks.train.zipf import generate

LOG = """\
[2025-01-01 10:00:00,000 INFO] Start training loop without validation...
[2025-01-01 10:00:20,000 INFO] Step 10/   30; acc: 1.3; ppl: 360.3; xent: 5.9; \
lr: 0.00100; sents:    1239; bsz:  668/1400/124; 342/ 700 tok/s;     20 sec;
[2025-01-01 10:00:30,000 INFO] Step 20/   30; acc: 5.7; ppl: 221.2; xent: 5.4; \
lr: 0.00100; sents:    1280; bsz:  714/1500/128; 714/1500 tok/s;     30 sec;
[2025-01-01 10:00:50,000 INFO] Step 30/   30; acc: 1.4; ppl: 153.1; xent: 5.0; \
lr: 0.00100; sents:    1280; bsz:  520/1200/128; 260/ 600 tok/s;     50 sec;
[2025-01-01 10:00:51,000 INFO] Saving checkpoint model_step_30.pt
"""


def fake_venv(folder: Path, script: str) -> Path:
    """A venv whose onmt_train is a script of ours."""
    program = folder / "bin" / "onmt_train"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!{sys.executable}\n{script}")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return folder


def test_reports_are_parsed_and_other_lines_skipped() -> None:
    reports = [parse_report(line) for line in LOG.splitlines()]
    assert reports == [
        None,
        Report(10, 1400, 700),
        Report(20, 1500, 1500),
        Report(30, 1200, 600),
        None,
    ]


def test_the_first_report_is_warm_up_and_the_others_add_up() -> None:
    reports = [report for line in LOG.splitlines() if (report := parse_report(line))]
    throughput = sum_reports(list(zip(reports, [5.0, 13.0, 30.0], strict=True)))
    assert throughput.tokens == 15_000 + 12_000
    assert throughput.seconds == pytest.approx(10 + 20)
    assert throughput.processor_seconds == pytest.approx(25)
    assert sum_reports(list(zip(reports, [None] * 3, strict=True))).processor_seconds is None


def test_fewer_than_two_reports_are_an_error() -> None:
    with pytest.raises(TerselyError, match="holds 1 reports"):
        sum_reports([(Report(10, 1, 1), 0.0)])


def test_a_task_refers_to_existing_files(tmp_path: Path) -> None:
    path = write_task(generate(20), tmp_path, vocabulary=10_000, steps=30, batch=128, units=300)
    settings = json.loads(path.read_text())
    assert settings["batch_size"] == 128
    assert settings["hidden_size"] == 300
    assert settings["copy_attn"]
    assert len(Path(settings["src_vocab"]).read_text().splitlines()) == 9_995
    for name in settings["data"]["generated"].values():
        assert len(Path(name).read_text().splitlines()) == 20


def test_training_uses_the_given_number_of_threads(tmp_path: Path) -> None:
    script = f"import os\nassert os.environ['OMP_NUM_THREADS'] == '3'\nprint('''{LOG}''')\n"
    venv = fake_venv(tmp_path / "venv", script)
    assert train(venv, tmp_path / "settings.yaml", threads=3).tokens == 27_000


def test_a_failing_peer_is_reported_with_its_last_line(tmp_path: Path) -> None:
    venv = fake_venv(tmp_path / "venv", "raise SystemExit('no module named onmt')\n")
    with pytest.raises(TerselyError, match=r"no module named onmt.*--no-peer"):
        train(venv, tmp_path / "settings.yaml", threads=1)
