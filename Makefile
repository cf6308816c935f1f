# Every habit of this repository. `make` alone lists them.
#   make demo            the first thing to look at
#   make test ARGS=...   further arguments for pytest, for example ARGS="tests/worlds -k guard"
#   PYTHON=python3.12    the interpreter the environment is built from
#   WORKERS=0            tests in one process (to use a debugger)

# The first interpreter that answers and is new enough: version managers leave commands on the path that only print an error.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo "$$p"; break; }; done)
WORKERS ?= 2
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
READY := .venv/ready
DOCS_READY := .venv/ready-docs

.DEFAULT_GOAL := help
.PHONY: help install demo test check format docs bench clean

help:
	@awk '/^#   make|^#   [A-Z]+=/ {sub(/^#   /, ""); print}' Makefile
	@echo "others: install check format docs bench clean"

install: $(READY)

$(READY): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer was found. Install one, or name it: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; v = "%d.%d" % sys.version_info[:2]; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, $(PYTHON) is " + v)'
	@echo "building the environment in .venv with $(PYTHON) (once)"
	@test -x $(BIN)/python || "$(PYTHON)" -m venv .venv
	@$(PIP) install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

$(DOCS_READY): $(READY)
	@$(PIP) install --quiet --constraint constraints.txt --editable '.[docs]'
	@touch $@

demo: $(READY)
	@$(BIN)/company-lab demo

# --dist loadfile: the examples of one page share names and a folder, so they stay together.
test: $(READY)
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile $(ARGS)

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

bench: $(READY)
	@$(BIN)/python benchmarks/overhead.py
	@$(BIN)/python benchmarks/stored_runs.py
	@$(BIN)/python benchmarks/suite.py

clean:
	@rm -rf .venv docs/_build build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
