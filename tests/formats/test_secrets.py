from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.formats.canonical import Json, canonical
from company_lab.formats.secrets import SECRET, conceal, hiding, without_secrets

KEY = "sk-" + "live4f9a8b7c6d5e4f3a2b1c"


@pytest.mark.parametrize(
    "name",
    [
        "api_key",
        "apiKey",
        "OPENAI_API_KEY",
        "x-api-key",
        "token",
        "accessToken",
        "client_secret",
        "db-password",
        "Authorization",
        "credentials",
        "session_cookie",
        "passphrase",
    ],
)
def test_what_stands_under_the_name_of_a_secret_is_not_stored(name: str) -> None:
    assert without_secrets({name: "hunter2", "model": "m-1"}) == {name: SECRET, "model": "m-1"}
    assert without_secrets({"headers": [{name: {"value": "hunter2"}}]}) == {"headers": [{name: SECRET}]}


@pytest.mark.parametrize(
    "settings",
    [
        {"max_tokens": 800, "model": "m-1", "temperature": 0},
        {"token": 5, "token_limit": 20_000, "stop_tokens": ["END"]},
        {"monkey": "george", "keyboard": "de", "secretary": "Ida", "key_type": "rsa"},
        {"api_key": None, "password": "", "token": False},
        {"prompt": "Ask for the risk-assessment-framework and the task-description-of-today."},
        {"url": "https://models.example.test:8443/v1?page=2"},
    ],
)
def test_what_only_sounds_like_a_secret_stays(settings: dict[str, Json]) -> None:
    assert without_secrets(settings) == settings


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (KEY, SECRET),
        (f"use {KEY} for it", f"use {SECRET} for it"),
        ("Bearer abcDEF123456789", f"Bearer {SECRET}"),
        ("ghp_" + "a1" * 18, SECRET),
        ("AKIA" + "A1B2C3D4E5F6G7H8", SECRET),
        ("eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSMeKK", SECRET),
        ("postgres://app:hunter2@db.example.test/books", f"postgres://app:{SECRET}@db.example.test/books"),
        ("https://m.example.test/v1?key=hunter2&page=2", f"https://m.example.test/v1?key={SECRET}&page=2"),
        ("-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----", SECRET),
    ],
)
def test_what_looks_like_a_key_is_not_stored_wherever_it_stands(text: str, shown: str) -> None:
    assert conceal(text) == shown
    assert without_secrets({"notes": [text]}) == {"notes": [shown]}


def test_a_number_is_no_key_and_may_be_a_password() -> None:
    assert without_secrets({"pin_password": 1234, "sort_key": 3}) == {"pin_password": SECRET, "sort_key": 3}


@given(
    st.recursive(
        st.text() | st.integers() | st.none(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
        max_leaves=12,
    )
)
def test_what_was_cleaned_is_clean(value: Json) -> None:
    once = without_secrets(value)
    assert canonical(without_secrets(once)) == canonical(once)


@pytest.mark.parametrize(
    "text",
    [
        'k3y"with\\marks',
        json.dumps('k3y"with\\marks'),
        json.dumps(json.dumps({"key": 'k3y"with\\marks'})),
        'before k3y"with\\marks behind',
    ],
)
def test_a_known_secret_is_hidden_wherever_it_stands_however_json_spells_it(text: str) -> None:
    hide = hiding(['k3y"with\\marks', "short"])
    hidden = canonical(hide({"a": [text, {text: 1}], "b": "short"}))
    assert hidden.count(SECRET) == 2
    assert "marks" not in hidden
    assert "short" in hidden


def test_without_a_secret_that_is_long_enough_nothing_is_hidden() -> None:
    value: Json = {"a": ["1234567", None, 1.5, True]}
    assert hiding(["1234567"])(value) == value
    assert hiding([])(value) == value
    assert hiding(["12345678"])({"a": [1, "x12345678"]}) == {"a": [1, f"x{SECRET}"]}
