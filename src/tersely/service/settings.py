"""Settings: every choice of a service, typed; where they come from is layers.py's business."""

import os
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

from tersely.web.clients import is_address, is_loopback
from tersely.web.origins import LOOPBACK_NAMES, Site, host_name
from tersely.web.tokens import MIN_CHARACTERS

MAX_KEYWORDS = 32
MAX_CHARACTERS = 200
MAX_SUGGESTIONS = 10


def default_memory() -> Path:
    """Where a person's sentences are kept if nothing else is said."""
    data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(data).expanduser() / "tersely" / "memory.db"


class ServiceSettings(BaseModel):
    """How a service runs. Every field has a flag, a TERSELY_ variable and a key of its name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str | None = Field(None, description="a model folder, a run or a name: the default")
    models: Path | None = Field(None, description="a folder of models, to be asked for by name")
    memory: Path = Field(default_factory=default_memory, description="where sentences are kept")
    host: str = Field("127.0.0.1", description="the address to bind to")
    port: int = Field(8765, ge=0, le=65535, description="the port; 0 takes a free one")
    workers: int = Field(1, ge=1, le=64, description="processes that serve")
    token: SecretStr | None = Field(None, description="the access token; needed on a wider bind")
    allow_origin: tuple[str, ...] = Field((), description="other sites whose pages may ask")
    allow_host: tuple[str, ...] = Field((), description="more names this service goes by")
    trust_proxy: tuple[str, ...] = Field((), description="proxies whose X-Forwarded-For counts")
    open_to_all: bool = Field(False, description="bind wider without token and origins")
    rate: float = Field(60.0, ge=0, description="requests a second and client; 0: no limit")
    burst: int = Field(120, ge=1, description="requests a client may send at once")
    queue: int = Field(256, ge=1, description="requests that may wait; beyond them 503")
    batch: int = Field(16, ge=1, le=256, description="requests decoded together at most")
    deadline: float = Field(2.0, gt=0, le=60, description="seconds a request may take")
    cache: int = Field(4096, ge=0, description="answers kept; 0: none")
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="")

    @field_validator("token")
    @classmethod
    def _is_long_enough(cls, token: SecretStr | None) -> SecretStr | None:
        if token is not None and len(token.get_secret_value()) < MIN_CHARACTERS:
            raise ValueError(f"a token has {MIN_CHARACTERS} characters at least")
        return token

    @field_validator("allow_origin")
    @classmethod
    def _are_origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        for origin in origins:
            scheme, separator, host = origin.partition("://")
            if scheme not in ("http", "https") or not separator or not _is_bare_host(host):
                raise ValueError(f'"{origin}" is no origin; write it as https://example.org')
        return origins

    @field_validator("trust_proxy")
    @classmethod
    def _are_addresses(cls, proxies: tuple[str, ...]) -> tuple[str, ...]:
        for proxy in proxies:
            if not is_address(proxy):
                raise ValueError(f'"{proxy}" is no address')
        return proxies

    @model_validator(mode="after")
    def _is_bound_safely(self) -> Self:
        is_wide = not is_loopback(self.host)
        if is_wide and not self.open_to_all and not (self.token and self.allow_origin):
            raise ValueError(
                f"{self.host} can be reached by others. Give a token and the origins allowed, "
                "or say --open-to-all if everyone may use it"
            )
        return self

    @property
    def is_private(self) -> bool:
        """Whether only this computer's own page and programs can reach the service.

        A proxy would bring others in, and a page of another site could read what it asks for.
        """
        return is_loopback(self.host) and not (
            self.open_to_all or self.trust_proxy or self.allow_origin or self.allow_host
        )

    @property
    def site(self) -> Site:
        """The names and origins that requests are held against."""
        return Site(
            hosts=LOOPBACK_NAMES | {host_name(host) for host in self.allow_host},
            any_address=not is_loopback(self.host),
            origins=frozenset(self.allow_origin),
        )


def _is_bare_host(host: str) -> bool:
    return bool(host_name(host)) and not set("/?#@ ") & set(host)
