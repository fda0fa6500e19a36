"""Config: all settings of a run, typed, with units in their names.

A TOML file fills these dataclasses, table by table. An unknown key is an error that names the
nearest known one; a value of another type is an error too. The table [objective] is defined
beside the objectives, in game/paper/objective.py.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from tersely.errors import UsageError
from tersely.game.distilled.masks import RULES as DISTILLATION_RULES
from tersely.game.paper.objective import OBJECTIVES, ObjectiveConfig
from tersely.game.paper.rules import RULES
from tersely.model.shapes import MAX_CUTOFFS, MAX_DIVISION, MONOTONE, PAPER, SHAPES
from tersely.training.toml_config import parse_table, read_toml

DISTILLED = "distilled"
RENAMED_KEYS = {
    "distillation": {
        "untold_share": "no_budget_share",
        "worth_noise": "value_noise",
        "free_share": "on_average_share",
    }
}
"""Table → earlier name of a key → its name. Configs, run.json and models may have either."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelConfig:
    """Architecture and sizes of encoder and decoder."""

    architecture: str = PAPER
    """A key of SHAPES in model/shapes.py. The monotone architecture, one model for all budgets,
    needs objective.kind = "distilled"."""
    embedding_units: int = 300
    encoder_units: int = 300
    """Paper: of a forward LSTM; monotone: of both directions of a bidirectional LSTM together."""
    encoder_embedding_units: int = 128
    """Monotone: size of the encoder's embedding."""
    reader_units: int = 300
    reader_units_count: Literal["both_directions", "each_direction"] = "both_directions"
    """Whether `reader_units` counts both directions together or each."""
    decoder_units: int = 300
    decoder_input: Literal["reader_state", "token_only"] = "reader_state"
    """Input beside the token's embedding: the reader's final state, or nothing."""
    decoder_start: Literal["reader_state", "zeros"] = "reader_state"
    """Initial state of the decoder; reader_state needs reader and decoder of the same size."""
    end_mark_in_keywords: bool = True
    """Whether an end mark, at no cost, is appended to the keywords."""
    softmax: Literal["full", "adaptive"] = "full"
    adaptive_cutoffs: tuple[int, ...] = (1000, 4000)
    adaptive_division: float = 2.0
    """Factor by which each further cluster has fewer units."""
    initial_range: float = 0.1
    """Parameters are initialized from U(−range, range)."""
    initial_keep_probability: float | None = None
    """Share of tokens that an untrained encoder keeps; None: about half, by initialization."""

    def common_shape(self, vocabulary_size: int) -> dict[str, Any]:
        """Return the sizes that the shapes of all architectures have."""
        divisor = 2 if self.reader_units_count == "both_directions" else 1
        cutoffs = tuple(cutoff for cutoff in self.adaptive_cutoffs if cutoff < vocabulary_size)
        return {
            "vocabulary_size": vocabulary_size,
            "embedding_units": self.embedding_units,
            "reader_units_a_direction": self.reader_units // divisor,
            "decoder_units": self.decoder_units,
            # A vocabulary too small for clusters gains nothing from an adaptive softmax.
            "softmax": self.softmax if cutoffs else "full",
            "adaptive_cutoffs": cutoffs if self.softmax == "adaptive" else (),
            "adaptive_division": self.adaptive_division,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimatorConfig:
    """How the gradient of a learned encoder is estimated from sampled masks."""

    samples: int = 1
    """Masks sampled for each sentence."""
    baseline: Literal["moving_average", "leave_one_out"] = "moving_average"
    baseline_decay: float = 0.9
    exploration_floor: float = 0.0
    """Keep probabilities are restricted to [floor, 1 − floor] during training."""
    entropy_bonus_tokens_per_nat: float = 0.0
    """Reward for the entropy of q; its gradient vanishes where q is near 0 or 1."""
    logit_penalty_tokens: float = 0.0
    """Penalty on the square of each keep logit; its gradient does not vanish where q saturates."""
    decoder_first_steps: int = 0
    """First steps in which only the decoder is trained, on masks of random rate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DistillationConfig:
    """Which masks a distilled scheme is trained on."""

    rule_share: float = 0.3
    """Share of sentences masked by a rule that imitates people."""
    rules: tuple[str, ...] = ("chance", "chance", "stopwords", "content")
    """chance: random tokens, at a random rate for each sentence; coin: random tokens at rate 0.5;
    stopwords: all but stop words; content: all but stop words, case marks and punctuation.
    A rule that is named twice is drawn twice as often. Keys of game/distilled/masks.py's RULES."""
    no_budget_share: float = 0.15
    """Share of the other sentences for which the decoder is not given the budget."""
    value_noise: float = 0.4
    """Standard deviation of the noise on the logarithm of a token's value."""
    flip_share: float = 0.05
    """Share of tokens whose value is random instead of predicted."""
    on_average_share: float = 0.0
    """Share of sentences whose budget holds on average (docs/decisions/budget-allocation.md)."""
    default_budget: float = 0.4
    """Share of tokens to type if a request gives none."""
    types_case_marks: bool = False
    """Whether `<shift>` may be a keyword, as with the paper's encoder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingConfig:
    """Length, learning rate, and intervals of a run."""

    batch_sentences: int = 128
    learning_rate: float = 0.001
    encoder_learning_rate: float | None = None
    """None: that of the decoder."""
    gradient_norm_limit: float | None = None
    """Norm to which the gradients of encoder and of decoder are clipped; None: no clipping."""
    schedule: Literal["constant", "linear"] = "constant"
    """Linear: the learning rate falls linearly to 0 at max_steps."""
    warmup_steps: int = 0
    """Steps over which the learning rate rises linearly from 0."""
    max_steps: int = 100_000
    flat_steps: int = 2_000
    """Stop when dev metrics have been flat for this many steps."""
    flat_after_steps: int = 0
    """Do not stop before this step: an encoder may stay on a plateau for thousands of steps."""
    flat_loss_nats: float = 0.01
    """The dev loss is flat if it changes by less than this over flat_steps."""
    flat_kept_share: float = 0.005
    """The share of dev tokens kept is flat if it changes by less than this over flat_steps."""
    evaluate_every_steps: int = 250
    evaluate_sentences: int = 1_000
    checkpoint_every_steps: int = 250
    train_sentences: int | None = None
    """Train on only this many sentences; None: all."""
    seed: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationConfig:
    """How a scheme is evaluated."""

    keep: Literal["threshold", "sample"] = "threshold"
    """Keep tokens of probability above one half, or sample."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig:
    """All settings of a run."""

    model: ModelConfig = field(default_factory=ModelConfig)
    objective: ObjectiveConfig = field(default_factory=ObjectiveConfig)
    estimator: EstimatorConfig = field(default_factory=EstimatorConfig)
    distillation: DistillationConfig = field(default_factory=DistillationConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as nested dictionaries, as TOML and JSON hold them."""
        return asdict(self)


def load_config(path: Path) -> RunConfig:
    """Read a config from a TOML file."""
    tables = read_toml(path)
    if not tables:
        raise UsageError(f"{path}: empty. Start from one of configs/, tiny.toml for example.")
    return parse_config(tables, where=str(path))


def parse_config(tables: Mapping[str, Any], *, where: str) -> RunConfig:
    """Build a config from nested dictionaries; `where` names their source in errors."""
    config = parse_table(RunConfig, _with_new_keys(tables, where), where)
    for is_valid, rule in chain(_registered(config), _bounds(config), _combinations(config)):
        if not is_valid:
            raise UsageError(f"{where}: {rule}.")
    return config


def _with_new_keys(tables: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Replace the earlier names of keys."""
    renamed = dict(tables)
    for name, new_names in RENAMED_KEYS.items():
        if not isinstance(tables.get(name), Mapping):
            continue
        table = dict(tables[name])
        for old, new in new_names.items():
            if old in table and new in table:
                raise UsageError(f"{where}: {name}.{old} is now {new}; remove one of the two.")
            if old in table:
                table[new] = table.pop(old)
        renamed[name] = table
    return renamed


def with_defaults(tables: dict[str, Any]) -> dict[str, Any]:
    """Add the defaults of settings that did not exist when these tables were written.

    Tables that this version cannot read are returned unchanged.
    """
    try:
        return parse_config(tables, where="run.json").as_dict()
    except UsageError:
        return tables


def with_changes(config: RunConfig, changes: Sequence[str], *, where: str = "--set") -> RunConfig:
    """Apply changes like "training.seed=2", with values as in TOML."""
    tables = config.as_dict()
    for change in changes:
        name, _, text = change.partition("=")
        table, _, key = name.strip().partition(".")
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            value = text.strip()  # a bare word is a string
        if not key or not isinstance(tables.get(table), dict):
            raise UsageError(f"{where} {change}: write TABLE.KEY=VALUE, such as training.seed=2.")
        tables[table][RENAMED_KEYS.get(table, {}).get(key, key)] = value
    return parse_config(tables, where=where)


_NOT_NEGATIVE = """
    model.initial_range objective.weight_tokens_per_nat objective.weight_learning_rate
    estimator.entropy_bonus_tokens_per_nat estimator.logit_penalty_tokens
    estimator.decoder_first_steps training.seed training.warmup_steps
    training.flat_after_steps
""".split()
_AT_LEAST_ONE = """
    model.embedding_units model.encoder_units model.reader_units model.decoder_units
    model.encoder_embedding_units
    estimator.samples training.batch_sentences training.max_steps training.flat_steps
    training.evaluate_every_steps training.evaluate_sentences training.checkpoint_every_steps
    training.train_sentences
""".split()
_ABOVE_ZERO = """
    training.learning_rate training.encoder_learning_rate training.gradient_norm_limit
    distillation.value_noise
""".split()


def _registered(config: RunConfig) -> Iterator[tuple[bool, str]]:
    """Check names against the tables where architectures, objectives and rules are registered."""
    architecture, names = config.model.architecture, ", ".join(SHAPES)
    yield architecture in SHAPES, f"model.architecture must be one of {names}, got {architecture!r}"
    kinds = (*OBJECTIVES, *RULES, DISTILLED)
    kind = config.objective.kind
    yield kind in kinds, f"objective.kind must be one of {', '.join(kinds)}, got {kind!r}"
    for rule in config.distillation.rules:
        names = ", ".join(DISTILLATION_RULES)
        yield rule in DISTILLATION_RULES, f"distillation.rules must be from {names}, got {rule!r}"


def _combinations(config: RunConfig) -> Iterator[tuple[bool, str]]:
    """Check settings that depend on each other."""
    model, estimator, cutoffs = config.model, config.estimator, config.model.adaptive_cutoffs
    reader = model.reader_units * (2 if model.reader_units_count == "each_direction" else 1)
    start = model.initial_keep_probability
    yield from [
        (model.reader_units % 2 == 0, "model.reader_units must be even"),
        (
            model.decoder_start == "zeros" or reader == model.decoder_units,
            'model.decoder_start = "reader_state" needs a reader of the decoder\'s size; '
            'try decoder_start = "zeros"',
        ),
        (0 <= estimator.exploration_floor < 0.5, "estimator.exploration_floor must be in [0, 0.5)"),
        (
            estimator.baseline == "moving_average" or estimator.samples >= 2,
            "estimator.baseline = leave_one_out needs estimator.samples of at least 2",
        ),
        (0 <= config.objective.delta <= 1, "objective.delta must be in [0, 1]"),
        (
            (model.architecture == MONOTONE) == (config.objective.kind == DISTILLED),
            'model.architecture = "monotone" and objective.kind = "distilled" go together',
        ),
        (
            model.architecture != MONOTONE or model.encoder_units % 2 == 0,
            "model.encoder_units must be even",
        ),
        *(
            (0 <= share <= 1, f"distillation.{name} must be in [0, 1]")
            for name, share in asdict(config.distillation).items()
            if name not in ("value_noise", "rules")
        ),
        (
            len(config.distillation.rules) > 0,
            "distillation.rules must name a rule; to use none, set distillation.rule_share = 0",
        ),
        (0 <= estimator.baseline_decay < 1, "estimator.baseline_decay must be in [0, 1)"),
        (
            start is None or 0 < start < 1,
            "model.initial_keep_probability must be in (0, 1)",
        ),
        (
            [*cutoffs] == sorted({*cutoffs}) and min(cutoffs, default=1) >= 1,
            "model.adaptive_cutoffs must increase and be at least 1",
        ),
        (
            model.softmax == "full"
            or model.decoder_units >= model.adaptive_division ** len(cutoffs),
            "model.adaptive_division leaves the last cluster without units",
        ),
    ]


def _bounds(config: RunConfig) -> Iterator[tuple[bool, str]]:
    """Check the ranges of numbers; None is always valid."""
    tables = config.as_dict()
    for minimum, names in ((0, _NOT_NEGATIVE), (1, _AT_LEAST_ONE), (None, _ABOVE_ZERO)):
        for name in names:
            table, _, key = name.partition(".")
            value = tables[table][key]
            if minimum is None:
                yield value is None or value > 0, f"{name} must be above 0, got {value}"
            else:
                yield (
                    value is None or value >= minimum,
                    f"{name} must be at least {minimum}, got {value}",
                )
    model = config.model
    yield (
        1 <= model.adaptive_division <= MAX_DIVISION,
        f"model.adaptive_division must be in [1, {MAX_DIVISION}]",
    )
    yield (
        len(model.adaptive_cutoffs) <= MAX_CUTOFFS,
        f"model.adaptive_cutoffs must have at most {MAX_CUTOFFS} entries",
    )
