"""pytest --nbval --qd-cov: coverage of notebooks by cell and line, of the kernels of the modules that they import too.

Every Jupyter kernel that nbval starts writes its data into the folder where pytest was started, next to the data of a test suite,
as `_qd_kcov.<pid>`; the text of cells is stored in `_qd_kcov_sources/`, by notebook and cell. A cell's number is the one that the
notebook shows after it ran from top to bottom. nbval kills its kernels, so their data are fetched before. With pytest-xdist
notebooks must not be split: --dist loadfile.
"""

import contextlib
import json
import os
import queue
import tempfile

from quadrants_jupyter.cell_coverage import CALL

_answer_in = 60  # seconds; a kernel that is still running a cell does not reply


class Plugin:
    def __init__(self, config, undo):
        from nbval.kernel import RunningKernel
        from nbval.plugin import IPyNbCell, IPyNbFile

        from quadrants_jupyter.nbval_plugin import _replace

        self.config, self.start = config, os.getcwd()
        self.folder = os.environ.get("_QD_KCOV_FOLDER") or self.start  # folder of the data
        self.traces = not getattr(config.option, "cov_source", None)  # otherwise coverage.py uses the trace function
        self.reports, self.silent = [], []
        _replace(undo, IPyNbFile, "setup", self.with_coverage)
        _replace(undo, IPyNbCell, "runtest", self.with_number)
        _replace(undo, IPyNbFile, "teardown", self.after_cells)
        _replace(undo, RunningKernel, "stop", self.with_data)

    def notebook_name(self, path):
        name = os.path.relpath(path, self.start)
        return name if not name.startswith(os.pardir) else os.path.basename(name)

    # --- the kernels -------------------------------------------------------------------------------------------------

    def with_coverage(self, setup):
        def run(file):
            with _environment(QD_KERNEL_COVERAGE="1", _QD_KCOV_FOLDER=self.folder, **_settings()):
                setup(file)
            file.kernel.qd_notebook = self.notebook_name(file.path)
            _ask(file.kernel, f"start({self.folder!r}, {file.kernel.qd_notebook!r}, {self.traces})")

        return run

    def with_number(self, runtest):
        def run(cell):
            if not cell.options["skip"] and cell.parent.kernel.is_alive():
                _ask(cell.parent.kernel, f"begin({cell.cell_num + 1})")
            return runtest(cell)

        return run

    def after_cells(self, teardown):
        def run(file):  # nbval runs code of its own at the end, which belongs to no cell
            if file.kernel is not None and file.kernel.is_alive():
                _ask(file.kernel, "begin(0)")
            return teardown(file)

        return run

    def with_data(self, stop):
        def run(kernel):
            notebook = getattr(kernel, "qd_notebook", None)
            if notebook is not None:
                kernel.qd_notebook = None
                self.take(kernel, notebook)
            return stop(kernel)

        return run

    def take(self, kernel, notebook):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report.json")
            if kernel.is_alive():
                _ask(kernel, f"finish({path!r})")
            try:
                with open(path, encoding="utf-8") as file:
                    self.reports.append(json.load(file))
            except (OSError, ValueError):
                self.silent.append(notebook)

    # --- the end -----------------------------------------------------------------------------------------------------

    def pytest_sessionfinish(self, session):
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["qd_cov"] = json.dumps([self.reports, self.silent])

    def pytest_testnodedown(self, node, error):
        reports, silent = json.loads(getattr(node, "workeroutput", {}).get("qd_cov", "[[], []]"))
        self.reports += reports
        self.silent += silent

    def pytest_terminal_summary(self, terminalreporter):
        if hasattr(self.config, "workerinput") or not (self.reports or self.silent):
            return
        terminalreporter.section("coverage of notebooks")
        for line in summary(self.reports, self.silent, self.start):
            terminalreporter.write_line(line)


@contextlib.contextmanager
def _environment(**variables):
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _settings():
    """Makes coverage.py use the configuration of this folder, not that of the notebook's folder."""
    import coverage

    found = getattr(coverage.Coverage().config, "config_file", None)
    return {"COVERAGE_RCFILE": os.path.abspath(found)} if found else {}


def _ask(kernel, call):
    """Runs a call of cell_coverage in the Jupyter kernel, without an effect on the notebook."""
    request = kernel.kc.execute(f"{CALL}.{call}", silent=True, store_history=False, allow_stdin=False)
    with contextlib.suppress(queue.Empty, RuntimeError):
        kernel.await_reply(request, timeout=_answer_in)


# --- summary ---------------------------------------------------------------------------------------------------------


def summary(reports, silent, folder):
    from quadrants._coverage.report import ranges

    measured = _measured([report["data"] for report in reports if report["data"]], folder)
    total, out, never = {}, [], []
    for report in reports:  # runs of one notebook in several kernels share the data
        places = [(f"cell {cell['number']}", cell["file"], cell["only"]) for cell in report["cells"]]
        places += [(os.path.relpath(m["file"], folder), m["file"], m["only"]) for m in report["modules"]]
        total.setdefault(report["notebook"], {}).update({file: (label, only) for label, file, only in places})
    for notebook, places in total.items():
        rows, sums = [], [0, 0]
        for file, (label, only) in places.items():
            statements, missing = measured(file)
            if only is not None:
                statements, missing = statements & set(only), missing & set(only)
            if not statements:
                continue
            rows.append(f"  {label}: {len(statements - missing)} of {len(statements)}")
            sums = [sums[0] + len(statements - missing), sums[1] + len(statements)]
            if missing:
                where = f"{os.path.basename(notebook)} {label}" if label.startswith("cell ") else label
                never.append(f"{where}: {ranges(missing)}")
        out += [f"{notebook}: {sums[0]} of {sums[1]} lines ran", *rows]
    out += [f"never ran:{'' if never else ' none'}", *(f"  {line}" for line in never)]
    out += [f"{notebook}: its kernel did not report its coverage" for notebook in silent]
    return out


def _measured(paths, folder):
    """Returns a function from a file to (statements, statements that never ran), over the data of these processes."""
    import coverage
    from coverage.exceptions import CoverageException

    data = coverage.Coverage(data_file=None, messages=False)
    if paths:
        data.combine(sorted(set(paths)), keep=True)

    def of_file(file):
        try:
            _, statements, _, missing, _ = data.analysis2(file)
        except CoverageException:  # no text, or not valid Python
            return set(), set()
        return set(statements), set(missing)

    return of_file
