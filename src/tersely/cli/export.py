"""`tersely export`: a run or a model → a small model folder with a card."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tersely.errors import UsageError

if TYPE_CHECKING:
    from tersely.model.folder import ModelFolder
CALIBRATION_SENTENCES = 2000
EXAMPLES = """\
examples:
  tersely export runs/notes --out models/notes
  tersely export runs/notes --out models/notes --int8 --calibrate dev.txt
  tersely export runs/notes --out models/notes --corpus "my notes" --licence "CC BY 4.0"
  tersely export runs/notes --out models/notes --card about-my-model.md
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add("model", type=Path, metavar="RUN", help="a run or a model folder")
    add("--out", required=True, type=Path, metavar="DIR", help="the folder to write")
    kinds = parser.add_mutually_exclusive_group()
    for kind, what in (
        ("float16", "two bytes an entry (the default)"),
        ("int8", "one byte an entry, and a scale a row"),
        ("float32", "as trained"),
    ):
        kinds.add_argument(
            f"--{kind}", dest="kind", action="store_const", const=kind, default="float16", help=what
        )
    add("--calibrate", type=Path, metavar="FILE", help="sentences to fit scores on, or a corpus")
    add("--card", type=Path, metavar="FILE", help="Markdown in place of the card's text")
    add("--corpus", metavar="TEXT", help="what it was trained on, for the card")
    add("--attribution", metavar="TEXT", help="whom to name, for the card")
    add("--licence", metavar="TEXT", help="what the weights may be used for, for the card")


def run(given: argparse.Namespace) -> None:
    """Write the folder, and tell its size."""
    from dataclasses import replace

    from tersely.cli.options import check_text
    from tersely.completion.completer import Completer
    from tersely.model.card import Origin, write_card
    from tersely.model.folder import ModelFolder
    from tersely.model.quantization import compress

    facts = {name: getattr(given, name) for name in ("corpus", "attribution", "licence")}
    for name, fact in facts.items():
        check_text(fact or "", f"--{name}")
    text = None if given.card is None else _read_card(given.card)
    if given.out.resolve() in (given.model.resolve(), (given.model / "model").resolve()):
        raise UsageError(f"{given.out}: is the model itself. Give another --out.")
    model = ModelFolder.from_pretrained(given.model)
    Completer(model)  # what cannot run is not worth exporting
    if given.calibrate is not None:
        model = calibrated(model, given.calibrate)
    tensors = compress(model.tensors, given.kind)
    size = sum(array.nbytes for array in tensors.values())
    card = write_card(model, given.kind, weight_bytes=size, origin=Origin(**facts), text=text)
    replace(model, tensors=tensors, card=card).save_pretrained(given.out)
    before = sum(array.nbytes for array in model.tensors.values())
    print(f"{given.out}: {size / 1e6:.1f} MB of weights as {given.kind} ({before / 1e6:.1f} MB)")


def calibrated(model: "ModelFolder", path: Path) -> "ModelFolder":
    """Fit scores to how often they are right on these sentences, and budgets to what is typed.

    Where words are spent freely the bars hold the budget already, and stay.
    """
    from dataclasses import replace

    from tqdm import tqdm

    from tersely.completion.completer import Completer
    from tersely.evaluation.calibration import fit, judge, uncalibrated
    from tersely.selection.budget_table import LONGEST, with_steps
    from tersely.text.tokens import tokenise

    sentences, plain = _held_out(path), uncalibrated(model)
    with tqdm(unit="sentence", desc="calibrating", dynamic_ncols=True) as bar:
        judged = judge(Completer(plain), sentences, progress=bar.update)
    settings = {**plain.settings, "calibration": fit(judged).as_settings()}
    table = settings.get("budgets")
    if table and not any("bar" in row for row in table):
        rows = [tokens for text in sentences if len(tokens := tokenise(text).tokens) <= LONGEST]
        types_marks = bool(settings.get("encoder", {}).get("types_marks", False))
        settings["budgets"] = with_steps(table, rows, types_marks=types_marks)
    return replace(plain, settings=settings)


def _held_out(path: Path) -> list[str]:
    """Sentences of a file, one a line, or of a prepared corpus' dev part."""
    from itertools import islice

    from tersely.cli.evaluate import read_lines
    from tersely.corpus.dataset import PreparedCorpus

    if not path.is_dir():
        return read_lines(path, CALIBRATION_SENTENCES)
    return [*islice(PreparedCorpus.open(path).sentences("dev"), CALIBRATION_SENTENCES)]


def _read_card(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 text ({error.reason}).") from error
    if not text.strip():
        raise UsageError(f"{path}: empty; a card has some text.")
    return text
