from tersely.errors import TerselyError, UsageError


def test_what_was_asked_wrongly_exits_with_2_and_what_failed_with_1() -> None:
    assert TerselyError("no").exit_code == 1
    assert UsageError("no").exit_code == 2
    assert issubclass(UsageError, TerselyError)
