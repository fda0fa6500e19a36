"""TensorBoard: the figures of a run where people are used to look at them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tersely.errors import UsageError
from tersely.training.loop import Report


@contextmanager
def tensorboard(run: Path, *, wanted: bool) -> Iterator[Report]:
    """Yield what writes a row to RUN/tensorboard, or to nowhere."""
    if not wanted:
        yield lambda step, row: None
        return
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise UsageError("--tensorboard needs it installed: pip install tensorboard") from error
    writer = SummaryWriter(run / "tensorboard")

    def write(step: int, row: dict[str, float]) -> None:
        for name, value in row.items():
            writer.add_scalar(name, value, step)

    try:
        yield write
    finally:
        writer.close()
