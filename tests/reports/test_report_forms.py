"""Every form a report can be written in: the same run in each, and hostile texts harmless in each."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from xml.etree import ElementTree

import pyarrow.parquet as parquet
import pytest
from markdown_it import MarkdownIt

from company_lab.evaluation import Verdict
from company_lab.reports import console, terminal
from company_lab.reports.annotations import MOST_ERRORS, data_text, property_text
from company_lab.reports.forms import FORMS
from company_lab.reports.markdown import MOST_BYTES, code
from company_lab.runs import Store
from report_pages import BIDI, FORMULA, NAME, SURROGATE, episode, fill, plan_of
from written_reports import every_outcome, hostile, written

NAMES = [form.name for form in FORMS]
TEXTS = [*(name for name in NAMES if name != "parquet"), "terminal"]
TAGS = re.compile(r"<(?!/?(?:h2|h3|p|ul|li|code|strong|table|thead|tbody|tr|th|td)\b)[a-z!/]", re.IGNORECASE)


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.temporary() as opened:
        yield opened


def report(store: Store, run: str, form: str) -> bytes:
    if form == "terminal":
        return console.to_text(terminal.report_of(store, run)).encode("utf-8")
    return written(store, run, form)


def rendered(text: str) -> str:
    """What a browser is given where a forge shows Markdown, raw HTML allowed."""
    return str(MarkdownIt("commonmark", {"html": True}).enable("table").render(text))


@pytest.mark.fault("E20", "E21")
@pytest.mark.parametrize("form", TEXTS)
def test_nothing_hostile_reaches_a_reader(store: Store, form: str) -> None:
    text = report(store, hostile(store), form).decode("utf-8")
    for raw in ("\x1b", "\x07", BIDI, SURROGATE, "\x00"):
        assert raw not in text
    if form == "json":
        assert "<" not in text
    elif form == "html":
        assert "<script>window.owned" not in text
    elif form == "junit":
        assert not list(ElementTree.fromstring(text).iter("script"))
    elif form == "markdown":
        shown = rendered(text)
        assert not TAGS.search(shown)
        assert "evil.example" not in re.sub(r"<code>.*?</code>", "", shown)
    elif form == "annotations":
        assert all(re.match(r"::(?:error|notice) title=[^:,]*::", line) for line in text.splitlines())
    elif form == "csv":
        cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
        assert not any(cell.lstrip().startswith(("=", "+", "-", "@")) for cell in cells)


def test_a_hostile_name_comes_back_from_what_programs_read(store: Store) -> None:
    run = hostile(store)
    read = json.loads(written(store, run, "json"))
    assert {row["scenario"] for row in read["cells"]} == {NAME, "fine"}
    table = parquet.read_table(io.BytesIO(written(store, run, "parquet")))
    assert set(table.column("scenario").to_pylist()) == {NAME, "fine"}


@pytest.mark.fault("E12")
@pytest.mark.parametrize("form", [*NAMES, "terminal"])
def test_fifty_megabytes_of_a_reply_do_not_make_a_report_large(store: Store, form: str) -> None:
    large = "<b>\x1b[2K" * (50_000_000 // 7)
    broken = replace(episode("paid", 1, failed=True).verdict.failures[0], message=large[:5_000_000])
    failed = replace(
        episode("paid", 1, failed=True, reply=large), verdict=Verdict(outcome="failed", failures=(broken,))
    )
    run = fill(store, plan_of(["paid"], 1), [failed])
    assert len(report(store, run, form)) < 1_000_000


@pytest.mark.parametrize("form", NAMES)
def test_the_same_run_twice_is_the_same_file(store: Store, form: str) -> None:
    run = every_outcome(store)
    assert written(store, run, form) == written(store, run, form)


def test_no_form_leaves_out_what_did_not_pass(store: Store) -> None:
    run = every_outcome(store)
    read = json.loads(written(store, run, "json"))
    assert [row["outcome"] for row in read["cells"]] == [
        "passed", "failed", "failed", "unscored", "invalid", "lost",
    ]  # fmt: skip
    (section,) = read["sections"]
    assert (section["N"], section["n"], section["passed"], section["lost"]) == (6, 3, 1, 1)
    assert section["scenarios"][1]["rate"] == {"value": None, "low": 0.0, "high": 1.0}
    rows = list(csv.DictReader(io.StringIO(written(store, run, "csv").decode("utf-8"))))
    assert [row["outcome"] for row in rows].count("lost") == 1
    summary = written(store, run, "markdown").decode("utf-8")
    assert "Episodes: passed 1, failed 2, unscored 1, invalid 1, lost 1" in summary
    assert summary.startswith("## ❌ Deterministic simulation; no model inference: 3 of 6 planned")
    lines = written(store, run, "annotations").decode("utf-8").splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["::error"] * 5 + ["::notice"]
    assert "failed critically (other)" in lines[0]


def test_annotations_keep_to_what_is_shown_and_count_the_rest(store: Store) -> None:
    trials = MOST_ERRORS + 15
    run = fill(store, plan_of(["paid"], trials), [episode("paid", 1, failed=True)])
    lines = written(store, run, "annotations").decode("utf-8").splitlines()
    assert len([line for line in lines if line.startswith("::error")]) == MOST_ERRORS
    assert f"{trials - MOST_ERRORS + 1} more episodes did not pass" in lines[-2]
    assert f"0 of {trials} planned episodes passed" in lines[-1]


def test_a_run_without_a_failure_has_one_notice_and_no_error(store: Store) -> None:
    run = fill(store, plan_of(["paid"], 1), [episode("paid", 1, failed=False)])
    (line,) = written(store, run, "annotations").decode("utf-8").splitlines()
    assert line.startswith("::notice title=company-lab::1 of 1 planned episodes passed.")


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("50 %", "50 %25"),
        ("a\n::add-mask::b", "a\\n::add-mask::b"),
        ("a\r\n::stop-commands::x", "a\\n::stop-commands::x"),
        ("%0A::error::x", "%250A::error::x"),
    ],
)
def test_no_text_ends_a_workflow_command(text: str, escaped: str) -> None:
    assert data_text(text) == escaped


def test_no_text_ends_a_property_of_one() -> None:
    assert property_text("a::b, file=/etc/passwd") == "a%3A%3Ab%2C file=/etc/passwd"


@pytest.mark.parametrize(
    "text",
    ["`", "``x`", "a ``` b", "", " ", "|", "\\|", "[x](javascript:alert(1))", "@everyone", "<b>", FORMULA],
)
def test_a_code_span_holds_anything(text: str) -> None:
    table = f"| head |\n|---|\n| {code(text)} |\n"
    html = rendered(table)
    assert html.count("<td>") == 1
    assert html.count("<code>") == 1
    assert "<a " not in html
    assert "<b>" not in html


def test_markdown_has_a_bound(store: Store) -> None:
    scenarios = [f"scenario_{number:04}_{'x' * 100}" for number in range(700)]
    run = fill(store, plan_of(scenarios, 1), [episode(scenarios[0], 1, failed=False)])
    data = written(store, run, "markdown")
    assert len(data) <= MOST_BYTES
    assert "and 200 more scenarios" in data.decode("utf-8")


def test_a_server_sees_no_command_in_a_report_on_its_console(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "  ::add-mask::x\n::error::y ##[command]z"
    plain, stream = io.StringIO(), io.StringIO()
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    console.show(said, plain)
    assert "::error::y" in plain.getvalue()
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    console.show(said, stream)
    assert not any(line.lstrip().startswith("::") for line in stream.getvalue().splitlines())
    assert "##[" not in stream.getvalue()
