"""Contrast of the text of a page as a browser shows it, by the formula of WCAG 2."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

# Text and the colours behind it, each as red, green, blue and opacity; hidden text is left out.
_SEEN = """() => {
  const numbers = (colour) => (colour.match(/[\\d.]+/g) || []).map(Number);
  const behind = (element) => {
    const found = [];
    for (let one = element; one; one = one.parentElement) found.push(numbers(getComputedStyle(one).backgroundColor));
    return found;
  };
  const seen = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || ["SCRIPT", "STYLE", "NOSCRIPT"].includes(element.tagName)) continue;
    const box = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    if (box.width < 2 || box.height < 2 || style.visibility === "hidden") continue;
    const colour = element.closest("svg") ? style.fill : style.color;
    const key = `${element.tagName}.${element.getAttribute("class") || ""} ${colour} ${behind(element)[0]}`;
    const text = node.data.trim().slice(0, 40);
    if (!seen.has(key)) seen.set(key, { text, colour: numbers(colour), behind: behind(element) });
  }
  return [...seen.values()];
}"""


def weakest(page: Page) -> list[tuple[float, str]]:
    """Contrast and a sample of every kind of text that is visible, the weakest first."""
    found: list[dict[str, Any]] = page.evaluate(_SEEN)
    assert found
    return sorted(
        (ratio(_over(one["colour"], _back(one["behind"])), _back(one["behind"])), one["text"])
        for one in found
    )


def ratio(one: list[float], other: list[float]) -> float:
    """(lighter + 0.05) / (darker + 0.05)."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _back(layers: list[list[float]]) -> list[float]:
    colour = [255.0, 255.0, 255.0]
    for layer in reversed(layers):
        colour = _over(layer, colour)
    return colour


def _over(top: list[float], below: list[float]) -> list[float]:
    opacity = top[3] if len(top) > 3 else 1.0
    return [opacity * one + (1 - opacity) * other for one, other in zip(top[:3], below[:3], strict=True)]


def _luminance(colour: list[float]) -> float:
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (one / 255 for one in colour[:3])
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
