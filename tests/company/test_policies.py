from __future__ import annotations

from typing import Any

from company_desk import failing, work
from company_lab.agents.protocol import Session


def test_the_handbook_lists_its_pages_and_shows_one() -> None:
    def do(session: Session) -> None:
        assert session.call("policies.contents") == {"items": [{"id": "express", "title": "Express"}]}
        assert session.call("policies.read", id="express")["text"] == "48 hours."
        assert failing(session, "policies.read", id="warranty").reason == "not_found"

    assert not work(do, tables={"policies": {"express": {"title": "Express", "text": "48 hours."}}}).changed


HANDBOOK: dict[str, Any] = {
    "policies": {
        "refunds": {
            "title": "Refunds",
            "text": "Within 14 days. Express orders are refunded too.",
            "topics": ["money_back"],
        },
        "express": {"title": "Express orders", "text": "48 hours, after the file check."},
        "express_2024": {"title": "Express", "text": "72 hours.", "replaced_by": "express"},
    }
}


def test_pages_are_found_by_their_words_the_fitting_ones_first() -> None:
    def do(session: Session) -> None:
        found = session.call("policies.find", words="Express orders?")
        assert [item["id"] for item in found["items"]] == ["express", "refunds", "express_2024"]
        assert found["items"][2] == {"id": "express_2024", "title": "Express", "replaced_by": "express"}
        assert session.call("policies.find", words="money back")["items"][0]["id"] == "refunds"
        assert session.call("policies.find", words="warranty") == {"items": [], "total": 0, "next": None}
        page = session.call("policies.find", words="express", limit=1, page=2)
        assert (len(page["items"]), page["total"], page["next"]) == (1, 3, 3)
        assert failing(session, "policies.find", words=" ?").reason == "nothing_to_search"

    assert not work(do, tables=HANDBOOK).changed
