"""Keys: an idempotency key stands for one intent, for as long as the company remembers it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from company_lab.company.fields import words
from company_lab.formats.time import parse_moment
from company_lab.worlds import Context, Json
from company_lab.worlds.providers import KEY_RETENTION_MS


def repeats(
    ctx: Context, table: str, args: Mapping[str, Json], *, provider: str, op: str, same: tuple[str, ...]
) -> bool:
    """Whether this call asks again, under its key, for what was done already and the provider still knows it.

    Records of `table` hold what was done; `same` names the arguments that make up the intent.
    """
    key = words(args, "key")
    if key is None or not any(entry["key"] == key for entry in ctx.ledger(provider, op)):
        return False
    for id in ctx.find(table, key=key):
        done = ctx.read(table, id)
        created = words(done, "created")
        if created is None or ctx.now - parse_moment(created) >= timedelta(milliseconds=KEY_RETENTION_MS):
            continue
        if all(args.get(name) is None or done.get(name) == args[name] for name in same):
            return True
    return False


def is_taken(ctx: Context, table: str, args: Mapping[str, Json]) -> bool:
    """Whether the key of this call was used before, for whatever."""
    key = words(args, "key")
    return key is not None and bool(ctx.find(table, key=key))
