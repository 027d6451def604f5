"""Timing of implementations: the very module, so that a program that changes it changes what happens."""

import sys as _sys

from quadrants import _perf_dispatch

_sys.modules[__name__] = _perf_dispatch
