"""Which runs of a sweep were trained as most of them were, but for their point and their seed."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

Record = dict[str, Any]  # of run.json
Complete = Callable[[Record], Record]
"""Adds to a config what did not exist yet when it was written."""
AFTER = "flat_after_steps"


def are_unusual(
    records: Sequence[Record], steps: Sequence[int], points: Sequence[str], complete: Complete
) -> list[bool]:
    """Tell of each run whether it differs from most in more than these settings of its objective.

    What makes no difference to what was trained is passed over: how often a run was saved, and
    the step before which it could not have been called flat, if it went on beyond that.
    """
    configs = [json.loads(json.dumps(complete(record["config"]))) for record in records]
    latest = max((config["training"].get(AFTER, 0) for config in configs), default=0)
    settings = []
    for record, config, trained in zip(records, configs, steps, strict=True):
        for key in ("kind", *points):
            config["objective"].pop(key, None)
        passed_over = ["seed", "checkpoint_every_steps", *([AFTER] if trained >= latest else [])]
        for key in passed_over:
            config["training"].pop(key, None)
        settings.append(json.dumps([config, record.get("data")], sort_keys=True))
    usual = Counter(settings).most_common(1)
    return [setting != usual[0][0] for setting in settings]
