"""Secrets in settings: found by the name they stand under, or by what they look like, and never stored."""

from __future__ import annotations

import re
from collections.abc import Mapping

from company_lab.formats.canonical import Json

SECRET = "(secret)"
"""Stands for every secret alike: a new key makes no other agent, and nothing about the old one can be learnt."""

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_WHOLLY = frozenset(
    ("password", "passwords", "passwd", "pwd", "passphrase", "secret", "secrets", "cookie")
).union(("credential", "credentials", "authorization"))
"""Last words of names under which nothing but a secret can stand."""
_MAYBE = frozenset(["key", "apikey", "token", "bearer"])
"""Last words of names under which a text is a secret; a number is a count or a bound."""
_MANY = frozenset(["keys", "tokens"])
_KINDS = frozenset(["api", "access", "private", "secret", "auth", "refresh"])

LOOKS_LIKE_A_KEY = re.compile(
    r"""
      \b(?:sk|pk|rk)[-_](?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{16,}
    | \b(?:gh[opsur]_|github_pat_|glpat-|hf_|xox[abeprs]-)[A-Za-z0-9_-]{16,}
    | \b(?:AKIA|ASIA)[0-9A-Z]{16}\b
    | \bAIza[A-Za-z0-9_-]{30,}
    | \beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}
    | -----BEGIN\ [A-Z ]*PRIVATE\ KEY-----(?:.|\n)*?(?:-----END\ [A-Z ]*PRIVATE\ KEY-----|\Z)
    | (?<=://) (?P<user>[^\s/:@]*:) [^\s/@]+ (?=@)
    | (?P<scheme>\b(?i:bearer)\s+) [A-Za-z0-9._~+/=-]{8,}
    | (?P<query>[?&](?i:api_?key|key|token|access_token|signature|sig)=) [^&\s]+
    """,
    re.VERBOSE,
)
"""What keys of well-known services, bearer tokens, private keys and passwords in addresses look like."""


def without_secrets(value: Json) -> Json:
    """A copy of `value` in which every secret is replaced by `SECRET`.

    A secret is what stands under a name such as `api_key`, `token`, `Authorization` or `db-password`, and
    every part of a text that looks like a key (`sk-...`, `Bearer ...`, a private key, a password in an
    address). Empty texts and nulls stay: whether something was set may be known.
    """
    if isinstance(value, str):
        return conceal(value)
    if isinstance(value, Mapping):
        return {
            name: SECRET if _is_secret(name, item) else without_secrets(item) for name, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [without_secrets(item) for item in value]
    return value


def conceal(text: str) -> str:
    """`text` with every part that looks like a key replaced by `SECRET`."""
    return LOOKS_LIKE_A_KEY.sub(_concealed, text)


def _concealed(match: re.Match[str]) -> str:
    return (match["user"] or match["scheme"] or match["query"] or "") + SECRET


def _is_secret(name: object, value: Json) -> bool:
    if value is None or isinstance(value, bool) or value in ("", [], {}):
        return False
    words = [word.lower() for word in _WORDS.findall(name)] if isinstance(name, str) else []
    if not words:
        return False
    last = words[-1]
    if last in _WHOLLY:
        return True
    numeric = isinstance(value, (int, float))
    return not numeric and (last in _MAYBE or (last in _MANY and not _KINDS.isdisjoint(words)))
