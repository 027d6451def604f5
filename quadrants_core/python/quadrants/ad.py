"""qd.ad: derivatives of kernels."""

from quadrants._later import define as _define

_define(globals(), "qd.ad", "FwdMode Tape clear_all_gradients grad_for grad_replaced no_grad")
