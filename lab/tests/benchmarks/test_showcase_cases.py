from tersely_lab.benchmarks.showcase_cases import cases


def test_there_are_sixty_inputs_of_ten_kinds() -> None:
    assert len(cases()) == len({(case.typed, str(case.wishes)) for case in cases()}) == 60
    assert len({case.kind for case in cases()}) == 10
    assert all(case.rules for case in cases())
