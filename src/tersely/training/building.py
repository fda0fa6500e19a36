"""Building: a config's words → the scheme, the round and the optimizer they stand for."""

from collections.abc import Iterator
from dataclasses import replace

import torch
from torch.nn import Parameter

from tersely.game.estimator import Baseline, LeaveOneOut, MovingAverage
from tersely.game.objective import Constrained, Linear, Objective
from tersely.game.round import LearnedRound, RuleRound
from tersely.game.rules import StopwordRule, UnifRule
from tersely.game.scheme import Scheme
from tersely.model.shape import SchemeShape
from tersely.text.keywords import Stopword
from tersely.text.vocab import Vocabulary
from tersely.training.config import EstimatorConfig, ModelConfig, ObjectiveConfig, RunConfig
from tersely.training.continuing import check_same_wiring

Round = LearnedRound | RuleRound


def shape_of(model: ModelConfig, vocabulary_size: int) -> SchemeShape:
    """Work out the shape of a scheme over a vocabulary."""
    divisor = 2 if model.reader_units_count == "both_directions" else 1
    cutoffs = tuple(cutoff for cutoff in model.adaptive_cutoffs if cutoff < vocabulary_size)
    return SchemeShape(
        vocabulary_size=vocabulary_size,
        embedding_units=model.embedding_units,
        encoder_units=model.encoder_units,
        reader_units_a_direction=model.reader_units // divisor,
        decoder_units=model.decoder_units,
        decoder_input=model.decoder_input,
        decoder_start=model.decoder_start,
        end_mark_in_keywords=model.end_mark_in_keywords,
        # A vocabulary too small to be cut into clusters has nothing to save.
        softmax=model.softmax if cutoffs else "full",
        adaptive_cutoffs=cutoffs if model.softmax == "adaptive" else (),
        adaptive_division=model.adaptive_division,
    )


def build_scheme(
    config: RunConfig,
    vocabulary_size: int,
    generator: torch.Generator,
    *,
    like: SchemeShape | None = None,
) -> Scheme:
    """Make an untrained scheme; `like` another one but for the vocabulary, if given."""
    configured = shape_of(config.model, vocabulary_size)
    if like:
        check_same_wiring(configured, like)
        # Clusters stay where they are; new words join the last one.
        configured = replace(like, vocabulary_size=vocabulary_size)
    scheme = Scheme(configured)
    scheme.start_uniform(config.model.initial_range, generator)
    if config.model.initial_keep_probability is not None:
        scheme.encoder.start_keeping(config.model.initial_keep_probability)
    return scheme


def build_round(config: RunConfig, lexicon: Vocabulary) -> Round:
    """Make the round of the game that the objective asks for."""
    objective = config.objective
    if objective.kind == "unif":
        return RuleRound(UnifRule(objective.delta))
    if objective.kind == "stopword":
        return RuleRound(StopwordRule(stopword_encoder(objective), lexicon))
    return LearnedRound(
        objective=_objective(objective),
        baseline=_baseline(config.estimator),
        samples=config.estimator.samples,
        exploration_floor=config.estimator.exploration_floor,
        entropy_bonus=config.estimator.entropy_bonus_tokens_per_nat,
        logit_penalty=config.estimator.logit_penalty_tokens,
        scale_decoder_by_weight=objective.decoder_gradient == "scaled_by_weight",
    )


def stopword_encoder(objective: ObjectiveConfig) -> Stopword:
    """The Stopword encoder a config describes."""
    return Stopword(
        objective.delta,
        drop_shift=objective.stopword_drops_shift,
        drop_punctuation=objective.stopword_drops_punctuation,
    )


def build_optimizer(config: RunConfig, scheme: Scheme) -> torch.optim.Adam:
    """Adam over both sides; the rule schemes never touch the encoder."""
    rate = config.training.learning_rate
    groups = [
        {
            "params": list(scheme.encoder.parameters()),
            "lr": config.training.encoder_learning_rate or rate,
        },
        {"params": list(scheme.decoder.parameters()), "lr": rate},
    ]
    return torch.optim.Adam(groups, fused=True)


def sides(scheme: Scheme) -> Iterator[list[Parameter]]:
    """The parameters of encoder and decoder, each for itself."""
    yield list(scheme.encoder.parameters())
    yield list(scheme.decoder.parameters())


def _objective(config: ObjectiveConfig) -> Objective:
    if config.kind == "linear":
        return Linear(config.weight_tokens_per_nat)
    return Constrained(
        epsilon=config.epsilon_nats_per_token,
        start=config.weight_tokens_per_nat,
        learning_rate=config.weight_learning_rate,
        ascent=config.weight_ascent,
    )


def _baseline(config: EstimatorConfig) -> Baseline:
    if config.baseline == "leave_one_out":
        return LeaveOneOut()
    return MovingAverage(config.baseline_decay)
