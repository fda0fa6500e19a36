from tersely.decoding.deadline import NO_DEADLINE, Deadline


def test_a_deadline_expires_when_its_seconds_have_passed_and_stays_expired() -> None:
    now = 100.0
    deadline = Deadline(2.0, clock=lambda: now)
    assert not deadline.expired()
    now = 102.0
    assert not deadline.expired()
    assert not deadline.was_exceeded
    now = 102.1
    assert deadline.expired()
    now = 100.0
    assert deadline.expired()
    assert deadline.was_exceeded


def test_a_deadline_expires_when_its_caller_cancels_and_stays_expired() -> None:
    answers = iter([False, True, False])
    deadline = Deadline(is_cancelled=lambda: next(answers))
    assert not deadline.expired()
    assert deadline.expired()
    assert deadline.expired()
    assert next(answers) is False  # the caller was not called again


def test_without_seconds_and_caller_a_deadline_never_expires() -> None:
    assert not NO_DEADLINE.expired()
    assert not NO_DEADLINE.was_exceeded
