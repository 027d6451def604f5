"""qd.perf_dispatch under the module name that programs import: the same module object, so that assignments take effect."""

import sys as _sys

from quadrants import _perf_dispatch

_sys.modules[__name__] = _perf_dispatch
