from threading import Event

from tersely.cli.newest import Newest


class Work:
    """Work that waits to be let go, so that nothing depends on time."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.has_begun, self.may_end = Event(), Event()

    def __call__(self, question: str) -> str:
        self.begun.append(question)
        self.has_begun.set()
        assert self.may_end.wait(20)
        return question.upper()


def test_an_answer_is_delivered_with_its_question() -> None:
    delivered, is_there = [], Event()

    def deliver(question: str, answer: str) -> None:
        delivered.append((question, answer))
        is_there.set()

    newest = Newest(str.upper, deliver)
    newest.ask("late")
    assert is_there.wait(20)
    newest.close()
    assert delivered == [("late", "LATE")]


def test_only_the_newest_question_is_answered() -> None:
    work, delivered, is_there = Work(), [], Event()

    def deliver(question: str, answer: str) -> None:
        delivered.append(answer)
        is_there.set()

    newest = Newest(work, deliver)
    newest.ask("l")
    assert work.has_begun.wait(20)
    for typed in ("la", "lat", "late"):
        newest.ask(typed)
    work.may_end.set()
    assert is_there.wait(20)
    newest.close()
    assert work.begun == ["l", "late"]
    assert delivered == ["LATE"]


def test_once_closed_nothing_is_delivered() -> None:
    work, delivered = Work(), []
    newest = Newest(work, lambda *given: delivered.append(given))
    newest.ask("late")
    assert work.has_begun.wait(20)
    with newest._changed:
        newest._is_open = False
    work.may_end.set()
    newest.close()
    assert delivered == []
