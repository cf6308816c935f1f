"""The examples of the documentation run, and a wrong one fails."""

from __future__ import annotations

from pathlib import Path

import pytest

SUPPORT = Path(__file__).parents[1] / "support"
CONFTEST = """
from pathlib import Path

from documentation import collect_examples

pytest_collect_file = collect_examples(fixtures=[], root=Path(__file__).parent)
"""
FENCE = "```"


def outcome(pytester: pytest.Pytester, *, page: str = "", module: str = "") -> dict[str, int]:
    """How many examples of a page and of a module's docstrings passed and failed."""
    pytester.makeini(f"[pytest]\npythonpath = {SUPPORT} src")
    pytester.makeconftest(CONFTEST)
    pytester.path.joinpath("docs").mkdir()
    pytester.path.joinpath("docs", "page.md").write_text(page.replace("'''", FENCE), encoding="utf-8")
    if module:
        pytester.mkdir("src")
        pytester.path.joinpath("src", "sample_module.py").write_text(module, encoding="utf-8")
    folders = ["docs", "src"] if module else ["docs"]
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:langsmith_plugin", *folders)
    return {
        name: count
        for name, count in result.parseoutcomes().items()
        if name in ("passed", "failed", "skipped", "errors")
    }


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        pytest.param(
            "'''python\nx = 2\n'''\n'''python\nassert x == 2\n'''\n", {"passed": 2}, id="one namespace"
        ),
        pytest.param("'''python\nassert 1 == 2\n'''\n", {"failed": 1}, id="a failing program"),
        pytest.param("'''python\nprint('a')\n#> a\n'''\n", {"passed": 1}, id="what it prints"),
        pytest.param("'''python\nprint('a')\n#> b\n'''\n", {"failed": 1}, id="something else printed"),
        pytest.param("'''pycon\n>>> 1 + 1\n2\n'''\n", {"passed": 1}, id="a doctest"),
        pytest.param("'''python\n>>> 1 + 1\n3\n'''\n", {"failed": 1}, id="a wrong doctest"),
        pytest.param("'''console\n$ echo a b\na ...\n'''\n", {"passed": 1}, id="a command"),
        pytest.param("'''console\n$ echo a\nb\n'''\n", {"failed": 1}, id="a wrong output"),
        pytest.param("'''console\n$ exit 3\n'''\n", {"failed": 1}, id="a failing command"),
        pytest.param(
            "'''console\n$ exit 3\n$ echo $?\n3\n'''\n", {"passed": 1}, id="a failure that is shown"
        ),
        pytest.param("'''console\n$ exit 3\n$ echo $?\n1\n'''\n", {"failed": 1}, id="another failure"),
        pytest.param("'''console\n$ make test\n'''\n", {"failed": 1}, id="a command that sets up"),
        pytest.param("'''sh\nfalse\n'''\n", {}, id="a language that does not run"),
        pytest.param(
            "<!-- file: a/b.txt -->\n'''text\nhello\n'''\n\n'''console\n$ cat a/b.txt\nhello\n'''\n",
            {"passed": 2},
            id="a file of the page",
        ),
        pytest.param(
            "<!-- file: mine.py -->\n'''text\nx = 2\n'''\n\n'''python\nfrom mine import x\nassert x == 2\n'''\n",
            {"passed": 2},
            id="a module of the page",
        ),
        pytest.param(
            "<!-- skip: next \"needs a key\" -->\n'''python\nassert False\n'''\n",
            {"passed": 1, "skipped": 1},
            id="skipped for a reason",
        ),
        pytest.param("<!-- skip: next -->\n'''python\n'''\n", {"errors": 1}, id="skipped without a reason"),
    ],
)
def test_examples_on_a_page(pytester: pytest.Pytester, page: str, expected: dict[str, int]) -> None:
    assert outcome(pytester, page=page) == expected


def test_examples_in_docstrings(pytester: pytest.Pytester) -> None:
    module = '"""Doubles.\n\n>>> double(2)\n4\n>>> double(3)\n7\n"""\n\ndef double(n):\n    return 2 * n\n'
    assert outcome(pytester, module=module) == {"passed": 1, "failed": 1}
