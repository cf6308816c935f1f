"""A real headless Chromium for tests: found, or installed where it is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

SKIP = "COMPANY_LAB_SKIP_BROWSER"
"""Set to 1 where no browser can be had: the tests that need one are then skipped, and say so."""
NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
FLAGS = (
    "--no-sandbox",  # as root there is none
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_PATIENCE_S = 600


class NoBrowser(RuntimeError):
    """Chromium is not there and could not be installed."""


@cache
def chromium() -> str:
    """The program to start. Raises `NoBrowser` with what was tried."""
    found = _found()
    if found is None:
        tried = _install()
        found = _found()
        if found is None:
            raise NoBrowser(
                f"these tests need Chromium, and it could not be installed ({tried}); "
                f"install it, or skip them with {SKIP}=1"
            )
    return found


def _found() -> str | None:
    for name in NAMES:
        if (path := shutil.which(name)) is not None:
            return path
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if Path(own).is_file() else None


def _install() -> str:
    tried = []
    if os.geteuid() == 0 and shutil.which("apt-get"):
        commands = [["apt-get", "update"], ["apt-get", "install", "-y", "chromium"]]
        if all(_ran(command) for command in commands):
            return "apt-get install chromium"
        tried.append("apt-get install chromium failed")
    if _ran([sys.executable, "-m", "playwright", "install", "chromium"]):
        return "playwright install chromium"
    tried.append("playwright install chromium failed")
    return "; ".join(tried)


def _ran(command: list[str]) -> bool:
    try:
        done = subprocess.run(command, capture_output=True, timeout=_PATIENCE_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


@contextmanager
def headless() -> Iterator[Browser]:
    """A browser with a fresh profile, closed at the end."""
    path = chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS), headless=True)
        try:
            yield browser
        finally:
            browser.close()
