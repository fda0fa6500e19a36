# Everything is set up in .venv by the first command that needs it; nothing asks for root.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.PHONY: demo test lint promises screenshots clean

demo: $(READY)  ## set up, train a small scheme on the fixture, and open a prompt
	test -d .demo/data || $(BIN)/tersely prepare fixture: --sentences --vocabulary 1000 --out .demo/data
	$(BIN)/tersely train --config configs/tiny.toml --data .demo/data --out .demo/run --threads 1
	$(BIN)/tersely keywords --model .demo/run "The waiter was friendly, but the soup was cold."
	$(BIN)/tersely complete --model .demo/run "waiter friendly soup cold"
	$(BIN)/tersely complete --model .demo/run

test: $(READY)  ## set up and pass all tests
	$(BIN)/ruff check src tests
	$(BIN)/ruff format --check src tests
	$(BIN)/mypy
	$(BIN)/python -m tests.browser.chromium
	$(BIN)/pytest -m "not long" -n 2

promises: $(READY)  ## the long ones, with the full numbers
	$(BIN)/pytest -m "long" --timeout 7200

screenshots: $(READY)  ## the README's pictures, with the model named: make screenshots MODEL=runs/notes
	$(BIN)/python -m tests.browser.screenshots --model $(MODEL)

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), "tersely needs Python 3.11 or later"'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --editable '.[dev,bench]'
	@touch $@

clean:  ## remove what the commands above made
	rm -rf $(VENV) .demo build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
