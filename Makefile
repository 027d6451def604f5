# make demo | test | lab | bench | build | help: each does the set-up it needs (Debian 12: system packages, .venv, build).
SHELL := /bin/bash
VENV  ?= .venv
BUILD ?= build
JOBS  ?= $(shell nproc)
PY    := $(VENV)/bin/python
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
export PYTHONPATH :=
export JUPYTER_PLATFORM_DIRS := 1
RUN   := $(PY) -m
# what runs with garbage collected at every step of the frontend, in memory that shows what was freed
SHARE ?= tests/python/test_lifetime.py tests/python/test_real_funcs.py tests/python/test_data_oriented.py tests/python/test_struct_arguments.py tests/python/language/test_funcs.py tests/python/language/test_static.py tests/python/language/test_structs.py
# what runs with memory that the host cannot touch
FAR   ?= tests/python/test_ndarrays.py tests/python/test_storage.py tests/python/test_arguments.py tests/python/test_trees_cells.py tests/python/test_trees_dynamic.py tests/python/test_coverage_counts.py tests/python/test_overlap.py tests/python/test_data_oriented.py tests/python/test_dataclasses.py tests/python/test_far.py tests/python/test_graph.py tests/python/test_graph_checkpoints.py tests/python/test_graph_regions.py tests/python/test_graph_stepper.py tests/python/language tests/examples
# but for tests of what is so without coverage
UNCOVERED = not import_is_light and not off_by_default and not coverage_counts_the_same_lines
COVERED = QD_KERNEL_COVERAGE=1 _QD_KCOV_ARC=1 _QD_KCOV_FOLDER=$(CURDIR)/out/coverage ENABLE_QUADRANTS_HEADER_PRINT=0

# a cache of its own: the developer's would have notebooks load what they mean to compile
FRESH = cache=$$(mktemp -d); trap 'rm -rf $$cache' EXIT; XDG_CACHE_HOME=$$cache

.PHONY: help setup build install demo lab test test-cpp test-sanitized test-python test-far test-memory test-asan test-notebooks test-browser check coverage reference stubs bench bench-peers wheel clean

help:            ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 18

setup:           ## install what is missing: system packages, .venv, npm packages
	@VENV=$(VENV) .ci/setup.sh

$(BUILD)/build.ninja: CMakeLists.txt
	cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=Release -DPython_EXECUTABLE=/usr/bin/python3

build: setup     ## compile everything
	@[ -f $(BUILD)/build.ninja ] || $(MAKE) --no-print-directory $(BUILD)/build.ninja
	@cmake --build $(BUILD) -j $(JOBS)

install: build   ## put the package, the kernel and its kernelspec into .venv
	@cmake --install $(BUILD) --prefix $(CURDIR)/$(VENV) >/dev/null

demo: install    ## run notebooks/tour.ipynb in the Quadrants kernel and write it as HTML
	@$(PY) notebooks/run_tour.py --out out

lab: install     ## open JupyterLab on the tour
	$(RUN) jupyterlab notebooks/tour.ipynb

test: install check test-cpp test-sanitized test-python test-far test-memory test-notebooks test-browser ## run every test
	@echo "all tests passed"

check:           ## formatting, types of the examples, layering, sizes of classes, the table of conformance
	@git ls-files '*.cpp' '*.h' | xargs $(VENV)/bin/clang-format --dry-run -Werror
	@$(VENV)/bin/basedpyright --pythonpath $(PY)
	@$(RUN) pytest -q tests/layering_test.py tests/limits_test.py tests/members_test.py tests/conformance_test.py

test-cpp:        ## C++ unit, .qir and property tests
	@ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

test-sanitized: build ## the same under AddressSanitizer and UndefinedBehaviorSanitizer, with LLVM as it is
	@[ -f $(BUILD)-asan/build.ninja ] || cmake -S . -B $(BUILD)-asan -G Ninja -DCMAKE_BUILD_TYPE=Release -DQD_SANITIZE=ON -DQD_PYTHON=OFF -DQD_LLVM=OFF -DQD_KERNEL=OFF -DQD_WIDGETS=OFF
	@cmake --build $(BUILD)-asan -j $(JOBS)
	@mkdir -p $(BUILD)-asan/quadrants/_lib
	@ln -sf ../../../$(BUILD)/quadrants/_lib/libquadrants_llvm.so $(BUILD)-asan/quadrants/_lib/
	@ctest --test-dir $(BUILD)-asan --output-on-failure -j $(JOBS)

test-python:     ## the language, user errors, random programs, the examples, the Jupyter kernel, what the build makes
	@$(RUN) pytest -q tests/python tests/errors
	@$(RUN) pytest -q tests/syntax
	@$(RUN) pytest -q tests/fuzz
	@$(RUN) pytest -q tests/coverage
	@$(RUN) pytest -q tests/examples tests/docs
	@$(RUN) pytest -q tests/kernel
	@$(RUN) pytest -q tests/build_test.py

test-far:        ## a share of them on a device whose memory the host cannot touch; all: make test-far FAR=tests/python
	@QD_TEST_ARCHS=far $(RUN) pytest -q $(FAR)

test-memory:     ## who owns what while kernels are compiled; of all tests: SHARE=tests/python
	@QD_COLLECT=1 PYTHONMALLOC=debug $(RUN) pytest -q $(SHARE)

ASAN := $(BUILD)-python-asan
test-asan: build ## the same tests with frontend and bindings under AddressSanitizer and UndefinedBehaviorSanitizer
	@[ -f $(ASAN)/build.ninja ] || cmake -S . -B $(ASAN) -G Ninja -DCMAKE_BUILD_TYPE=Release -DPython_EXECUTABLE=/usr/bin/python3 -DQD_SANITIZE=ON -DQD_LLVM=OFF -DQD_KERNEL=OFF -DQD_WIDGETS=OFF -DQD_TESTS=OFF
	@cmake --build $(ASAN) -j $(JOBS)
	@ln -sf ../../../$(BUILD)/quadrants/_lib/libquadrants_llvm.so $(ASAN)/quadrants/_lib/
	@PYTHONPATH=$(CURDIR)/$(ASAN) PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libstdc++.so)" $(RUN) pytest -q $(SHARE)

test-browser:    ## real JupyterLab in headless Chromium
	@$(RUN) pytest -q tests/browser

test-notebooks:  ## notebooks under nbval, in the Quadrants kernel and in ipykernel
	@$(RUN) pytest -q tests/notebooks
	@$(FRESH) $(RUN) pytest -q --nbval --nbval-kernel-name quadrants --nbval-cell-timeout 120 -c tests/notebooks/pytest.ini notebooks
	@$(FRESH) $(RUN) pytest -q --nbval --nbval-kernel-name python3 --nbval-cell-timeout 120 -c tests/notebooks/pytest.ini notebooks

reference: install ## the page of options: docs/reference/options.md
	@mkdir -p docs/reference out && ENABLE_QUADRANTS_HEADER_PRINT=0 $(PY) docs/reference.py > out/options.md && mv out/options.md docs/reference/options.md

stubs: install   ## what editors know of the package's names: *.pyi
	@ENABLE_QUADRANTS_HEADER_PRINT=0 $(PY) docs/stubs/generate.py

coverage: install ## which lines of this project's kernels run in examples, tests and notebooks: docs/kernel-coverage.md
	@rm -rf out/coverage && mkdir -p out/coverage
	@$(COVERED) $(RUN) pytest -q tests/examples tests/python --ignore=tests/python/test_launch_counts.py -k "$(UNCOVERED)"
	@$(FRESH) $(COVERED) $(RUN) pytest -q --nbval --qd-cov --nbval-kernel-name quadrants --nbval-cell-timeout 120 -c tests/notebooks/pytest.ini notebooks
	@ENABLE_QUADRANTS_HEADER_PRINT=0 $(PY) docs/kernel_coverage.py out/coverage > out/kernel-coverage.md
	@mv out/kernel-coverage.md docs/kernel-coverage.md

bench-peers:     ## build the environment with the peers that `bench` compares with
	@[ -x .venv-peers/bin/python ] || /usr/bin/python3 -m venv .venv-peers
	@.venv-peers/bin/pip install -q --disable-pip-version-check -r benchmarks/peers.txt

bench: install   ## compare with peers, side by side (needs `make bench-peers` once)
	@$(PY) benchmarks/run.py

wheel: setup     ## build a wheel into dist/
	@$(RUN) pip wheel -q --disable-pip-version-check --no-build-isolation --no-deps -w dist .

clean:           ## remove build folders
	rm -rf $(BUILD) $(BUILD)-asan $(ASAN) out dist
