# make demo | test | lab | bench | build | help: each target performs the set-up that it needs (Debian 12: system packages, .venv, build).
SHELL := /bin/bash
VENV  ?= .venv
BUILD ?= build
# The interpreter for which the core and the Jupyter kernel are built, and with which .venv is created.
PYTHON ?= /usr/bin/python3
JOBS  ?= $(shell nproc)
PY    := $(VENV)/bin/python
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
export PYTHONPATH :=
export JUPYTER_PLATFORM_DIRS := 1
RUN   := $(PY) -m
# The tests of test-memory: garbage is collected at every step of the frontend, and freed memory is overwritten.
SHARE ?= tests/python/runtime/test_lifetime.py tests/python/language/test_real_funcs.py tests/python/arguments/test_data_oriented.py tests/python/arguments/test_struct_arguments.py tests/python/language/test_funcs.py tests/python/language/test_static.py tests/python/language/test_structs.py
# The tests of test-far: the host cannot access the memory of the device.
FAR   ?= tests/python/storage/test_ndarrays.py tests/python/storage/test_storage.py tests/python/arguments/test_arguments.py tests/python/storage/test_trees_cells.py tests/python/storage/test_trees_dynamic.py tests/python/coverage/test_coverage_counts.py tests/python/arguments/test_overlap.py tests/python/arguments/test_data_oriented.py tests/python/arguments/test_dataclasses.py tests/python/runtime/test_far.py tests/python/graph/test_graph.py tests/python/graph/test_graph_checkpoints.py tests/python/graph/test_graph_regions.py tests/python/graph/test_graph_stepper.py tests/python/language tests/examples
# Excludes tests of behaviour without coverage, and two that coverage breaks: the steps of sections, and loading of entries with stacks.
UNCOVERED = not import_is_light and not off_by_default and not coverage_counts_the_same_lines and not sections_are_steps and not cache_entries_have_stacks
COVERED = QD_KERNEL_COVERAGE=1 _QD_KCOV_ARC=1 _QD_KCOV_FOLDER=$(CURDIR)/out/coverage ENABLE_QUADRANTS_HEADER_PRINT=0

# A separate cache: with the developer's own, notebooks would load kernels that they should compile.
FRESH = cache=$$(mktemp -d); trap 'rm -rf $$cache' EXIT; XDG_CACHE_HOME=$$cache

.PHONY: help setup build install demo docs lab test test-quick test-cpp test-sanitized test-python test-far test-memory test-asan test-notebooks test-browser test-windows check coverage reference stubs bench bench-peers wheel wheel-portable clean

help:            ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 18

setup:           ## install what is missing: system packages, .venv, npm packages
	@VENV=$(VENV) PYTHON=$(PYTHON) .ci/setup.sh

$(BUILD)/build.ninja: CMakeLists.txt
	cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=Release -DPython_EXECUTABLE=$(PYTHON)

build: setup     ## compile everything
	@[ -f $(BUILD)/build.ninja ] || $(MAKE) --no-print-directory $(BUILD)/build.ninja
	@cmake --build $(BUILD) -j $(JOBS)

install: build   ## put the package, the kernel and its kernelspec into .venv
	@cmake --install $(BUILD) --prefix $(CURDIR)/$(VENV) >/dev/null

demo: install    ## run notebooks/tour.ipynb in the Quadrants kernel and write it as HTML
	@$(PY) notebooks/run_tour.py --out out

lab: install     ## open JupyterLab on the tour
	$(RUN) jupyterlab notebooks/tour.ipynb

test: install check test-cpp test-sanitized test-python test-far test-memory test-notebooks test-browser test-windows ## run every test
	@echo "all tests passed"

test-quick: install ## run C++ and .qir tests, some random functions and the language tests: in two minutes, most mistakes of a change in the core
	@ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS) -E "property|accuracy|cost"
	@$(BUILD)/tests/qd-property --count 300
	@$(RUN) pytest -q tests/python/language

check:           ## check formatting, mistakes (ruff, eslint), types (pyright, tsc), arithmetic of the front end, layering, sizes, the table of conformance, lists of packages
	@git ls-files '*.cpp' '*.h' | xargs $(VENV)/bin/clang-format --dry-run -Werror
	@$(VENV)/bin/basedpyright --pythonpath $(PY)
	@$(VENV)/bin/ruff check -q .
	@cd labextension && PATH=$(CURDIR)/$(VENV)/bin:$$PATH node_modules/.bin/tsc --noEmit
	@PATH=$(CURDIR)/$(VENV)/bin:$$PATH widgets/node_modules/.bin/eslint widgets labextension/src tests/frontend
	@PATH=$(CURDIR)/$(VENV)/bin:$$PATH widgets/node_modules/.bin/esbuild tests/frontend/pure.test.ts --bundle --platform=node --format=esm --outfile=out/frontend/pure.test.mjs --log-level=warning
	@PATH=$(CURDIR)/$(VENV)/bin:$$PATH node --test --test-reporter=dot out/frontend/pure.test.mjs
	@$(RUN) pytest -q tests/layering_test.py tests/limits_test.py tests/members_test.py tests/words_test.py tests/conformance_test.py tests/packages_test.py

test-cpp:        ## run C++ unit, .qir and property tests
	@ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

test-sanitized: build ## run the same under AddressSanitizer and UndefinedBehaviorSanitizer, without instrumenting LLVM
	@[ -f $(BUILD)-asan/build.ninja ] || cmake -S . -B $(BUILD)-asan -G Ninja -DCMAKE_BUILD_TYPE=Release -DQD_SANITIZE=ON -DQD_PYTHON=OFF -DQD_LLVM=OFF -DQD_KERNEL=OFF -DQD_WIDGETS=OFF
	@cmake --build $(BUILD)-asan -j $(JOBS)
	@mkdir -p $(BUILD)-asan/quadrants/_lib
	@ln -sf ../../../$(BUILD)/quadrants/_lib/libquadrants_llvm.so $(BUILD)-asan/quadrants/_lib/
	@ctest --test-dir $(BUILD)-asan --output-on-failure -j $(JOBS)

test-python:     ## test the language, user errors, random programs, examples, the Jupyter kernel and the build outputs; continue after a failure
	@status=0; for part in "tests/python tests/errors" tests/syntax tests/fuzz tests/coverage "tests/examples tests/docs" tests/kernel "tests/build_test.py tests/licences_test.py"; do \
	  $(RUN) pytest -q $$part || status=1; done; exit $$status

test-far:        ## run a part of the Python tests on a device whose memory the host cannot access; all: make test-far FAR=tests/python
	@QD_TEST_ARCHS=far $(RUN) pytest -q $(FAR)

test-memory:     ## check object lifetimes during compilation with a part of the Python tests; all: SHARE=tests/python
	@QD_COLLECT=1 PYTHONMALLOC=debug $(RUN) pytest -q $(SHARE)

ASAN := $(BUILD)-python-asan
test-asan: build ## run the same tests with frontend and bindings under AddressSanitizer and UndefinedBehaviorSanitizer
	@[ -f $(ASAN)/build.ninja ] || cmake -S . -B $(ASAN) -G Ninja -DCMAKE_BUILD_TYPE=Release -DPython_EXECUTABLE=$(PYTHON) -DQD_SANITIZE=ON -DQD_LLVM=OFF -DQD_KERNEL=OFF -DQD_WIDGETS=OFF -DQD_TESTS=OFF
	@cmake --build $(ASAN) -j $(JOBS)
	@ln -sf ../../../$(BUILD)/quadrants/_lib/libquadrants_llvm.so $(ASAN)/quadrants/_lib/
	@PYTHONPATH=$(CURDIR)/$(ASAN) PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libstdc++.so)" $(RUN) pytest -q $(SHARE)

test-browser:    ## test JupyterLab in headless Chromium
	@$(RUN) pytest -q tests/browser

test-windows:    ## test windows of scripts, on a virtual display and without one; QD_KILLS=1000 kills more of them
	@$(RUN) pytest -q tests/inspector

test-notebooks:  ## run the notebooks under nbval, in the Quadrants kernel and in ipykernel
	@$(RUN) pytest -q tests/notebooks
	@$(FRESH) $(RUN) pytest -q --nbval --nbval-kernel-name quadrants --nbval-cell-timeout 120 -c tests/notebooks/pytest.ini notebooks
	@$(FRESH) $(RUN) pytest -q --nbval --nbval-kernel-name python3 --nbval-cell-timeout 120 -c tests/notebooks/pytest.ini notebooks

reference: stubs ## write the pages of docs/reference: options, names, magics, commands, errors
	@mkdir -p docs/reference out && ENABLE_QUADRANTS_HEADER_PRINT=0 $(PY) docs/reference.py > out/options.md && mv out/options.md docs/reference/options.md
	@ENABLE_QUADRANTS_HEADER_PRINT=0 $(PY) docs/api.py

stubs: install   ## write the stubs of the package for editors: *.pyi
	@ENABLE_QUADRANTS_HEADER_PRINT=0 $(PY) docs/stubs/generate.py

docs: install    ## build the documentation site with executed notebooks: out/site/index.html
	@$(FRESH) $(PY) docs/site/build.py

coverage: install ## measure which lines of this project's kernels run in examples, tests and notebooks: docs/kernel-coverage.md
	@rm -rf out/coverage && mkdir -p out/coverage
	@$(COVERED) $(RUN) pytest -q tests/examples tests/python --ignore=tests/python/runtime/test_launch_counts.py -k "$(UNCOVERED)"
	@$(FRESH) $(COVERED) $(RUN) pytest -q --nbval --qd-cov --nbval-kernel-name quadrants --nbval-cell-timeout 120 -c tests/notebooks/pytest.ini notebooks
	@ENABLE_QUADRANTS_HEADER_PRINT=0 $(PY) docs/kernel_coverage.py out/coverage > out/kernel-coverage.md
	@mv out/kernel-coverage.md docs/kernel-coverage.md

bench-peers:     ## build the environment with the peers that `bench` compares with
	@[ -x .venv-peers/bin/python ] || $(PYTHON) -m venv .venv-peers
	@.venv-peers/bin/pip install -q --disable-pip-version-check -r benchmarks/peers.txt

bench: install   ## compare with peers, side by side (needs `make bench-peers` once)
	@$(PY) benchmarks/run.py

wheel: setup     ## build a wheel for this system into dist/, with the Jupyter kernel
	@$(RUN) pip wheel -q --disable-pip-version-check --no-build-isolation --no-deps -w dist .

WHEEL := .venv-wheel
wheel-portable: ## build a wheel without the Jupyter kernel (magics work in ipykernel) for every Linux at least as new as this one; PYTHON=.. selects the Python version
	@FOR=wheel VENV=$(WHEEL) PYTHON=$(PYTHON) .ci/setup.sh
	@rm -rf out/wheel && mkdir -p out/wheel
	@PATH=$(CURDIR)/$(WHEEL)/bin:$(PATH) QD_KERNEL=OFF $(WHEEL)/bin/pip wheel -q --disable-pip-version-check --no-build-isolation --no-deps -w out/wheel .
	@set -o pipefail; PATH=$(CURDIR)/$(WHEEL)/bin:$(PATH) $(WHEEL)/bin/auditwheel repair -w dist out/wheel/*.whl 2>&1 | tail -n 1
	@$(WHEEL)/bin/pip install -q --disable-pip-version-check --force-reinstall --no-deps dist/xeus_quadrants-*-$$($(WHEEL)/bin/python -c 'import sys; print("cp%d%d" % sys.version_info[:2])')-manylinux*.whl
	@$(WHEEL)/bin/python -m pytest -q tests/python/language tests/python/arguments/test_arguments.py tests/python/storage/test_ndarrays.py


clean:           ## remove build folders
	rm -rf $(BUILD) $(BUILD)-asan $(ASAN) out dist
