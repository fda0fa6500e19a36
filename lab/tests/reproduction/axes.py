"""What a figure draws, read back from its axes."""

import numpy as np
from matplotlib.figure import Figure as Canvas

from tersely_lab.reproduction.document import Draw

Line = tuple[list[float], list[float]]  # x and y


def lines_of(draw: Draw) -> list[list[Line]]:
    """Return the lines on each pair of axes."""
    canvas = Canvas()
    draw(canvas)
    return [
        [
            (np.asarray(line.get_xdata()).tolist(), np.asarray(line.get_ydata()).tolist())
            for line in axes.lines
        ]
        for axes in canvas.axes
    ]
