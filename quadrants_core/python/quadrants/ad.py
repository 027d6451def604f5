"""qd.ad: derivatives of kernels."""

from quadrants._later import define as _define

_define(
    globals(),
    "qd.ad",
    "FwdMode(loss, param, seed=None, clear_gradients=True); "
    "Tape(loss=None, clear_gradients=True, validation=False, grad_check=None); clear_all_gradients(gradient_type=0); "
    "grad_for(primal); grad_replaced(func); no_grad(func)",
)
