# Everything a newcomer, a developer and CI run. Each target sets up what it needs in .venv from
# the lock files; the second time that costs nothing. Only Python 3.11 or later is needed.

VENV := .venv
BIN := $(VENV)/bin
# The first of these that is 3.11 or later; `make PYTHON=/path/to/python3` names another.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
# Twice quiet: warnings about the configuration of pip on this computer are not ours to repeat.
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --quiet
# The packages come from the lock file alone, with hashes; Corbie itself from this directory.
INSTALL_SELF := $(PIP) --no-deps --no-build-isolation --editable .

.DEFAULT_GOAL := help
.PHONY: help demo test quick check fix bench lock clean

help:
	@echo "make demo    install, run the example in memory and durably, list the store's files"
	@echo "make test    all tests"
	@echo "make quick   the tests that take less than a second each"
	@echo "make check   format, lint, types, import contracts"
	@echo "make fix     format, and mend what the linter can"
	@echo "make bench   measure"
	@echo "make lock    write the lock files anew, with the newest releases"

demo: $(VENV)/runtime.stamp
	@$(BIN)/python demo/run.py

test: $(VENV)/dev.stamp
	@$(BIN)/python -m pytest -n 2 --dist worksteal

quick: $(VENV)/dev.stamp
	@$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow"

check: $(VENV)/dev.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

fix: $(VENV)/dev.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/dev.stamp
	@$(BIN)/python -m bench

# One resolution for all Pythons and systems; no line says where packages come from.
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-annotate --no-header --group build pyproject.toml

lock: $(VENV)/python.stamp
	$(PIP) uv
	$(LOCK) --upgrade --group dev --output-file requirements-dev.lock
	$(LOCK) --upgrade --constraint requirements-dev.lock --output-file requirements.lock

clean:
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .import_linter_cache .hypothesis

$(VENV)/python.stamp:
	@if [ -z "$(PYTHON)" ]; then \
		echo "error: no Python 3.11 or later found; install one, or run make PYTHON=/path/to/python3" >&2; \
		exit 1; fi
	@echo "setting up $(VENV) with $$($(PYTHON) --version)"
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "error: $(PYTHON) cannot make a virtual environment; on Debian and Ubuntu: apt-get install python3-venv" >&2; \
		exit 1; }
	@touch $@

$(VENV)/runtime.stamp: requirements.lock pyproject.toml | $(VENV)/python.stamp
	@echo "installing what corbie needs"
	@$(PIP) --require-hashes --requirement requirements.lock
	@$(INSTALL_SELF)
	@touch $@

$(VENV)/dev.stamp: requirements-dev.lock pyproject.toml | $(VENV)/python.stamp
	@echo "installing what corbie and its tests need"
	@$(PIP) --require-hashes --requirement requirements-dev.lock
	@$(INSTALL_SELF)
	@touch $@ $(VENV)/runtime.stamp
