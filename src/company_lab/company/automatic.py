"""Automatic: telling mails of machines from mails of people, by their headers and never by what they say.

"Out of office" in the text of a mail says nothing: the customer may want a sign that reads so. What counts are the
markers of RFC 3834 (Auto-Submitted), of delivery reports (RFC 3464, a null return path) and of lists.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from company_lab.formats.canonical import Json

Origin = Literal["person", "auto_reply", "bounce", "list"]
_COMMENT = re.compile(r"\([^()]*\)")
_BRACKETED = re.compile(r"<([^<>]*)>\s*$")


def origin_of(mail: Mapping[str, Json]) -> Origin:
    """Where a mail comes from, as far as its headers say; without any it counts as a person's."""
    headers = _headers(mail)
    content = headers.get("content-type", "")
    if content.startswith("multipart/report") and "disposition-notification" not in content:
        return "bounce"
    if "x-failed-recipients" in headers or (
        headers.get("return-path") == "<>" and "mailer-daemon" in str(mail.get("from", "")).casefold()
    ):
        return "bounce"
    if (
        headers.get("auto-submitted", "no").partition(";")[0].strip() != "no"
        or headers.get("return-path") == "<>"
    ):
        return "auto_reply"
    if headers.get("precedence") == "auto_reply" or "x-autoreply" in headers or "x-autorespond" in headers:
        return "auto_reply"
    if "list-id" in headers or headers.get("precedence") in ("bulk", "list", "junk"):
        return "list"
    return "person"


def failed_address(mail: Mapping[str, Json]) -> str | None:
    """The address that a bounce says can not be reached for good, or None; a delay (status 4) is no failure."""
    headers = _headers(mail)
    if origin_of(mail) != "bounce" or headers.get("status", "5").startswith("4"):
        return None
    named = headers.get("x-failed-recipients")
    return None if named is None else address_in(named)


def address_in(text: str) -> str:
    """The bare address in `Ida Holm <ida@holm.example.test>`."""
    bracketed = _BRACKETED.search(text)
    return (bracketed[1] if bracketed else text).strip()


def _headers(mail: Mapping[str, Json]) -> dict[str, str]:
    """Headers by lower-case name; values without comments or letter case, as mail programs write them in any."""
    headers = mail.get("headers")
    if not isinstance(headers, dict):
        return {}
    return {
        name.strip().casefold(): _COMMENT.sub("", str(value)).strip().casefold()
        for name, value in headers.items()
    }
