"""Config: every choice of a run, typed, with its unit in its name.

A TOML file fills these dataclasses table by table. A key that is not known is an
error that names the nearest one; a value of another type is an error too.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from tersely.errors import UsageError
from tersely.model.shapes import MAX_CUTOFFS, MAX_DIVISION
from tersely.training.tables import fill, read_toml


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelConfig:
    """Sizes and wiring of encoder and decoder."""

    architecture: Literal["paper", "monotone"] = "paper"
    """The paper's scheme, or the one with a budget; objective.kind = "distilled" trains that."""
    embedding_units: int = 300
    encoder_units: int = 300
    """The paper's encoder reads forwards; the monotone scheme's both ways, half of them each."""
    encoder_embedding_units: int = 128
    """Monotone: size of the encoder's own embedding."""
    reader_units: int = 300
    reader_units_count: Literal["both_directions", "each_direction"] = "both_directions"
    """Whether `reader_units` is the sum of both directions or the size of each."""
    decoder_units: int = 300
    decoder_input: Literal["reader_state", "token_only"] = "reader_state"
    """What joins the token's embedding: the reader's last state, or nothing."""
    decoder_start: Literal["reader_state", "zeros"] = "reader_state"
    """State the decoder starts from; the reader's needs reader and decoder of one size."""
    end_mark_in_keywords: bool = True
    """Whether the keywords end with an end mark that costs nothing."""
    softmax: Literal["full", "adaptive"] = "full"
    adaptive_cutoffs: tuple[int, ...] = (1000, 4000)
    adaptive_division: float = 2.0
    """Each further cluster has this many times fewer units."""
    initial_range: float = 0.1
    """All parameters start from U(−range, range)."""
    initial_keep_probability: float | None = None
    """Share of tokens an untrained encoder keeps; None: as the parameters fall, about a half."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectiveConfig:
    """What is minimised."""

    kind: Literal["constrained", "linear", "unif", "stopword", "distilled"] = "constrained"
    epsilon_nats_per_token: float = 0.5
    """Constrained: greatest mean loss."""
    weight_tokens_per_nat: float = 5.0
    """λ; Linear keeps it, Constrained starts from it."""
    weight_learning_rate: float = 0.01
    weight_ascent: Literal["adam", "sgd"] = "adam"
    """How λ climbs: by Adam, or by plain steps of rate × (loss − ε)."""
    delta: float = 0.5
    """Unif: share kept; Stopword: share of stop words kept."""
    stopword_drops_shift: bool = False
    stopword_drops_punctuation: bool = False
    decoder_gradient: Literal["scaled_by_weight", "unscaled"] = "scaled_by_weight"
    """Whether the decoder's gradient carries λ, as in J."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimatorConfig:
    """How the encoder learns from sampled masks."""

    samples: int = 1
    baseline: Literal["moving_average", "leave_one_out"] = "moving_average"
    baseline_decay: float = 0.9
    exploration_floor: float = 0.0
    """Keep probabilities are held within [floor, 1 − floor] while training."""
    entropy_bonus_tokens_per_nat: float = 0.0
    """Reward for undecided keep probabilities; where they are decided it hardly pulls."""
    logit_penalty_tokens: float = 0.0
    """Cost of the square of each keep logit: what REINFORCE can no longer pull back, this can."""
    decoder_first_steps: int = 0
    """Steps in which only the decoder learns, on random masks of random rate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DistillationConfig:
    """Which masks a distilled scheme learns from."""

    rule_share: float = 0.3
    """Of sentences masked the way people might, by one of the rules."""
    rules: tuple[Literal["chance", "coin", "stopwords", "content"], ...] = (
        "chance",
        "chance",
        "stopwords",
        "content",
    )
    """chance: tokens by chance, at a rate of the sentence's own; coin: half of them by chance;
    stopwords: all but stop words; content: these less case marks and punctuation.
    One that is named twice is drawn twice as often."""
    untold_share: float = 0.15
    """Of the others, whose budget the decoder is not told."""
    worth_noise: float = 0.4
    """Standard deviation of the logarithm of a word's worth."""
    flip_share: float = 0.05
    """Of words whose worth is drawn instead of predicted."""
    free_share: float = 0.0
    """Of sentences by the encoder, whose words are spent freely: a word more where it helps."""
    default_budget: float = 0.4
    """Share of tokens to type where none is asked for."""
    types_case_marks: bool = False
    """Whether `<shift>` is typed where it is worth it, as the paper's encoder may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingConfig:
    """How long, how fast, how often."""

    batch_sentences: int = 128
    learning_rate: float = 0.001
    encoder_learning_rate: float | None = None
    """None: as the decoder's."""
    gradient_norm_limit: float | None = None
    """Gradients of encoder and decoder, each, are scaled down to this norm; None: never."""
    schedule: Literal["constant", "linear"] = "constant"
    """Linear: the learning rate falls evenly, to 0 at max_steps."""
    warmup_steps: int = 0
    """Steps over which the learning rate rises from 0."""
    max_steps: int = 100_000
    flat_steps: int = 2_000
    """Stop when dev figures have been flat for this long."""
    flat_after_steps: int = 0
    """But not before this step: an encoder may rest on a plateau before it comes down."""
    flat_loss_nats: float = 0.01
    """A change of the dev loss by less than this over that time is flat."""
    flat_kept_share: float = 0.005
    """The same for the share of dev tokens kept."""
    evaluate_every_steps: int = 250
    evaluate_sentences: int = 1_000
    checkpoint_every_steps: int = 250
    train_sentences: int | None = None
    """Use only the first of the train sentences."""
    seed: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationConfig:
    """How a finished scheme is judged."""

    keep: Literal["threshold", "sample"] = "threshold"
    """The encoder keeps what is likelier kept than not, or draws."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig:
    """All of it."""

    model: ModelConfig = field(default_factory=ModelConfig)
    objective: ObjectiveConfig = field(default_factory=ObjectiveConfig)
    estimator: EstimatorConfig = field(default_factory=EstimatorConfig)
    distillation: DistillationConfig = field(default_factory=DistillationConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)

    def __post_init__(self) -> None:
        _check(self)

    def as_dict(self) -> dict[str, Any]:
        """As plain tables, the way TOML and JSON hold them."""
        return asdict(self)


def load_config(path: Path) -> RunConfig:
    """Read a TOML file; say what is wrong with it and where."""
    tables = read_toml(path)
    if not tables:
        raise UsageError(f"{path}: empty. Start from one of configs/, tiny.toml for example.")
    return parse_config(tables, where=str(path))


def parse_config(tables: Mapping[str, Any], *, where: str) -> RunConfig:
    """Turn tables into a config."""
    return fill(RunConfig, tables, where)


def completed(tables: dict[str, Any]) -> dict[str, Any]:
    """Add settings that did not exist yet when these were written, at their defaults.

    What is of another version stays as it stands.
    """
    try:
        return parse_config(tables, where="run.json").as_dict()
    except UsageError:
        return tables


def with_changes(config: RunConfig, changes: Sequence[str]) -> RunConfig:
    """Apply changes like "training.seed=2"; values are written as in TOML."""
    tables = config.as_dict()
    for change in changes:
        name, _, text = change.partition("=")
        table, _, key = name.strip().partition(".")
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            value = text.strip()  # a bare word is a string
        if not key or not isinstance(tables.get(table), dict):
            raise UsageError(f"--set {change}: write it as TABLE.KEY=VALUE, as training.seed=2.")
        tables[table][key] = value
    return parse_config(tables, where="--set")


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
    distillation.worth_noise
""".split()


def _check(config: RunConfig) -> None:
    """Refuse what cannot work, with the way out."""
    for holds, complaint in chain(_bounds(config), _combinations(config)):
        if not holds:
            raise UsageError(f"Config: {complaint}.")


def _combinations(config: RunConfig) -> Iterator[tuple[bool, str]]:
    """Which settings go together, once each lies where it can."""
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
        (0 <= estimator.exploration_floor < 0.5, "estimator.exploration_floor lies in [0, 0.5)"),
        (
            estimator.baseline == "moving_average" or estimator.samples >= 2,
            "estimator.baseline = leave_one_out needs estimator.samples of at least 2",
        ),
        (0 <= config.objective.delta <= 1, "objective.delta lies between 0 and 1"),
        (
            (model.architecture == "monotone") == (config.objective.kind == "distilled"),
            'model.architecture = "monotone" and objective.kind = "distilled" go together',
        ),
        (
            model.architecture == "paper" or model.encoder_units % 2 == 0,
            "model.encoder_units must be even",
        ),
        *(
            (0 <= share <= 1, f"distillation.{name} lies between 0 and 1")
            for name, share in asdict(config.distillation).items()
            if name not in ("worth_noise", "rules")
        ),
        (
            len(config.distillation.rules) > 0,
            "distillation.rules names at least one rule; for none, set distillation.rule_share = 0",
        ),
        (0 <= estimator.baseline_decay < 1, "estimator.baseline_decay lies in [0, 1)"),
        (
            start is None or 0 < start < 1,
            "model.initial_keep_probability lies between 0 and 1, both excluded",
        ),
        (
            [*cutoffs] == sorted({*cutoffs}) and min(cutoffs, default=1) >= 1,
            "model.adaptive_cutoffs rise, from 1 on",
        ),
        (
            model.softmax == "full"
            or model.decoder_units >= model.adaptive_division ** len(cutoffs),
            "model.adaptive_division leaves the last cluster without units",
        ),
    ]


def _bounds(config: RunConfig) -> Iterator[tuple[bool, str]]:
    """Which numbers lie where they can; None always does."""
    tables = config.as_dict()
    for least, names in ((0, _NOT_NEGATIVE), (1, _AT_LEAST_ONE), (None, _ABOVE_ZERO)):
        for name in names:
            table, _, key = name.partition(".")
            value = tables[table][key]
            if least is None:
                yield value is None or value > 0, f"{name} is above 0"
            else:
                yield value is None or value >= least, f"{name} is at least {least}"
    model = config.model
    yield (
        1 <= model.adaptive_division <= MAX_DIVISION,
        f"model.adaptive_division lies between 1 and {MAX_DIVISION}",
    )
    yield (
        len(model.adaptive_cutoffs) <= MAX_CUTOFFS,
        f"model.adaptive_cutoffs are {MAX_CUTOFFS} at most",
    )
