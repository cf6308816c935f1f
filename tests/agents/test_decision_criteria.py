"""Criteria: whoever deploys a decider says when each option is right; what is wrong with that shows before a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from chat_server import ScriptedChatServer, chooses, says
from company_lab.agents.decision_criteria import read_criteria
from company_lab.agents.resolve import resolve_agent
from company_lab.company import company
from company_lab.formats.errors import CompanyLabError, Problems, WrongUse
from model_episode import deciding, played, shipped


def written(folder: Path, text: str) -> str:
    path = folder / "criteria.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.loopback
def test_the_decider_is_told_the_criteria_and_otherwise_what_a_tool_says_of_itself(tmp_path: Path) -> None:
    given = written(tmp_path, "lookup: Nobody has looked yet.\nrespond: The money is back.\n")
    with ScriptedChatServer([chooses("respond"), says("x")]) as server:
        played("decision", deciding(server.root, criteria=given))
    (asked,) = server.bodies("/systemone")
    assert asked["questions"]["next_action"]["criteria"] == {
        "lookup": "Nobody has looked yet.",
        "refund": company.tools["payments.refund"].description,
        "respond": "The money is back.",
    }


def test_criteria_are_kept_with_a_run_and_others_make_another_agent(tmp_path: Path) -> None:
    def agent(text: str) -> tuple[str, str]:
        made = resolve_agent("decision", deciding("http://127.0.0.1:1", criteria=written(tmp_path, text)))
        return made.prompts["criteria"], made.digest

    bare = resolve_agent("decision", deciding("http://127.0.0.1:1"))
    assert "criteria" not in bare.prompts
    first, second = agent("lookup: Look first."), agent("lookup: Look twice.")
    assert first[0] == "lookup: Look first."
    assert first[1] != second[1]


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("lokup", "lokup is no option of the decider; did you mean lookup?"),
        ("orders.get", "orders.get is no option of the decider; did you mean lookup?"),
        ("zzz", r"zzz is no option of the decider \(options: lookup, refund, respond\)"),
    ],
)
def test_criteria_of_no_option_are_refused_before_anything_is_played(
    option: str, said: str, tmp_path: Path
) -> None:
    given = deciding("http://127.0.0.1:1", criteria=written(tmp_path, f"{option}: Sometimes."))
    with pytest.raises(WrongUse, match=said):
        resolve_agent("decision", given).for_scenario(shipped())
    right = deciding("http://127.0.0.1:1", criteria=written(tmp_path, "lookup: Sometimes."))
    assert resolve_agent("decision", right).for_scenario(shipped())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty"),
        ("[]", "no criteria"),
        ("{}", "no criteria"),
        ("lookup", "no criteria"),
        ("a: b\n---\nc: d", "no criteria"),
        ("lookup:\n", "criteria.yaml:1:.*lookup: no criterion"),
        ("lookup: 3\nrefund: '  '\n", "criteria.yaml:2:9: refund: no criterion"),
        ("lookup: {}", "a text that says when this option is right"),
        ("lookup: a\nlookup: b\n", "lookup"),
    ],
)
def test_what_is_no_map_of_options_to_texts_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(Problems, match=said):
        read_criteria(text, file="criteria.yaml")


def test_a_file_that_can_not_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(CompanyLabError, match=r"--criteria .*missing\.yaml"):
        resolve_agent("decision", deciding("http://127.0.0.1:1", criteria=str(tmp_path / "missing.yaml")))


def test_the_place_of_a_wrong_criterion_is_that_in_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, "\ufeff\n\n# when what is right\nlookup: 3\n")
    with pytest.raises(CompanyLabError, match=r"criteria\.yaml:4:9: lookup: no criterion"):
        resolve_agent("decision", deciding("http://127.0.0.1:1", criteria=path))
