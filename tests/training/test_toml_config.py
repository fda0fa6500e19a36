from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

from tersely.errors import UsageError
from tersely.training.toml_config import parse_table, read_toml


@dataclass(frozen=True)
class Inner:
    steps: int = 3
    rate: float = 0.5


@dataclass(frozen=True)
class Outer:
    inner: Inner = field(default_factory=Inner)
    kind: Literal["one", "two"] = "one"
    sizes: tuple[int, ...] = ()
    limit: float | None = None
    named: str = "x"
    is_on: bool = False


def test_missing_keys_keep_their_defaults() -> None:
    assert parse_table(Outer, {}, "c.toml") == Outer()
    assert parse_table(Outer, {"inner": {"steps": 7}}, "c.toml") == Outer(inner=Inner(steps=7))


def test_every_type_of_value_is_parsed() -> None:
    table = {
        "inner": {"steps": 2, "rate": 1},
        "kind": "two",
        "sizes": [4, 5],
        "limit": 2,
        "named": "y",
        "is_on": True,
    }
    made = parse_table(Outer, table, "c.toml")
    assert made == Outer(Inner(2, 1.0), "two", (4, 5), 2.0, "y", True)
    assert type(made.inner.rate) is type(made.limit) is float
    assert parse_table(Outer, {"limit": None}, "c.toml").limit is None


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ({"kinds": "one"}, 'c.toml: unknown key "kinds". Did you mean "kind"?'),
        ({"inner": {"step": 1}}, 'c.toml: inner: unknown key "step". Did you mean "steps"?'),
        ({"inner": 3}, "c.toml: inner must be a table; write [inner] above its keys."),
        ({"inner": {"steps": 3.0}}, "c.toml: inner: steps must be an integer, got 3.0."),
        ({"inner": {"steps": True}}, "c.toml: inner: steps must be an integer, got True."),
        ({"inner": {"steps": None}}, "c.toml: inner: steps must be an integer, got None."),
        (
            {"inner": {"rate": float("nan")}},
            "c.toml: inner: rate must be a finite number, got nan.",
        ),
        ({"kind": "three"}, "c.toml: kind must be one of one, two, got 'three'."),
        ({"sizes": 4}, "c.toml: sizes must be a list, got 4."),
        ({"sizes": [4, "5"]}, "c.toml: sizes must be an integer, got '5'."),
        ({"limit": "2"}, "c.toml: limit must be a number, got '2'."),
        ({"limit": float("inf")}, "c.toml: limit must be a finite number, got inf."),
        ({"is_on": 1}, "c.toml: is_on must be true or false, got 1."),
    ],
)
def test_an_invalid_table_is_an_error_that_names_the_key(
    table: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(UsageError) as caught:
        parse_table(Outer, table, "c.toml")
    assert str(caught.value) == complaint


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_text('named = "ü"\n[inner]\nsteps = 2\n', encoding="utf-8")
    assert read_toml(path) == {"named": "ü", "inner": {"steps": 2}}


@pytest.mark.parametrize(
    "content", [b"[inner", b"\xff\xfe", b"a = 1\na = 2", b"a = " + b"[" * 5000]
)
def test_invalid_toml_is_an_error_that_names_the_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "c.toml"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=r"c\.toml: not valid TOML"):
        read_toml(path)


def test_an_unreadable_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    for path in (tmp_path / "no.toml", tmp_path):
        with pytest.raises(UsageError, match="cannot be read"):
            read_toml(path)
