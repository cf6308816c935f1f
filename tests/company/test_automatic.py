from __future__ import annotations

from typing import Any

import pytest

from company_lab.company.automatic import address_in, failed_address, origin_of


def mail(sender: str = "kai@example.test", **headers: str) -> dict[str, Any]:
    return {
        "from": sender,
        "subject": "x",
        "text": "x",
        "headers": {n.replace("_", "-"): v for n, v in headers.items()},
    }


@pytest.mark.fault("C10")
@pytest.mark.parametrize(
    ("letter", "origin"),
    [
        (mail(), "person"),
        (mail(Auto_Submitted="no"), "person"),
        (mail(auto_submitted=" NO "), "person"),
        (mail(Auto_Submitted="no (typed by hand)"), "person"),
        (mail(Auto_Submitted="no; owner-email=x"), "person"),
        (mail(Auto_Submitted="(no) auto-replied"), "auto_reply"),
        (mail(Return_Path="<kai@example.test>"), "person"),
        (mail(Content_Type="multipart/mixed"), "person"),
        (mail(Auto_Submitted="auto-replied"), "auto_reply"),
        (mail(AUTO_SUBMITTED="Auto-Generated"), "auto_reply"),
        (mail(X_Autoreply="yes"), "auto_reply"),
        (mail(Precedence="auto_reply"), "auto_reply"),
        (mail(Return_Path="<>"), "auto_reply"),
        (mail(List_Id="<news.example.test>"), "list"),
        (mail(Precedence="Bulk"), "list"),
        (mail("MAILER-DAEMON@example.test", Return_Path="<>"), "bounce"),
        (mail(Content_Type="multipart/report; report-type=delivery-status"), "bounce"),
        (mail(X_Failed_Recipients="a@b.test"), "bounce"),
        (mail(Content_Type="multipart/report; report-type=disposition-notification"), "person"),
    ],
)
def test_headers_say_where_a_mail_comes_from(letter: dict[str, Any], origin: str) -> None:
    assert origin_of(letter) == origin


def test_what_a_mail_says_makes_no_machine_of_its_writer() -> None:
    letter = {
        "from": "kai@example.test",
        "subject": "Automatic reply: out of office",
        "text": "Our sign is misprinted.",
    }
    assert origin_of(letter) == "person"


def test_a_failure_for_good_names_its_address_and_a_delay_names_none() -> None:
    report = {"Content_Type": "multipart/report", "X_Failed_Recipients": "Kai <KAI@example.test>"}
    assert failed_address(mail(**report)) == "kai@example.test"
    assert failed_address(mail(**report, Status="5.1.1")) == "kai@example.test"
    assert failed_address(mail(**report, Status="4.4.1")) is None
    assert failed_address(mail(Content_Type="multipart/report")) is None
    assert failed_address(mail()) is None


@pytest.mark.parametrize(
    "text", ["ida@holm.example.test", "Ida Holm <ida@holm.example.test>", " <ida@holm.example.test> "]
)
def test_the_bare_address_is_found(text: str) -> None:
    assert address_in(text) == "ida@holm.example.test"
