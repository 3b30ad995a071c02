PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint types layers unit serve bench clean

help:            ## show the targets
	@grep -E '^[a-z]+: .*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(STAMP): pyproject.toml client/pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Errata needs Python 3.11 or newer; try: make $(MAKECMDGOALS) PYTHON=python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt torch==2.13.0
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ./client -e '.[dev]'
	@touch $(STAMP)

setup: $(STAMP)  ## create .venv and install, once

demo: $(STAMP)   ## the whole loop on built-in runs, with SQLite, offline
	$(BIN)/python -m examples.ticket_desk

test: lint types layers unit  ## lint, types, layers, tests

lint: $(STAMP)   ## ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)  ## mypy, strict
	$(BIN)/mypy

layers: $(STAMP) ## import-linter
	$(BIN)/lint-imports

unit: $(STAMP)   ## pytest
	$(BIN)/python -m pytest -n auto

serve: $(STAMP)  ## start the service on http://127.0.0.1:8000
	$(BIN)/errata serve

bench: $(STAMP)  ## the benchmarks, each a ratio within one run
	$(BIN)/python -m benchmarks

clean:           ## remove the environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
