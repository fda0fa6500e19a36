import json

from tersely.cli.main import main


def test_bench_text_prints_json(capsys) -> None:
    assert main(["bench", "text", "--limit", "50", "--json"]) == 0
    results = json.loads(capsys.readouterr().out)
    assert results["sentences"] == 50
    assert results["tokenising"]["tersely"]["restored"] == 50


def test_bench_text_prints_a_table(capsys) -> None:
    assert main(["bench", "text", "--limit", "50"]) == 0
    assert "sentences/s" in capsys.readouterr().out


def test_bench_without_a_question_is_misuse(capsys) -> None:
    try:
        code = main(["bench"])
    except SystemExit as stop:
        code = stop.code
    assert code == 2
    assert "BENCH" in capsys.readouterr().err
