"""The pytest plugin `quadrants`: while pytest-cov measures, kernels are covered too, in the same mode."""

import os


def pytest_configure(config):
    host = config.pluginmanager.getplugin("_cov")
    if host is None or getattr(host, "_disabled", False):
        return
    if not os.environ.get("QD_KERNEL_COVERAGE"):
        os.environ["QD_KERNEL_COVERAGE"] = "1"
    os.environ["_QD_KCOV_ARC"] = "1" if _measures_branches(config, host) else "0"


def _measures_branches(config, host):
    """As pytest-cov resolved it: from its command line, .coveragerc, pyproject.toml and the like."""
    running = getattr(getattr(host, "cov_controller", None), "cov", None)
    if running is not None:
        return bool(running.get_option("run:branch"))
    if getattr(config.option, "cov_branch", None):
        return True
    import coverage

    return bool(coverage.Coverage(config_file=getattr(config.option, "cov_config", True)).get_option("run:branch"))


def pytest_unconfigure(config):
    """A worker of pytest-xdist may be ended without its exit handlers."""
    import sys

    files = sys.modules.get("quadrants._coverage_files")
    if files is not None:
        files.flush()
