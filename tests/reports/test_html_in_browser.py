"""The HTML report in a real browser: it opens from disk, is reached by keyboard, is legible, runs nothing hostile."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from browser import SKIP, headless
from company_lab.runs import Store
from contrast import ratio, weakest
from report_pages import HOSTILE, NAME, episode, fill, page_of, plan_of

pytestmark = [
    pytest.mark.skipif(os.environ.get(SKIP) == "1", reason=f"{SKIP}=1: the report is not seen in a browser"),
    pytest.mark.timeout(900),  # the first test may have to install the browser
]

OPENS_WITHIN_S = 3.0
LEAST_CONTRAST = 4.5
Scheme = Literal["light", "dark"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with headless() as opened:
        yield opened


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def sample(folder: Path) -> Path:
    """Failed, passed and lost episodes of three scenarios."""
    plan = plan_of(["pays_late_and_asks_for_more_time_twice", "pays_twice", "pays_in_parts"], 6)
    with Store(folder / "sample.db") as store:
        run = fill(
            store,
            plan,
            (
                episode(cell.scenario, cell.trial, failed=cell.trial % 3 == 0)
                for cell in plan.cells
                if cell.trial < 6
            ),
        )
        return written(folder / "sample.html", page_of(store, run, rules=True))


@pytest.fixture(scope="module")
def large(folder: Path) -> Path:
    """2,000 episodes, a fourth of them failed."""
    plan = plan_of([f"scenario_{number}" for number in range(100)], 20)
    with Store(folder / "large.db") as store:
        run = fill(
            store,
            plan,
            (episode(cell.scenario, cell.trial, failed=cell.trial % 4 == 0) for cell in plan.cells),
        )
        return written(folder / "large.html", page_of(store, run, rules=False))


@pytest.fixture(scope="module")
def hostile(folder: Path) -> Path:
    plan = plan_of([NAME], 2, note=NAME, suite=NAME)
    with Store(folder / "hostile.db") as store:
        run = fill(store, plan, [episode(NAME, trial, failed=True, said=HOSTILE) for trial in (1, 2)])
        return written(folder / "hostile.html", page_of(store, run, rules=True))


def written(path: Path, page: str) -> Path:
    path.write_text(page, "utf-8")
    return path


class Watched:
    """What a page asked for beside itself, and what it complained about."""

    def __init__(self, page: Page) -> None:
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))


@contextmanager
def opened(
    browser: Browser, path: Path, *, width: int = 1280, scheme: Scheme = "light", script: bool = True
) -> Iterator[tuple[Page, Watched]]:
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=script
    )
    try:
        page = context.new_page()
        watched = Watched(page)
        page.goto(path.as_uri())
        yield page, watched
    finally:
        context.close()


def unfold_all(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    # Waiting inside the page would take `eval`, which the page's policy refuses.
    expect(page.locator(".episode .body[data-state=unfolded]")).to_have_count(
        page.locator(".episode").count()
    )


def test_it_opens_from_disk_and_asks_for_nothing(browser: Browser, sample: Path) -> None:
    with opened(browser, sample) as (page, watched):
        unfold_all(page)
        assert watched.requests == [sample.as_uri()]
        assert watched.complaints == []
        assert page.locator(".timeline").count() == 3


def test_the_policy_of_the_page_refuses_requests_and_scripts(browser: Browser, sample: Path) -> None:
    with opened(browser, sample) as (page, watched):
        page.evaluate(
            """() => {
              const image = document.createElement("img");
              image.src = "http://127.0.0.1:9/x.png";
              const script = document.createElement("script");
              script.textContent = "window.owned = 1";
              document.body.append(image, script);
            }"""
        )
        page.wait_for_timeout(100)
        assert page.evaluate("window.owned") is None
        assert any("Content Security Policy" in one for one in watched.complaints)


def test_a_failed_episode_is_reached_and_opened_by_keyboard(browser: Browser, sample: Path) -> None:
    with opened(browser, sample) as (page, _):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        for _presses in range(80):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.closest('.episode') !== null"):
                break
        else:
            pytest.fail("no failed episode was reached with 80 presses of Tab")
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        page.keyboard.press("Enter")
        page.wait_for_selector(".episode[open] .timeline")
        assert "Broken: forbidden_action" in page.locator(".episode[open]").inner_text()


def test_a_failed_trial_leads_to_its_timeline(browser: Browser, sample: Path) -> None:
    with opened(browser, sample) as (page, _):
        page.locator(".heat a").nth(1).focus()
        page.keyboard.press("Enter")
        page.wait_for_selector("#e1[open] .timeline")
        expect(page.locator("#e1 > summary")).to_be_focused()
    with opened(browser, sample) as (page, _):
        page.goto(f"{sample.as_uri()}#e2")
        page.reload()
        page.wait_for_selector("#e2[open] .timeline")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_every_text_has_contrast_enough(browser: Browser, sample: Path, scheme: Scheme, width: int) -> None:
    with opened(browser, sample, scheme=scheme, width=width) as (page, _):
        unfold_all(page)
        assert [one for one in weakest(page) if one[0] < LEAST_CONTRAST] == []
        back = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (scheme == "dark") == (sum(map(int, back[4:-1].split(","))) < 200)


def test_contrast_is_reckoned_as_wcag_does() -> None:
    assert ratio([0, 0, 0], [255, 255, 255]) == pytest.approx(21)
    assert ratio([119, 119, 119], [255, 255, 255]) == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("page_name", ["sample", "hostile", "large"])
def test_a_small_screen_needs_no_scrolling_sideways(
    browser: Browser, page_name: str, request: pytest.FixtureRequest
) -> None:
    path: Path = request.getfixturevalue(page_name)
    with opened(browser, path, width=390) as (page, _):
        if page_name != "large":
            unfold_all(page)
        assert page.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.wall_time
def test_two_thousand_episodes_open_at_once(browser: Browser, large: Path) -> None:
    started = time.monotonic()
    with opened(browser, large) as (page, watched):
        assert page.locator(".heat td.cell").count() == 2000
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        took = time.monotonic() - started
        assert watched.complaints == []
        page.locator(".episode > summary").last.click()
        page.wait_for_selector(".episode[open] .timeline")
    assert took < OPENS_WITHIN_S


def test_episodes_can_be_filtered(browser: Browser, large: Path) -> None:
    with opened(browser, large) as (page, _):
        page.get_by_label("Only scenarios or codes with").fill("scenario_7,")
        assert page.locator("#count").inner_text() == "5 of 500"
        assert page.locator(".episode:visible").count() == 5


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.fault("E20")
def test_nothing_hostile_runs(browser: Browser, hostile: Path, scheme: Scheme) -> None:
    with opened(browser, hostile, scheme=scheme) as (page, watched):
        unfold_all(page)
        page.wait_for_timeout(100)
        assert page.evaluate("window.owned") is None
        assert watched.requests == [hostile.as_uri()]
        assert watched.complaints == []
        assert page.locator("img, iframe, main script:not([data-of])").count() == 0
        assert "window.owned = 1" in page.locator(".episode").first.inner_text()


def test_without_javascript_everything_but_timelines_is_there(browser: Browser, sample: Path) -> None:
    with opened(browser, sample, script=False) as (page, _):
        assert page.locator("svg.chart").count() >= 2
        assert page.locator("noscript").first.inner_text().startswith("Timelines are packed")
        assert not page.locator("#filter").is_visible()


def test_the_page_can_be_read_by_structure(browser: Browser, sample: Path) -> None:
    with opened(browser, sample) as (page, _):
        unfold_all(page)
        for landmark in ("header", "nav", "main", "footer"):
            assert page.locator(f"body > {landmark}").count() == 1
        assert page.locator("h1").count() == 1
        assert page.locator("table:not(:has(caption))").count() == 0
        assert page.locator("th:not([scope])").count() == 0
        assert page.locator("figure:not(:has(figcaption))").count() == 0
        doubled = page.evaluate(
            "[...document.querySelectorAll('[id]')].map((one) => one.id).filter((id, at, all) => all.indexOf(id) < at)"
        )
        assert doubled == []
        broken = page.evaluate(
            "[...document.querySelectorAll('a[href^=\"#\"]')].filter((one) => !document.querySelector(one.hash))"
            ".map((one) => one.hash)"
        )
        assert broken == []


def test_motion_is_only_for_those_who_want_it(browser: Browser, sample: Path) -> None:
    for motion, behaviour in (("reduce", "auto"), ("no-preference", "smooth")):
        context = browser.new_context(reduced_motion="reduce" if motion == "reduce" else "no-preference")
        page = context.new_page()
        page.goto(sample.as_uri())
        assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == behaviour
        context.close()
