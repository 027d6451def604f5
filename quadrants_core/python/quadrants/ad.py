"""qd.ad: derivatives of kernels."""

from quadrants._gradients.agreement import check
from quadrants._gradients.custom import grad_for, grad_replaced, no_grad
from quadrants._gradients.forward_mode import FwdMode
from quadrants._gradients.tape import Tape, clear_all_gradients
