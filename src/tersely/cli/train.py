"""`tersely train`: options and progress. The work is training/run.py's."""

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from tersely.errors import TerselyError, UsageError

if TYPE_CHECKING:
    from tersely.training.config import RunConfig
EXAMPLES = """\
examples:
  tersely train --config configs/paper.toml --data data/yelp --out runs/constrained-0.5
  tersely train --config configs/tiny.toml --data data/notes --out runs/notes --minutes 5
  tersely train --init default --data data/mail --out runs/mail    ours, on your text

The same command again goes on where it stopped. Ctrl-C saves first.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add(
        "--config",
        type=Path,
        metavar="FILE",
        help="settings, in TOML (with --init: as its model's)",
    )
    add("--data", required=True, type=Path, metavar="DIR", help="a prepared corpus")
    add("--out", required=True, type=Path, metavar="RUN", help="folder of the run")
    add("--init", metavar="MODEL", help="go on from this model: a folder, a run, or default")
    add("--minutes", type=float, metavar="M", help="stop after this long, saved")
    add("--threads", type=int, metavar="N", help="processor threads (all)")
    add("--tensorboard", action="store_true", help="also write RUN/tensorboard")
    add("--set", action="append", default=[], metavar="KEY=VALUE", help="change a setting")


def run(given: argparse.Namespace) -> None:
    """Train, and say where the model is."""
    if find_spec("torch") is None:
        raise UsageError('Training needs torch. Try: pip install "tersely[train]"')
    from tersely.training.config import with_changes
    from tersely.training.run import RunRequest, train

    if given.minutes is not None and not given.minutes > 0:
        raise UsageError("--minutes: a number above 0.")
    if given.threads is not None and given.threads < 1:
        raise UsageError("--threads: at least 1.")
    config = with_changes(_config(given), given.set)
    request = RunRequest(
        config=config,
        data=given.data,
        out=given.out,
        init=given.init,
        minutes=given.minutes,
        threads=given.threads,
        tensorboard=given.tensorboard,
        command=("tersely", *sys.argv[1:]),
    )
    with Progress(config.training.max_steps) as progress:
        ending = train(request, progress.report)
    if ending == "stopped" and given.minutes is None:
        raise TerselyError(f"{given.out}: stopped and saved. The same command goes on.")
    print(f"{given.out}: {ending}. The model is in {given.out / 'model'}.")


def _config(given: argparse.Namespace) -> "RunConfig":
    """Read the config given, or take that of the model to go on from."""
    from tersely.model.folder import ModelFolder
    from tersely.model.location import locate
    from tersely.training.config import load_config
    from tersely.training.fine_tuning import config_to_go_on

    if given.config is not None:
        return load_config(given.config)
    if given.init is None:
        raise UsageError("--config is missing: which settings? See configs/, or give --init MODEL.")
    return config_to_go_on(ModelFolder.from_pretrained(locate(given.init)))


class Progress:
    """A bar with loss, kept, λ, entropy, tokens a second and time left."""

    def __init__(self, steps: int) -> None:
        from tqdm import tqdm

        self._bar = tqdm(total=steps, unit="step", dynamic_ncols=True)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def report(self, step: int, row: dict[str, float]) -> None:
        """Show the figures of the last few steps."""
        if self._bar.n == 0 and step > 0:
            self._bar.initial = step  # a resumed run's time left counts from here
        self._bar.n = step
        shown = {
            "loss": f"{row['loss_nats_a_token']:.3f}",
            "kept": f"{row['kept_fraction']:.1%}",
            "entropy": f"{row['entropy_nats_a_token']:.3f}",
            "tokens/s": f"{row['tokens_per_second']:,.0f}",
        }
        if "weight_tokens_per_nat" in row:
            shown["λ"] = f"{row['weight_tokens_per_nat']:.2f}"
        self._bar.set_postfix(shown)
