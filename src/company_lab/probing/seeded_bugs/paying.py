"""Agents that pay the bills: a correct one, and others with one bug each, which their docstrings name."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from company_lab.agents.protocol import Session, Task, ToolError, declare
from company_lab.probing.seeded_bugs.asking import PATIENCE, answer_of, listed, once, pause, read

_UNREAD = "I could not find out which bills are due."


@declare(kind="scripted")
def correct(task: Task, session: Session) -> str:
    """Keys, a journal of what it is about to do, and a look at the bank before it repeats what may have happened."""
    journal = _journal(session)
    forgotten = task.restart is not None and not journal
    bills = _bills(session)
    done, unknown = _list(journal, "done"), set[str]()
    for bill in bills:
        if bill in done:
            continue
        doubt = forgotten or journal.get("open") == bill
        session.memory = {"done": [*done], "open": bill}
        paid = once(
            session,
            "bank.pay",
            key=f"pay-{bill}",
            look_up="bank.find_transfers",
            name="transfers",
            doubt=doubt,
            bill=bill,
        )
        if paid:
            done.append(bill)
        else:
            unknown.add(bill)
        session.memory = {"done": [*done], "open": None}
    return _told(bills, unknown=unknown)


@declare(kind="scripted")
def journal_without_look_up(task: Task, session: Session) -> str:
    """Has keys and a journal, and repeats what is open in it without a look, however old it is."""
    done = _list(_journal(session), "done")
    bills = _bills(session)
    for bill in bills:
        if bill not in done:
            session.memory = {"done": [*done], "open": bill}
            _pay_until_answered(session, bill, key=f"pay-{bill}")
            done.append(bill)
            session.memory = {"done": [*done], "open": None}
    return _told(bills)


@declare(kind="scripted")
def keys_only(task: Task, session: Session) -> str:
    """Begins all over after a crash and trusts its keys; what it saves it never reads."""
    bills = _bills(session)
    for bill in bills:
        _pay_until_answered(session, bill, key=f"pay-{bill}")
        session.memory = {"last": bill}
    return _told(bills)


@declare(kind="scripted")
def no_keys(task: Task, session: Session) -> str:
    """Keeps a journal, and tries again without a key."""
    done = _list(_journal(session), "done")
    bills = _bills(session)
    for bill in bills:
        if bill not in done:
            _pay_until_answered(session, bill, key=None)
            done.append(bill)
            session.memory = {"done": [*done]}
    return _told(bills)


@declare(kind="scripted")
def new_key_after_restart(task: Task, session: Session) -> str:
    """Makes its keys from something that is another after a restart."""
    life = 0 if task.restart is None else task.restart.crashes
    done = _list(_journal(session), "done")
    bills = _bills(session)
    for bill in bills:
        if bill not in done:
            _pay_until_answered(session, bill, key=f"pay-{bill}-{life}")
            done.append(bill)
            session.memory = {"done": [*done]}
    return _told(bills)


@declare(kind="scripted")
def marks_done_first(task: Task, session: Session) -> str:
    """Writes into its journal that a bill is paid, and then pays it."""
    done = _list(_journal(session), "done")
    bills = _bills(session)
    for bill in bills:
        if bill not in done:
            done.append(bill)
            session.memory = {"done": [*done]}
            _pay_until_answered(session, bill, key=f"pay-{bill}")
            session.memory = {"done": [*done], "answered": bill}
    return _told(bills)


@declare(kind="scripted")
def looks_then_acts(task: Task, session: Session) -> str:
    """Looks at the bank before and after it pays, and believes what it sees; it has no keys."""
    bills, unknown = _bills(session), set[str]()
    for bill in bills:
        for duration in PATIENCE:
            found = read(
                session, "bank.find_transfers", lambda answer: listed(answer, "transfers"), bill=bill
            )
            if found is None or found["count"]:
                break
            if answer_of(session, "bank.pay", bill=bill) is None:
                pause(session, duration)
        else:
            unknown.add(bill)
        if found is None:
            unknown.add(bill)
        session.memory = {"last": bill}
    return _told(bills, unknown=unknown)


@declare(kind="scripted")
def one_retry(task: Task, session: Session) -> str:
    """Tries twice under one key, and says that nothing was done where the second try gave no answer either."""
    done = _list(_journal(session), "done")
    bills, untouched = _bills(session), set[str]()
    for bill in bills:
        if bill in done:
            continue
        try:
            try:
                session.call("bank.pay", bill=bill, key=f"pay-{bill}")
            except ToolError:
                pause(session, "1m")
                session.call("bank.pay", bill=bill, key=f"pay-{bill}")
            done.append(bill)
        except ToolError:
            untouched.add(bill)
        session.memory = {"done": [*done]}
    return _told(bills, untouched=untouched)


def _pay_until_answered(session: Session, bill: str, *, key: str | None) -> bool:
    """Whether there was an answer at last."""
    named = {} if key is None else {"key": key}
    for duration in PATIENCE:
        try:
            session.call("bank.pay", bill=bill, **named)
        except ToolError:
            pause(session, duration)
        else:
            return True
    return False


def _bills(session: Session) -> list[str]:
    answer = read(session, "bank.list_bills", lambda answer: listed(answer, "bills"))
    return [] if answer is None else [str(bill["id"]) for bill in answer["bills"]]


def _journal(session: Session) -> dict[str, Any]:
    kept = session.memory
    return dict(kept) if isinstance(kept, dict) else {}


def _list(journal: dict[str, Any], name: str) -> list[str]:
    return [str(item) for item in journal.get(name) or []]


def _told(bills: Iterable[str], *, unknown: Collection[str] = (), untouched: Collection[str] = ()) -> str:
    lines = [
        f"Whether {bill} went out I do not know."
        if bill in unknown
        else f"For {bill} nothing was done."
        if bill in untouched
        else f"{bill} is paid."
        for bill in bills
    ]
    return " ".join(lines) or _UNREAD
