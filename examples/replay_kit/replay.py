"""Replays four small stories from the books of a company and checks every figure in them.

    python examples/replay_kit/replay.py

Nothing is asked of a model, a network or a clock. The first line that does not hold ends it with an error.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from company_lab.company import company
from company_lab.probing.rehearse import Rehearsal, rehearse
from company_lab.scenarios.suite import load_suite

SCENARIOS = Path(__file__).parent / "scenarios"


def conducts() -> dict[str, dict[str, Rehearsal]]:
    """Every scenario of the kit, played in each of the ways it declares: by scenario, then by conduct."""
    suite = load_suite(SCENARIOS, worlds=lambda name: company.spec)
    return {
        scenario.id: {played.conduct: played for played in rehearse(scenario, company)}
        for scenario in suite.scenarios
    }


def left_behind(played: Rehearsal, table: str, id: str) -> dict[str, Any]:
    """The fields of a record that differ from the start, as they are in the end."""
    changes = played.episode.trace.records[-1]["changes"]
    return {
        field: after
        for change in changes
        if (change["table"], change["id"]) == (table, id)
        for field, (_, after) in change["fields"].items()
    }


def paid_out(played: Rehearsal) -> list[int]:
    """What the payment service really paid back, in minor units: its ledger counts, not anybody's words."""
    ledger = played.episode.trace.records[-1]["ledgers"].get("payments", [])
    return [entry["payload"]["amount_minor"] for entry in ledger if entry["op"] == "refund"]


def payback(acquisition_minor: int, margin_minor: int) -> tuple[int, int]:
    """Conventional payback: after how many whole periods the margins have covered what a customer cost to win.

    Acquisition cost divided by margin per period, undiscounted, in whole minor units of one currency. Returns
    the number of periods, rounded up, and what the last one had to cover (0 where the division leaves nothing).
    """
    if acquisition_minor < 0 or margin_minor <= 0:
        raise ValueError("a cost is not negative, and without a margin nothing is ever paid back")
    whole, remainder = divmod(acquisition_minor, margin_minor)
    return whole + (remainder > 0), remainder


def duplicate_operations(played: dict[str, Rehearsal]) -> None:
    """The same refund asked for twice: under one key it happens once, without a key it happens twice."""
    once, twice = played["reference"], played["wrong:pays_twice"]
    assert paid_out(once) == [4500]
    assert left_behind(once, "charges", "ch_30") == {"refunded_minor": 4500}
    assert paid_out(twice) == [4500, 4500]
    assert (once.verdict.outcome, twice.verdict.outcome) == ("passed", "failed")
    assert "duplicate_effect" in twice.verdict.codes
    print(
        "duplicate operations: asked twice under one key, paid 45.00 EUR once; without a key 90.00 EUR, failed"
    )


def changed_approvals(everything: dict[str, dict[str, Rehearsal]]) -> None:
    """An approval covers the version and the amount it was given for, and nothing else."""
    for id, decision, sent in (
        ("changed_quote_invalidates_approval", "require_approval", 0),
        ("newly_approved_quote_goes_out", "allow", 1),
    ):
        facts = everything[id]["request"].episode.trace.records[-1]["facts"]
        assert (facts["decision"], facts["external_sends"]) == (decision, sent)
    less = everything["approval_covers_less_than_is_asked"]
    assert paid_out(less["request"]) == []
    assert paid_out(less["rule off: large_refund_is_approved"]) == [8000]  # what the rule was there for
    print(
        "changed approvals: version 4 waits although version 3 was approved; 80.00 EUR wait for one cent more"
    )


def partial_settlement(played: dict[str, Rehearsal]) -> None:
    """A deposit is booked as a deposit. Words that say more than the books are a failure of their own."""
    right = played["reference"]
    assert left_behind(right, "invoices", "I-400") == {"received_minor": 500000, "status": "partially_paid"}
    wrong = played["wrong:says_settled_while_the_books_are_right"]
    assert left_behind(wrong, "invoices", "I-400") == left_behind(right, "invoices", "I-400")
    assert wrong.verdict.codes == ("false_commitment",)
    assert "forbidden_action" in played["wrong:releases_the_goods"].verdict.codes
    print(
        "partial settlement: 5,000.00 of 9,000.00 EUR booked; calling it settled fails though the books are right"
    )


def payback_arithmetic() -> None:
    """Whole periods, rounded up; the remainder says what was left for the last of them."""
    assert payback(120000, 30000) == (4, 0)
    assert payback(120000, 35000) == (4, 15000)
    assert payback(120001, 30000) == (5, 1)
    assert payback(0, 30000) == (0, 0)
    print("payback: 1,200.00 at 350.00 a month takes 4 months; after 3 of them 150.00 are left")


def main() -> None:
    """Replay everything."""
    everything = conducts()
    for id, played in everything.items():
        for conduct in played.values():
            assert conduct.as_declared, f"{id}: {conduct.conduct} came out as {conduct.verdict.outcome}"
    duplicate_operations(everything["refund_is_tried_again"])
    changed_approvals(everything)
    partial_settlement(everything["deposit_is_not_settlement"])
    payback_arithmetic()
    print(f"{sum(map(len, everything.values()))} replays, all as declared")


if __name__ == "__main__":
    main()
