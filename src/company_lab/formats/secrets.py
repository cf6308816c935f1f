"""Secrets in settings: found by the name they stand under, or by what they look like, and never stored."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping

from company_lab.formats.canonical import Json

SECRET = "(secret)"
"""Stands for every secret alike: a new key makes no other agent, and nothing about the old one can be learnt."""

SHORTEST = 8
"""Characters a known secret has at least to be looked for: shorter ones stand in other words too."""

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
      \b(?:sk|pk|rk)[-_](?=[A-Za-z_-]{0,200}[0-9])[A-Za-z0-9_-]{16,}
    | \b(?:gh[opsur]_|github_pat_|glpat-|hf_|xox[abeprs]-)[A-Za-z0-9_-]{16,}
    | \b(?:AKIA|ASIA)[0-9A-Z]{16}\b
    | \bAIza[A-Za-z0-9_-]{30,}
    | \beyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}
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


def hiding(secrets: Iterable[str]) -> Callable[[Json], Json]:
    """A function that copies a value without these secrets, wherever they stand in it, names of fields included.

    They are found as they are and as JSON spells them within a text, also twice over. Secrets shorter than `SHORTEST`
    are left alone, and so are parts of one, and encodings such as base64.
    """
    known = {spelling for secret in secrets if len(secret) >= SHORTEST for spelling in _spellings(secret)}
    if not known:
        return lambda value: value
    found = re.compile("|".join(map(re.escape, sorted(known, key=len, reverse=True))))

    def hide(value: Json) -> Json:
        if isinstance(value, str):
            return found.sub(SECRET, value)
        if isinstance(value, Mapping):
            return {found.sub(SECRET, name): hide(item) for name, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [hide(item) for item in value]
        return value

    return hide


def _spellings(secret: str) -> set[str]:
    spelled = {secret}
    for _ in range(2):
        spelled |= {json.dumps(one, ensure_ascii=ascii)[1:-1] for one in spelled for ascii in (True, False)}
    return spelled


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
