"""Errors call a field without a name by the variable that holds it."""

import numpy as np
import pytest
import quadrants as qd

temperature = None


@pytest.fixture(autouse=True)
def debug(arch):
    global temperature
    qd.init(arch=arch, debug=True, offline_cache=False, print_full_traceback=True)
    temperature = qd.field(qd.f32, shape=4, needs_grad=True)


def refused(pattern, function, kind=RuntimeError):
    with pytest.raises(kind, match=pattern):
        function()


def test_bounds_from_python():
    local, named = qd.Vector.field(2, qd.f32, shape=3), qd.field(qd.f32, shape=3, name="velocity")
    held = [qd.field(qd.f32, shape=3)]
    refused(r"Accessing field \(temperature\) of size \(4,\) with indices \(9,\)", lambda: temperature[9])
    refused(r"Accessing field \(temperature.grad\) of size", lambda: temperature.grad[9])
    refused(r"Accessing field \(velocity\) of size", lambda: named[9])
    refused(r"Accessing field \(x\) of size", lambda: held[0][9])

    def write():
        local[-4] = [1, 2]

    refused(r"Accessing field \(local\) of size \(3,\) with indices \(-4,\)", write)


def test_derivatives_that_were_not_requested():
    plain, velocity = qd.field(qd.f32, shape=3), qd.Vector.field(2, qd.f32, shape=3, name="v")
    loss = qd.field(qd.f32, shape=(), needs_dual=True)
    text = r"Field has no allocation: `{}` is there if the field was made with `needs_{}=True`"
    refused(text.format("plain.grad", "grad"), lambda: plain.grad[0])
    refused(text.format("plain.dual", "dual"), lambda: plain.dual.to_numpy())
    refused(text.format("v.grad", "grad"), lambda: velocity.grad.fill(0))
    refused(text.format("plain.dual", "dual"), qd.ad.FwdMode(loss=loss, param=plain, seed=[1.0, 0, 0]).__enter__)
    refused("Field has no allocation: place it in a tree, or give it a shape", lambda: qd.field(qd.f32)[0])


def test_validation_and_checks():
    @qd.kernel
    def sharpen():
        for i in temperature:
            temperature[i] = temperature[i] ** 2

    loss = qd.field(qd.f32, shape=(), needs_grad=True)

    def validate():
        with qd.ad.Tape(loss, validation=True):
            sharpen()

    refused("It is an element of the field `temperature`, and was read", validate)
    temperature.from_numpy(np.linspace(1, 2, 4, dtype=np.float32))
    found = qd.ad.check(sharpen)
    assert found.verdict == "wrong" and "the field `temperature` is overwritten" in found.reason
