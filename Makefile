# Everything is set up in .venv by the first command that needs it; nothing asks for root.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
DEMO   := $(VENV)/.demo
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
BUILD  := pyproject.toml constraints.txt hatch_build.py $(wildcard src/tersely/runtime/kernels/*.[ch])

.PHONY: demo test promises screenshots default-model clean

demo: $(DEMO)  ## set up, complete some keywords with the model that ships, and open the page
	$(BIN)/tersely keywords "I will be 10 minutes late."
	$(BIN)/tersely complete "10 minutes late"
	@if [ -t 0 ]; then $(BIN)/tersely serve; else echo "At a terminal the page would open now: tersely serve"; fi

test: $(READY)  ## set up and pass all tests
	$(BIN)/ruff check src lab tests docs
	$(BIN)/ruff format --check src lab tests docs
	$(BIN)/mypy
	$(BIN)/python -m tests.browser.chromium
	$(BIN)/pytest -m "not long" -n 2

promises: $(READY)  ## the long ones, with the full numbers
	$(BIN)/pytest -m "long" --timeout 7200

screenshots: $(READY)  ## the README's pictures, made anew: make screenshots MODEL=RUN
	$(BIN)/python -m tests.browser.screenshots $(if $(MODEL),--model $(MODEL))

default-model: $(READY)  ## train the model that ships again: make default-model PAIRS="deu-eng.zip fra-eng.zip"
	test -d .default/data || $(BIN)/tersely prepare $(PAIRS) --format pairs \
		--cap-word Tom=0.03 --cap-word Mary=0.01 --dev 5000 --test 5000 --out .default/data
	$(BIN)/tersely train --config configs/everyday.toml --data .default/data --out .default/first
	test -d .default/mixed || $(BIN)/tersely prepare $(PAIRS) fixture:12000 --format pairs \
		--cap-word Tom=0.03 --cap-word Mary=0.01 --dev 5000 --test 5000 --out .default/mixed
	$(BIN)/tersely train --config configs/everyday.toml --init .default/first --data .default/mixed --out .default/second \
		--set training.max_steps=9000 --set training.learning_rate=0.001
	$(BIN)/tersely train --config configs/everyday.toml --init .default/second --data .default/mixed --out .default/third \
		--set training.max_steps=12000 --set training.learning_rate=0.0012
	$(BIN)/tersely export .default/third --out src/tersely/model/default --int8 --calibrate .default/mixed \
		--card configs/default-card.md

$(DEMO): $(BUILD) | $(BIN)/python
	$(PIP) --editable '.[serve]'
	@touch $@

$(READY): $(BUILD) lab/pyproject.toml | $(BIN)/python
	$(PIP) --editable '.[dev]' --editable './lab[peers]'
	@touch $@ $(DEMO)

$(BIN)/python:
	$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), "tersely needs Python 3.11 or later"'
	$(PYTHON) -m venv $(VENV)

clean:  ## remove what the commands above made
	rm -rf $(VENV) .default build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	rm -f src/tersely/runtime/kernels/*.so
	find src lab tests -name __pycache__ -type d -prune -exec rm -rf {} +
