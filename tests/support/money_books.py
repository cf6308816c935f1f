"""A company with money in every room, and what must hold of it after whatever was tried."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from company_lab.company import company
from company_lab.company.bills import BILL_MOVES
from company_lab.company.disputes import DISPUTE_MOVES
from company_lab.company.invoices import INVOICE_MOVES
from company_lab.company.ledger import POSTING_MOVES
from company_lab.company.payouts import PAYOUT_MOVES
from company_lab.scenarios.model import Event, Expected, Initial, Person, Scenario, Stimulus
from company_lab.traces.record import Trace
from company_lab.worlds.attempt import Attempt
from company_lab.worlds.live import LiveWorld

Record = dict[str, Any]
MOVES = {"invoices": INVOICE_MOVES, "bills": BILL_MOVES, "payouts": PAYOUT_MOVES, "postings": POSTING_MOVES}
TOTALS = {"I-1": (60000, "EUR"), "I-2": (60000, "EUR"), "I-3": (4300, "JPY"), "I-4": (24750, "KWD")}
_ROLES = (("1200", "asset", "bank"), ("1400", "asset", "receivables"), ("4900", "expense", "fees"))


def tables() -> dict[str, dict[str, Record]]:
    """Open invoices in three currencies, money that came in, cards, a chart of accounts, a payout and bills."""
    contacts = {"C-1": {"name": "Ida Holm"}, "C-2": {"name": "Jo Berg"}}
    invoices = {
        id: {
            "contact": "C-2" if id == "I-2" else "C-1",
            "total_minor": total,
            "received_minor": 0,
            "currency": currency,
            "status": "open",
        }
        for id, (total, currency) in TOTALS.items()
    }
    payments = {
        "pay_1": {"invoice": "I-1", "amount_minor": 60000, "currency": "EUR"},
        "pay_2": {"invoice": "I-1", "amount_minor": 25000, "currency": "EUR"},
        "pay_3": {"invoice": "I-3", "amount_minor": 4300, "currency": "EUR"},
        "pay_4": {"invoice": "I-3", "amount_minor": 2000, "currency": "JPY", "status": "pending"},
    }
    account = {"name": "Main", "currency": "EUR", "last_sync": "2026-03-02T08:00:00+01:00"}
    line = {"account": "main", "currency": "EUR", "booked": "2026-03-01T10:00:00+01:00"}
    bill = {"supplier": "S-1", "total_minor": 700, "currency": "EUR", "status": "approved", "number": "7"}
    payout = {
        "gross_minor": 1000,
        "fees_minor": 30,
        "net_minor": 970,
        "currency": "EUR",
        "status": "in_transit",
    }
    return {
        "contacts": contacts,
        "invoices": invoices,
        "payments": payments,
        "cards": {
            "card_1": {"contact": "C-1", "last4": "0001", "status": "active"},
            "card_2": {"contact": "C-2", "last4": "0002", "status": "active"},
        },
        "charges": {
            "ch_9": {
                "captured_minor": 5000,
                "refunded_minor": 0,
                "currency": "EUR",
                "dispute": {"status": "needs_response", "amount_minor": 1000},
                "lines": [{"item": "desk", "paid_minor": 4000}, {"item": "lamp", "paid_minor": 1000}],
            }
        },
        "bank_accounts": {"main": account},
        "bank_lines": {
            "b1": line | {"amount_minor": 970, "reference": "po_1"},
            "b2": line | {"amount_minor": 60000, "reference": "I-2"},
            "b3": line | {"amount_minor": 25000, "reference": "I-1"},
        },
        "ledger_accounts": {
            f"{id}-{currency}": {"name": role, "kind": kind, "role": role, "currency": currency}
            for id, kind, role in _ROLES
            for currency in ("EUR", "JPY")
        },
        "payouts": {"po_1": payout},
        "suppliers": {"S-1": {"name": "Timber", "iban": "XX22TEST0002"}},
        "bills": {"B-1": bill, "B-2": bill, "B-3": bill | {"number": "8", "status": "received"}},
        "limits": {
            name: {"amounts": {"EUR": 30000, "JPY": 3000}} for name in ("payments.refund", "credits.issue")
        },
    }


def _event(number: int, minutes: int, type: str, data: Record) -> Event:
    given: Record = {"at": f"+{minutes}m", "id": f"e{number}", "type": type, "data": data}
    return Event(**given)


class Books:
    """The company at work; `try_to` carries one attempt out and looks whether everything still holds."""

    def __init__(
        self,
        *,
        events: Sequence[tuple[int, str, Record]] = (),
        answers: Mapping[str, Sequence[str]] | None = None,
        rules_off: frozenset[str] = frozenset(),
    ) -> None:
        planned: dict[str, Any] = {
            op: tuple({"answer": answer} if answer != "done" else {} for answer in given)
            for op, given in (answers or {}).items()
        }
        scenario = Scenario(
            id="books",
            title="Books",
            clock="2026-03-02T09:00:00+01:00",
            people={"clerk": Person()},
            initial=Initial(tables=tables()),
            events=tuple(_event(n, *event) for n, event in enumerate(events)),
            stimulus=Stimulus(message="Please."),
            providers={
                "payments": {op: planned[op] for op in ("charge", "refund") if op in planned},
                "bank": {op: planned[op] for op in ("transfer",) if op in planned},
            },
            expected=Expected(),
        )
        self.live = LiveWorld(company.prepare(scenario), Trace(), rules_off=rules_off)
        self.live.ask("clerk")
        self._calls = 0
        self._late: set[str] = set()
        self._statuses = self._seen()

    def try_to(self, tool: str, **args: Any) -> Attempt:
        """One attempt, after what is due has come in; raises `AssertionError` where something no longer holds."""
        self._calls += 1
        self.arrive()
        attempt = self.live.attempt(f"c{self._calls}", tool, args)
        self.check()
        return attempt

    def arrive(self) -> None:
        """Let in what is due."""
        self.live.arrivals.deliver_due()
        self.check()

    def all(self, table: str) -> dict[str, Record]:
        return {id: dict(self.live.reading.read(table, id)) for id in self.live.reading.ids(table)}

    def sent(self, provider: str, op: str) -> list[Record]:
        entries = self.live.reading.ledger(provider, op)
        return [dict(entry["payload"]) for entry in entries if isinstance(entry["payload"], dict)]

    def check(self) -> None:
        """Whatever was tried, this holds."""
        self._moved()
        self._shapes()
        self._ledger()
        self._invoices()
        self._credits()
        self._charges()
        self._refunds()
        self._bills()

    def _seen(self) -> dict[tuple[str, str], str]:
        seen = {(table, id): record["status"] for table in MOVES for id, record in self.all(table).items()}
        disputes = {id: record.get("dispute") for id, record in self.all("charges").items()}
        return seen | {("disputes", id): dispute["status"] for id, dispute in disputes.items() if dispute}

    def _moved(self) -> None:
        now = self._seen()
        for (table, id), status in now.items():
            before = self._statuses.get((table, id), status)
            moves = DISPUTE_MOVES if table == "disputes" else MOVES[table]
            assert before == status or moves.allow(before, status), f"{table}/{id}: {before} to {status}"
        self._statuses = now

    def _shapes(self) -> None:
        for table, declared in company.spec.tables.items():
            for id, record in self.all(table).items():
                assert not list(declared.shape.mismatches(record)), f"{table}/{id}"

    def _ledger(self) -> None:
        currencies = {id: account["currency"] for id, account in self.all("ledger_accounts").items()}
        for id, posting in self.all("postings").items():
            sums: Counter[str] = Counter()
            for entry in posting["entries"]:
                sums[currencies[entry["account"]]] += entry.get("debit_minor", 0) - entry.get(
                    "credit_minor", 0
                )
            assert not any(sums.values()), f"{id} does not balance: {dict(sums)}"
        standing = [
            p["source"] for p in self.all("postings").values() if p["status"] == "posted" and "source" in p
        ]
        assert len(standing) == len(set(standing)), "something stands twice in the books"

    def _invoices(self) -> None:
        credits, payments, charges = self.all("credits"), self.all("payments"), self.all("charges")
        for id, invoice in self.all("invoices").items():
            booked = sum(
                payment["amount_minor"] - self._credit_of(credits, name)
                for name, payment in payments.items()
                if payment.get("booked_to") == id
            )
            charged: list[Record] = [
                {"id": name} | charge for name, charge in charges.items() if charge.get("invoice") == id
            ]
            self._late |= {str(charge["id"]) for charge in charged if charge["status"] == "pending"}
            if invoice["status"] == "void":
                assert not invoice["received_minor"]
                continue
            assert invoice["received_minor"] == booked + sum(
                charge["captured_minor"] for charge in charged
            ), id
            written = sum(part["amount_minor"] for part in invoice.get("write_offs", ()))
            assert invoice.get("written_off_minor", 0) == written
            left = invoice["total_minor"] - sum(
                invoice.get(part, 0) for part in ("received_minor", "credited_minor", "written_off_minor")
            )
            left += invoice.get("surplus_minor", 0)
            late = sum(charge["captured_minor"] for charge in charged if charge["id"] in self._late)
            assert -left <= late, f"{id} holds {-left} too much"
            received = invoice["received_minor"] > 0
            assert invoice["status"] == ("paid" if left <= 0 else "partially_paid" if received else "open"), (
                id
            )

    @staticmethod
    def _credit_of(credits: Mapping[str, Record], payment: str) -> int:
        return sum(credit["amount_minor"] for credit in credits.values() if credit.get("payment") == payment)

    def _credits(self) -> None:
        credits, invoices = self.all("credits").values(), self.all("invoices").values()
        assert all(0 <= credit["used_minor"] <= credit["amount_minor"] for credit in credits)
        used = sum(credit["used_minor"] for credit in credits)
        assert used == sum(invoice.get("credited_minor", 0) for invoice in invoices)

    def _charges(self) -> None:
        made = self.sent("payments", "charge")
        charges = [charge for charge in self.all("charges").values() if "invoice" in charge]
        asked: Counter[tuple[str, str]] = Counter()
        for payload in made:
            asked[payload["invoice"], payload["currency"]] += payload["amount_minor"]
        noted: Counter[tuple[str, str]] = Counter()
        for charge in charges:
            noted[charge["invoice"], charge["currency"]] += charge["requested_minor"]
            assert charge["captured_minor"] == (
                charge["requested_minor"] if charge["status"] == "succeeded" else 0
            )
        assert asked == noted, "the payment service and the books do not agree about charges"
        for (invoice, currency), _ in asked.items():
            assert currency == TOTALS[invoice][1]

    def _refunds(self) -> None:
        refunds = self.all("refunds").values()
        back: Counter[str] = Counter()
        for payload in self.sent("payments", "refund"):
            back[payload["charge"]] += payload["amount_minor"]
        for id, charge in self.all("charges").items():
            own = [refund for refund in refunds if refund["charge"] == id]
            failed = sum(refund["amount_minor"] for refund in own if refund["status"] == "failed")
            done = sum(refund["amount_minor"] for refund in own if refund["status"] == "succeeded")
            assert back[id] == sum(refund["amount_minor"] for refund in own)
            assert charge["refunded_minor"] == done
            assert 0 <= back[id] - failed <= charge["captured_minor"]
            for line in charge.get("lines", ()):
                assert 0 <= line.get("refunded_minor", 0) <= line["paid_minor"]

    def _bills(self) -> None:
        bills, sent = (
            self.all("bills"),
            Counter(payload["reference"] for payload in self.sent("bank", "transfer")),
        )
        failed = Counter(
            str(record["data"]["bill"])
            for record in self.live.trace.records
            if record["kind"] == "event" and record["type"] == "transfer.failed" and record["changes"]
        )
        for payload in self.sent("bank", "transfer"):
            assert payload["iban"] == "XX22TEST0002"
            assert payload["amount_minor"] == bills[payload["reference"]]["total_minor"]
        numbers: Counter[str] = Counter()
        for id, bill in bills.items():
            numbers[bill["number"]] += sent[id] - failed[id]
        assert all(count <= 1 for count in numbers.values()), "a bill was paid twice"
