"""Record and replay: for development, always marked, and never counted as a trial of a model."""

from __future__ import annotations

from pathlib import Path

import pytest

import company_lab
from chat_server import ScriptedChatServer, call, calls, chooses, fails, says
from company_lab.agents import chat_asking, chat_traffic
from company_lab.agents.resolve import resolve_agent
from company_lab.company import company
from company_lab.episodes import play
from company_lab.evaluation import judge
from company_lab.evaluation.summaries import summarise
from company_lab.formats.errors import WrongUse
from model_episode import chat, deciding, of_kind, played, shipped

SUITE = Path(company_lab.__file__).parent / "company" / "suite" / "duplicate_charge.yaml"


@pytest.mark.loopback
def test_what_was_recorded_is_answered_again_without_a_server(tmp_path: Path) -> None:
    file = tmp_path / "traffic.yaml"
    url = record(file)
    trace = played("openai-chat", chat(url, test_model=None, replay=str(file)))
    assert [record["tool"] for record in of_kind(trace, "action")] == ["orders.get", "nothing"]
    assert of_kind(trace, "reply")[0]["text"] == "done"
    assert trace.header["evidence"] == "replayed model traffic"
    assert trace.header["layer"] == "runtime"
    assert len(trace.header["agent"]["settings"]["recording"]) == 64


def record(file: Path) -> str:
    script = [calls(call("orders_get", {"id": "A-104"}), call("nothing", "{")), says("done")]
    with ScriptedChatServer(script) as server:
        trace = played("openai-chat", chat(server.url, test_model=None, record=str(file)))
    assert trace.header["evidence"] == "real model"
    return server.url


@pytest.mark.loopback
def test_a_replayed_episode_is_no_trial_whatever_it_came_to(tmp_path: Path) -> None:
    file = tmp_path / "traffic.yaml"
    url = record(file)
    trace = played("openai-chat", chat(url, test_model=None, replay=str(file)))
    verdict = judge(shipped(), company.spec, trace)
    assert verdict.outcome == "failed"
    assert summarise(trace, verdict).outcome == "unscored"


@pytest.mark.loopback
def test_a_run_of_replayed_episodes_has_no_figures_and_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "traffic.yaml"
    url = record(file)
    agent = resolve_agent("openai-chat", chat(url, replay=str(file)))
    with company_lab.run(SUITE, agent=agent, only=[shipped().id]) as run:
        assert (run.figures.n, run.figures.unscored, run.passed) == (0, 1, False)
        run.report()
    told = capsys.readouterr().out
    assert told.startswith("Replayed model traffic; old answers, and no fresh trial of any model")
    assert "replayed from a recording, which is no trial" in " ".join(told.split())


@pytest.mark.loopback
def test_a_request_that_was_never_recorded_is_not_sent_anywhere(tmp_path: Path) -> None:
    file = tmp_path / "traffic.yaml"
    url = record(file)
    trace = played("openai-chat", chat(url, replay=str(file), temperature=0.1))
    assert trace.stop == "infrastructure_error"
    assert "has no answer (left) to this request" in of_kind(trace, "stopped")[0]["detail"]


@pytest.mark.loopback
def test_each_recorded_answer_is_given_once(tmp_path: Path) -> None:
    file = tmp_path / "traffic.yaml"
    for answer in ("first", "second"):
        with ScriptedChatServer([says(answer)]) as server:
            server_url = server.url
            played(
                "openai-chat",
                chat("http://127.0.0.1:1/v1", retries=0, record=str(file)) | {"base_url": server.url},
            )
    agent = resolve_agent("openai-chat", chat(server_url, replay=str(file))).for_scenario(shipped())
    first = play(company.prepare(shipped()), agent).trace
    second = play(company.prepare(shipped()), agent).trace
    assert of_kind(first, "reply")[0]["text"] == "second"
    assert second.stop == "infrastructure_error"


@pytest.mark.loopback
def test_a_recording_holds_no_key_and_outages_are_part_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", "hush-hush-123")
    monkeypatch.setattr(chat_asking, "_FIRST_PAUSE_S", 0.01)
    file = tmp_path / "traffic.yaml"
    with ScriptedChatServer([fails(503), says("done")]) as server:
        played("openai-chat", chat(server.url, api_key_env="SOME_KEY", record=str(file)))
    text = file.read_text(encoding="utf-8")
    assert "hush" not in text
    assert "authorization" not in text.lower()
    monkeypatch.delenv("SOME_KEY")
    trace = played("openai-chat", chat(server.url, api_key_env="SOME_KEY", replay=str(file)))
    assert [record["error"] is None for record in of_kind(trace, "model")] == [False, True]


@pytest.mark.loopback
def test_both_models_of_the_decision_loop_are_recorded(tmp_path: Path) -> None:
    file = tmp_path / "traffic.yaml"
    script = [chooses("lookup", {"lookup": 0.9}), says('{"id": "A-104"}'), chooses("respond"), says("done")]
    with ScriptedChatServer(script) as server:
        first = played("decision", deciding(server.root, record=str(file)))
    again = played("decision", deciding(server.root, replay=str(file)))
    assert of_kind(again, "choice") == of_kind(first, "choice")
    assert of_kind(again, "result") == of_kind(first, "result")


@pytest.mark.parametrize("text", [None, "{", "- 1", "interactions: 3", "interactions: [{}]"])
def test_what_is_no_recording_is_refused(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "traffic.yaml"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    with pytest.raises(WrongUse, match=r"--replay .*(no such recording|no recording of model traffic)"):
        resolve_agent("openai-chat", {"model": "m", "base_url": "http://127.0.0.1:1", "replay": str(file)})


@pytest.mark.loopback
def test_a_recording_holds_no_key_that_a_host_repeated_and_no_answer_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", "hush-hush-123")
    monkeypatch.setattr(chat_asking, "_FIRST_PAUSE_S", 0.01)
    monkeypatch.setattr(chat_asking, "LONGEST_ANSWER", 200_000)
    monkeypatch.setattr(chat_traffic, "LONGEST_ANSWER", 200_000)
    file = tmp_path / "traffic.yaml"
    told = {"error": {"message": "Incorrect API key provided: hush-hush-123"}}
    with ScriptedChatServer([fails(500, told), says("x" * 3_000_000), says("done")]) as server:
        trace = played("openai-chat", chat(server.url, api_key_env="SOME_KEY", record=str(file)))
    assert trace.stop == "finished"
    text = file.read_text(encoding="utf-8")
    assert "hush" not in text
    assert "(secret)" in text
    assert len(text) < 1_000_000


@pytest.mark.loopback
@pytest.mark.parametrize("streams", [False, True])
def test_an_answer_that_can_not_be_recorded_is_not_paid_for_again(tmp_path: Path, streams: bool) -> None:
    file = tmp_path / "traffic.yaml"
    with ScriptedChatServer([says("done")] * 5) as server:
        options = chat(server.url, test_model=None, record=str(file), retries=4, stream=streams)
        agent = resolve_agent("openai-chat", options).for_scenario(shipped())
        file.mkdir()  # nothing can be written there from now on, as on a full disk
        trace = play(company.prepare(shipped()), agent).trace
    assert len(server.asked) == 1
    assert trace.stop == "infrastructure_error"
    (told,) = of_kind(trace, "model")
    assert f"the recording {file} could not be written" in told["error"]["message"]
    assert [record["cost_usd"] for record in of_kind(trace, "usage")] == [None]
