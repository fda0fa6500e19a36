"""How the learning rate goes over a run: a function of the step alone, so resuming is exact."""

import torch

from tersely.training.config import TrainingConfig


def rate_factor(step: int, config: TrainingConfig) -> float:
    """What the learning rates are multiplied by at a step, counted from 0."""
    rise = min(1.0, (step + 1) / config.warmup_steps) if config.warmup_steps else 1.0
    if config.schedule == "constant":
        return rise
    return rise * max(0.0, 1 - step / config.max_steps)


def set_rates(optimizer: torch.optim.Optimizer, factor: float) -> None:
    """Scale each group's own rate."""
    for group in optimizer.param_groups:
        group["lr"] = group["initial_lr"] * factor
