"""Programs as agents: started, told their task, watched, ended. Real processes and real servers on loopback."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from company_lab.agents.conducts import reference
from company_lab.agents.protocol import Agent
from company_lab.episodes import Episode, play
from company_lab.episodes.confined import Confinement
from company_lab.episodes.programs import end_launcher, launcher, program_again, program_agent
from company_lab.evaluation import judge
from company_lab.formats.errors import WrongUse
from company_lab.scenarios.model import Scenario
from company_lab.worlds.registry import resolve_world
from depot import scenario, world
from processes import eventually, is_alive
from program_runs import played, replaying, replies, sample, told, written

SAMPLE = sample(4)
CALL = """
    import http.client, json, os, sys
    from urllib.parse import urlsplit

    url = urlsplit(os.environ["COMPANY_LAB_MCP_URL"])

    def call(tool, args, id=1, **meta):
        line = http.client.HTTPConnection(url.hostname, url.port)
        params = {"name": tool, "arguments": args, **({"_meta": meta} if meta else {})}
        body = json.dumps({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
        line.request("POST", url.path, body, {
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": "2025-06-18",
        })
        return json.loads(line.getresponse().read())["result"]
"""


@pytest.fixture(autouse=True)
def _no_folder_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    yield
    assert list(folder.iterdir()) == []


def calling(folder: Path, text: str) -> list[str]:
    """A program that has `call`."""
    return written(folder, dedent(CALL) + dedent(text))


def outcomes(agent: Agent, one: Scenario) -> tuple[object, ...]:
    in_world = resolve_world(one.world)
    episode = play(in_world.prepare(one), agent)
    verdict = judge(one, in_world.spec, episode.trace, episode.timings)
    attempts = [(record["tool"], record["args"]) for record in episode.trace.by_kind("action")]
    return (
        verdict.outcome,
        verdict.failures,
        episode.trace.stop,
        attempts,
        list(episode.trace.by_kind("result")),
    )


# The same verdicts as a plain function, whatever carries the calls


@pytest.mark.parametrize(
    ("program", "speaks"), [("raw_mcp.py", "mcp-http"), ("raw_mcp.py", "mcp-stdio"), ("lines.py", "lines")]
)
def test_a_program_that_replays_the_references_gets_the_verdicts_of_the_references(
    program: str, speaks: str, tmp_path: Path
) -> None:
    agent = replaying(program, tmp_path, speaks=speaks)
    for one in SAMPLE:
        assert outcomes(agent.for_scenario(one), one) == outcomes(reference(one), one), one.id


# The task


def test_the_task_comes_on_standard_input_and_what_is_printed_is_the_reply() -> None:
    episode = played("cat")
    assert told(episode) == ("finished", "")
    assert list(replies(episode)) == ["Please see to it."]


def test_the_task_comes_as_an_argument_where_the_command_says_so(tmp_path: Path) -> None:
    program = written(tmp_path, "import sys; print(sys.argv[1:], repr(sys.stdin.read()))")
    assert list(replies(played([*program, "--ask={task}"]))) == ["['--ask=Please see to it.'] ''"]


def test_the_task_is_also_a_document_and_tells_nothing_it_should_find_out(tmp_path: Path) -> None:
    program = written(
        tmp_path,
        """
        import os
        print(open(os.environ["COMPANY_LAB_TASK"]).read())
        print(dict(os.environ), os.getcwd(), os.listdir("."), os.listdir(".."))
        """,
    )
    (reply,) = replies(played(program))
    document, _, rest = reply.partition("\n}\n")
    assert json.loads(document + "}") == {
        "message": "Please see to it.",
        "sender": None,
        "turn": 1,
        "at": "2026-03-05T08:00:00+01:00",
        "events": [],
        "conversation": [],
    }
    assert "parcel_for_ida" not in rest
    assert "PYTEST" not in rest
    assert "launch.json" not in rest, (
        "the environment of a program, which may hold keys, is not left lying about"
    )


def test_later_turns_are_told_the_conversation_and_keep_the_folder(tmp_path: Path) -> None:
    program = written(
        tmp_path,
        """
        import os, sys
        print("Which parcel?" if not os.path.exists("seen") else sys.stdin.read())
        open("seen", "w").close()
        """,
    )
    then = [{"when": {"asks": "which_parcel"}, "message": "P-1.", "from": "ida"}]
    agent = program_agent(program)
    one = scenario(stimulus={"message": "Ship it.", "from": "ida", "then": then}, people={"ida": {}})
    episode = play(world.prepare(one), agent)
    first, second = replies(episode)
    assert first == "Which parcel?"
    assert second == (
        "The conversation so far:\n\nida: Ship it.\n\nYour reply: Which parcel?\n\nNow:\n\nida: P-1."
    )


def test_events_that_reached_the_company_are_in_the_text() -> None:
    event = {
        "at": "+0s",
        "id": "evt_1",
        "type": "parcel.arrived",
        "data": {"parcel": "P-1", "receiver": "Ida"},
    }
    (reply,) = replies(play_with([event], "cat"))
    assert reply.startswith("Please see to it.\n\nThis reached the company since you last looked:\n\n")
    assert '"id": "evt_1"' in reply


def play_with(events: list[dict[str, Any]], command: str) -> Episode:
    return play(world.prepare(scenario(events=events)), program_agent(command))


# What is attempted


@pytest.mark.fault("D06")
@pytest.mark.fault("D01")
def test_every_attempt_is_recorded_however_it_looks(tmp_path: Path) -> None:
    program = calling(
        tmp_path,
        """
        answers = [
            call("depot_get", {"id": "P-1"}),
            call("depot.get", {"id": "P-1"}),
            call("depot_fetch", {}),
            call("depot_get", {"no": 1}),
            call("depot_get", '{"id": "P-1"'),
            call("depot_get", ["P-1"]),
            call("depot_get", {"id": "P-9"}),
        ]
        print([answer["isError"] for answer in answers])
        print([answer["structuredContent"].get("code") for answer in answers])
        """,
    )
    episode = played(program)
    (reply,) = replies(episode)
    codes = "[None, None, 'unknown_tool', 'bad_arguments', 'bad_arguments', 'bad_arguments', 'failed']"
    assert reply == f"[False, False, True, True, True, True, True]\n{codes}"
    actions = list(episode.trace.by_kind("action"))
    assert [record["tool"] for record in actions] == [
        *("depot.get", "depot.get", "depot_fetch", "depot.get", "depot.get", "depot.get", "depot.get"),
    ]
    assert actions[4]["supplied"] == '{"id": "P-1"'
    assert actions[4]["args"] is None
    assert [record["outcome"] for record in episode.trace.by_kind("result")] == [
        *("executed", "executed", "malformed", "malformed", "malformed", "malformed", "failed")
    ]


@pytest.mark.fault("D03")
def test_calls_with_the_same_id_are_all_carried_out_and_the_id_is_a_hint(tmp_path: Path) -> None:
    program = calling(
        tmp_path,
        """
        call("depot_ship", {"id": "P-1"}, id=7)
        call("depot_ship", {"id": "P-2"}, id=7)
        call("depot_get", {"id": "P-2"}, id=7, **{"company-lab/call-id": "tool_1", "company-lab/by": "writer"})
        """,
    )
    actions = list(played(program).trace.by_kind("action"))
    assert [(record["call"], record["hint"], record["by"]) for record in actions] == [
        ("c1", "7", "agent"),
        ("c2", "7", "agent"),
        ("c3", "tool_1", "writer"),
    ]
    assert [record["args"] for record in actions[:2]] == [{"id": "P-1"}, {"id": "P-2"}]


@pytest.mark.fault("D04")
def test_parallel_calls_are_carried_out_one_after_another_and_answered_each(tmp_path: Path) -> None:
    program = calling(
        tmp_path,
        """
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(8) as pool:
            asked = ["P-1", "P-2", "P-3"] * 4
            answers = list(pool.map(lambda id: call("depot_get", {"id": id}), asked))
        print(all(answer["isError"] or answer["structuredContent"]["id"] == id for id, answer in zip(asked, answers)))
        print(len(answers))
        """,
    )
    episode = played(program)
    assert list(replies(episode)) == ["True\n12"]
    kinds = [record["kind"] for record in episode.trace.records if record["kind"] in ("action", "result")]
    assert kinds == ["action", "result"] * 12


@pytest.mark.fault("D07")
def test_a_limit_ends_the_program_in_the_middle_of_what_it_does(tmp_path: Path) -> None:
    program = calling(
        tmp_path,
        """
        while True:
            call("depot_get", {"id": "P-1"})
        """,
    )
    episode = played(program, limits={"calls": 5})
    assert told(episode) == ("call_limit", "5 calls were made")
    assert len(list(episode.trace.by_kind("action"))) == 5


# How it ends


@pytest.mark.fault("D08")
def test_a_program_that_prints_nothing_has_replied_nothing() -> None:
    episode = played("true")
    assert told(episode) == ("finished", "")
    assert list(replies(episode)) == [""]


def test_an_exit_code_is_the_failure_of_the_agent_and_the_last_line_says_why(tmp_path: Path) -> None:
    program = written(tmp_path, "print('half an answer', flush=True); raise ValueError('no idea \\x1b[2J')")
    episode = played(program)
    assert told(episode) == (
        "agent_error",
        "the program ended with exit code 1: ValueError: no idea \\x1b[2J",
    )
    assert list(replies(episode)) == []
    assert episode.timings["stdout"] == "half an answer\n"
    assert "Traceback" in episode.timings["stderr"]


def test_exit_code_75_says_that_a_host_is_down() -> None:
    episode = played(["sh", "-c", "echo the model is overloaded >&2; exit 75"])
    assert told(episode) == (
        "infrastructure_error",
        "the program ended with exit code 75: the model is overloaded",
    )


def test_temporary_files_may_lie_far_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / "temporary" / ("d" * 120)
    deep.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(deep))
    near = set(Path("/tmp").glob("company-lab-*"))
    script = 'test -S "$COMPANY_LAB_MCP_SOCKET" && echo reached'
    assert list(replies(played(["sh", "-c", script]))) == ["reached"]
    assert set(Path("/tmp").glob("company-lab-*")) <= near
    deep.rmdir()


@pytest.mark.wall_time
@pytest.mark.parametrize("speaks", ["mcp-http", "lines"])
def test_a_program_that_hangs_is_ended_with_everything_it_started(speaks: str, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    script = f"sleep 60 & echo $! >> {pids}; setsid sleep 60 & echo $! >> {pids}; echo $$ >> {pids}; sleep 60"
    started = time.monotonic()
    episode = played(["sh", "-c", script], speaks=speaks, limits={"wall": "600ms"})
    assert told(episode)[0] == "wall_limit"
    assert time.monotonic() - started < 5
    found = [int(line) for line in pids.read_text().split()]
    assert len(found) == 3
    assert eventually(lambda: not any(map(is_alive, found)))


def test_children_that_stay_behind_are_ended_when_the_program_ends_well(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    episode = played(
        ["sh", "-c", f"sleep 60 & echo $! >> {pids}; setsid sleep 60 & echo $! >> {pids}; echo done"]
    )
    assert list(replies(episode)) == ["done"]
    found = [int(line) for line in pids.read_text().split()]
    assert eventually(lambda: not any(map(is_alive, found)))


def test_a_program_that_floods_is_ended() -> None:
    episode = played(["sh", "-c", "yes"], confinement=Confinement(output_bytes=100_000))
    assert told(episode) == (
        "output_limit",
        "more than 100000 bytes were written to standard output and standard error",
    )


def test_a_reply_longer_than_the_scenario_allows_is_cut() -> None:
    episode = played(["sh", "-c", "yes | head -c 3000"], limits={"output": 1000})
    assert told(episode)[0] == "output_limit"
    assert [len(reply) for reply in replies(episode)] == [1000]


def test_a_program_that_computes_for_ever_is_ended() -> None:
    busy = [sys.executable, "-c", "while True: pass"]
    episode = played(busy, confinement=Confinement(cpu_s=1))
    assert told(episode) == ("agent_error", "the program used more than 1 s of processor time")


def test_a_program_that_takes_too_much_memory_fails(tmp_path: Path) -> None:
    program = written(tmp_path, "print(len(bytearray(400 << 20)))")
    episode = played(program, confinement=Confinement(memory_bytes=100 << 20))
    assert told(episode) == ("agent_error", "the program ended with exit code 1: MemoryError")


def test_a_program_that_closes_everything_and_goes_on_is_waited_for(tmp_path: Path) -> None:
    program = written(
        tmp_path, "import os, time; os.write(1, b'hi'); [os.close(n) for n in range(3)]; time.sleep(.2)"
    )
    assert list(replies(played(program))) == ["hi"]


def test_what_is_no_text_is_shown_as_far_as_it_can_be() -> None:
    (reply,) = replies(played(["sh", "-c", r"printf 'caf\303\251 \377'"]))
    assert reply == "café \ufffd"


def test_a_lines_program_that_fails_says_why(tmp_path: Path) -> None:
    program = written(tmp_path, "raise SystemExit('no such model')")
    reason, detail = told(played(program, speaks="lines"))
    assert (reason, detail) == ("agent_error", "its process ended with exit code 1: no such model")


# Crashes of the schedule


@pytest.mark.parametrize("mode", ["task", "checkpoint"])
def test_a_program_is_killed_at_a_crash_point_and_started_again(mode: str, tmp_path: Path) -> None:
    program = calling(
        tmp_path,
        """
        again = os.path.exists("begun")
        open("begun", "w").close()
        call("depot_ship", {"id": "P-1"})
        print("kept" if again else "anew")
        """,
    )
    crash = {"on": "depot.ship", "kind": "crash", "at": "after", "restart": mode}
    episode = play(world.prepare(scenario(faults=[crash])), program_agent(program))
    assert [record["kind"] for record in episode.trace.records if record["kind"] in ("crash", "restart")] == [
        "crash",
        "restart",
    ]
    assert list(replies(episode)) == ["kept" if mode == "checkpoint" else "anew"]
    assert len(episode.timings["killed"]) == 1
    assert not is_alive(episode.timings["killed"][0])


def test_with_a_transcript_it_is_told_what_had_been_answered(tmp_path: Path) -> None:
    program = calling(
        tmp_path,
        """
        task = json.load(open(os.environ["COMPANY_LAB_TASK"]))
        call("depot_get", {"id": "P-1"})
        call("depot_ship", {"id": "P-1"})
        print(sys.stdin.read() if "restart" in task else "not crashed", list(task.get("restart", ())))
        """,
    )
    crash = {"on": "depot.ship", "kind": "crash", "at": "after", "restart": "transcript"}
    (reply,) = replies(play(world.prepare(scenario(faults=[crash])), program_agent(program)))
    before, _, after = reply.partition("These calls of yours had been answered before:\n\n")
    assert before.startswith("Please see to it.")
    assert after.startswith('{"turn": 1, "tool": "depot.get", "args": {"id": "P-1"}, "result": {"id": "P-1"')
    assert "depot.ship" not in after
    assert after.endswith("['mode', 'crashes', 'transcript']")


# What it used


@pytest.mark.fault("D10")
def test_usage_is_what_the_program_wrote_down_and_otherwise_unknown(tmp_path: Path) -> None:
    report = '{"input_tokens": 812, "output_tokens": 40, "cost_usd": "0.0031", "model": "m"}'
    program = written(
        tmp_path, f"import os; open(os.environ['COMPANY_LAB_USAGE'], 'w').write('''{report}\\n{report}\\n''')"
    )
    episode = play(world.prepare(scenario()), program_agent(program, kind="real_model"))
    assert episode.trace.records[-1]["cost_usd"] == "0.0062"
    assert [record["input_tokens"] for record in episode.trace.by_kind("usage")] == [812, 812]
    silent = play(world.prepare(scenario()), program_agent("true", kind="real_model"))
    assert silent.trace.records[-1]["cost_usd"] is None


@pytest.mark.parametrize("report", ["{", "[]", '{"tokens": 1}', '{"cost_usd": "much"}'])
def test_a_report_of_usage_that_can_not_be_read_is_the_failure_of_the_agent(
    report: str, tmp_path: Path
) -> None:
    program = written(tmp_path, f"import os; open(os.environ['COMPANY_LAB_USAGE'], 'w').write({report!r})")
    reason, detail = told(played(program))
    assert reason == "agent_error"
    assert detail.startswith("the usage it reported can not be read: ")


REPORTS = """
    import os, time
    with open(os.environ["COMPANY_LAB_USAGE"], "w") as file:
        file.write({report!r})
"""


@pytest.mark.parametrize(
    ("report", "cost"), [('{"cost_usd": "0.25"}', "0.25"), ('{"cost_usd": "0.25"}\n{"cost', None)]
)
def test_what_was_paid_counts_also_where_the_program_had_to_be_ended(
    report: str, cost: str | None, tmp_path: Path
) -> None:
    program = written(tmp_path, dedent(REPORTS).format(report=report) + "time.sleep(60)")
    agent = program_agent(program, kind="real_model")
    trace = play(world.prepare(scenario(limits={"wall": "1500ms"})), agent).trace
    assert trace.stop == "wall_limit"
    assert trace.records[-1]["cost_usd"] == cost


def test_what_was_paid_counts_also_where_the_program_crashed(tmp_path: Path) -> None:
    text = dedent(REPORTS).format(report='{"cost_usd": "0.25"}')
    program = calling(tmp_path, text + 'call("depot_get", {"id": "P-1"})')
    agent = program_agent(program, kind="real_model")
    crash = {"on": "depot.get", "kind": "crash", "at": "answered", "restart": "task"}
    trace = play(world.prepare(scenario(faults=[crash])), agent).trace
    assert trace.stop == "finished"
    assert trace.records[-1]["cost_usd"] == "0.50"


def test_a_bound_on_cost_that_a_report_exceeds_ends_the_episode_and_the_rest_is_counted(
    tmp_path: Path,
) -> None:
    report = '{"cost_usd": "0.25"}\n' * 3
    agent = program_agent(written(tmp_path, dedent(REPORTS).format(report=report)), kind="real_model")
    trace = play(world.prepare(scenario(limits={"cost_usd": "0.30"})), agent).trace
    assert trace.stop == "cost_limit"
    assert trace.records[-1]["cost_usd"] == "0.75"


# The command line


def test_only_what_was_given_is_in_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OUR_KEY", "sk-live-1234")
    monkeypatch.setenv("OTHER", "x")
    program = written(
        tmp_path, "import os; print(os.environ.get('OUR_KEY', '')[::-1], os.environ.get('OTHER'))"
    )
    assert list(replies(played(program))) == [" None"]
    agent = program_agent(program, env=["OUR_KEY", "OTHER=y"])
    (reply,) = replies(play(world.prepare(scenario()), agent))
    assert reply == "4321-evil-ks y"
    assert agent.settings["env"] == ["OTHER", "OUR_KEY"]
    assert "sk-live" not in json.dumps(dict(agent.settings))


def test_relative_paths_are_meant_from_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "agent.sh").write_text("#!/bin/sh\necho here $1\n")
    (tmp_path / "agent.sh").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    assert list(replies(played("./agent.sh agent.sh"))) == [f"here {tmp_path}/agent.sh"]
    assert list(replies(played("sh agent.sh other.sh"))) == ["here other.sh"]
    agent = program_agent("sh agent.sh")
    assert agent.name == "sh agent.sh"
    before = agent.code
    (tmp_path / "agent.sh").write_text("#!/bin/sh\necho there\n")
    assert program_agent("sh agent.sh").code not in ("", before)


@pytest.mark.parametrize(
    ("command", "options", "message"),
    [
        ("", {}, "the command is empty"),
        ("echo 'x", {}, "can not be read: No closing quotation"),
        ("no-such-program-here", {}, "there is no program no-such-program-here on the PATH"),
        ("./nothing", {}, "the program ./nothing is not there"),
        ("/etc/passwd", {}, "the program /etc/passwd can not be executed"),
        ("cat", {"speaks": "mpc-http"}, "there is no protocol mpc-http; did you mean mcp-http?"),
        ("cat", {"kind": "real-model"}, "there is no kind of agent 'real-model'; did you mean real_model?"),
        ("cat", {"env": ["NOT_SET_ANYWHERE"]}, "it is not set here"),
        ("cat", {"env": ["COMPANY_LAB_TASK=x"]}, "give a name of your own"),
        ("echo {task}", {"speaks": "lines"}, "there is no {task} for it"),
    ],
)
def test_wrong_use_says_what_to_do(command: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(WrongUse) as found:
        program_agent(command, **options)  # type: ignore[arg-type]
    assert message in str(found.value)


def test_a_stored_run_finds_its_program_again() -> None:
    tight = Confinement(cpu_s=3)
    agent = program_agent("sh -c 'echo hi'", kind="scripted", speaks="lines", confinement=tight)
    again = program_again(agent.kind, agent.settings)
    assert again is not None
    assert again.digest == agent.digest
    assert again.settings["limits"] == {"cpu_s": 3, "memory_bytes": 2 << 30, "output_bytes": 10_000_000}
    assert program_again("scripted", {"temperature": 0}) is None


def test_a_secret_in_the_command_is_not_stored() -> None:
    agent = program_agent(["echo", "--api-key", "hunter2", "--token=abc", "sk-abcdefghijklmnop1234"])
    assert agent.settings["command"] == ["echo", "--api-key", "(secret)", "--token=(secret)", "(secret)"]
    with pytest.raises(WrongUse, match="give --agent-command again"):
        program_again(agent.kind, agent.settings)


# The process that starts them


def test_everything_ends_when_the_lab_is_killed(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    lab = tmp_path / "lab.py"
    lab.write_text(
        "import sys\nfrom depot import scenario, world\n"
        "from company_lab.episodes import play\nfrom company_lab.episodes.programs import program_agent\n"
        f"agent = program_agent(['sh', '-c', 'echo $$ > {pids}; setsid sleep 60 & echo $! >> {pids}; sleep 60'])\n"
        "play(world.prepare(scenario()), agent)\n"
    )
    support = Path(__file__).parents[1] / "support"
    process = subprocess.Popen([sys.executable, str(lab)], env={**os.environ, "PYTHONPATH": str(support)})
    assert eventually(lambda: pids.exists() and len(pids.read_text().split()) == 2, seconds=20)
    process.kill()
    process.wait()
    found = [int(line) for line in pids.read_text().split()]
    assert eventually(lambda: not any(map(is_alive, found)))


@pytest.mark.parametrize("speaks", ["mcp-http", "lines"])
def test_a_launcher_that_is_gone_is_an_outage_and_not_the_agents_failure(speaks: str) -> None:
    end_launcher()
    server = launcher()
    os.kill(server._pid, 9)
    episode = played("true", speaks=speaks)
    assert told(episode)[0] == "infrastructure_error"
    end_launcher()
    assert told(played("true")) == ("finished", "")


def test_a_disk_that_is_full_is_an_outage_and_not_the_agents_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> str:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("company_lab.episodes.playing_programs.tempfile.mkdtemp", full)
    reason, detail = told(played("true"))
    assert reason == "infrastructure_error"
    assert "No space left" in detail


# Programs that tamper with what they were given


@pytest.mark.wall_time
@pytest.mark.parametrize(
    ("tamper", "said"),
    [
        ("os.mkfifo(usage)", "no ordinary file"),
        ("os.mkdir(usage)", "no ordinary file"),
        ("open(usage, 'w').write('{\"cost_usd\": \"1e-999999999\"}')", "cost_usd is an amount"),
        ("open(usage, 'w').write('{\"input_tokens\": -1}')", "tokens are whole numbers"),
        ("open(usage, 'w').write('[' * 100000)", "nested too deeply"),
    ],
)
@pytest.mark.fault("D10")
def test_a_report_of_usage_that_is_a_trap_is_the_failure_of_the_agent(
    tamper: str, said: str, tmp_path: Path
) -> None:
    program = written(tmp_path, f"import os; usage = os.environ['COMPANY_LAB_USAGE']; {tamper}")
    begun = time.monotonic()
    reason, detail = told(played(program))
    assert reason == "agent_error"
    assert said in detail
    assert time.monotonic() - begun < 20


@pytest.mark.parametrize(
    "tamper",
    [
        "os.unlink(task); os.mkfifo(task)",
        "os.unlink(task); os.mkdir(task)",
        "os.unlink(task); os.symlink(victim, task)",
        "os.mkfifo(os.path.join(folder, 'launch.json'))",
        "os.unlink(sock); os.mkdir(sock)",
        "os.chmod(folder, 0)",
    ],
)
def test_what_a_program_puts_in_the_place_of_the_labs_files_holds_up_no_later_turn(
    tamper: str, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("untouched", encoding="ascii")
    program = written(
        tmp_path,
        f"""
        import os
        task, sock = os.environ["COMPANY_LAB_TASK"], os.environ["COMPANY_LAB_MCP_SOCKET"]
        folder, victim = os.path.dirname(task), {str(victim)!r}
        if not os.path.exists("seen"):
            open("seen", "w").close()
            {tamper}
            print("Which parcel?")
        else:
            print("Done.")
        """,
    )
    then = [{"when": {"asks": "which_parcel"}, "message": "P-1.", "from": "ida"}]
    one = scenario(stimulus={"message": "Ship it.", "from": "ida", "then": then}, people={"ida": {}})
    assert list(replies(play(world.prepare(one), program_agent(program)))) == ["Which parcel?", "Done."]
    assert victim.read_text(encoding="ascii") == "untouched"


@pytest.mark.parametrize("speaks", ["mcp-http", "lines"])
def test_a_key_that_was_handed_on_is_not_stored_when_the_program_prints_it(
    speaks: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_KEY", "hush-hush-123")
    monkeypatch.setenv("MODE", "careful-and-slow")
    text = "import os, sys; sys.exit(f\"{os.environ['MODE']}: bad key {os.environ['MODEL_KEY']}\")"
    episode = played(written(tmp_path, text), speaks=speaks, env=["MODEL_KEY", "MODE"])
    assert told(episode)[1].endswith("careful-and-slow: bad key (secret)")
    assert "hush" not in episode.trace.text()
    assert "hush" not in json.dumps(episode.timings)
    text = "import os; print('it is', os.environ['MODEL_KEY'])"
    assert list(replies(played(written(tmp_path, text), env=["MODEL_KEY"]))) == ["it is (secret)"]
