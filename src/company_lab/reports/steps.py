"""One record of a trace in plain words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from company_lab.formats.canonical import NotJson, canonical, parse
from company_lab.formats.hostile import cut, one_line, printable
from company_lab.reports.vocabulary import BECAUSE, DECISIONS, FAULTS, OUTCOMES, stop_in_words
from company_lab.reports.wording import Currencies, fields, label, value
from company_lab.scenarios.spec import WorldSpec

Record = Mapping[str, Any]
Tone = Literal["plain", "strong", "quiet", "bad", "quote"]

LONGEST_TEXT = 3000
LONGEST_LINE = 600


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the timeline: its text, harmless already, and how loud it is said."""

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True)
class Context:
    """What wording a record needs beside the record: descriptions of tools, currencies of records."""

    spec: WorldSpec | None
    currencies: Currencies
    tenant: str | None
    calls: Mapping[str, Record]
    """Actions by our call id."""


def lines_of(record: Record, context: Context) -> list[Line]:
    """What a record says, in lines; empty where it says nothing a reader of the timeline needs.

    Kinds this version does not know are shown with all their fields.
    """
    wording = _WORDINGS.get(record["kind"], _unknown)
    return [
        line if line.tone == "quote" else Line(cut(line.text, LONGEST_LINE), line.tone)
        for line in wording(record, context)
    ]


def changes_in_words(changes: Iterable[Record], context: Context) -> list[Line]:
    """Changes of records as "invoices I-400: status open → paid"."""
    return [Line(_change(change, context)) for change in changes]


def _change(change: Record, context: Context) -> str:
    tenant = change.get("tenant")
    owner = f"{one_line(str(tenant))}/" if tenant and tenant != context.tenant else ""
    name = f"{owner}{one_line(change['table'])} {one_line(str(change['id']))}"
    touched: Record = change.get("fields", {})
    if change["op"] == "create":
        return f"new in {name}: {fields({field: after for field, (_, after) in touched.items()})}"
    if change["op"] == "delete":
        return f"deleted: {name}"
    after = {field: pair[1] for field, pair in touched.items()}
    currency = context.currencies.of_call(after) or context.currencies.of(str(change["id"]))

    def said(field: str, found: Any) -> str:
        return value(found, name=field, currency=currency)

    parts = (
        f"{label(field)} {said(field, old)} → {said(field, new)}" for field, (old, new) in touched.items()
    )
    return f"{name}: {', '.join(parts)}"


def quoted(text: str) -> list[Line]:
    """A text somebody wrote, as lines of a quotation."""
    return [Line(line, "quote") for line in printable(cut(text, LONGEST_TEXT)).split("\n")]


def _turn(record: Record, _: Context) -> Iterable[Line]:
    number, because = record.get("turn"), str(record.get("because"))
    sender, message = record.get("sender"), record.get("message")
    who = one_line(str(sender)) if sender else "the company"
    if because == "event" and not sender:
        who = "an event"
    yield Line(f"Turn {number}: {who} {BECAUSE.get(because, one_line(because))}", "strong")
    if message:
        yield from quoted(str(message))


def _observation(record: Record, _: Context) -> Iterable[Line]:
    seen = [f"{event.get('type')} ({event.get('id')})" for event in record["events"]]
    if seen:
        yield Line(f"the agent sees {one_line(', '.join(seen))}", "quiet")


def _choice(record: Record, _: Context) -> Iterable[Line]:
    answer = record.get("answer")
    text = answer if isinstance(answer, str) else canonical(answer)
    yield Line(f"the model answers: {one_line(text)}", "quiet")


def _model(record: Record, _: Context) -> Iterable[Line]:
    error, answer = record.get("error"), record.get("answer")
    who = f"the {one_line(str(record.get('role')))}'s model"
    if isinstance(error, Mapping):
        tried = one_line(str(record.get("attempt")))
        yield Line(f"{who} gave no answer (try {tried}): {one_line(str(error.get('message')))}", "bad")
    elif isinstance(answer, Mapping) and answer.get("calls") and answer.get("text"):
        yield Line(
            f"{who} says: {one_line(str(answer['text']))}", "quiet"
        )  # a mere text is the reply that follows


def _action(record: Record, context: Context) -> Iterable[Line]:
    call, tool, args = record.get("call"), str(record.get("tool")), record.get("args")
    spec = context.spec.tools.get(tool) if context.spec else None
    by = record.get("by")
    actor = f"the {by}" if by in ("selector", "writer") else "the agent"
    yield Line(f"{call}  {actor} attempts {one_line(tool)}", "strong")
    if spec and spec.description.strip() and _is_first_use(record, context):
        yield Line(one_line(spec.description.strip().splitlines()[0]), "quiet")
    if isinstance(args, Mapping):
        prose = {name: item for name, item in args.items() if isinstance(item, str) and _is_prose(name, item)}
        rest = {name: item for name, item in args.items() if name not in prose}
        if rest:
            yield Line(f"with {fields(rest, currency=context.currencies.of_call(args))}")
        for name, text in prose.items():
            yield Line(f"with {label(name)}")
            yield from quoted(text)
    else:
        supplied = record.get("supplied")
        raw = supplied if isinstance(supplied, str) else canonical(supplied)
        yield Line(f"with arguments nobody could read: {one_line(raw) or '(nothing)'}", "bad")


def _is_first_use(record: Record, context: Context) -> bool:
    """Whether the tool is used for the first time, which is when its description helps."""
    first = next((call for call in context.calls.values() if call.get("tool") == record.get("tool")), record)
    return first.get("call") == record.get("call")


def _is_prose(name: str, text: str) -> bool:
    return name in ("text", "body", "message") or len(text) > 60 or "\n" in text


def _guard(record: Record, _: Context) -> Iterable[Line]:
    decision = str(record["decision"])
    if decision == "allow" and not record.get("reason") and not record.get("approval"):
        return
    text = f"guard: {DECISIONS.get(decision, one_line(decision))}"
    if record.get("reason"):
        text += f", reason {one_line(str(record['reason']))}"
    if record.get("rule"):
        text += f" (rule {one_line(str(record['rule']))})"
    if record.get("approval"):
        text += f", approval {one_line(str(record['approval']))}"
    yield Line(text, "quiet" if decision == "allow" else "bad")


def _fault(record: Record, context: Context) -> Iterable[Line]:
    kind = str(record.get("what"))
    target = record.get("call") or record.get("event") or "it"
    yield Line(f"FAULT {one_line(kind)}: {one_line(str(target))} {FAULTS.get(kind, 'is disturbed')}", "bad")
    if record.get("as_of"):
        yield Line(f"the records it answers from are those of {one_line(str(record['as_of']))}", "quiet")
    yield from changes_in_words(record.get("changes") or (), context)


_CRASHES = {
    "before": "before {call} was sent",
    "after": "after {call} took effect, before its answer came",
    "answered": "after the answer to {call}, before anything was saved",
    "saved": "after it had saved what came of {call}",
}
_RESTARTS = {
    "task": "with nothing but its task",
    "transcript": "with what was said up to the last answer",
    "checkpoint": "with what it had saved",
}


def _crash(record: Record, _: Context) -> Iterable[Line]:
    point, call = str(record.get("point")), one_line(str(record.get("call")))
    where = _CRASHES[point].format(call=call) if point in _CRASHES else f"at {call}"
    yield Line(f"CRASH {record.get('crash')}: the agent is killed {where}", "bad")


def _restart(record: Record, _: Context) -> Iterable[Line]:
    mode = str(record.get("mode"))
    known = _RESTARTS.get(mode, one_line(mode))
    yield Line(f"the agent is back, {known}, and begins turn {record.get('turn')} again", "strong")


def _effect(record: Record, context: Context) -> Iterable[Line]:
    payload: Record = record.get("payload") or {}
    text = record.get("text")
    name = f"{one_line(str(record['provider']))}.{one_line(str(record['op']))}"
    again = " (asked again under one key, done only once)" if record.get("replayed") else ""
    shown = {key: item for key, item in payload.items() if item not in (None, "", [], {})}
    arguments = _arguments(record, context)
    if isinstance(text, Mapping):
        # What stands in the call above is not said again, nor in two ways.
        told = (text.get("text"), *(arguments.get(name) for name in ("text", "subject")))
        shown = {key: item for key, item in shown.items() if item not in told and item != text.get("to")}
    what = f": {fields(shown, currency=_currency(record, context))}" if shown else ""
    yield Line(f"outside, at {name}{again}{what}", "strong")
    if isinstance(text, Mapping):
        said = str(text.get("text"))
        whole = "\n\n".join(str(arguments[name]) for name in ("subject", "text") if arguments.get(name))
        if said == whole or said in arguments.values():
            yield Line(f"to {value(text.get('to'))} it says that text")
        else:
            yield Line(f"to {value(text.get('to'))} it says")
            yield from quoted(said)


def _arguments(record: Record, context: Context) -> Mapping[str, Any]:
    action = context.calls.get(str(record.get("call")))
    arguments = action.get("args") if action else None
    return arguments if isinstance(arguments, Mapping) else {}


def _currency(record: Record, context: Context) -> str | None:
    return context.currencies.of_call(_arguments(record, context))


_SPOILT = {
    "failed": "the agent is told that it failed",
    "malformed": "what reaches the agent is cut off",
    "partial": "what reaches the agent is incomplete",
}


def _result(record: Record, context: Context) -> Iterable[Line]:
    outcome, error = str(record["outcome"]), record.get("error")
    text = OUTCOMES.get(outcome, one_line(outcome))
    if record.get("delivery") == "timed_out":
        text += "; no answer reached the agent (timed out)"
    elif record.get("delivery") == "lost":
        text += "; the agent was gone before an answer came"
    elif record.get("delivery") in _SPOILT:
        text += f"; {_SPOILT[str(record['delivery'])]}"
    if isinstance(error, Mapping):
        message, reason = str(error.get("message") or error.get("code")), str(error.get("reason") or "")
        text += f": {one_line(message)}"
        if reason and reason.replace("_", " ") not in message:
            text += f" ({one_line(reason)})"
    yield Line(text, "plain" if outcome == "executed" and not error else "bad")
    yield from changes_in_words(record.get("changes") or (), context)
    answer = _parsed(record.get("value"))
    changed = {change["id"] for change in record.get("changes") or ()}
    if isinstance(answer, Mapping) and answer.get("id") in changed:
        yield Line("answer: the record as it is now", "quiet")
    elif answer is not None:
        currency = _currency(record, context)
        whole = isinstance(answer, Mapping) and bool(answer)
        said = fields(answer, currency=currency) if whole else value(answer, currency=currency)
        yield Line(f"answer: {said}", "quiet")
    if "received" in record:
        received = value(record["received"], currency=_currency(record, context))
        yield Line(f"what reached the agent: {received}", "bad")


def _parsed(answer: Any) -> Any:
    """JSON that a tool gave as text, for reading; the trace keeps the text."""
    if not isinstance(answer, str) or answer[:1] not in ("{", "["):
        return answer
    try:
        return parse(answer)
    except NotJson:
        return answer


def _event(record: Record, context: Context) -> Iterable[Line]:
    text = f"event {one_line(str(record.get('id')))} arrives: {one_line(str(record.get('type')))}"
    if (record.get("delivery") or 1) > 1:
        text += f", delivery {record['delivery']}"
    if record.get("visible") is False:
        text += " (the agent's role does not see it)"
    if record.get("sender"):
        text += f", from {one_line(str(record['sender']))}"
    yield Line(text, "strong")
    data: Record = record.get("data") or {}
    prose = {name: item for name, item in data.items() if isinstance(item, str) and _is_prose(name, item)}
    rest = {name: item for name, item in data.items() if name not in prose}
    if rest:
        yield Line(fields(rest, currency=context.currencies.of_call(data)))
    for item in prose.values():
        yield from quoted(item)
    yield from changes_in_words(_beyond(record.get("changes") or (), data), context)


def _beyond(changes: Iterable[Record], data: Record) -> Iterable[Record]:
    """Changes without the records that hold nothing but what the event said itself."""
    for change in changes:
        told = [after for _, after in change["fields"].values() if after in data.values()]
        if change["op"] != "create" or 2 * len(told) < len(change["fields"]):
            yield change


def _approval(record: Record, context: Context) -> Iterable[Line]:
    known = ("seq", "at", "kind", "id", "decision", "call", "changes")
    rest = {name: item for name, item in record.items() if name not in known and item is not None}
    more = f": {fields(rest)}" if rest else ""
    name, decision = one_line(str(record.get("id"))), one_line(str(record.get("decision")))
    yield Line(f"approval {name}: {decision}{more}", "strong")
    yield from changes_in_words(record.get("changes") or (), context)


def _memory(record: Record, _: Context) -> Iterable[Line]:
    yield Line(f"the agent notes: {value(record.get('value'))}", "quiet")


def _reply(record: Record, _: Context) -> Iterable[Line]:
    to = f" to {one_line(str(record['to']))}" if record.get("to") else ""
    text = record.get("text")
    if text is None or not str(text).strip():
        yield Line(f"the agent's reply{to} is empty", "bad")
        return
    yield Line(f"the agent replies{to}", "strong")
    yield from quoted(str(text))
    if record.get("bytes"):
        yield Line(f"(cut; the whole reply had {record['bytes']:,} bytes)", "quiet")


def _stopped(record: Record, _: Context) -> Iterable[Line]:
    detail = f": {one_line(str(record['detail']))}" if record.get("detail") else ""
    reason = str(record["reason"])
    tone: Tone = "strong" if reason == "finished" else "bad"
    yield Line(f"stopped: {stop_in_words(reason)}{detail}", tone)


def _settled(record: Record, context: Context) -> Iterable[Line]:
    changes = record.get("changes") or []
    head = "the books in the end, against the beginning" if changes else "the books are as before"
    yield Line(head, "strong")
    yield from changes_in_words(changes, context)
    for provider, entries in (record.get("ledgers") or {}).items():
        counts: dict[str, int] = {}
        for entry in entries:
            counts[str(entry.get("op"))] = counts.get(str(entry.get("op")), 0) + 1
        done = ", ".join(f"{count} x {one_line(op)}" for op, count in counts.items())
        if done:
            yield Line(f"{one_line(provider)} did: {done}")
    for fault in record.get("faults") or ():
        if not fault.get("fired"):
            yield Line(f"fault {fault.get('index')} never happened", "bad")
        elif not fault.get("changed"):
            yield Line(f"fault {fault.get('index')} happened and made no difference", "bad")


def _unknown(record: Record, _: Context) -> Iterable[Line]:
    rest = {name: item for name, item in record.items() if name not in ("seq", "at", "kind")}
    yield Line(f"{one_line(str(record['kind']))}: {fields(rest)}")


def _silent(_: Record, __: Context) -> Iterable[Line]:
    return ()


_WORDINGS: dict[str, Callable[[Record, Context], Iterable[Line]]] = {
    "started": _silent,
    "usage": _silent,
    "model": _model,
    "turn": _turn,
    "observation": _observation,
    "choice": _choice,
    "action": _action,
    "guard": _guard,
    "fault": _fault,
    "crash": _crash,
    "restart": _restart,
    "effect": _effect,
    "result": _result,
    "event": _event,
    "approval": _approval,
    "memory": _memory,
    "reply": _reply,
    "stopped": _stopped,
    "settled": _settled,
}
