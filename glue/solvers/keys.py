"""Keys: where they come from (the environment alone), and how they are kept out of what lands."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, unquote, urlsplit, urlunsplit

from glue.errors import GlueError

HIDDEN = "[key]"
SHORTEST = 8
"""A shorter text is no key, but a word such as 'none' or 'local', which an answer may well hold."""

_SECRET_NAME = re.compile(
    r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|AUTH)(_|$|\d)|^(AZURE|AWS)_", re.IGNORECASE
)
_LONG = 16
_NESTED = 3


@dataclass(frozen=True)
class Address:
    """The base of an API: `url` for sending, `shown` for landing and for people, `password` if it has one."""

    url: str  # without user and password
    shown: str  # also without query
    user: str | None = None
    password: str | None = None

    @property
    def basic_auth(self) -> str | None:
        """The value of an Authorization header, where the address came with a user."""
        if self.user is None:
            return None
        pair = f"{self.user}:{self.password or ''}"
        return "Basic " + base64.b64encode(pair.encode()).decode()


def address(text: str) -> Address:
    """The base of an API as typed: http(s), a host, and perhaps a path. GlueError when it is none."""
    parts = urlsplit(text.strip())
    try:
        is_usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_usable = False
    if not is_usable:
        shown = re.sub(r"//[^/@]*@", "//", text)
        raise GlueError(
            f"--api-base {shown!r} is no address", "write it whole, such as http://localhost:8000/v1"
        )
    host = parts.netloc.rpartition("@")[2]
    path = parts.path.rstrip("/")
    return Address(
        url=urlunsplit((parts.scheme, host, path, parts.query, "")),
        shown=urlunsplit((parts.scheme, host, path, "", "")),
        user=unquote(parts.username) if parts.username else None,
        password=unquote(parts.password) if parts.password else None,
    )


class Scrubber:
    """Takes keys out of texts before they land."""

    def __init__(self, keys: Iterable[str | None]) -> None:
        spellings = {spelling for key in keys if key for spelling in _spellings(key)}
        self._spellings = sorted(spellings, key=len, reverse=True)

    @classmethod
    def of(cls, sent: Iterable[str | None], environment: Mapping[str, str] | None = None) -> Scrubber:
        """For the keys that are `sent`, and whatever else in the environment looks like one."""
        environment = os.environ if environment is None else environment
        others = [
            value
            for name, value in environment.items()
            if len(value) >= _LONG and _SECRET_NAME.search(name) and not value.startswith(("/", "http"))
        ]
        return cls([*sent, *others])

    def scrub(self, text: str | None) -> str | None:
        """The text with `[key]` in place of every key, also where it is spelled as JSON or URLs do."""
        if text is None:
            return None
        for spelling in self._spellings:
            if spelling in text:
                text = text.replace(spelling, HIDDEN)
        return text


def secrets_of(api_base: Address | None, typed: str | None = None) -> list[str | None]:
    """What an API's address holds that must not land: password, Basic header, values of its query."""
    if api_base is None:
        return []
    header = api_base.basic_auth
    found = [api_base.password, header.removeprefix("Basic ") if header else None]
    return [*found, *(value for _, value in parse_qsl(urlsplit(typed or api_base.url).query))]


def _spellings(key: str) -> set[str]:
    """A key as it is, as URLs spell it, and as JSON does, also JSON within JSON."""
    if len(key) < SHORTEST:
        return set()
    found, spelled = {key, quote(key, safe="")}, key
    for _ in range(_NESTED):
        spelled = json.dumps(spelled, ensure_ascii=False)[1:-1]
        found |= {spelled, spelled.replace("/", "\\/")}
    return found | {json.dumps(key)[1:-1]}
