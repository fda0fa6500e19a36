"""`tersely export`: write a run or a model as a compact model folder with a card."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tersely.errors import UsageError
from tersely.progress import ProgressBar

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
    for kind, description in (
        ("float16", "two bytes per weight (the default)"),
        ("int8", "one byte per weight, and a scale per row"),
        ("float32", "four bytes per weight, as trained"),
    ):
        kinds.add_argument(
            f"--{kind}",
            dest="kind",
            action="store_const",
            const=kind,
            default="float16",
            help=description,
        )
    add(
        "--calibrate",
        type=Path,
        metavar="FILE",
        help="calibrate scores on these sentences, or on the dev split of a prepared corpus",
    )
    add("--card", type=Path, metavar="FILE", help="Markdown that replaces the card's text")
    add("--corpus", metavar="TEXT", help="for the card: the training corpus")
    add("--attribution", metavar="TEXT", help="for the card: whom to credit")
    add("--licence", metavar="TEXT", help="for the card: the licence of the weights")


def run(args: argparse.Namespace) -> None:
    """Write the model folder and print its size."""
    from dataclasses import replace

    from tersely.completion.completer import Completer
    from tersely.model.card import Origin, write_card
    from tersely.model.folder import ModelFolder
    from tersely.model.quantization import cast_weights, dequantize
    from tersely.text.files import check_utf8

    origin = {name: getattr(args, name) for name in ("corpus", "attribution", "licence")}
    for name, text in origin.items():
        check_utf8(text or "", f"--{name}")
    card_text = None if args.card is None else _read_card(args.card)
    if args.out.resolve() in (args.model.resolve(), (args.model / "model").resolve()):
        raise UsageError(f"{args.out}: is the model to export. Choose another --out.")
    model = ModelFolder.from_pretrained(args.model)
    Completer(model)  # fails here if the model cannot be run
    if args.calibrate is not None:
        model = calibrated(model, args.calibrate)
    tensors = cast_weights(model.tensors, args.kind)
    size = sum(array.nbytes for array in tensors.values())
    card = write_card(model, args.kind, weight_bytes=size, origin=Origin(**origin), text=card_text)
    replace(model, tensors=tensors, card=card).save_pretrained(args.out)
    before = sum(dequantize(tensor).nbytes for tensor in model.tensors.values())
    print(f"{args.out}: {size / 1e6:.1f} MB of weights as {args.kind} ({before / 1e6:.1f} MB)")


def calibrated(model: "ModelFolder", path: Path) -> "ModelFolder":
    """Return the model with its scores and budgets fitted to the sentences of a file or corpus."""

    from tersely.evaluation.calibration import calibrate

    with ProgressBar(unit="sentence", description="calibrating") as bar:
        return calibrate(model, _held_out(path), progress=bar.advance)


def _held_out(path: Path) -> list[str]:
    """Return the sentences of a file, or those of the dev split of a prepared corpus."""
    from itertools import islice

    from tersely.corpus.dataset import PreparedCorpus
    from tersely.text.files import read_sentences

    if not path.is_dir():
        return read_sentences(path, CALIBRATION_SENTENCES)
    return [*islice(PreparedCorpus.open(path).sentences("dev"), CALIBRATION_SENTENCES)]


def _read_card(path: Path) -> str:
    from tersely.text.files import read_text

    text = read_text(path)
    if not text.strip():
        raise UsageError(f"{path}: empty. Write the card's text in Markdown.")
    return text
