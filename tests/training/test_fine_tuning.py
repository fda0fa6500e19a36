from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tersely.completion.completer import Completer
from tersely.corpus.dataset import PreparedCorpus
from tersely.corpus.prepare import PrepareSettings, Source, prepare
from tersely.errors import TerselyError, UsageError
from tersely.model.folder import ModelFolder
from tersely.model.quantization import dequantize, quantize
from tersely.text.vocabulary import SPECIAL_TOKENS
from tersely.training.config import RunConfig, parse_config
from tersely.training.fine_tuning import (
    FINE_TUNING,
    Renumbering,
    check_pretrained,
    copy_weights,
    fine_tuning_config,
)
from tersely.training.loop import Trainer
from tests.game.small import small_scheme
from tests.runtime.test_paper import folder_of
from tests.training.small import Silent, small_config, small_run

ADAPTIVE = {"softmax": "adaptive", "adaptive_cutoffs": [50, 120, 220]}
OPENINGS = "dear colleagues|hello again|good morning|kind regards".split("|")
THINGS = "invoice|quarterly report|server|budget|contract|workshop|deadline|prototype".split("|")


def other_corpus(folder: Path) -> Path:
    """Mail instead of small talk: other words, and other frequencies of common ones."""
    sentences = [
        f"{opening}, the {thing} {verb} {number}."
        for opening in OPENINGS
        for thing in THINGS
        for verb in ("arrived on", "was sent with", "concerns item")
        for number in range(5)
    ]
    prepare(
        {"all": Source(["mail"], lambda _: iter(sentences))},
        folder,
        PrepareSettings(processes=1, segment=False, vocabulary_size=45),
        progress=Silent(),
    )
    return folder


@pytest.fixture(scope="module")
def mail(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return other_corpus(tmp_path_factory.mktemp("mail") / "data")


@pytest.fixture(scope="module")
def adaptive(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("adaptive") / "run"
    return small_run(corpus, run, small_config(model=ADAPTIVE))


def continued(config: RunConfig, data: Path, run: Path, start: Path) -> Trainer:
    model = ModelFolder.from_pretrained(start)
    return Trainer.open(config, PreparedCorpus.open(data), run, start=model)


def test_without_a_model_the_ids_of_the_corpus_are_kept(mail: Path) -> None:
    corpus = PreparedCorpus.open(mail)
    ids, dev = Renumbering(corpus), corpus.split("dev")
    assert ids.vocabulary.tokens == corpus.vocabulary().tokens
    assert ids.lexicon.tokens == corpus.lexicon().tokens
    assert ids.split(dev) is dev


def test_renumbered_sentences_have_the_same_tokens(mail: Path, trained: Path) -> None:
    corpus, known = PreparedCorpus.open(mail), ModelFolder.from_pretrained(trained).vocabulary
    ids = Renumbering(corpus, known)
    before, after = corpus.split("train"), ids.split(corpus.split("train"))
    assert len(before) == len(after)
    old, new = corpus.lexicon(), ids.lexicon
    for index in range(0, len(before), 7):
        assert new.decode(after[index]) == old.decode(before[index])


def test_known_words_keep_their_ids_and_new_ones_are_appended(mail: Path, trained: Path) -> None:
    corpus, known = PreparedCorpus.open(mail), ModelFolder.from_pretrained(trained).vocabulary
    ids = Renumbering(corpus, known)
    size = len(known)
    assert ids.vocabulary.tokens[:size] == known.tokens
    fresh = ids.vocabulary.tokens[size:]
    assert set(fresh) == set(corpus.vocabulary().tokens) - set(known.tokens)
    assert "invoice" in fresh
    assert ids.lexicon.tokens[: len(ids.vocabulary)] == ids.vocabulary.tokens
    assert set(corpus.lexicon().tokens) <= set(ids.lexicon.tokens)
    assert not set(SPECIAL_TOKENS) & set(fresh)


@pytest.mark.parametrize("kind", ["full", "adaptive"])
def test_known_words_keep_their_weights(
    kind: str, mail: Path, trained: Path, adaptive: Path, tmp_path: Path
) -> None:
    start = {"full": trained, "adaptive": adaptive}[kind]
    config = small_config(model=ADAPTIVE if kind == "adaptive" else {})
    trainer = continued(config, mail, tmp_path / "run", start)
    trainer.log.close()
    before, after = ModelFolder.from_pretrained(start).tensors, trainer.task.scheme.state_dict()
    assert before.keys() == after.keys()
    grown = set()
    for name, tensor in before.items():
        rows = len(dequantize(tensor))
        assert np.array_equal(after[name][:rows].numpy(), dequantize(tensor)), name
        if len(after[name]) > rows:
            grown.add(name)
    assert {"encoder.embedding.weight", "decoder.embedding.weight"} <= grown
    last = "tail.1.1.weight" if kind == "adaptive" else "bias"
    assert any(name.endswith(last) for name in grown)


@pytest.mark.parametrize("kind", ["full", "adaptive"])
def test_known_words_keep_their_relative_probabilities(
    kind: str, corpus: Path, mail: Path, trained: Path, adaptive: Path, tmp_path: Path
) -> None:
    """The ratio of the probabilities of two known words is unchanged."""
    start = {"full": trained, "adaptive": adaptive}[kind]
    config = small_config(model=ADAPTIVE if kind == "adaptive" else {})
    trainer = continued(config, mail, tmp_path / "run", start)
    trainer.save()
    trainer.log.close()
    old, new = Completer.load(start).runtime, Completer.load(tmp_path / "run").runtime
    _, before = old.step(old.begin([["waiter"]]), np.array([2]))
    _, after = new.step(new.begin([["waiter"]]), np.array([2]))
    words = [word for word in range(5, 50) if word != old.vocabulary.id_of("waiter")]
    ratio = after.log_probs()[0, words] - before.log_probs()[0, words]
    assert np.allclose(ratio, ratio[0], atol=1e-4)


@pytest.mark.parametrize("model", [{}, ADAPTIVE], ids=["full", "adaptive"])
def test_fine_tuning_learns_the_new_text(
    model: dict[str, Any], corpus: Path, mail: Path, tmp_path: Path
) -> None:
    config = small_config(
        model=model,
        objective={"kind": "unif"},
        training={
            "max_steps": 60,
            "learning_rate": 0.01,
            "checkpoint_every_steps": 60,
            "evaluate_every_steps": 60,
        },
    )
    small_run(corpus, tmp_path / "first", config)
    trainer = continued(config, mail, tmp_path / "second", tmp_path / "first")
    trainer.evaluate()
    while trainer.step < 60:
        trainer.train_step()
    trainer.evaluate()
    trainer.save()
    trainer.log.close()
    before, after = (row["loss_nats_a_token"] for row in trainer.dev_history())
    assert after < 0.75 * before
    suggestions = Completer.load(tmp_path / "second").complete("invoice")
    assert all("invoice" in suggestion.tokens for suggestion in suggestions)


def test_a_fine_tuning_run_resumes_exactly(mail: Path, trained: Path, tmp_path: Path) -> None:
    config = small_config(training={"max_steps": 10})
    small_run(mail, tmp_path / "whole", config, init=trained)
    trainer = continued(config, mail, tmp_path / "parts", trained)
    while trainer.step < 4:
        trainer.train_step()
    trainer.save()
    trainer.log.close()
    trainer = continued(config, mail, tmp_path / "parts", trained)
    assert trainer.step == 4
    while trainer.step < 10:
        trainer.train_step()
    trainer.log.close()
    whole = ModelFolder.from_pretrained(tmp_path / "whole").tensors
    for name, tensor in trainer.task.scheme.state_dict().items():
        assert np.array_equal(tensor.numpy(), dequantize(whole[name])), name


def test_a_model_can_be_fine_tuned_repeatedly(corpus: Path, mail: Path, tmp_path: Path) -> None:
    """Its clusters stay the same, although the larger vocabulary would have more."""
    config = small_config(model=ADAPTIVE, training={"max_steps": 5})
    small_run(mail, tmp_path / "a", config)  # 45 words: too few for clusters
    small_run(corpus, tmp_path / "b", config, init=tmp_path / "a")
    small_run(mail, tmp_path / "c", config, init=tmp_path / "b")
    shapes = [ModelFolder.from_pretrained(tmp_path / name).settings["shape"] for name in "abc"]
    assert [shape["softmax"] for shape in shapes] == ["full"] * 3
    assert shapes[0]["vocabulary_size"] < shapes[1]["vocabulary_size"]
    assert Completer.load(tmp_path / "c").complete("invoice")


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"embedding_units": 8}, "embedding_units = 12, the config 8"),
        (
            {"decoder_input": "token_only"},
            "decoder_input = 'reader_state', the config 'token_only'",
        ),
        ({"end_mark_in_keywords": False}, "end_mark_in_keywords = True"),
    ],
)
def test_another_shape_is_refused(
    changes: dict[str, Any], complaint: str, mail: Path, trained: Path, tmp_path: Path
) -> None:
    with pytest.raises(UsageError) as caught:
        continued(small_config(model=changes), mail, tmp_path / "run", trained)
    assert complaint in str(caught.value)
    assert "config the model was trained with" in str(caught.value)


@pytest.mark.parametrize(
    "changes",
    [{}, {**ADAPTIVE, "adaptive_cutoffs": [60, 120]}, {**ADAPTIVE, "adaptive_division": 3.0}],
)
def test_other_clusters_are_refused(
    changes: dict[str, Any], mail: Path, adaptive: Path, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="adaptive"):
        continued(small_config(model=changes), mail, tmp_path / "run", adaptive)


def test_a_model_of_another_architecture_or_with_missing_tensors_is_refused(trained: Path) -> None:
    model = ModelFolder.from_pretrained(trained)
    other = ModelFolder("other", model.settings, model.tensors, model.vocabulary)
    with pytest.raises(UsageError, match="other"):
        check_pretrained(other, architecture="paper")
    fewer = {name: tensor for name, tensor in model.tensors.items() if "attend" not in name}
    with pytest.raises(TerselyError, match="attend"):
        check_pretrained(
            ModelFolder("paper", model.settings, fewer, model.vocabulary), architecture="paper"
        )


def test_weights_of_new_words_are_initialized_at_random(
    mail: Path, trained: Path, tmp_path: Path
) -> None:
    trainer = continued(small_config(), mail, tmp_path / "run", trained)
    trainer.log.close()
    known = len(ModelFolder.from_pretrained(trained).vocabulary)
    rows = trainer.task.scheme.state_dict()["decoder.embedding.weight"][known:]
    assert len(rows) > 5
    assert 0.01 < float(rows.std()) < 0.1
    assert len(torch.unique(rows)) == rows.numel()


def test_the_model_keeps_its_config_but_for_the_training(trained: Path) -> None:
    model = ModelFolder.from_pretrained(trained)
    config = fine_tuning_config(model)
    before = parse_config(model.settings["trained"]["config"], where="the model")
    assert (config.model, config.objective) == (before.model, before.objective)
    assert config.training != before.training
    assert config.training == FINE_TUNING


@pytest.mark.parametrize("record", [None, {}, {"config": None}, "by hand"])
def test_a_model_without_its_training_config_needs_a_config(trained: Path, record: object) -> None:
    model = ModelFolder.from_pretrained(trained)
    model.settings["trained"] = record
    with pytest.raises(UsageError, match="Give --config"):
        fine_tuning_config(model)


def test_an_invalid_training_config_is_refused(trained: Path) -> None:
    model = ModelFolder.from_pretrained(trained)
    model.settings["trained"] = {"config": {"model": {"wings": 2}}}
    with pytest.raises(TerselyError, match="wings"):
        fine_tuning_config(model)


def test_a_quantised_model_is_continued_from_its_dequantised_weights() -> None:
    scheme, model = small_scheme(seed=1), folder_of(small_scheme(seed=2))
    quantized = {
        name: quantize(dequantize(tensor)) if tensor.shape[1:] else tensor
        for name, tensor in model.tensors.items()
    }
    copy_weights(scheme, quantized)
    for name, parameter in scheme.state_dict().items():
        assert np.array_equal(parameter.numpy(), dequantize(quantized[name])), name
