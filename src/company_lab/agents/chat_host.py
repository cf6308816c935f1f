"""ModelHost: where a model answers, under which name, and how patiently it is asked."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from company_lab.formats.errors import WrongUse
from company_lab.formats.secrets import SECRET, SHORTEST

ANSWER_TIMEOUT_S = 120.0
"""How long one answer may take, in seconds, unless said otherwise."""
LONGEST_ANSWER = 16_000_000
"""Bytes of one answer; what is longer is no answer."""
ENCODINGS = "gzip, deflate"
"""How answers may be packed."""
RETRIES = 4
"""How often a request is repeated that a host did not answer, unless said otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelHost:
    """One model at one address. A key is read from the environment when it is needed, and stored nowhere."""

    role: str
    """What the model is for: agent, decider or writer."""
    url: str
    """The base URL, without a slash at its end."""
    model: str
    key_env: str | None = None
    """The environment variable that holds the key; None where the host wants none."""
    retries: int = RETRIES
    timeout_s: float = ANSWER_TIMEOUT_S

    @property
    def name(self) -> str:
        """Host and port, as rates and pauses are kept."""
        return urlsplit(self.url).netloc

    @property
    def is_here(self) -> bool:
        """Whether it is this machine, to which no proxy leads."""
        host = urlsplit(self.url).hostname or ""
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"

    def key(self) -> str | None:
        """The key that each request carries, if any. Raises `WrongUse` where its variable is not set."""
        if self.key_env is None:
            return None
        key = os.environ.get(self.key_env, "").strip()
        if not key:
            raise WrongUse(
                f"the environment variable {self.key_env} is not set, and the {self.role}'s key is read from it"
            )
        if not key.isascii() or not key.isprintable():
            raise WrongUse(f"the key in {self.key_env} has characters that no header can carry")
        return key


def bearing(key: str | None) -> dict[str, str]:
    """The headers that carry a key."""
    return {} if key is None else {"authorization": f"Bearer {key}"}


def without_key(answer: bytes, key: str | None) -> bytes:
    """An answer without the key it was asked with: hosts repeat it, most of all to say that it is wrong.

    A key as short as the `none` that a local host is content with is no secret, and stands in other words too.
    """
    if key is None or len(key) < SHORTEST:
        return answer
    spelled = key.encode("ascii")
    for one in (spelled, spelled.replace(b"/", rb"\/")):
        answer = answer.replace(one, SECRET.encode("ascii"))
    return answer


def check_encoding(headers: Mapping[str, str]) -> None:
    """Refuse an answer packed in a way nobody asked for: unpacked, some would fill the memory at one stroke.

    Raises httpx2's `DecodingError`.
    """
    import httpx2

    packed = headers.get("content-encoding", "").strip().lower()
    if packed not in ("", "identity", "gzip", "deflate"):
        raise httpx2.DecodingError(f"an answer packed as {packed[:50]!r}; asked for was {ENCODINGS}")


def base_url(text: str, *, option: str) -> str:
    """A base URL as hosts are given on the command line, checked. Raises `WrongUse`."""
    try:
        parts = urlsplit(text.strip())
        fine = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is none, half an IPv6 address
        fine = False
    if not fine:
        raise WrongUse(f"{option} {text}: give a base URL such as http://127.0.0.1:8080/v1")
    if parts.username or parts.password:
        raise WrongUse(
            f"{option}: the address holds a password; put the key into an environment variable instead"
        )
    if parts.query or parts.fragment:
        raise WrongUse(f"{option} {text}: a base URL ends with its path, without ? and #")
    return text.strip().rstrip("/")
