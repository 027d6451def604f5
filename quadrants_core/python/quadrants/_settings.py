"""The options of the running program, and hooks for its end. This module imports no other one, so that all can import it; its state is
written by `_runtime` for qd.init and qd.reset."""

cfg = None  # the current CompileConfig; None before init and on qd.python
of_python = None  # the options if kernels run as Python
defaults = None  # the options before init
special = None  # the SpecialConfig: options that are not in qd.cfg
checks_python = True  # whether the frontend checks kernels on qd.python as on other architectures; False for comparing it with what runs
programs_ended = 0  # number of programs ended so far by qd.reset or qd.init
before_reset = []  # called while the old program still exists
after_reset = []


def current():
    """Returns the options of the running program, or those that a new one would start from."""
    return cfg or of_python or defaults


def default_ip():
    return current().default_ip


def default_fp():
    return current().default_fp


def default_up():
    return current().default_up
