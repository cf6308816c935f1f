"""What every test and every example in the documentation shares."""

from __future__ import annotations

from documentation import collect_examples

pytest_plugins = ["network_guard", "pytester"]

pytest_collect_file = collect_examples(fixtures=["network"])
