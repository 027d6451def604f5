"""The options of the running program, and who is told when it ends. Reads no other module, so that each may read it; what
qd.init and qd.reset write here, they write in `_runtime`."""

cfg = None  # None before init and on qd.python, else the live CompileConfig
of_python = None  # the options where kernels run as Python
defaults = None  # the options before init
special = None  # the SpecialConfig: options that are not in qd.cfg
checks_python = True  # on qd.python the frontend refuses what it refuses elsewhere; False: it is compared with what runs
programs_ended = 0  # so far, by qd.reset or qd.init
before_reset = []  # called while the old program still lives
after_reset = []


def current():
    """The options: of the running program, or those that one would start from."""
    return cfg or of_python or defaults


def default_ip():
    return current().default_ip


def default_fp():
    return current().default_fp


def default_up():
    return current().default_up
