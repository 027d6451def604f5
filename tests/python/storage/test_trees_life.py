"""Trees that are made later and destroyed, and the gradients of the fields placed in them."""

import re

import pytest
import quadrants as qd


@qd.kernel
def nothing():
    pass


def test_trees_that_are_made_later():
    x = qd.field(qd.i32, shape=4)
    x.fill(1)
    y = qd.field(qd.i32)
    qd.root.pointer(qd.i, 4).place(y)
    y[2] = 7
    z = qd.field(qd.i32)
    qd.root.dense(qd.i, 2).place(z)
    z[1] = 3

    @qd.kernel
    def total() -> qd.i32:
        s = 0
        for i in x:
            s += x[i]
        for i in y:
            s += y[i]
        for i in z:
            s += z[i]
        return s

    assert total() == 14
    assert len({f.snode._snode_tree_id for f in (x, y, z)}) == 3


def test_builders_and_destroying_trees():
    for round in range(3):
        x = qd.field(qd.i32)
        y = qd.field(qd.i32)
        builder = qd.FieldsBuilder()
        builder.pointer(qd.i, 8).dense(qd.i, 8).place(x)
        builder.dense(qd.i, 5).place(y)
        tree = builder.finalize()

        @qd.kernel
        def count() -> qd.i32:
            n = 0
            for i in x:
                n += 1
            return n

        x[9] = 1
        assert count() == 8
        with pytest.raises(qd.QuadrantsRuntimeError, match="FieldsBuilder finalized"):
            builder.dense(qd.i, 3)
        tree.destroy()
        with pytest.raises(qd.QuadrantsRuntimeError, match="SNode tree has been destroyed"):
            tree.destroy()
        with pytest.raises(qd.QuadrantsRuntimeError, match="destroyed"):
            x[9]


@qd.data_oriented
class Grid:
    def __init__(self):
        self.make(4)

    def make(self, n, kind="dense"):
        builder = qd.FieldsBuilder()
        self.x, self.v, self.s = qd.field(qd.i32), qd.Vector.field(2, qd.f32), qd.Struct.field({"a": qd.f32})
        getattr(builder, kind)(qd.i, n).place(self.x, self.v, self.s)
        self.tree = builder.finalize()

    @qd.kernel
    def fill(self) -> qd.i32:
        for i in self.x:
            self.x[i] = i + 1
            self.v[i] = i
            self.s[i].a = i
        return self.x.shape[0]


def test_a_destroyed_tree_takes_its_specialisations_along(arch):
    for each in (arch, qd.python):
        qd.init(arch=each, offline_cache=False, print_full_traceback=True)
        grid, other = Grid(), Grid()

        @qd.kernel
        def both(g: qd.template()) -> qd.i32:
            return g.x[1] + other.x[1]

        assert grid.fill() == other.fill() == 4 and both(grid) == 4
        specialisations = Grid.fill._specialisations()
        for n, kind in [(4, "dense"), (6, "dense"), (5, "dense" if each is qd.python else "pointer")]:
            before = grid.x
            grid.tree.destroy()
            assert Grid.fill._specialisations() == max(specialisations - 1, 0) and both._specialisations() == 0
            with pytest.raises(qd.QuadrantsRuntimeError, match="destroyed"):
                grid.fill()
            grid.make(n, kind)
            grid.x[1] = 0
            assert grid.fill() == n and grid.x[1] == 2 and grid.v[1].to_list() == [1, 1] and grid.s[1].a == 1
            assert both(grid) == 4 and other.fill() == 4
            with pytest.raises(qd.QuadrantsRuntimeError, match="destroyed"):
                before[0]


@pytest.mark.usefixtures("memory_in_reach")
def test_destroying_a_tree_leaves_views_of_it_alone():
    import numpy as np

    x, v = qd.field(qd.i32), qd.Vector.field(2, qd.f32)
    builder = qd.FieldsBuilder()
    builder.dense(qd.i, 1 << 20).place(x)
    builder.dense(qd.i, 1 << 20).place(v)
    tree = builder.finalize()
    x.fill(3)
    v.fill(4)
    seen = x.to_numpy(copy=False), np.from_dlpack(x), v.to_numpy(copy=False)
    tree.destroy()
    more = [qd.field(qd.i32, 1 << 20) for _ in range(3)]
    for f in more:
        f.fill(7)
    assert [(int(a.min()), int(a.max())) for a in seen] == [(3, 3), (3, 3), (4, 4)]


def test_an_empty_builder_warns():
    with pytest.warns(UserWarning, match="Finalizing an empty FieldsBuilder!"):
        qd.FieldsBuilder().finalize()
    with pytest.warns(UserWarning, match="would do nothing if FieldsBuilder is not finalized"):
        qd.FieldsBuilder().deactivate_all()


def test_deactivate_all_of_every_tree():
    x, y = qd.field(qd.i32), qd.field(qd.i32)
    qd.root.bitmasked(qd.i, 8).place(x)
    builder = qd.FieldsBuilder()
    builder.dynamic(qd.i, 8).place(y)
    builder.finalize()
    x[3] = 1
    y[5] = 1

    @qd.kernel
    def count() -> qd.i32:
        n = 0
        for i in x:
            n += 1
        for i in y:
            n += 1
        return n

    assert count() == 7
    qd.deactivate_all_snodes()
    assert count() == 0


def test_cells_of_a_field_that_is_gone():
    x = qd.field(qd.i32)
    level = qd.root.pointer(qd.i, 8)
    level.place(x)
    x[1] = 1
    qd.reset()
    with pytest.raises(Exception):
        x[1]
    with pytest.raises(Exception):
        level.deactivate_all()


def test_memory_does_not_grow_with_trees_that_come_and_go():
    from quadrants import _native

    def once():
        x = qd.field(qd.i32)
        builder = qd.FieldsBuilder()
        builder.pointer(qd.i, 64).dense(qd.i, 1024).place(x)
        tree = builder.finalize()
        for i in range(0, 65536, 1024):
            x[i] = 1
        tree.destroy()

    once()
    before = _native.core().allocated_bytes()
    for _ in range(20):
        once()
    assert _native.core().allocated_bytes() <= before


def test_gradients_have_storage_if_requested():
    x = qd.field(qd.f32, shape=(2, 3), needs_grad=True)
    v = qd.Vector.field(2, qd.f64, shape=4, needs_grad=True, needs_dual=True)
    plain = qd.field(qd.f32, shape=2)
    number = qd.field(qd.i32, shape=2)
    assert x.has_grad() and not x.has_dual() and v.has_grad() and v.has_dual()
    assert not plain.has_grad() and plain.grad is not None and number.grad is None
    assert x.grad.shape == (2, 3)

    @qd.kernel
    def fill():
        for i, j in x:
            x.grad[i, j] = i + j
            x[i, j] = 7
        for i in v:
            v.grad[i] = [i, 2 * i]

    fill()
    assert x.grad[1, 2] == 3 and x[1, 2] == 7 and v.grad[3].to_list() == [3, 6] and v.dual[3].to_list() == [0, 0]
    for needs in ({"needs_grad": True}, {"needs_dual": True}):
        with pytest.raises(qd.QuadrantsRuntimeError, match="i32 is not supported for field with `needs_grad=True` or"):
            qd.field(qd.i32, shape=3, **needs)


def test_lazy_grad():
    x, y, n = qd.field(qd.f32), qd.field(qd.f64), qd.field(qd.i32)
    block = qd.root.pointer(qd.i, 4)
    block.dense(qd.i, 4).place(x, n)
    block.dense(qd.i, 2).place(y)
    qd.root.lazy_grad()
    qd.root.lazy_dual()
    assert x.has_grad() and y.has_grad() and y.has_dual()
    x.grad[5] = 2
    y.grad[3] = 3
    assert x[5] == 0 and x.grad[5] == 2 and y.grad[3] == 3
    assert x.grad.parent() == x.parent() and y.grad.parent() == y.parent()


def test_lazy_grad_of_fields_with_a_shape():
    """Fields get gradients as long as they have no memory."""
    early = qd.field(qd.f32, shape=2)
    early[0] = 1
    c, v, n = qd.field(qd.f32, shape=()), qd.Vector.field(3, qd.f64, shape=(2, 3), offset=(1, 1)), qd.field(qd.i32, shape=4)
    soa = qd.Vector.field(2, qd.f32, shape=4, layout=qd.Layout.SOA)
    s = qd.Struct.field({"a": qd.f32, "k": qd.i32, "b": qd.types.vector(2, qd.f32)}, shape=3)
    t = qd.Struct.field({"a": qd.f32, "b": qd.f32}, shape=3, layout=qd.Layout.SOA)
    has = qd.field(qd.f32, shape=2, needs_grad=True)
    qd.root.lazy_grad()
    c.grad[None] = 1
    v.grad[2, 3] = [1, 2, 3]
    soa.grad[3] = [4, 5]
    s.grad[2].b = [6, 7]
    s.a.grad[1] = 8
    t.b.grad[2] = 9
    has.grad[1] = 10
    assert (c.grad[None], v.grad[2, 3].to_list(), v.grad.shape, soa.grad[3].to_list()) == (1, [1, 2, 3], (2, 3), [4, 5])
    assert (s.b.grad[2].to_list(), s.grad[1].a, t.b.grad[2], has.grad[1]) == ([6, 7], 8, 9, 10)
    assert c[None] == 0 and v[2, 3].to_list() == [0, 0, 0] and s[2].b.to_list() == [0, 0] and t.b[2] == 0
    assert not early.has_grad() and not n.snode.parent() is None and v.has_grad() and not v.has_dual()
    d = qd.field(qd.f32, shape=3)
    qd.root.lazy_dual()
    d.dual[1] = 2
    assert d.dual[1] == 2 and not d.has_grad() and not c.has_dual()


def test_unplaced_fields_without_a_name():
    """The message names the line that made each field, and the variable that holds it."""
    qd.field(qd.f32, shape=1)
    loose = [qd.Vector.field(2, qd.f32), qd.field(qd.f32, name="named")]
    variable = qd.field(qd.f32)
    first = test_unplaced_fields_without_a_name.__code__.co_firstlineno
    with pytest.raises(qd.QuadrantsRuntimeError) as caught:
        qd.field(qd.f32, shape=1)[0]
    assert str(caught.value) == (
        f"These field(s) are not placed: `named`, made at {__file__}, line {first + 3}; `variable`, made at {__file__}, line {first + 4}; "
        f"one made at {__file__}, line {first + 3}. Give each a shape, place it (`qd.root.dense(qd.i, n).place(x)`), or delete it (`del x`)"
    )
    del loose, variable


def test_unplaced_fields_in_a_cycle_of_references():
    holder = [qd.field(qd.f32), qd.Struct.field({"a": qd.f32})]
    holder.append(holder)
    del holder
    assert qd.field(qd.f32, shape=1)[0] == 0


def test_unplaced_fields():
    x = qd.field(qd.f32, name="lonely")
    with pytest.raises(qd.QuadrantsRuntimeError, match=r"These field\(s\) are not placed.*lonely"):
        nothing()
    other = qd.field(qd.i32, shape=2)
    with pytest.raises(qd.QuadrantsRuntimeError, match=r"These field\(s\) are not placed.*lonely"):
        other[0]
    qd.root.dense(qd.i, 2).place(x)
    nothing()
    assert other[0] == 0


@pytest.mark.parametrize("which", ["grad", "dual"])
def test_unplaced_gradients(which):
    x = qd.field(qd.f32, **{f"needs_{which}": True})
    qd.root.dense(qd.i, 1).place(x)
    text = rf"These field\(s\) requrie `needs_{which}=True`, however their {which} field\(s\) are not placed: x.{which}. Place them .*lazy_{which}\(\)`"
    with pytest.raises(qd.QuadrantsRuntimeError, match=text):
        nothing()
    getattr(qd.root, f"lazy_{which}")()
    nothing()


@pytest.mark.parametrize("shape, other", [((4,), (2,)), ((2, 3), (6,)), ((4,), (4, 2)), ((4,), ()), ((), (3,))])
@pytest.mark.parametrize("which", ["grad", "dual"])
def test_gradients_placed_over_other_cells(which, shape, other):
    x, loss = qd.field(qd.f64, name="x"), qd.field(qd.f64, (), needs_grad=True, needs_dual=True)
    for field, cells in ((x, shape), (getattr(x, which), other)):
        (qd.root.dense([qd.i, qd.ij][len(cells) - 1], cells) if cells else qd.root).place(field)

    @qd.kernel
    def f():
        for I in qd.grouped(x):
            loss[None] += x[I]

    f()
    text = rf"The field x has the shape {re.escape(str(shape))}, its {'gradient' if which == 'grad' else 'dual'} {re.escape(str(other))}"
    with pytest.raises(qd.QuadrantsRuntimeError, match=text):
        if which == "grad":
            f.grad()
        else:
            with qd.ad.FwdMode(loss=loss, param=loss):
                f()


def test_a_gradient_may_lie_in_other_levels():
    x, loss = qd.field(qd.f64), qd.field(qd.f64, (), needs_grad=True)
    qd.root.dense(qd.i, 3).place(x)
    qd.root.dense(qd.j, 2).dense(qd.j, 3).place(x.grad)

    @qd.kernel
    def f():
        for i in x:
            loss[None] += x[i] * i

    loss.grad[None] = 1
    f.grad()
    assert x.grad.to_numpy().tolist() == [0, 1, 2, 0, 0, 0]


@pytest.mark.parametrize("which", ["grad", "dual"])
def test_gradients_that_were_not_requested(which, arch):
    for arch_of_test in (arch, qd.python):
        qd.init(arch=arch_of_test, print_full_traceback=True)
        x = qd.field(qd.f32, 3, name="x")
        v = qd.Vector.field(2, qd.f32, 3, name="v")

        @qd.kernel
        def of_scalars():
            getattr(x, which)[0] = 1

        @qd.kernel
        def of_vectors():
            for i in range(3):
                getattr(v, which)[i][1] += 1

        for name, kernel in (("x", of_scalars), ("v", of_vectors)):
            text = f"Gradient {name}.{which} has not been placed, check whether `needs_grad=True`"
            with pytest.raises(qd.QuadrantsCompilationError, match=text):
                kernel()
        with pytest.raises(qd.QuadrantsRuntimeError, match="Field has no allocation"):
            getattr(x, which)[0]
