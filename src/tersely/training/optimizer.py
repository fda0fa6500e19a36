"""The optimizer: Adam over encoder and decoder, gradient clipping, and the learning rate.

The learning rate is a function of the step alone, so resuming is exact.
"""

from typing import Any

import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_

from tersely.training.config import TrainingConfig


def build_optimizer(
    config: TrainingConfig, *, encoder: nn.Module, decoder: nn.Module
) -> torch.optim.Adam:
    """Build Adam with one group of parameters for the encoder and one for the decoder."""
    rate = config.learning_rate
    groups: list[dict[str, Any]] = [
        {"params": list(encoder.parameters()), "lr": config.encoder_learning_rate or rate},
        {"params": list(decoder.parameters()), "lr": rate},
    ]
    for group in groups:
        group["initial_lr"] = group["lr"]  # scaled by the schedule
    return torch.optim.Adam(groups, fused=True)


def clip_gradients(optimizer: torch.optim.Optimizer, norm_limit: float) -> None:
    """Scale the gradients of encoder and of decoder, each, down to this norm."""
    for group in optimizer.param_groups:
        clip_grad_norm_(group["params"], norm_limit)


def learning_rate_factor(step: int, config: TrainingConfig) -> float:
    """Return the factor of the initial learning rates at a step, counted from 0."""
    warmup = min(1.0, (step + 1) / config.warmup_steps) if config.warmup_steps else 1.0
    if config.schedule == "constant":
        return warmup
    return warmup * max(0.0, 1 - step / config.max_steps)


def scale_learning_rates(optimizer: torch.optim.Optimizer, factor: float) -> None:
    """Set the learning rate of each group to its initial one times the factor."""
    for group in optimizer.param_groups:
        group["lr"] = group["initial_lr"] * factor
