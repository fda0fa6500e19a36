"""`tersely train`: options and progress bar. training/run.py does the work."""

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from tersely.errors import TerselyError, UsageError
from tersely.progress import ProgressBar

if TYPE_CHECKING:
    from tersely.training.config import RunConfig

EXAMPLES = """\
examples:
  tersely train --config configs/paper.toml --data data/yelp --out runs/constrained-0.5
  tersely train --config configs/tiny.toml --data data/notes --out runs/notes --minutes 5
  tersely train --init default --data data/mail --out runs/mail    fine-tunes our model

Repeat the command to resume. Ctrl-C saves a checkpoint first.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add(
        "--config",
        type=Path,
        metavar="FILE",
        help="the configuration (TOML); with --init the default is that of the model",
    )
    add("--data", required=True, type=Path, metavar="DIR", help="a prepared corpus")
    add("--out", required=True, type=Path, metavar="RUN", help="the folder of the run")
    add("--init", metavar="MODEL", help="fine-tune this model: a folder, a run, or default")
    add("--minutes", type=float, metavar="M", help="save and stop after M minutes")
    add("--threads", type=int, metavar="N", help="number of threads (default: all)")
    add("--tensorboard", action="store_true", help="also write RUN/tensorboard")
    add(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="override a key of the configuration; repeatable",
    )


def run(args: argparse.Namespace) -> None:
    """Train and print where the model is."""
    if find_spec("torch") is None:
        raise UsageError('Training needs torch. Try: pip install "tersely[train]"')
    from tersely.cli.options import check_minimum
    from tersely.training.config import with_changes
    from tersely.training.run import RunRequest, train

    if args.minutes is not None and not args.minutes > 0:
        raise UsageError(f"--minutes must be above 0, got {args.minutes}.")
    check_minimum(args, {"threads": 1})
    config = with_changes(_config(args), args.set)
    request = RunRequest(
        config=config,
        data=args.data,
        out=args.out,
        init=args.init,
        minutes=args.minutes,
        threads=args.threads,
        tensorboard=args.tensorboard,
        command=("tersely", *sys.argv[1:]),
    )
    with ProgressBar(config.training.max_steps, unit="step") as bar:
        ending = train(request, lambda step, row: bar.move_to(step, _shown_metrics(row)))
    if ending == "stopped" and args.minutes is None:
        raise TerselyError(f"{args.out}: stopped and saved. Repeat the command to resume.")
    print(f"{args.out}: {ending}. The model is in {args.out / 'model'}.")


def _config(args: argparse.Namespace) -> "RunConfig":
    """Return the configuration of --config, or that of the --init model."""
    from tersely.model.folder import ModelFolder
    from tersely.model.location import locate
    from tersely.training.config import load_config
    from tersely.training.fine_tuning import fine_tuning_config

    if args.config is not None:
        return load_config(args.config)
    if args.init is None:
        raise UsageError("--config is missing. Choose a file of configs/, or give --init MODEL.")
    return fine_tuning_config(ModelFolder.from_pretrained(locate(args.init)))


def _shown_metrics(row: dict[str, float]) -> dict[str, str]:
    """Return the metrics of a log interval for the progress bar."""
    metrics = {
        "loss": f"{row['loss_nats_a_token']:.3f}",
        "kept": f"{row['kept_fraction']:.1%}",
        "entropy": f"{row['entropy_nats_a_token']:.3f}",
        "tokens/s": f"{row['tokens_per_second']:,.0f}",
    }
    if "weight_tokens_per_nat" in row:
        metrics["λ"] = f"{row['weight_tokens_per_nat']:.2f}"
    return metrics
