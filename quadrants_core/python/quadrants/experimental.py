"""qd.experimental."""

from quadrants._later import Later as _Later

real_func = _Later("qd.experimental.real_func", "an inlined qd.func does the same")
