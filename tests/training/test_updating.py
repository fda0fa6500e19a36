import pytest
import torch

from tersely.training.building import AnyScheme, build_scheme
from tersely.training.config import RunConfig
from tersely.training.updating import Updates, build_adam, sides, table_of
from tests.training.small import small_config

WITH_TABLE = small_config(
    model={
        "architecture": "monotone",
        "encoder_embedding_units": 6,
        "phrase_rows": 40,
        "phrase_units": 3,
    },
    objective={"kind": "distilled"},
    training={"gradient_norm_limit": 1.0},
)


def scheme_of(config: RunConfig) -> AnyScheme:
    return build_scheme(config, 50, torch.Generator().manual_seed(1))


def test_both_sides_have_their_rate_and_all_parameters_one_place() -> None:
    config = small_config(training={"learning_rate": 0.01, "encoder_learning_rate": 0.002})
    scheme = scheme_of(config)
    adam = build_adam(config.training, scheme)
    assert [group["lr"] for group in adam.param_groups] == [0.002, 0.01]
    assert [group["params"] for group in adam.param_groups] == list(sides(scheme))
    held = [id(one) for group in adam.param_groups for one in group["params"]]
    assert sorted(held) == sorted(id(one) for one in scheme.parameters())
    same = build_adam(small_config().training, scheme)
    assert [group["lr"] for group in same.param_groups] == [0.001, 0.001]
    assert Updates.of(scheme, config.training).adagrad is None
    assert table_of(scheme) is None


def test_a_table_is_moved_by_its_own_optimizer_and_by_no_other() -> None:
    scheme = scheme_of(WITH_TABLE)
    table, updates = table_of(scheme), Updates.of(scheme, WITH_TABLE.training)
    assert table is not None
    assert updates.adagrad is not None
    held = [one for group in updates.adam.param_groups for one in group["params"]]
    assert all(one is not table for one in held)
    assert len(held) + 1 == len(list(scheme.parameters()))
    [group] = updates.adagrad.param_groups
    assert group["params"] == [table]
    assert group["initial_lr"] == 0.05


def some_loss(scheme: AnyScheme, rows: list[int]) -> torch.Tensor:
    """Touches some rows of the table, and everything else."""
    others = sum(one.sin().sum() for side in sides(scheme) for one in side)
    assert isinstance(others, torch.Tensor)
    return others + scheme.decoder.phrases.table(torch.tensor(rows)).cos().add(1).log().sum()


def parameters(scheme: AnyScheme) -> list[torch.Tensor]:
    return [one.detach().clone() for one in scheme.parameters()]


def test_a_row_met_first_takes_a_whole_step_and_others_stand_still() -> None:
    scheme = scheme_of(WITH_TABLE)
    updates, table = Updates.of(scheme, WITH_TABLE.training), table_of(scheme)
    assert table is not None
    with torch.no_grad():
        table.fill_(0.5)
    updates.make(some_loss(scheme, [3, 7, 7]), factor=0.5)
    moved = (table.detach() - 0.5).abs()
    assert moved[[3, 7]].min() == pytest.approx(0.5 * 0.05, rel=1e-4)
    assert moved.sum() == pytest.approx(2 * 3 * 0.5 * 0.05, rel=1e-4)
    before = moved[3, 0]
    updates.make(some_loss(scheme, [3]), factor=0.5)
    assert 0 < (table.detach()[3, 0] - 0.5).abs() - before < 0.75 * before


def test_gradients_are_scaled_down_where_the_config_says_so() -> None:
    scheme = scheme_of(WITH_TABLE)
    Updates.of(scheme, WITH_TABLE.training).make(1000 * some_loss(scheme, [1]), factor=1.0)
    for side in sides(scheme):
        squares = [one.grad.square().sum() for one in side if one.grad is not None]
        assert float(torch.stack(squares).sum().sqrt()) == pytest.approx(1.0, rel=1e-3)


@pytest.mark.parametrize("config", [small_config(), WITH_TABLE], ids=["plain", "with a table"])
def test_what_was_saved_goes_on_as_if_nothing_had_happened(config: RunConfig) -> None:
    one, other = scheme_of(config), scheme_of(config)

    def go_on(scheme: AnyScheme, updates: Updates, count: int) -> None:
        for step in range(count):
            loss = sum(each.sin().sum() for side in sides(scheme) for each in side)
            if updates.adagrad:
                loss = some_loss(scheme, [step, 2 * step])
            assert isinstance(loss, torch.Tensor)
            updates.make(loss, factor=1.0)

    first = Updates.of(one, config.training)
    go_on(one, first, 3)
    other.load_state_dict({name: tensor.clone() for name, tensor in one.state_dict().items()})
    second = Updates.of(other, config.training)
    second.restore({name: tensor.clone() for name, tensor in first.moments().items()})
    for scheme, updates in ((one, first), (other, second)):
        go_on(scheme, updates, 4)
    assert all(map(torch.equal, parameters(one), parameters(other)))
