"""The pytest plugin `quadrants`. It imports nothing of Quadrants until a test run needs it: for pytest-cov, while it measures (then kernels
are measured too), or for --nbval (then notebooks are compared by meaning)."""

import pytest


def pytest_addoption(parser):
    group = parser.getgroup("nbval", "Jupyter Notebook validation")
    group.addoption("--qd-rtol", type=float, metavar="R", help="relative tolerance for the numbers of Quadrants values")
    group.addoption("--qd-atol", type=float, metavar="A", help="absolute tolerance for the numbers of Quadrants values")
    group.addoption("--qd-cov", action="store_true", help="measure which lines of the notebooks' cells and kernels run")


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    """Registers the plugins that the run needs, which configures them at once."""
    if getattr(config.option, "nbval", False) or getattr(config.option, "nbval_lax", False):
        from quadrants_jupyter import nbval_plugin

        _register(config, nbval_plugin, "quadrants-nbval")
    elif config.option.qd_cov:
        raise pytest.UsageError("--qd-cov measures notebooks: it needs nbval and --nbval or --nbval-lax")
    host = config.pluginmanager.getplugin("_cov")
    if host is not None and not getattr(host, "_disabled", False):
        from quadrants import pytest_plugin

        _register(config, pytest_plugin, "quadrants-coverage")


def _register(config, plugin, name):
    if not config.pluginmanager.is_registered(plugin):
        config.pluginmanager.register(plugin, name)
