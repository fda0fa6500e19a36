import pytest
import torch

from tersely.game.layers.lstm import BidirectionalLstm, PackedLstm
from tersely.game.paper.scheme import PaperScheme
from tests.game.small import SHAPES, gradient, random_batch, small_scheme


def torch_lstm(
    lstm: PackedLstm | BidirectionalLstm, *, bidirectional: bool = False
) -> torch.nn.LSTM:
    """A torch.nn.LSTM with the same parameters."""
    gates, inputs = lstm.weight_ih_l0.shape
    copy = torch.nn.LSTM(inputs, gates // 4, batch_first=True, bidirectional=bidirectional)
    copy.load_state_dict(lstm.state_dict())
    return copy


def brute_force(scheme: PaperScheme, keywords: list[int], sentence: list[int]) -> list[float]:
    """Compute log p of each token step by step from the equations, without batching."""
    decoder, shape = scheme.decoder, scheme.shape
    known = [word if word < shape.vocabulary_size else 1 for word in keywords]
    vectors = decoder.embedding(torch.tensor([known]))
    reader, writer = torch_lstm(decoder.reader, bidirectional=True), torch_lstm(decoder.lstm)
    states, (hidden, cell) = reader(vectors)
    last_hidden, last_cell = (
        hidden.transpose(0, 1).reshape(1, -1),
        cell.transpose(0, 1).reshape(1, -1),
    )
    state = None
    if shape.decoder_start == "reader_state":
        state = (last_hidden[None], last_cell[None])
    probabilities = []
    previous = 2
    for target in [*sentence, 3]:
        embedded = decoder.embedding(
            torch.tensor([[previous if previous < shape.vocabulary_size else 1]])
        )
        inputs = [embedded[0]] + ([last_hidden] if shape.decoder_input == "reader_state" else [])
        output, state = writer(torch.cat(inputs, dim=1)[None], state)
        attention = (decoder.attend(output[0]) @ states[0].T).softmax(dim=1)[0]
        context = attention @ states[0]
        features = torch.cat([context, output[0, 0]])
        hidden_state = torch.tanh(decoder.combine(features))[None]
        generate = decoder.generate(torch.cat([features, embedded[0, 0]])).sigmoid()[0]
        copied = sum(
            float(a) for a, word in zip(attention, keywords, strict=True) if word == target
        )
        is_known = target < shape.vocabulary_size
        word = torch.tensor([target if is_known else 1])
        vocabulary = float(decoder.softmax(hidden_state, word).exp())
        if not is_known and copied > 0:
            vocabulary = 0.0  # a word past the vocabulary can only be copied
        probabilities.append(float(generate) * vocabulary + (1 - float(generate)) * copied)
        previous = target
    return [float(torch.tensor(probability).log()) for probability in probabilities]


@pytest.mark.parametrize("name", SHAPES)
@torch.no_grad()
def test_a_batch_gets_the_same_scores_as_single_sentences(name: str) -> None:
    scheme = small_scheme(SHAPES[name])
    batch = random_batch(30)
    keywords = batch.tokens[:, :2].clone()
    counts = batch.lengths.clamp(max=2)
    scores = scheme.decoder(keywords, counts, batch.tokens, batch.lengths)
    for row, length in enumerate(batch.lengths.tolist()):
        typed = keywords[row, : counts[row]].tolist()
        expected = brute_force(scheme, typed, batch.tokens[row, :length].tolist())
        assert torch.allclose(scores[row, : length + 1], torch.tensor(expected), atol=1e-4)
        assert (scores[row, length + 1 :] == 0).all()


def test_gradients_are_finite_without_keywords() -> None:
    for shape in SHAPES.values():
        scheme = small_scheme(shape)
        batch = random_batch(20)
        loss = scheme.loss_per_token(batch, torch.zeros(batch.tokens.shape, dtype=torch.bool))
        torch.autograd.backward(loss.mean())
        for name, parameter in scheme.decoder.named_parameters():
            assert gradient(parameter).isfinite().all(), name


def test_a_word_past_the_vocabulary_can_be_copied() -> None:
    scheme = small_scheme()
    with torch.no_grad():
        scheme.decoder.generate.bias.fill_(-20.0)  # always copy
        scheme.decoder.generate.weight.zero_()
        tokens, lengths = torch.tensor([[35]]), torch.tensor([1])
        scores = scheme.decoder(torch.tensor([[35]]), torch.tensor([1]), tokens, lengths)
    assert float(scores[0, 0]) == pytest.approx(0, abs=1e-5)


def test_the_gradient_is_finite_for_tiny_copy_probabilities() -> None:
    decoder = small_scheme().decoder
    copied = torch.tensor([1e-42, 0.5], requires_grad=True)  # 1 / 1e-42 is too large for a float
    hidden = torch.zeros(2, decoder.shape.decoder_units)
    log_probabilities = decoder._mixture(hidden, torch.zeros(2), copied, torch.tensor([7, 7]))
    torch.autograd.backward(log_probabilities.sum())
    assert copied.grad is not None
    assert copied.grad.isfinite().all()
    assert log_probabilities.isfinite().all()
