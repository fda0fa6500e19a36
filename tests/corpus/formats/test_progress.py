from hypothesis import given
from hypothesis import strategies as st

from tersely.corpus.formats.progress import Meter


@given(st.integers(0, 1000), st.lists(st.integers(0, 400)))
def test_a_finished_meter_has_reported_exactly_the_size(size, counts):
    reported = []
    meter = Meter(size, reported.append)
    for count in counts:
        meter.advance(count)
        assert sum(reported) <= size
    meter.finish()
    assert sum(reported) == size


def test_without_a_size_everything_is_reported():
    reported = []
    meter = Meter(None, reported.append)
    meter.advance(7)
    meter.finish()
    assert reported == [7]


def test_a_meter_nobody_watches_is_silent(capsys):
    meter = Meter(10)
    meter.advance(3)
    meter.finish()
    assert capsys.readouterr() == ("", "")
