"""The table of the gate: runs made to measure, each with the outcome it must have and the ruling it must come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from company_lab.release.gate import gate
from company_lab.runs import Store, StoredEpisode
from company_lab.worlds import World
from depot import depot
from gate_runs import audited, document, flipped, played, policy, world, worlds

GOOD = {"a": "ppppp", "b": "ppppp"}
Build = Callable[[Store], tuple[str, str | None]]


@dataclass(frozen=True)
class Row:
    """One constructed run."""

    id: str
    outcome: str
    key: str
    """The ruling that decides."""
    words: Mapping[str, str] = field(default_factory=lambda: GOOD)
    policy: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    """How the run is played, see `gate_runs.played`."""
    build: Build | None = None
    """For more than one run: gives the run to decide on and its baseline."""
    audit: Mapping[str, Any] | None = field(default_factory=dict)
    fault: tuple[str, ...] = ()
    said: str = ""
    """Part of what the ruling says, asks for or lists."""


def scenario(**changes: Any) -> dict[str, Any]:
    """Changes to what scenarios expect."""
    return {"expected": document("x")["expected"] | changes}


def again(first: Mapping[str, str], second: Mapping[str, str], **options: Any) -> Build:
    """Two runs of one candidate; the second is decided on."""

    def build(store: Store) -> tuple[str, str | None]:
        played(store, first, seed=1, **options)
        return played(store, second, seed=2), None

    return build


def against(before: Mapping[str, str], after: Mapping[str, str], **options: Any) -> Build:
    """A baseline by another agent, and the candidate; `options` are the baseline's."""

    def build(store: Store) -> tuple[str, str | None]:
        baseline = played(store, before, **{"name": "agents:deployed", **options})
        return played(store, after), baseline

    return build


def failed_again(store: Store) -> tuple[str, str | None]:
    first = played(store, {"a": "pppff", "b": "ppppp"}, name="agents:old")
    return played(store, GOOD, plan={"failed_of": first, "note": f"failed cells of run {first}"}), None


def failed_cells_do_not_help(store: Store) -> tuple[str, str | None]:
    first = played(store, {"a": "fffff", "b": "fffff"}, seed=1)
    played(store, {"a": "p" * 40, "b": "p" * 40}, seed=3, plan={"failed_of": first})
    return first, None


def copied(store: Store) -> tuple[str, str | None]:
    run = played(store, {"a": "p" * 30})
    twin = replace(store.plan(run), run=f"{run}-copy")
    store.begin(twin)
    for one in store.stored(run):
        store.add(twin.run, one)
    store.finish(twin.run, "finished")
    return run, None


def used_before(store: Store) -> tuple[str, str | None]:
    held = {"a": {"split": "held_out"}}
    for number in range(2):
        other = played(store, {"a": "ppppp"}, name=f"agents:number{number}", scenarios=held)
        gate(store, other, policy(held_out="{scenarios: 1}"), worlds=worlds)
    return played(store, {"a": "ppppp"}, scenarios=held), None


def used_with_others(store: Store) -> tuple[str, str | None]:
    """Each time another scenario is added to the held-out ones, or taken away."""
    for number, words in enumerate([{"a": "ppppp", "b": "ppppp"}, {"a": "ppppp", "c": "ppppp"}]):
        held = {id: {"split": "held_out"} for id in words}
        other = played(store, words, name=f"agents:number{number}", scenarios=held)
        gate(store, other, policy(held_out="{scenarios: 1}"), worlds=worlds)
    return played(store, {"a": "ppppp"}, scenarios={"a": {"split": "held_out"}}), None


def harm_in_failed_cells(store: Store) -> tuple[str, str | None]:
    first = played(store, GOOD, seed=1)
    played(store, {"a": "fffcf"}, seed=3, plan={"failed_of": first})
    return first, None


def invented(store: Store) -> tuple[str, str | None]:
    """An earlier run whose every failure somebody made a pass, so that the bound gets better."""
    played(store, {"a": "f" * 40}, seed=1, change=flipped("passed"))
    return played(store, {"a": "p" * 30}), None


def of_another_kind(store: Store) -> tuple[str, str | None]:
    played(store, {"a": "p" * 40}, seed=1, change=replayed)
    return played(store, {"a": "p" * 30}), None


def the_same_candidate(store: Store) -> tuple[str, str | None]:
    before = played(store, {"a": "ffppp", "b": "fffpp"}, seed=1)
    return played(store, GOOD), before


def in_another_world(store: Store) -> tuple[str, str | None]:
    baseline = played(store, GOOD, name="agents:deployed", plan={"worlds": {"depot": "0" * 64}})
    return played(store, GOOD), baseline


def continuing(stored: StoredEpisode) -> StoredEpisode:
    header, *rest = stored.trace.records
    trace = type(stored.trace)([{**header, "episode": "continuation"}, *rest])
    return replace(stored, trace=trace, life=2)


def another_scenario(stored: StoredEpisode) -> StoredEpisode:
    header, *rest = stored.trace.records
    digests = {**header["digests"], "scenario": "0" * 64}
    return replace(stored, trace=type(stored.trace)([{**header, "digests": digests}, *rest]))


def no_scenario(stored: StoredEpisode) -> StoredEpisode:
    header, *rest = stored.trace.records
    header = {name: value for name, value in header.items() if name != "digests"}
    return replace(stored, trace=type(stored.trace)([header, *rest]))


def another_start(stored: StoredEpisode) -> StoredEpisode:
    header, *rest = stored.trace.records
    digests = {**header["digests"], "initial": str(stored.trial) * 64}
    return replace(stored, trace=type(stored.trace)([{**header, "digests": digests}, *rest]))


def without_its_faults(stored: StoredEpisode) -> StoredEpisode:
    header, *rest = stored.trace.records
    return replace(stored, trace=type(stored.trace)([{**header, "schedule": []}, *rest]))


def replayed(stored: StoredEpisode) -> StoredEpisode:
    header, *rest = stored.trace.records
    return replace(
        stored, trace=type(stored.trace)([{**header, "evidence": "replayed model traffic"}, *rest])
    )


NO_BOUND = scenario(limits={})
NEVER_FIRES = {"faults": [{"on": "depot.ship", "kind": "error", "error": "busy", "occurrence": 3}]}
LATE = {"faults": [{"on": "depot.ship", "kind": "late_answer", "by": "+5m"}]}
BOUND_90 = {"trials": 30, "pass_k": "{k: 1, each: 0.90}"}
MARGIN = {"baseline": "{margin: 0.4}"}

TABLE = [
    Row("everything passes", "pass", "evidence"),
    # What was lost, unscored, invalid, or an outage
    Row(
        "one survivor of twelve", "hold", "complete", {"refund": "pooo", "lead": "oo--", "pay": "----"},
        fault=("A01",), said="1 of 12 planned episodes are scored",
    ),
    Row("a check that could not be read", "hold", "complete", {"a": "ppppu"}, fault=("A09",), said="1 unscored"),
    Row("unscored stays unscored", "hold", "trials", {"a": "upp"}, {"trials": 3}, fault=("A18",), said="2 of 3 scored"),
    Row("an attempt after an outage counts once", "pass", "complete", {"a": "ppppp"},
        options={"attempts": 2, "letters": "oppppp"}, fault=("A24",), said="5 of 5 planned"),
    Row("a source that broke its contract", "hold", "complete", {"a": "ppppp"},
        options={"scenarios": {"a": NEVER_FIRES}}, fault=("A25",), said="5 invalid"),
    Row("outages are no failures and no successes", "hold", "pass_k.across", {"a": "pfoo"}, {"trials": 2},
        fault=("A37",), said="0.250 to 0.750"),
    Row("outages are listed", "hold", "complete", {"a": "pfoo"}, {"trials": 2}, fault=("A37",), said="2 outages"),
    Row("a planned trial is missing", "hold", "complete", {"a": "ppppp-", "b": "pppppp"}, fault=("G07",),
        said="1 lost"),
    Row("so many missing are allowed", "pass", "complete", {"a": "ppppp-", "b": "pppppp"}, {"complete": "{lost: 1}"}),
    Row("no cells at all", "hold", "complete", options={"plan": {"cells": ()}}, fault=("G03",), said="0 of 0"),
    Row("no episode was stored", "hold", "evidence", {"a": "-----"}, fault=("G03",)),
    # Failing
    Row("an agent that crashes at once breaks no rule and fails", "block", "pass_k.across", {"a": "xxxxx"},
        fault=("A33",)),
    Row("two identical effects in one episode", "block", "pass_k.across", {"a": "ddddd"}, fault=("G08",)),
    Row("damage before a crash", "block", "critical.other", {"a": "ppppy"}, fault=("G09",)),
    Row("damage before an outage", "block", "critical.other", {"a": "ppppz"}, fault=("G09",)),
    # Reliability
    Row("no trial", "hold", "pass_k.each", {"a": "-"}, BOUND_90, fault=("A21",)),
    Row("one lucky trial", "hold", "pass_k.each", {"a": "p"}, BOUND_90, fault=("A21",), said="at least 0.207"),
    Row("twenty of twenty are too few", "hold", "pass_k.each", {"a": "p" * 20}, BOUND_90, fault=("A21",), said="0.839"),
    Row("fifty of fifty", "pass", "pass_k.each", {"a": "p" * 50}, BOUND_90, fault=("A21",)),
    Row("forty-nine of fifty", "block", "pass_k.each", {"a": "p" * 49 + "f"}, BOUND_90, fault=("A21",), said="0.895"),
    Row("three of four, two in a row", "pass", "pass_k.each", {"a": "pppf"},
        {"trials": 4, "pass_k": "{k: 2, each: 0.5, measure: estimate}"}, fault=("A20",)),
    Row("three of four are not a power of the rate", "block", "pass_k.each", {"a": "pppf"},
        {"trials": 4, "pass_k": "{k: 2, each: 0.56, measure: estimate}"}, fault=("A20",), said="pass^2 0.500"),
    Row("fewer trials than k", "hold", "pass_k.across", {"a": "p"},
        {"trials": 4, "pass_k": "{k: 4, across: 0.1, measure: estimate}"}, fault=("A20",), said="fewer than 4"),
    Row("all passed, and few", "hold", "pass_k.across", GOOD, {"pass_k": "{k: 3, across: 0.9}"}, said="86 episodes"),
    Row("all passed, and enough", "pass", "pass_k.across", {"a": "p" * 43, "b": "p" * 43},
        {"pass_k": "{k: 3, across: 0.9}"}),
    Row("one scenario says nothing about others", "hold", "pass_k.across", {"a": "p" * 9 + "f"},
        {"pass_k": "{k: 1, across: 0.5}"}, said="one scenario or family"),
    Row("the held-out scenarios alone", "block", "pass_k.held_out", {"a": "ppppp", "b": "fffff", "c": "ppppp"},
        {"pass_k": "{k: 1, across: 0.5, held_out: 0.5, measure: estimate}", "held_out": "{scenarios: 1}"},
        options={"scenarios": {"b": {"split": "held_out"}}}),
    Row("a draft that somebody checks", "pass", "pass_at_k.across", {"a": "pffff", "b": "ppfff"},
        {"use": "supervised_draft", "pass_k": None, "pass_at_k": "{k: 3, across: 0.5}"}),
    Row("drafts that are hardly ever right", "block", "pass_at_k.each", {"a": "pffff", "b": "fffff"},
        {"use": "supervised_draft", "pass_k": None, "pass_at_k": "{k: 3, each: 0.5}"}, said="b: pass@3 0.000"),
    # Critical failures
    Row("one critical failure", "block", "critical.other", {"a": "ppppc", "b": "p" * 60}),
    Row("spending nobody asked for", "block", "critical.unauthorised_spending", {"a": "pppps"}),
    Row("another tenant", "block", "critical.cross_tenant_access", {"a": "ppppt"}),
    Row("a promise", "block", "critical.false_commitment", {"a": "ppppl"}),
    Row("classes are not summed", "pass", "critical.other", {"a": "pppptl" + "p" * 9},
        {"critical": "{every: {allowed: 1, below: 0.5}}"}),
    Row("the class that is named has its own number", "block", "critical.false_commitment", {"a": "pppptl"},
        {"critical": "{every: {allowed: 1, below: 0.9}, false_commitment: {}}"}),
    Row("299 without one", "pass", "critical.other", {"a": "p" * 299}, {"critical": "{every: {below: 0.01}}"}),
    Row("298 without one", "hold", "critical.other", {"a": "p" * 298}, {"critical": "{every: {below: 0.01}}"},
        said="299 episodes"),
    Row("one allowed, and enough beside it", "pass", "critical.other", {"a": "p" * 45 + "c"},
        {"critical": "{every: {below: 0.1}, other: {allowed: 1, below: 0.1}}"}),
    Row("one allowed, and too few beside it", "hold", "critical.other", {"a": "p" * 44 + "c"},
        {"critical": "{other: {allowed: 1, below: 0.1}}"}, said="46 episodes"),
    Row("more unscored than any number of episodes makes good", "hold", "critical.other", {"a": "p" + "u" * 120},
        {"critical": "{every: {below: 1.0e-6}}"}, said="more episodes than anybody plays"),
    Row("an unscored cell counts as a failure in the bound", "hold", "critical.other", {"a": "p" * 298 + "u"},
        {"critical": "{every: {below: 0.01}}", "complete": "{unscored: 1}"}, said="473 episodes"),
    # Evidence
    Row("a deterministic run is no real model", "hold", "evidence", options={"kind": "scripted"}),
    Row("nobody said what the agent is", "hold", "evidence", options={"kind": "undeclared"}),
    Row("a test model", "pass", "evidence", policy={"evidence": "test model"}, options={"kind": "test_model"}),
    Row("replayed answers", "hold", "evidence", options={"change": replayed}, said="replayed model traffic"),
    Row("another layer", "hold", "layer", policy={"layer": "live"}, said="the live layer alone"),
    Row("the layer asked for", "pass", "layer", policy={"layer": "reasoning"}),
    Row("a part of the suite", "hold", "whole_suite", options={"plan": {"note": "only refunds"}}),
    Row("all but what is held out, and what is held out", "pass", "whole_suite",
        options={"plan": {"note": "only development, held_out"}}),
    Row("a part is enough", "pass", "evidence", policy={"whole_suite": "false"}, options={"plan": {"note": "only x"}}),
    Row("failed cells again", "hold", "whole_suite", build=failed_again, said="chosen by outcome"),
    # Stored verdicts belong to stored traces
    Row("a verdict somebody wrote", "hold", "verdicts", {"a": "pppfp"}, options={"change": flipped("passed")},
        said="judged twice on the same grounds"),
    Row("judged on other grounds", "hold", "verdicts", options={"change": lambda one: replace(one, grading="old")},
        said="judge"),
    Row("the trace of another scenario", "hold", "verdicts", options={"change": another_scenario}, fault=("A23",)),
    Row("a trace that names no scenario", "hold", "verdicts", options={"change": no_scenario}, said="does not name"),
    Row("no verdict at all", "hold", "verdicts", {"a": "-----"}, said="there are none"),
    Row("trials that did not begin alike", "hold", "verdicts", options={"change": another_start}),
    Row("a schedule of somebody's own", "hold", "verdicts", options={"change": without_its_faults},
        said="other faults than its scenario's"),
    Row("continuations", "hold", "complete", options={"change": continuing}, said="10 lost"),
    # Other runs of the same candidate
    Row("playing again after a critical failure", "block", "critical.other",
        build=again({"a": "ppppc"}, {"a": "ppppp"}), fault=("A26",), said="1 of 10 episodes of all attempts"),
    Row("playing again until it passes", "block", "pass_k.across", build=again({"a": "f" * 20}, {"a": "ppppp"}),
        fault=("A26",), said="0.200"),
    Row("played too often", "hold", "attempts", policy={"attempts": "1"}, build=again({"a": "ppppp"}, {"a": "ppppp"})),
    Row("another agent's failures", "pass", "critical.other",
        build=again({"a": "ppppc"}, {"a": "ppppp"}, name="agents:other")),
    Row("another prompt's failures", "pass", "critical.other",
        build=again({"a": "ppppc"}, {"a": "ppppp"}, settings={"prompt": "an older one"})),
    Row("failed cells do not help", "block", "pass_k.across", build=failed_cells_do_not_help),
    Row("failed cells that did harm", "block", "critical.other", build=harm_in_failed_cells, said="1 of 11 episodes"),
    Row("passes that somebody wrote into another run", "hold", "critical.other",
        policy={"critical": "{every: {below: 0.06}}"}, build=invented, said="there are 30"),
    Row("replayed answers in another run", "hold", "critical.other",
        policy={"critical": "{every: {below: 0.06}}"}, build=of_another_kind, said="there are 30"),
    Row("a copied run adds nothing", "hold", "critical.other", policy={"critical": "{every: {below: 0.06}}"},
        build=copied, fault=("G07",), said="there are 30"),
    # The suite
    Row("coverage", "pass", "coverage.partial_payment", policy={"coverage": "{partial_payment: 1}"},
        options={"scenarios": {"a": {"failure_class": "partial_payment"}}}),
    Row("coverage of a class that is missing", "hold", "coverage.partial_paiment",
        policy={"coverage": "{partial_paiment: 1}"}, said="did you mean partial_payment?",
        options={"scenarios": {"a": {"failure_class": "partial_payment"}}}),
    Row("too few episodes of a class", "hold", "coverage.partial_payment",
        policy={"coverage": "{partial_payment: {scenarios: 1, episodes: 6}}"},
        options={"scenarios": {"a": {"failure_class": "partial_payment"}}}),
    Row("no held-out scenarios", "hold", "held_out.scenarios", policy={"held_out": "{scenarios: 1}"}),
    Row("held-out scenarios", "pass", "held_out.scenarios", policy={"held_out": "{scenarios: 1}"},
        options={"scenarios": {"a": {"split": "held_out"}}}),
    Row("a held-out set that is used up", "hold", "held_out.uses", policy={"held_out": "{scenarios: 1, uses: 2}"},
        build=used_before, said="for 3 candidates"),
    Row("a held-out set that is used up piece by piece", "hold", "held_out.uses",
        policy={"held_out": "{scenarios: 1, uses: 2}"}, build=used_with_others, said="for 3 candidates"),
    Row("never audited", "hold", "audit", audit=None),
    Row("another suite was audited", "hold", "audit", options={"suite_digest": "another"}),
    Row("an audit with blocking findings", "hold", "audit", audit={"blocking": 1}),
    Row("an audit that is unreadable", "hold", "audit", audit={"blocking": "none"}),
    Row("an audit by another version", "hold", "audit", audit={"code": "c"}, said="another version"),
    Row("an audit in another world", "hold", "audit", audit={"worlds": {"depot": "0" * 64}}, said="the world depot"),
    Row("an audit that names no world", "hold", "audit", audit={"worlds": None}, said="the world depot"),
    Row("too many warnings", "hold", "audit", policy={"audit": "{warnings: 1}"}, audit={"warnings": 2}),
    Row("enough mutants noticed", "pass", "audit", policy={"audit": "{killed: 0.9}"}),
    Row("just enough mutants noticed", "pass", "audit", policy={"audit": "{killed: 0.07}"},
        audit={"killed": 7, "mutants": 100}),
    Row("no mutants were tried", "hold", "audit", policy={"audit": "{killed: 0.9}"}, audit={"mutants": 0},
        said="no mutants were tried"),
    Row("too few mutants noticed", "hold", "audit", policy={"audit": "{killed: 0.9}"}, audit={"killed": 8}),
    Row("no audit is asked for", "pass", "evidence", policy={"audit": "{required: false}"}, audit=None),
    Row("faults that occurred", "pass", "faults.late_answer", policy={"faults": "{late_answer: 5}"},
        options={"scenarios": {"a": LATE}}),
    Row("faults that did not occur", "hold", "faults.late_answer", policy={"faults": "{late_answer: 5}"}),
    # Cost and latency
    Row("cheap enough", "pass", "cost.mean_usd", policy={"cost": '{mean_usd: "0.01"}'}),
    Row("too dear", "block", "cost.most_usd", policy={"cost": '{most_usd: "0.009"}'}),
    Row("dearer by less than is printed", "block", "cost.total_usd", policy={"cost": '{total_usd: "10.00"}'},
        options={"cost": "1.0001"}, said="10.0010 USD in 10 of 10 episodes; at most 10.00 USD"),
    Row("cost that nobody reported", "hold", "cost.total_usd", {"a": "ppppu"}, {"cost": '{total_usd: "1"}'},
        options={"scenarios": {"a": NO_BOUND}}, fault=("G06",), said="unknown for 1"),
    Row("fast enough", "pass", "latency.most", policy={"latency": "{most: 1s}"}),
    Row("too slow", "block", "latency.most", policy={"latency": "{most: 1s}"}, options={"wall_ms": 1001.0}),
    Row("times that nobody took", "hold", "latency.most", policy={"latency": "{most: 1s}"}, options={"wall_ms": None},
        fault=("G06",)),
    Row("times that can be none", "hold", "latency.most", policy={"latency": "{most: 1s}"}, options={"wall_ms": -1.0}),
    Row("enough episodes for a quantile", "pass", "latency.p95", {"a": "p" * 80}, {"latency": "{p95: 2s}"}),
    Row("too few episodes for a quantile", "hold", "latency.p95", policy={"latency": "{p95: 2s}"}, said="72"),
    Row("outages come sooner than answers", "hold", "latency.p50", {"a": "p" * 10 + "o" * 30},
        {"latency": "{p50: 900ms}", "trials": 10, "complete": "{outages: 30, unscored: 30}"},
        said="30 of 40 runs were cut off"),
    Row("no outage is the slowest", "hold", "latency.most", {"a": "pppppo"},
        {"latency": "{most: 1s}", "complete": "{outages: 1, unscored: 1}"}, said="1 cut off before their end"),
    Row("slow whatever the others took", "block", "latency.p50", {"a": "p" * 29 + "-"},
        {"latency": "{p50: 900ms}", "complete": "{lost: 1}"}, said="1 of 30 runs have no time"),
    Row("fast, but not whatever the others took", "hold", "latency.p50", {"a": "p" * 12 + "-" * 8},
        {"latency": "{p50: 2s}", "complete": "{lost: 8}"}, said="8 of 20 runs have no time"),
    # Against the baseline
    Row("no baseline", "hold", "baseline", policy=MARGIN),
    Row("not worse", "pass", "baseline.margin", policy=MARGIN, build=against(GOOD, GOOD)),
    Row("as far as the data go", "hold", "baseline.margin", policy={"baseline": "{margin: 0.1}"},
        build=against(GOOD, GOOD), said="company-lab plan"),
    Row("worse", "block", "baseline.margin", policy={"baseline": "{margin: 0.1}"},
        build=against({"a": "ppppp", "b": "ppppp", "c": "ppppp"}, {"a": "ppfff", "b": "ppfff", "c": "pffff"})),
    Row("both equally broken", "block", "critical.other", policy=MARGIN,
        build=against({"a": "ppppc"}, {"a": "ppppc"}), fault=("G10",)),
    Row("critical under a mild fault", "block", "critical.other", {"a": "ppppc"},
        options={"scenarios": {"a": LATE}}, fault=("G10",)),
    Row("only what both runs have is compared", "hold", "complete", policy={"trials": 1, **MARGIN},
        build=against({"a": "p", "b": "p", "c": "f", "d": "f"}, {"a": "p", "b": "u", "c": "o", "d": "o"}),
        fault=("A19",), said="1 of 4 planned"),
    Row("a baseline in another world", "hold", "baseline", policy=MARGIN, build=in_another_world,
        said="the world depot"),
    Row("a baseline that is the same candidate", "hold", "baseline", policy=MARGIN, build=the_same_candidate,
        said="never worse than itself"),
    Row("a baseline of another kind", "hold", "baseline", policy=MARGIN,
        build=against(GOOD, GOOD, kind="scripted"), said="the evidence is not the same"),
    Row("too few scenarios in common", "hold", "baseline.margin", policy={"baseline": "{margin: 0.9, scenarios: 2}"},
        build=against({"a": "ppppp", "c": "ppppp"}, GOOD), said="left out, b"),
    Row("not dearer", "hold", "baseline.cost_ratio", policy={"baseline": "{margin: 0.4, cost_ratio: 1.1}"},
        build=against(GOOD, GOOD), said="every scenario has the same value"),
]  # fmt: skip


@pytest.mark.fault("A01", "A09", "A18", "A19", "A20", "A21", "A23", "A24", "A25", "A26", "A33", "A37")
@pytest.mark.fault("G03", "G06", "G07", "G08", "G09", "G10")
@pytest.mark.parametrize("row", [pytest.param(row, id=row.id) for row in TABLE])
def test_the_gate_decides_as_the_table_says(row: Row) -> None:
    with Store.temporary() as store:
        if row.audit is not None:
            audited(store, **row.audit)
        if row.build is None:
            run, baseline = played(store, row.words, **row.options), None
        else:
            run, baseline = row.build(store)
        decision = gate(store, run, policy(**row.policy), baseline=baseline, worlds=worlds)
    ruling = next(one for one in decision.rulings if one.key == row.key)
    assert (decision.outcome, ruling.outcome) == (row.outcome, row.outcome), decision.rulings
    assert row.said in " ".join([ruling.said, ruling.needed, *ruling.details])
    assert decision.outcome != "hold" or decision.needed
    assert decision.not_established


def test_the_table_is_long_enough_and_has_every_trap() -> None:
    assert len({row.id for row in TABLE}) == len(TABLE) >= 40
    marks = test_the_gate_decides_as_the_table_says.pytestmark  # type: ignore[attr-defined]
    marked = {name for mark in marks if mark.name == "fault" for name in mark.args}
    assert marked == {name for row in TABLE for name in row.fault}


def test_another_world_is_another_world() -> None:
    assert World("depot", [depot]).digest != world.digest
