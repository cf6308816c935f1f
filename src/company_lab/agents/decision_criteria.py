"""When each option of a decision is right, in the words of whoever deploys the decider: YAML, option to text."""

from __future__ import annotations

from collections.abc import Mapping

from company_lab.agents.chat_names import ToolNames
from company_lab.formats.errors import Problem, Problems, WrongUse, nearest
from company_lab.formats.yaml import read_yaml

_EXAMPLE = "a map of options to texts, such as lookup: The order has not been looked up yet."


def read_criteria(text: str, *, file: str) -> dict[str, str]:
    """Criteria by option, as a file gives them. Raises `Problems`, each with its place."""
    documents = read_yaml(text, file=file)
    if len(documents) != 1 or not isinstance(documents[0].value, dict) or not documents[0].value:
        raise Problems([Problem(message="no criteria", file=file, expected=f"one document, {_EXAMPLE}")])
    (document,) = documents
    assert isinstance(document.value, dict)
    found: dict[str, str] = {}
    problems = []
    for option, criterion in document.value.items():
        if isinstance(criterion, str) and criterion.strip():
            found[option] = criterion.strip()
            continue
        line, column = document.position((option,))
        problems.append(
            Problem(
                message="no criterion",
                file=file,
                line=line,
                column=column,
                path=option,
                found=repr(criterion),
                expected="a text that says when this option is right",
                fix="leave the option out to keep what its tool says of itself",
            )
        )
    if problems:
        raise Problems(problems)
    return found


def with_criteria(described: Mapping[str, str], given: Mapping[str, str], names: ToolNames) -> dict[str, str]:
    """What each option means: the criterion where one is given. Raises `WrongUse` for one of no option."""
    called = {offer.name: option for option, offer in names.offers.items()}
    for option in given:
        if option in described:
            continue
        close = called.get(option) or nearest(option, described)
        hint = f"; did you mean {close}?" if close else ""
        raise WrongUse(
            f"--criteria: {option} is no option of the decider{hint} (options: {', '.join(described)})"
        )
    return {**described, **given}
