"""Gradients of fields: their place in memory, what clears them, which loops over fields are differentiable."""

import numpy as np
import pytest
import quadrants as qd


@pytest.fixture(autouse=True)
def doubles(arch):
    qd.init(arch=arch, default_fp=qd.f64, offline_cache=False, print_full_traceback=True)


def reals(*names, dtype=qd.f64, shape=()):
    return [qd.field(dtype, shape=shape, name=name, needs_grad=True) for name in names]


def test_no_forward_call_is_needed():
    x, y = reals("x", "y", shape=3)

    @qd.kernel
    def f():
        for i in x:
            y[i] = x[i] ** 2

    x.from_numpy(np.array([1.0, 2, 3]))
    y.grad.fill(1)
    f.grad()
    assert x.grad.to_numpy().tolist() == [2, 4, 6] and y.to_numpy().tolist() == [0, 0, 0]


def test_roles_of_fields():
    Role = qd.types.enums.SNodeGradType
    x = qd.field(qd.f32, shape=3, needs_grad=True, needs_dual=True)
    y, plain = qd.field(qd.f32), qd.field(qd.f32, shape=3)
    qd.root.dense(qd.i, 3).place(y, y.grad)
    for field, adjoint, dual in ((x, True, True), (y, True, False), (plain, False, False)):
        assert field.snode.ptr.has_adjoint() == adjoint and field.snode.ptr.has_dual() == dual
        assert field.snode.ptr.get_snode_grad_type() == Role.PRIMAL and not field.snode.ptr.has_adjoint_checkbit()
    assert x.grad.snode.ptr.get_snode_grad_type() == y.grad.snode.ptr.get_snode_grad_type() == Role.ADJOINT
    assert x.dual.snode.ptr.get_snode_grad_type() == Role.DUAL
    assert [(r.name, int(r)) for r in Role] == [("PRIMAL", 0), ("ADJOINT", 1), ("DUAL", 2), ("ADJOINT_CHECKBIT", 3)]


def test_gradients_in_trees_of_their_own():
    x, y = qd.field(qd.f64), qd.field(qd.f64)
    qd.root.dense(qd.i, 4).place(x, y)
    x[1] = 3
    qd.root.dense(qd.i, 4).place(x.grad)
    builder = qd.FieldsBuilder()
    builder.dense(qd.i, 4).place(y.grad)
    builder.finalize()

    @qd.kernel
    def f():
        for i in x:
            y[i] = x[i] ** 2

    f()
    y.grad.fill(1)
    f.grad()
    assert x.grad.to_numpy().tolist() == [0, 6, 0, 0]


def test_clearing():
    Role = qd.types.enums.SNodeGradType
    x = qd.field(qd.f32, shape=3, needs_grad=True, needs_dual=True)
    s = qd.Struct.field({"a": qd.f32, "v": qd.math.vec2}, shape=2, needs_grad=True)
    for clear in (qd.ad.clear_all_gradients, qd.clear_all_gradients):
        for field in (x, x.grad, x.dual):
            field.fill(1)
        s.grad.a.fill(2)
        s.grad.v.fill(3)
        clear()
        assert not x.grad.to_numpy().any() and not s.grad.a.to_numpy().any() and not s.grad.v.to_numpy().any()
        assert x.dual.to_numpy().all() and x.to_numpy().all()
        clear(gradient_type=Role.DUAL)
        assert not x.dual.to_numpy().any()


@pytest.mark.parametrize("make", [lambda kind, **k: qd.field(kind, shape=2, **k), lambda kind, **k: kind.field(shape=2, **k)])
def test_gradients_of_fields_of_structs(make):
    pair = qd.types.struct(a=qd.f32, v=qd.math.vec2)
    s, loss = make(pair, needs_grad=True, needs_dual=True), qd.field(qd.f32, (), needs_grad=True)
    s.a.fill(3.0)

    @qd.kernel
    def f():
        for i in s:
            loss[None] += s[i].a ** 2 + 2.0 * s[i].v[1]

    loss.grad[None] = 1.0
    f.grad()
    assert s.grad.a.to_numpy().tolist() == [6.0, 6.0] and s.grad.v.to_numpy().tolist() == [[0.0, 2.0]] * 2
    s.dual.a.fill(1.0)
    assert s.dual.a.to_numpy().tolist() == [1.0, 1.0]
    with pytest.raises(RuntimeError, match="i32 is not supported for field with"):
        make(qd.types.struct(a=qd.f32, n=qd.i32), needs_grad=True)


def test_stopped_gradients():
    x, y, loss = reals("x", "y", "loss")
    x[None], y[None] = 2.0, 3.0

    @qd.kernel
    def f():
        for i in range(1):
            loss[None] += x[None] * y[None]
            if i == 0:
                loss[None] += x[None] * x[None]
            qd.stop_grad(x)
        for i in range(1):
            loss[None] += x[None] * y[None]

    loss.grad[None] = 1
    f.grad()
    assert (x.grad[None], y.grad[None]) == (3, 4)


def test_a_kernel_that_reads_gradients():
    x, y = reals("x", "y", shape=2)
    x.grad.fill(3)

    @qd.kernel
    def step(rate: qd.f64):
        for i in x:
            x[i] -= rate * x.grad[i]

    step(0.5)
    assert x.to_numpy().tolist() == [-1.5, -1.5]
    step.grad(0.5)


def test_nested_ndranges():
    x = qd.Matrix.field(2, 3, qd.f64, shape=2, needs_grad=True)
    loss = reals("loss")[0]
    x.from_numpy(np.arange(12.0).reshape(2, 2, 3))

    @qd.kernel
    def f():
        for i in x:
            for j, k in qd.ndrange(2, 3):
                loss[None] += x[i][j, k] ** 2

    loss.grad[None] = 1
    f.grad()
    np.testing.assert_array_equal(x.grad.to_numpy(), 2 * np.arange(12.0).reshape(2, 2, 3))


@pytest.mark.parametrize("kind", ["pointer", "bitmasked", "dynamic", "pointer of dense", "bitmasked pairs"])
def test_sparse_fields(kind):
    x, y = qd.field(qd.f64), qd.field(qd.f64)
    loss = reals("loss")[0]
    if kind == "pointer of dense":
        qd.root.pointer(qd.i, 16).dense(qd.i, 8).place(x, y)
    elif kind == "bitmasked pairs":
        qd.root.bitmasked(qd.ij, (8, 16)).place(x, y)
    elif kind == "dynamic":
        qd.root.dynamic(qd.i, 128, chunk_size=16).place(x, y)
    else:
        getattr(qd.root, kind)(qd.i, 128).place(x, y)
    qd.root.lazy_grad()
    elements = [(k,) for k in (range(5) if kind == "dynamic" else (3, 70, 71, 127))]
    if kind == "bitmasked pairs":
        elements = [(k // 16, k % 16) for (k,) in elements]
    for at in elements:
        x[at] = 1.0 + at[-1]

    @qd.kernel
    def squares():
        for I in qd.grouped(x):
            y[I] = x[I] ** 2 * I.sum()

    @qd.kernel
    def add():
        for I in qd.grouped(y):
            loss[None] += y[I]

    with qd.ad.Tape(loss):
        squares()
        add()
    assert [x.grad[at] for at in elements] == [2 * (1.0 + at[-1]) * sum(at) for at in elements]
    assert loss[None] == sum((1.0 + at[-1]) ** 2 * sum(at) for at in elements)


def test_quant_types_have_no_gradient():
    for kind in (qd.types.quant.fixed(16, max_value=2.0), qd.types.quant.float(5, 10)):
        for asked in ("needs_grad", "needs_dual"):
            with pytest.raises(qd.QuadrantsRuntimeError, match="is not supported for field with `needs_grad=True`.* The field is `q`"):
                qd.field(kind, name="q", **{asked: True})
        with pytest.raises(qd.QuadrantsRuntimeError, match="is not supported for field with `needs_grad=True`"):
            qd.Vector.field(2, kind, needs_grad=True)
        assert qd.field(kind).grad is None


def test_adjoints_activate_no_cells():
    x, y = qd.field(qd.f64), qd.field(qd.f64)
    loss = qd.field(qd.f64, shape=(), needs_grad=True)
    block = qd.root.pointer(qd.i, 8)
    block.dense(qd.i, 4).place(x, x.grad)
    qd.root.pointer(qd.i, 8).dense(qd.i, 4).place(y)
    qd.root.pointer(qd.i, 8).dense(qd.i, 4).place(y.grad)
    masked = qd.field(qd.f64)
    cells = qd.root.bitmasked(qd.i, 32)
    cells.place(masked, masked.grad)
    x[5], y[6], masked[7] = 2.0, 3.0, 4.0

    @qd.kernel
    def use():
        for i in range(32):
            loss[None] += x[i] ** 2 + y[i] * 3 + masked[i] * masked[i]

    @qd.kernel
    def count() -> qd.i32:
        n = 0
        for i in x:
            n += 1
        for i in masked:
            n += 100
        for i in y:
            n += 10000
        return n

    before = count()
    assert before == 40104
    loss.grad[None] = 1
    use.grad()
    assert count() == before
    assert x.grad[5] == 4 and y.grad[6] == 3 and masked.grad[7] == 8
    assert x.grad[4] == 0 and x.grad[20] == 0 and y.grad[20] == 0 and masked.grad[6] == 0

    @qd.kernel
    def over():
        for i in x:
            loss[None] += x[i] ** 3

    x.grad.fill(0)
    loss.grad[None] = 1
    over.grad()
    assert x.grad[5] == 12 and count() == before


def test_refusals_inside_builtin_funcs_point_at_the_line(arch):
    qd.init(arch=arch, default_fp=qd.f64, offline_cache=False)
    m = qd.Matrix.field(3, 3, qd.f64, shape=2, needs_grad=True)
    loss = qd.field(qd.f64, shape=(), needs_grad=True)

    @qd.kernel
    def use():
        for i in m:
            U, S, V = qd.svd(m[i])
            loss[None] += S[0, 0]

    @qd.kernel
    def eigen():
        for i in m:
            values, vectors = qd.sym_eig(m[i])
            loss[None] += values[0]

    for kernel, line in ((use, "U, S, V = qd.svd(m[i])"), (eigen, "values, vectors = qd.sym_eig(m[i])")):
        with pytest.raises(qd.QuadrantsCompilationError) as error:
            kernel.grad()
        text = str(error.value)
        assert line in text and "linalg.py" not in text and "test_autodiff_fields.py" in text, text
        assert "which Quadrants itself provides for the line above" in text


def test_refusals_of_loops_inside_builtin_funcs_give_no_hint_about_them(arch):
    qd.init(arch=arch, ad_stack_experimental_enabled=True, offline_cache=False)
    m = qd.Matrix.field(3, 3, qd.f32, shape=2, needs_grad=True)

    @qd.kernel
    def use():
        for i in m:
            values, vectors = qd.sym_eig(m[i])
            m[i][0, 0] = values[0]

    with pytest.raises(qd.QuadrantsRuntimeError, match="provides for the line above") as error:
        use.grad()
    assert "Hint" not in str(error.value) and "values, vectors = qd.sym_eig(m[i])" in str(error.value)


@pytest.mark.parametrize("kind", ["pointer", "bitmasked", "dynamic", "dense"])
def test_loops_over_cells(kind):
    x, y = qd.field(qd.f64, needs_grad=True), qd.field(qd.f64, needs_grad=True)
    (total,) = reals("total")
    if kind == "dynamic":
        block, low, at = qd.root.pointer(qd.i, 8).dynamic(qd.j, 40), (0, 0), [(1, 0), (1, 1), (2, 0), (2, 1)]
    else:
        block = getattr(qd.root.pointer(qd.ij, 2), kind)(qd.ij, (4, 20))
        low, at = (-4, -20), [(1, 2), (3, 5), (-3, -7), (-4, -20), (2, 19)]
    block.place(x, y, x.grad, y.grad, offset=low)

    @qd.kernel
    def f():
        for i, j in x:
            if x[i, j] > 100:
                continue
            y[i, j] = x[i, j] ** 2 * (j // 3)
        for i, j in y:
            total[None] += qd.sin(y[i, j])

    given = {(i, j): 0.3 + 0.1 * j + 0.05 * i for i, j in at}
    for (i, j), value in given.items():
        x[i, j] = value
    f()
    total.grad[None] = 1
    f.grad()
    assert total[None] == pytest.approx(sum(np.sin(v**2 * (j // 3)) for (_, j), v in given.items()))
    for (i, j), v in given.items():
        assert x.grad[i, j] == pytest.approx(np.cos(v**2 * (j // 3)) * 2 * v * (j // 3))
