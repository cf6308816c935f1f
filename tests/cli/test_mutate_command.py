"""mutate, as a user runs it."""

from __future__ import annotations

from pathlib import Path

from command import Lab

ORIGIN = "partial_payment_is_not_settlement"


def test_every_operator_says_what_it_made_or_why_not(lab: Lab) -> None:
    done = lab("mutate", ORIGIN)
    assert done.returncode == 0, done.stderr
    assert (
        f"+ split_payment: {ORIGIN}_split_payment; takes_it_for_the_original fails (state_mismatch"
        in done.stdout
    )
    assert "- age_approval: does not apply, nothing in it is approved at the start" in done.stdout
    assert "scenarios made from 1 scenario" in done.stdout


def test_what_is_written_loads_rehearses_and_is_not_overwritten(lab: Lab, tmp_path: Path) -> None:
    chosen = ("--operator", "duplicate_event", "--operator", "split_payment")
    assert lab("mutate", ORIGIN, *chosen, "--write", "made").returncode == 0
    files = sorted((tmp_path / "made").iterdir())
    assert [file.name for file in files] == [f"{ORIGIN}_duplicate_event.yaml", f"{ORIGIN}_split_payment.yaml"]
    assert lab("rehearse", "made").returncode == 0
    assert lab("mutate", ORIGIN, *chosen, "--write", "made").returncode == 0
    files[0].write_text("# mine\n")
    refused = lab("mutate", ORIGIN, *chosen, "--write", "made")
    assert refused.returncode == 2
    assert "says something else" in refused.stderr
    assert files[0].read_text() == "# mine\n"
    assert lab("mutate", ORIGIN, *chosen, "--write", "made", "--force").returncode == 0
    assert files[0].read_text() != "# mine\n"


def test_an_agent_is_played_on_all_that_was_made(lab: Lab) -> None:
    chosen = ("--operator", "split_payment", "--operator", "month_end")
    good = lab("mutate", ORIGIN, *chosen, "--run")
    assert good.returncode == 0
    assert "Deterministic simulation: the originals" in good.stdout
    assert "2 holds, 0 breaks, 0 wavers, 0 fails already" in good.stdout
    bad = lab("mutate", ORIGIN, *chosen, "--run", "--agent", "hostile:idle", "--trials", "2")
    assert bad.returncode == 1
    assert f"fails already: {ORIGIN}_month_end: 0 of 2 passed" in bad.stdout


def test_a_file_one_scenario_of_it_and_a_suite_will_do(lab: Lab, project: Path) -> None:
    done = lab("mutate", "scenarios", "--operator", "isomorphic_clone", folder=project)
    assert done.returncode == 0, done.stdout + done.stderr
    inside = lab(
        "mutate", "scenarios", "--operator", "isomorphic_clone", "--write", "scenarios/made", folder=project
    )
    assert inside.returncode == 0
    (file,) = (project / "scenarios/made").iterdir()
    assert "variant: " in file.read_text("utf-8")
    assert lab("rehearse", "scenarios", folder=project).returncode == 0


def test_operators_are_listed_with_what_they_do(lab: Lab) -> None:
    done = lab("mutate", "--list")
    assert done.returncode == 0
    assert "duplicate_event: delivers an event a second time" in done.stdout
    assert "(of the department crm)" in done.stdout


def test_wrong_use_names_the_nearest(lab: Lab) -> None:
    assert "did you mean split_payment?" in lab("mutate", ORIGIN, "--operator", "split_payments").stderr
    assert f"did you mean {ORIGIN}?" in lab("mutate", "partial_payment_is_no_settlement").stderr
    for arguments in (("mutate",), ("mutate", ORIGIN, "--agent", "hostile:idle")):
        assert lab(*arguments).returncode == 2


def test_where_nothing_can_be_made_the_exit_says_so(lab: Lab) -> None:
    done = lab("mutate", ORIGIN, "--operator", "age_approval")
    assert done.returncode == 3
    assert "0 scenarios made from 1 scenario" in done.stdout
