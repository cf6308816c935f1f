"""An agent: any function, sync or async, of a task and a session."""

from __future__ import annotations

import re

from company_lab import Session, Task, declare


@declare(kind="scripted")  # no model decides here; leave it out, or say real_model, for one that has one
def agent(task: Task, session: Session) -> str:
    found = re.search(r"R-\d+", task.message)
    if found is None:
        return "Which repair do you mean?"
    repair = session.call("repairs.get", id=found[0])
    ready = repair["status"] == "ready"
    text = "Your bicycle is ready." if ready else "We are still working on your bicycle."
    session.call("repairs.write_to_owner", id=found[0], text=text)
    return f"I wrote to {repair['owner']}."
