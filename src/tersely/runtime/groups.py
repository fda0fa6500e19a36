"""Groups: rows that belong together and stand together, as the hypotheses of a sentence do."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tersely.runtime.arrays import Ids


@dataclass(frozen=True)
class Groups:
    """How many rows there are of each group, one after the other."""

    sizes: Ids  # (groups,)

    @cached_property
    def bounds(self) -> Ids:
        """Where each begins, and where the last ends: (groups + 1,)."""
        bounds = np.zeros(len(self.sizes) + 1, np.int64)
        np.cumsum(self.sizes, out=bounds[1:])
        return bounds

    @cached_property
    def most(self) -> int:
        """Rows of the largest."""
        return int(self.sizes.max(initial=0))

    @cached_property
    def of_row(self) -> Ids:
        """The group of each row: (rows,)."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def side_by_side(self, values: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Map (rows, columns) to (groups, most × columns); what a smaller group lacks is −∞."""
        groups, columns = len(self.sizes), values.shape[1]
        if groups * self.most == len(values):
            return values.reshape(groups, self.most * columns)
        grid = np.full((groups, self.most, columns), -np.inf, values.dtype)
        grid[self.of_row, np.arange(len(values)) - self.bounds[self.of_row]] = values
        return grid.reshape(groups, self.most * columns)
