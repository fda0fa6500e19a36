from tersely_lab.reproduction.verdicts import RULINGS, between, number, percent, points, ruling


def test_a_ruling_is_one_of_three() -> None:
    assert [ruling(value) for value in (True, False, None)] == list(RULINGS)


def test_figures_read_as_a_person_writes_them() -> None:
    assert percent(0.1173) == "11.73 %"
    assert points(-0.1173) == "-11.73 points"
    assert between((0.01, 0.2)) == "95 %: +1.00 to +20.00"
    assert number(1.005) == "1.00"
    assert {percent(None), points(None), number(None)} == {"–"}
    assert between(None) == "no interval"
