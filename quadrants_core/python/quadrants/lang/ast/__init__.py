"""The frontend walks syntax trees in C++ (quadrants_core/frontend)."""

from quadrants.lang._absent import absent as _absent

__getattr__ = _absent("quadrants.lang.ast", {"": "kernels are walked in C++; k._show('ir') gives what became of a kernel"})
