import torch

from tests.game.small import SHAPES, random_batch, small_scheme


def test_parameters_are_initialized_within_the_range() -> None:
    values = torch.cat([parameter.flatten() for parameter in small_scheme(width=0.1).parameters()])
    assert values.abs().max() <= 0.1
    assert values.abs().max() > 0.09
    assert abs(float(values.detach().mean())) < 0.01


def test_the_shape_lists_every_tensor() -> None:
    for shape in SHAPES.values():
        tensors = small_scheme(shape).state_dict()
        assert {name: tuple(tensor.shape) for name, tensor in tensors.items()} == {
            name: spec.shape for name, spec in shape.tensors().items()
        }


@torch.no_grad()
def test_loss_per_token_counts_the_end_mark() -> None:
    scheme, batch = small_scheme(), random_batch(10)
    keep = torch.ones(batch.tokens.shape, dtype=torch.bool)
    per_token = scheme.loss_per_token(batch, keep)
    assert torch.allclose(per_token * (batch.lengths + 1), scheme.total_loss(batch, keep))
