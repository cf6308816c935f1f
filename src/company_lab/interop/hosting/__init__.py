"""Hosting other people's suites: their tools and data as worlds, their tasks as scenarios, their verdicts as facts.

Nothing of theirs is copied here; the packages are installed, or a checkout is named, by whoever wants to run them.
"""
