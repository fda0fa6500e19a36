"""Building: a config's words → the match (scheme and round) and the optimizer they stand for."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch
from torch.nn import Parameter

from tersely.game.distilled.scheme import MonotoneScheme
from tersely.game.distilled.teacher import DistilledRound
from tersely.game.paper.estimator import Baseline, LeaveOneOut, MovingAverage
from tersely.game.paper.objective import Constrained, Linear, Objective
from tersely.game.paper.round import LearnedRound, RuleRound
from tersely.game.paper.rules import MaskRule, RandomRateRule, StopwordRule, UnifRule
from tersely.game.paper.scheme import Scheme
from tersely.model.shapes import MonotoneShape, PaperShape
from tersely.text.keywords import Stopword
from tersely.text.vocabulary import Vocabulary
from tersely.training.config import EstimatorConfig, ModelConfig, ObjectiveConfig, RunConfig
from tersely.training.distilled_step import DistilledMatch
from tersely.training.paper_step import AnyScheme, Match, PaperMatch
from tersely.training.resume import AnyShape, check_same_wiring

Round = LearnedRound | RuleRound


def shape_of(model: ModelConfig, vocabulary_size: int) -> AnyShape:
    """Work out the shape of a scheme over a vocabulary."""
    divisor = 2 if model.reader_units_count == "both_directions" else 1
    cutoffs = tuple(cutoff for cutoff in model.adaptive_cutoffs if cutoff < vocabulary_size)
    common: dict[str, Any] = {
        "vocabulary_size": vocabulary_size,
        "embedding_units": model.embedding_units,
        "reader_units_a_direction": model.reader_units // divisor,
        "decoder_units": model.decoder_units,
        # A vocabulary too small to be cut into clusters has nothing to save.
        "softmax": model.softmax if cutoffs else "full",
        "adaptive_cutoffs": cutoffs if model.softmax == "adaptive" else (),
        "adaptive_division": model.adaptive_division,
    }
    if model.architecture == "monotone":
        return MonotoneShape(
            **common,
            encoder_embedding_units=model.encoder_embedding_units,
            encoder_units_a_direction=model.encoder_units // 2,
        )
    return PaperShape(
        **common,
        encoder_units=model.encoder_units,
        decoder_input=model.decoder_input,
        decoder_start=model.decoder_start,
        end_mark_in_keywords=model.end_mark_in_keywords,
    )


def build_match(
    config: RunConfig,
    vocabulary_size: int,
    lexicon: Vocabulary,
    generator: torch.Generator,
    *,
    like: AnyShape | None = None,
) -> Match:
    """Make an untrained scheme and its round; `like` another but for the vocabulary, if given."""
    scheme = build_scheme(config, vocabulary_size, generator, like=like)
    if isinstance(scheme, MonotoneScheme):
        return DistilledMatch(
            scheme,
            build_distilled_round(config, lexicon),
            config.distillation.default_budget,
        )
    return PaperMatch(
        scheme,
        build_round(config, lexicon),
        encoder_settings(config),
        config.estimator.decoder_first_steps,
    )


def build_scheme(
    config: RunConfig,
    vocabulary_size: int,
    generator: torch.Generator,
    *,
    like: AnyShape | None = None,
) -> AnyScheme:
    """Make an untrained scheme of the config's architecture."""
    shape = shape_of(config.model, vocabulary_size)
    if like:
        check_same_wiring(shape, like)
        # Clusters stay where they are; new words join the last one.
        shape = replace(like, vocabulary_size=vocabulary_size)
    scheme: AnyScheme
    if isinstance(shape, MonotoneShape):
        scheme = MonotoneScheme(shape, types_marks=config.distillation.types_case_marks)
    else:
        scheme = Scheme(shape)
    scheme.start_uniform(config.model.initial_range, generator)
    if isinstance(scheme, Scheme) and config.model.initial_keep_probability is not None:
        scheme.encoder.start_keeping(config.model.initial_keep_probability)
    return scheme


def build_distilled_round(config: RunConfig, lexicon: Vocabulary) -> DistilledRound:
    """Make the round that trains a scheme for all budgets."""
    settings = config.distillation
    content = Stopword(0.0, drop_shift=True, drop_punctuation=True)
    known: dict[str, MaskRule] = {
        "chance": RandomRateRule(),
        "coin": UnifRule(0.5),
        "stopwords": StopwordRule(Stopword(0.0), lexicon),
        "content": StopwordRule(content, lexicon),
    }
    return DistilledRound(
        rules=tuple(known[name] for name in settings.rules),
        rule_share=settings.rule_share,
        untold_share=settings.untold_share,
        noise=settings.worth_noise,
        flip_share=settings.flip_share,
        free_share=settings.free_share,
    )


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


def encoder_settings(config: RunConfig) -> dict[str, Any]:
    """How the paper's scheme chooses keywords: by its encoder, or by the rule it learns from."""
    objective = config.objective
    if objective.kind == "unif":
        return {"kind": "unif", "delta": objective.delta}
    if objective.kind == "stopword":
        return {
            "kind": "stopword",
            "delta": objective.delta,
            "drop_shift": objective.stopword_drops_shift,
            "drop_punctuation": objective.stopword_drops_punctuation,
        }
    return {"kind": "learned", "keep": config.evaluation.keep}


def stopword_encoder(objective: ObjectiveConfig) -> Stopword:
    """The Stopword encoder a config describes."""
    return Stopword(
        objective.delta,
        drop_shift=objective.stopword_drops_shift,
        drop_punctuation=objective.stopword_drops_punctuation,
    )


def build_optimizer(config: RunConfig, scheme: AnyScheme) -> torch.optim.Adam:
    """Adam over both sides; the rule schemes never touch the encoder."""
    rate = config.training.learning_rate
    groups: list[dict[str, Any]] = [
        {
            "params": list(scheme.encoder.parameters()),
            "lr": config.training.encoder_learning_rate or rate,
        },
        {"params": list(scheme.decoder.parameters()), "lr": rate},
    ]
    for group in groups:
        group["initial_lr"] = group["lr"]  # what a schedule scales
    return torch.optim.Adam(groups, fused=True)


def sides(scheme: AnyScheme) -> Iterator[list[Parameter]]:
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
