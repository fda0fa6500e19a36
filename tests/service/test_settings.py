from pathlib import Path

import pytest
from pydantic import ValidationError

from tersely.service.settings import ServiceSettings, default_memory

TOKEN = "correct horse battery"
FRIEND = ("https://friend.example",)


def test_alone_it_is_bound_to_this_computer() -> None:
    settings = ServiceSettings()
    assert settings.host == "127.0.0.1"
    assert settings.is_private
    assert settings.site.is_own_host("127.0.0.1:8765")
    assert not settings.site.is_own_host("192.168.1.2:8765")
    assert not settings.site.is_own_host("evil.example")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "tersely.example", ""])
@pytest.mark.parametrize(
    "given", [{}, {"token": TOKEN}, {"allow_origin": FRIEND}, {"trust_proxy": ("127.0.0.1",)}]
)
def test_a_wider_bind_needs_token_and_origins(host: str, given: dict) -> None:
    with pytest.raises(ValidationError, match="can be reached by others"):
        ServiceSettings(host=host, **given)


@pytest.mark.parametrize("given", [{"token": TOKEN, "allow_origin": FRIEND}, {"open_to_all": True}])
def test_with_them_or_an_explicit_flag_it_is_bound(given: dict) -> None:
    settings = ServiceSettings(host="0.0.0.0", **given)
    assert not settings.is_private
    assert settings.site.is_own_host("192.168.1.2:8765")


@pytest.mark.parametrize(
    "given",
    [
        {"token": "short"},
        {"allow_origin": ["friend.example"]},
        {"allow_origin": ["https://friend.example/"]},
        {"allow_origin": ["*"]},
        {"allow_origin": ["null"]},
        {"trust_proxy": ["proxy.example"]},
        {"port": 65536},
        {"port": -1},
        {"workers": 0},
        {"deadline": 0},
        {"queue": 0},
        {"rate": -1},
        {"log_level": "loud"},
        {"unknown": 1},
    ],
)
def test_what_cannot_be_is_refused(given: dict) -> None:
    with pytest.raises(ValidationError):
        ServiceSettings(**given)


def test_a_token_does_not_show() -> None:
    assert TOKEN not in repr(ServiceSettings(token=TOKEN))


def test_memory_lies_in_the_persons_own_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert default_memory() == Path("/data/tersely/memory.db")
    monkeypatch.delenv("XDG_DATA_HOME")
    assert default_memory() == Path.home() / ".local/share/tersely/memory.db"
