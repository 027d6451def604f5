"""The pytest plugin `quadrants`: while pytest-cov is measuring, kernels are measured, too, in the same mode, and their coverage appears in
pytest-cov's reports."""

import os
import sys

import pytest

from quadrants import _environment

_FLAG = "QD_KERNEL_COVERAGE"


def pytest_configure(config):
    host = _host(config)
    if host is None:
        return
    if not os.environ.get(_FLAG):
        os.environ[_FLAG] = "1"
    os.environ["_QD_KCOV_ARC"] = "1" if _measures_branches(config, host) else "0"
    if not _is_on() or hasattr(config, "workerinput"):
        return
    from quadrants._coverage import runs as _coverage_runs

    data_file = _option(config, host, "run:data_file") or ".coverage"
    run = _coverage_runs.begin(os.path.abspath(data_file))
    if not getattr(config.option, "cov_append", False):
        _coverage_runs.drop_earlier(os.environ.get("_QD_KCOV_FOLDER") or os.getcwd(), run)


@pytest.hookimpl(hookwrapper=True, trylast=True)
def pytest_runtestloop(session):
    """Runs inside pytest-cov's hook, which ends its measurement and reports when this one returns."""
    yield
    host = _host(session.config)
    running = getattr(getattr(host, "cov_controller", None), "cov", None)
    if running is None or not _is_on():
        return
    _flush()
    from quadrants._coverage import runs as _coverage_runs

    folder = getattr(sys.modules.get("quadrants._coverage.files"), "_folder", None)
    folder = folder or os.environ.get("_QD_KCOV_FOLDER") or os.getcwd()
    only = os.getpid() if hasattr(session.config, "workerinput") else None
    _coverage_runs.hand_over(folder, running, only)


def pytest_unconfigure(config):
    """Flushes explicitly, since a worker of pytest-xdist may terminate without its exit handlers."""
    _flush()


def _is_on():
    return _environment.value("kernel_coverage")


def _flush():
    files = sys.modules.get("quadrants._coverage.files")
    if files is not None:
        files.flush()


def _host(config):
    """Returns pytest-cov's plugin object while it is measuring, else None."""
    host = config.pluginmanager.getplugin("_cov")
    return None if host is None or getattr(host, "_disabled", False) else host


def _measures_branches(config, host):
    return bool(getattr(config.option, "cov_branch", None)) or bool(_option(config, host, "run:branch"))


def _option(config, host, name):
    """Returns an option as resolved by pytest-cov from its command line, .coveragerc, pyproject.toml and the like."""
    running = getattr(getattr(host, "cov_controller", None), "cov", None)
    if running is None:
        import coverage

        running = coverage.Coverage(config_file=getattr(config.option, "cov_config", True))
    return running.get_option(name)
