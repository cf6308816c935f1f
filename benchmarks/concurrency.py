"""Many episodes that wait for a model at the same time: how long 200 of them take, 64 at once, one second an answer.

A server in a process of its own answers every request after a second. Each episode takes five answers: four calls and
a reply for the tool-calling agent; three decisions, the arguments of one, and a reply for the decision loop.

    python benchmarks/concurrency.py [--episodes 200] [--workers 64] [--answer 1.0]
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from chat_server import Asked, ScriptedChatServer, Step, call, calls, chooses, says

SUITE = Path(__file__).parents[1] / "src" / "company_lab" / "company" / "suite" / "duplicate_charge.yaml"
SCENARIO = "duplicate_charge_is_refunded_once"
ANSWERS = 5
PROMISED_S = 25.0
TOOLS = ("orders.get", "payments.find", "payments.refund")


def script(delay: float) -> object:
    """The same four calls and a reply in every episode, told apart by how long the conversation is."""

    def chat(asked: Asked) -> Step:
        done = sum(message["role"] == "assistant" for message in asked.body["messages"])
        if done < ANSWERS - 1:
            return calls(call("orders_get", {"id": f"A-10{4 + done}"}), delay_s=delay)
        return says("I looked.", delay_s=delay)

    def step(asked: Asked, number: int) -> Step:
        if asked.path.endswith("/systemone"):
            done = len(asked.body["state"]["history"])
            return chooses("orders.get" if done < 1 else "nothing" if done < 2 else "respond", delay_s=delay)
        if asked.model == "writer":
            text = '{"id": "A-104"}' if "response_format" in asked.body else "I looked."
            return says(text, delay_s=delay)
        return chat(asked)

    return step


def serve(delay: float) -> None:
    """Serve until standard input ends."""
    with ScriptedChatServer(script(delay)) as server:  # type: ignore[arg-type]
        print(server.port, flush=True)
        sys.stdin.read()


def main() -> int:
    """Measure both agents; 1 where the promise is not kept."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--episodes", type=int, default=200)
    parser.add_argument("--workers", type=int, default=64)
    parser.add_argument("--answer", type=float, default=1.0)
    parser.add_argument("--serve", type=float)
    asked = parser.parse_args()
    if asked.serve is not None:
        serve(asked.serve)
        return 0

    import company_lab
    from company_lab.agents.resolve import resolve_agent

    command = [sys.executable, __file__, "--serve", str(asked.answer)]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    root = f"http://127.0.0.1:{server.stdout.readline().strip()}"
    common = {"test_model": True, "tool": list(TOOLS)}
    agents = {
        "openai-chat": {"base_url": root, "model": "scripted", **common},
        "decision": {
            "decider": root,
            "decider_model": "decider",
            "writer": root,
            "writer_model": "writer",
            **common,
        },
    }
    floor = math.ceil(asked.episodes / asked.workers) * ANSWERS * asked.answer
    print(
        f"{asked.episodes} episodes of {ANSWERS} answers, {asked.workers} at once, {asked.answer:g} s an answer"
    )
    print(f"{os.cpu_count()} cores; {floor:.1f} s is the least it can take, {PROMISED_S:g} s is promised")
    kept = True
    for name, options in agents.items():
        agent = resolve_agent(name, options)
        begun, cpu = time.perf_counter(), time.process_time()
        with company_lab.run(
            SUITE, agent=agent, only=[SCENARIO], trials=asked.episodes, workers=asked.workers
        ) as run:
            wall, cpu = time.perf_counter() - begun, time.process_time() - cpu
            stops = dict(run.figures.stops)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{name:18} {wall:6.1f} s   processor {cpu:5.1f} s   memory {memory:4.0f} MiB   {stops}")
        kept = kept and wall < PROMISED_S and stops == {"finished": asked.episodes}
    server.terminate()
    server.wait()
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
