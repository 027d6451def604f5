"""Tape(validation=True) in debug mode: an element that was read must not be written before its gradient is computed."""

import numpy as np
import pytest
import quadrants as qd

RULE = "Breaks the global data access rule. Snode S\\d+ is overwritten unexpectedly."


@pytest.fixture(autouse=True)
def debugging(arch):
    qd.init(arch=arch, debug=True, default_fp=qd.f64, offline_cache=False)


def reals(*names, shape=()):
    return [qd.field(qd.f64, shape=shape, name=name, needs_grad=True) for name in names]


def test_an_element_that_is_read_and_written():
    x, loss = reals("x", shape=3)[0], reals("loss")[0]

    @qd.kernel
    def read_and_write():
        for i in range(1):
            loss[None] += x[1]
            x[1] = 2.0

    with pytest.raises(qd.QuadrantsAssertionError, match=f"read_and_write_validate_grad\\) {RULE}") as error:
        with qd.ad.Tape(loss, validation=True):
            read_and_write()
    assert "x[1] = 2.0" in str(error.value) and "test_tape_validation.py" in str(error.value)
    with qd.ad.Tape(loss):
        read_and_write()


def test_the_rule_spans_the_kernels_of_a_tape():
    x, loss = reals("x", shape=4)[0], reals("loss")[0]

    @qd.kernel
    def read(i: qd.i32):
        loss[None] += x[i] ** 2

    @qd.kernel
    def write(i: qd.i32):
        x[i] = 3.0

    @qd.kernel
    def add(i: qd.i32):
        x[i] += 1.0

    with qd.ad.Tape(loss, validation=True) as tape:
        write(0)
        read(0)
        write(1)
        x[0] = 5  # a write by the host, not by a kernel
        add(2)
        add(2)
    assert len(tape.calls) == 5
    for change in (write, add):
        with pytest.raises(qd.QuadrantsAssertionError, match=RULE):
            with qd.ad.Tape(loss, validation=True):
                read(0)
                change(0)
        with qd.ad.Tape(loss, validation=True):
            change(0)  # a new Tape has no reads yet
            read(0)


def test_sums_alone_are_fine():
    x, y = reals("x", "y", shape=2)
    loss = reals("loss")[0]

    @qd.kernel
    def sums():
        for i in x:
            y[i] += x[i]
            loss[None] += x[i]

    @qd.kernel
    def stores():
        for i in x:
            y[i] = y[i] + x[i]

    with qd.ad.Tape(loss, validation=True):
        sums()
    with pytest.raises(qd.QuadrantsAssertionError, match=RULE):
        with qd.ad.Tape(loss, validation=True):
            stores()


def test_fields_and_arrays_that_are_not_validated():
    x, loss = reals("x", "loss")
    plain, array = qd.field(qd.f64, shape=()), qd.ndarray(qd.f64, 1, needs_grad=True)

    @qd.kernel
    def without_gradient():
        plain[None] = plain[None] + x[None]

    @qd.kernel
    def arrays(a: qd.types.ndarray()):
        for _ in range(1):
            a[0] = a[0] + x[None]

    @qd.kernel
    def forbidden():
        x[None] = x[None] * 2

    @qd.ad.no_grad
    def apart():
        forbidden()

    with qd.ad.Tape(loss, validation=True):
        without_gradient()
        arrays(array)
        apart()


def test_vectors_sparse_fields_and_offsets():
    v = qd.Vector.field(2, qd.f64, shape=3, needs_grad=True, offset=-1)
    s = qd.field(qd.f64)
    qd.root.pointer(qd.i, 4).dense(qd.i, 4).place(s)
    qd.root.lazy_grad()
    loss = reals("loss")[0]
    s[5] = 2

    @qd.kernel
    def read():
        for i in v:
            loss[None] += v[i][0]
        for i in s:
            loss[None] += s[i]

    @qd.kernel
    def write_components(k: qd.template()):
        for i in v:
            v[i][k] = 2.0

    @qd.kernel
    def write_cell(i: qd.i32):
        s[i] = 2.0

    with qd.ad.Tape(loss, validation=True):
        read()
        write_components(1)
        write_cell(9)
    assert v.snode.ptr.has_adjoint_checkbit() and s.snode.ptr.has_adjoint_checkbit()
    for write, argument in ((write_components, 0), (write_cell, 5)):
        with pytest.raises(qd.QuadrantsAssertionError, match=RULE):
            with qd.ad.Tape(loss, validation=True):
                read()
                write(argument)


def test_results_are_those_of_the_kernel(arch):
    x, loss = reals("x", shape=5)[0], reals("loss")[0]
    x.from_numpy(np.arange(5.0))

    @qd.kernel
    def squares(scale: qd.f64) -> qd.f64:
        for i in x:
            loss[None] += scale * x[i] ** 2
        return scale + 1

    with qd.ad.Tape(loss, validation=True) as tape:
        assert squares(scale=2.0) == 3
        assert squares._primal.autodiff_mode == qd.types.enums.AutodiffMode.VALIDATION
    assert loss[None] == 60 and x.grad.to_numpy().tolist() == [0, 4, 8, 12, 16]
    assert squares._primal.autodiff_mode == qd.types.enums.AutodiffMode.NONE and len(tape.calls) == 1


def test_fields_made_in_the_block():
    loss = reals("loss")[0]
    with qd.ad.Tape(loss, validation=True):
        x = reals("x", shape=2)[0]

        @qd.kernel
        def read(i: qd.i32):
            loss[None] += x[i]

        @qd.kernel
        def write(i: qd.i32):
            x[i] = 1.0

        read(0)
        write(1)
        with pytest.raises(qd.QuadrantsAssertionError, match=RULE):
            write(0)


def test_marks_exist_in_debug_alone(arch):
    qd.init(arch=arch, offline_cache=False)
    x = reals("x")[0]
    assert not x.snode.ptr.has_adjoint_checkbit()


def test_the_field_is_named():
    named, variable, loss = *reals("positions", "", shape=3), reals("loss")[0]
    held = reals("", shape=3)
    v = qd.Vector.field(2, qd.f64, shape=3, name="velocities", needs_grad=True)

    @qd.kernel
    def change(x: qd.template()):
        for i in x:
            loss[None] += x[i] * 2
            x[i] = 1.0

    @qd.kernel
    def change_vectors():
        for i in v:
            loss[None] += v[i].x
            v[i].x = 1.0

    for run, what in (
        (lambda: change(named), "It is an element of the field `positions`"),
        (lambda: change(variable), "It is an element of the field `variable`"),
        (lambda: change(held[0]), "It is an element of a field without a name"),
        (change_vectors, "It is an element of the field `velocities`"),
    ):
        with pytest.raises(qd.QuadrantsAssertionError, match=f"{RULE} {what}, and was read before."):
            with qd.ad.Tape(loss, validation=True):
                run()
