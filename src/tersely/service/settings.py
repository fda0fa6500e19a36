"""Settings of a service, and their sources: flag > environment variable > file > default.

`ServiceSettings(...)` uses only its arguments. `load_settings` reads all sources and keeps the
source of each value, for `--show-settings` and for error messages.
"""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from tersely.errors import UsageError
from tersely.web.access_token import MIN_TOKEN_CHARACTERS
from tersely.web.origins import LOOPBACK_NAMES, Site, host_name, is_ip_address, is_loopback

ENVIRONMENT_PREFIX = "TERSELY_"
FILE_VARIABLE = "TERSELY_SETTINGS"
FLAG, ENVIRONMENT, DEFAULT = "flag", "environment", "default"


def default_memory() -> Path:
    """Return the default path of the memory file."""
    data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(data).expanduser() / "tersely" / "memory.db"


class ServiceSettings(BaseSettings):
    """The settings of a service. Each field has a flag, a TERSELY_ variable and a TOML key."""

    model_config = SettingsConfigDict(
        frozen=True, extra="forbid", env_prefix=ENVIRONMENT_PREFIX, env_ignore_empty=True
    )

    model: str | None = Field(
        default=None, description="the default model: a model folder, a run, a name"
    )
    models: Path | None = Field(
        default=None, description="a folder of models that requests choose by name"
    )
    memory: Path = Field(default_factory=default_memory, description="file of the memory")
    host: str = Field(default="127.0.0.1", description="the address to bind to")
    port: int = Field(default=8765, ge=0, le=65535, description="the port; 0 chooses a free one")
    workers: int = Field(default=1, ge=1, le=64, description="worker processes")
    token: SecretStr | None = Field(
        default=None, description="access token; needed for a public address"
    )
    allow_origin: tuple[str, ...] = Field(
        default=(), description="sites whose pages may send requests"
    )
    allow_host: tuple[str, ...] = Field(default=(), description="other host names of this service")
    trust_proxy: tuple[str, ...] = Field(
        default=(), description="proxies with trusted X-Forwarded-For"
    )
    open_to_all: bool = Field(default=False, description="public address without token and origins")
    rate: float = Field(
        default=60.0, ge=0, description="requests per second and client; 0: no limit"
    )
    burst: int = Field(default=120, ge=1, description="requests a client may send at once")
    queue: int = Field(default=256, ge=1, description="requests that may wait; more get status 503")
    batch: int = Field(default=16, ge=1, le=256, description="maximum batch size")
    deadline: float = Field(
        default=2.0, gt=0, le=60, description="time limit of a request in seconds"
    )
    cache: int = Field(default=4096, ge=0, description="responses in the cache; 0: no cache")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="minimum level of log lines"
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Use arguments only; `load_settings` reads the other sources."""
        return (init_settings,)

    @field_validator("token")
    @classmethod
    def _check_token(cls, token: SecretStr | None) -> SecretStr | None:
        if token is not None and len(token.get_secret_value()) < MIN_TOKEN_CHARACTERS:
            raise ValueError(f"a token has at least {MIN_TOKEN_CHARACTERS} characters")
        return token

    @field_validator("allow_origin")
    @classmethod
    def _check_origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        for origin in origins:
            scheme, separator, host = origin.partition("://")
            if scheme not in ("http", "https") or not separator or not _is_bare_host(host):
                raise ValueError(f'"{origin}" is not an origin; write https://example.org')
        return origins

    @field_validator("trust_proxy")
    @classmethod
    def _check_proxies(cls, proxies: tuple[str, ...]) -> tuple[str, ...]:
        for proxy in proxies:
            if not is_ip_address(proxy):
                raise ValueError(f'"{proxy}" is not an IP address')
        return proxies

    @model_validator(mode="after")
    def _check_public_address(self) -> Self:
        is_public = not is_loopback(self.host)
        if is_public and not self.open_to_all and not (self.token and self.allow_origin):
            raise ValueError(
                f"{self.host} can be reached by others. Set --token and --allow-origin, "
                "or --open-to-all if everyone may use the service"
            )
        return self

    @property
    def is_private(self) -> bool:
        """Whether only this computer's own page and programs can reach the service.

        A proxy forwards requests of others, and a page of another site reads its responses.
        """
        return is_loopback(self.host) and not (
            self.open_to_all or self.trust_proxy or self.allow_origin or self.allow_host
        )

    @property
    def site(self) -> Site:
        """The host names and origins that requests are checked against."""
        return Site(
            hosts=LOOPBACK_NAMES | {host_name(host) for host in self.allow_host},
            any_address=not is_loopback(self.host),
            origins=frozenset(self.allow_origin),
        )


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """Settings, and the source of each that is not a default."""

    settings: ServiceSettings
    sources: Mapping[str, str]

    def toml_lines(self) -> list[str]:
        """Return the settings as TOML, each with its source; the token is not shown."""
        lines = []
        for name in ServiceSettings.model_fields:
            value = getattr(self.settings, name)
            setting = f"# {name} is not set" if value is None else f"{name} = {_to_toml(value)}"
            lines.append(f"{setting:<42} # {self.sources.get(name, DEFAULT)}")
        return lines


def load_settings(flags: Mapping[str, Any], *, file: Path | None = None) -> LoadedSettings:
    """Read all sources and validate the result; UsageError names the setting and its source."""
    named_file = file or _file_from_environment()
    path = named_file or default_file()
    by_source = {  # later sources override earlier ones
        str(path): _read_file(path) if named_file or path.is_file() else {},
        ENVIRONMENT: _CommaSeparatedEnvSource(ServiceSettings)(),
        FLAG: {name: value for name, value in flags.items() if _is_given(value)},
    }
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for source, settings in by_source.items():
        values |= settings
        sources |= dict.fromkeys(settings, source)
    try:
        return LoadedSettings(ServiceSettings(**values), sources)
    except ValidationError as error:
        raise UsageError(_describe(error, sources)) from error


def default_file() -> Path:
    """Return the path of the settings file that is read if it exists."""
    config = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(config).expanduser() / "tersely" / "serve.toml"


def _file_from_environment() -> Path | None:
    path = os.environ.get(FILE_VARIABLE)
    return Path(path) if path else None


class _CommaSeparatedEnvSource(EnvSettingsSource):
    """Environment variables; lists are separated by commas instead of being JSON."""

    def decode_complex_value(self, field_name: str, field: FieldInfo, value: Any) -> list[str]:
        return [item.strip() for item in str(value).split(",")]


def _read_file(path: Path) -> dict[str, Any]:
    try:
        path.open("rb").close()  # the source below skips a file that is missing
        settings = TomlConfigSettingsSource(ServiceSettings, path).toml_data
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}).") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{path}: not valid TOML ({error}).") from error
    known = list(ServiceSettings.model_fields)
    for key in settings:
        if key not in known:
            nearest = get_close_matches(key, known, n=1, cutoff=0.0)[0]
            raise UsageError(f'{path}: unknown key "{key}". Did you mean "{nearest}"?')
    return settings


def _is_given(flag: Any) -> bool:
    """Return whether a flag was given; 0 counts as given."""
    return flag is not None and flag is not False and flag != []


def _describe(error: ValidationError, sources: Mapping[str, str]) -> str:
    """Return the first problem with the name of the setting in its source."""
    problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
    message = str(problem["msg"]).removeprefix("Value error, ").rstrip(".")
    if not problem["loc"]:
        return f"{message}."
    name = str(problem["loc"][0])
    source = sources.get(name, FLAG)
    if source == FLAG:
        return f"--{name.replace('_', '-')}: {message}."
    if source == ENVIRONMENT:
        return f"{ENVIRONMENT_PREFIX}{name.upper()}: {message}."
    return f"{source}: {name}: {message}."


def _to_toml(value: Any) -> str:
    if isinstance(value, SecretStr):
        return '"…"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_to_toml, value)) + "]"
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _is_bare_host(host: str) -> bool:
    return bool(host_name(host)) and not set("/?#@ ") & set(host)
