"""What a store URL says of an Elasticsearch: where it is, who we are, and how its indices are called."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from knowledge.errors import SettingsError

DEFAULT_PREFIX = "errata"
_OPTIONS = {"api_key", "prefix", "verify", "ca"}
_PREFIX = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_EXAMPLE = "give http(s)://[user:password@]host:port[/path][?api_key=…&prefix=…&ca=FILE&verify=false]"


@dataclass(frozen=True)
class Address:
    """`shown` is the URL without secrets; secrets are in no repr. `verify`: a file is the authority to trust."""

    scheme: str
    host: str
    port: int
    path: str
    shown: str
    prefix: str = DEFAULT_PREFIX
    verify: bool | Path = True
    api_key: str | None = field(default=None, repr=False)
    basic_auth: tuple[str, str] | None = field(default=None, repr=False)


def parse_address(url: str) -> Address:
    """The address; SettingsError, which never shows the URL, where it is none."""
    try:
        parts = urlsplit(url)
        port = parts.port
        options = parse_qs(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError:
        raise SettingsError(f"the Elasticsearch URL cannot be read; {_EXAMPLE}") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingsError(f"the Elasticsearch URL has no http(s) scheme or no host; {_EXAMPLE}")
    if unknown := sorted(set(options) - _OPTIONS):
        raise SettingsError(f"the Elasticsearch URL has an unknown option {unknown[0]!r}; {_EXAMPLE}")
    return _address(parts, port, {name: values[-1] for name, values in options.items()})


def checked_prefix(prefix: str) -> str:
    """The prefix; SettingsError where index names cannot begin with it."""
    if not _PREFIX.fullmatch(prefix):
        raise SettingsError(f"{prefix!r} is no prefix of index names: 1 to 64 of a-z, 0-9, _ and -")
    return prefix


def _address(parts: SplitResult, port: int | None, options: dict[str, str]) -> Address:
    host = parts.hostname or ""
    number = port or {"https": 443, "http": 80}[parts.scheme]
    path = parts.path.rstrip("/")
    bracketed = f"[{host}]" if ":" in host else host
    return Address(
        scheme=parts.scheme,
        host=host,
        port=number,
        path=path,
        shown=f"{parts.scheme}://{bracketed}:{number}{path}",
        prefix=checked_prefix(options.get("prefix", DEFAULT_PREFIX)),
        verify=_verify(options),
        api_key=options.get("api_key") or None,
        basic_auth=(unquote(parts.username), unquote(parts.password or "")) if parts.username else None,
    )


def _verify(options: dict[str, str]) -> bool | Path:
    if "ca" in options:
        return Path(options["ca"])
    said = options.get("verify", "true").lower()
    if said not in ("true", "false"):
        raise SettingsError("verify in the Elasticsearch URL is true or false")
    return said == "true"
