"""Our own answers against the clock; run as a process of its own, as the peers are.

    python -m tersely_lab.benchmarks.our_answers KIND TASK.json

KIND is `served` (the model as people meet it: answers as long as they get), `model` (answers
of the lengths asked), `full` or `adaptive` (the paper's size with that softmax), or `batch`.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

from tersely.completion.completer import Completer
from tersely.decoding.beam import BeamOptions
from tersely.errors import TerselyError
from tersely.text.vocabulary import BOS_ID, EOS_ID, PAD_ID, UNK_ID
from tersely_lab.benchmarks.answers import Answer, time_answers
from tersely_lab.benchmarks.asked import Asked
from tersely_lab.benchmarks.paper_sized import Softmax, paper_sized
from tersely_lab.benchmarks.work import counted

BATCH = 64
WORK_ANSWERS = 20
"""Answers whose products are counted, apart from those that are timed."""


def main(arguments: list[str]) -> int:
    """Answer a task; the last line printed is the outcome as JSON."""
    kind, path = arguments
    task = json.loads(Path(path).read_text(encoding="utf-8"))
    try:
        found = _batch(task) if kind == "batch" else _one_by_one(kind, task)
    except TerselyError as error:
        print(json.dumps({"error": str(error)}))
        return error.exit_code
    print(json.dumps(found))
    return 0


def _one_by_one(kind: str, task: dict[str, Any]) -> dict[str, Any]:
    if kind in ("served", "model"):
        completer = _load(task)
        answer = _served(completer, task) if kind == "served" else _forced(completer, task, "")
    else:
        softmax: Softmax = "full" if kind == "full" else "adaptive"
        model = paper_sized(softmax, units=task["units"], vocabulary=task["vocabulary"])
        completer = Completer(model)
        answer = _forced(completer, task, "w")
    found = time_answers(task, answer)
    with counted() as work:
        for one in task["asked"][:WORK_ANSWERS]:
            answer(one)
    parameters = sum(array.size for array in completer.model.tensors.values())
    return {**found, "parameters": parameters, "work": work.as_dict()}


def _load(task: dict[str, Any]) -> Completer:
    return Completer.load(Path(task["model"]) if task["model"] else None)


def _served(completer: Completer, task: dict[str, Any]) -> Answer:
    def answer(asked: dict[str, Any]) -> int:
        found = completer.complete(" ".join(asked["keywords"]), task["count"])
        return len(found[0].tokens)

    return answer


def _forced(completer: Completer, task: dict[str, Any], prefix: str) -> Answer:
    """Answers of a given length: the end is barred until no word may come but the end."""

    def answer(asked: dict[str, Any]) -> int:
        one = Asked.from_dict(asked)
        words = [f"{prefix}{number}" for number in one.numbers] if prefix else list(one.keywords)
        beam = BeamOptions(
            width=task["width"],
            n_best=task["count"],
            max_tokens=one.length,
            extra_tokens=0,
            forbidden=(PAD_ID, UNK_ID, BOS_ID, EOS_ID),
        )
        return len(completer.suggest([words], beam)[0][0].tokens)

    return answer


def _batch(task: dict[str, Any]) -> dict[str, Any]:
    """Answer many at once, as they are served, and count the products that takes."""
    completer = _load(task)
    texts = [" ".join(one["keywords"]) for one in task["asked"]]
    batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
    completer.complete_batch(batches[0], task["count"])
    wall, own = time.perf_counter(), time.process_time()
    for batch in batches:
        completer.complete_batch(batch, task["count"])
    spent = {"seconds": time.perf_counter() - wall, "processor_seconds": time.process_time() - own}
    with counted() as work:
        for batch in batches:
            completer.complete_batch(batch, task["count"])
    return {**spent, "batch": BATCH, "answers": len(texts), "work": work.as_dict()}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
