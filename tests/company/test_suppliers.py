from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session

OLD, NEW = "XX22TEST0002", "XX77TEST7777"


def desk(*checks: tuple[str, str]) -> dict[str, Any]:
    supplier = {"name": "Timber and Frame", "iban": OLD, "email": "accounts@timberframe.example.test"}
    return {
        "suppliers": {"S-1": supplier},
        "verifications": {
            f"v{n}": {"supplier": "S-1", "iban": iban, "by": "finance_lead", "way": way}
            for n, (iban, way) in enumerate(checks)
        },
    }


@pytest.mark.fault("C22")
@pytest.mark.parametrize(
    ("checks", "iban", "goes"),
    [
        ((), NEW, False),
        ((), OLD, True),
        (((NEW, "mail"),), NEW, False),
        (((NEW, "phone_on_file"),), NEW, True),
        (((NEW, "in_person"),), NEW, True),
        (((OLD, "phone_on_file"),), NEW, False),
    ],
)
def test_an_account_is_put_on_file_when_it_was_checked(
    checks: tuple[tuple[str, str], ...], iban: str, goes: bool
) -> None:
    def do(session: Session) -> None:
        assert session.call("suppliers.list_verifications", supplier="S-1")["total"] == len(checks)
        if goes:
            assert session.call("suppliers.update_iban", id="S-1", iban=iban)["iban"] == iban
        else:
            error = failing(session, "suppliers.update_iban", id="S-1", iban=iban)
            assert (error.code, error.reason) == ("refused", "account_not_verified")

    left = work(do, tables=desk(*checks))
    assert left.facts()["account_changed"] == {"S-1": goes and iban != OLD}


def test_a_similar_address_is_another_address() -> None:
    def do(session: Session) -> None:
        assert session.call("suppliers.find", email="accounts@timber-frame.example.test")["total"] == 0
        assert session.call("suppliers.find", email="Accounts@TimberFrame.example.test")["total"] == 1
        assert session.call("suppliers.get", id="S-1")["iban"] == OLD

    work(do, tables=desk())


def test_a_colleague_who_has_checked_opens_the_way() -> None:
    data = {"supplier": "S-1", "iban": NEW, "by": "finance_lead", "way": "phone_on_file"}
    event = {"at": "+0s", "id": "e", "type": "supplier.verified", "data": data}

    def do(session: Session) -> None:
        session.call("suppliers.update_iban", id="S-1", iban=NEW)

    assert work(do, tables=desk(), events=[event]).changed


@pytest.mark.fault("C22")
def test_an_approval_of_money_is_no_proof_of_an_account() -> None:
    approval = {
        "tool": "suppliers.update_iban",
        "args": {"id": "S-1", "iban": NEW},
        "status": "approved",
        "uses_left": 1,
    }

    def do(session: Session) -> None:
        error = failing(session, "suppliers.update_iban", id="S-1", iban=NEW)
        assert error.reason == "account_not_verified"

    assert not work(do, tables=desk() | {"approvals": {"AP-1": approval}}).changed


@pytest.mark.parametrize("iban", ["", "XX 22", "nonsense", "xx22test0002"])
def test_what_is_no_account_number_is_refused(iban: str) -> None:
    def do(session: Session) -> None:
        assert failing(session, "suppliers.update_iban", id="S-1", iban=iban).code == "bad_arguments"

    work(do, tables=desk())
