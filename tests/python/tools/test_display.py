"""Consoles, lists and debuggers show fields and arrays and read little memory for it; warnings of the package name the user's line."""

import os
import sys
import warnings

import numpy as np
import pytest
import quadrants as qd

CALLER = os.path.basename(__file__)


def test_fields():
    u = qd.field(qd.f32, (4, 5), name="u", needs_grad=True)
    v = qd.Vector.field(3, qd.f64, 2, name="v")
    s = qd.types.struct(pos=qd.math.vec2, mass=qd.f32).field(shape=3)
    assert repr([u, v, s]) == "[<qd.field 'u' (4, 5) f32>, <3x1 qd.Matrix.field 'v' (2,) f64>, <qd.Struct.field (3,) of pos, mass>]"
    assert repr(u.grad) == "<qd.field 'u.grad' (4, 5) f32>" and repr(qd.field(qd.i32, ())) == "<qd.field () i32>"
    loose = qd.field(qd.i8)
    assert repr(loose) == "<qd.field i8, not placed>"
    block = qd.root.pointer(qd.i, 4)
    block.dense(qd.i, 8).place(loose)
    assert repr(loose) == "<qd.field (32,) i8>"
    large = qd.field(qd.f64, (512, 1024), name="large")
    large[0, 0] = 1
    assert repr(large) == "<qd.field 'large' (512, 1024) f64, 4 MiB>"


def test_fields_without_memory():
    x, early = qd.field(qd.f32, 4, name="x"), qd.field(qd.f32, 4)
    x[0] = 1
    builder = qd.FieldsBuilder()
    gone = qd.field(qd.f32)
    builder.dense(qd.i, 4).place(gone)
    tree = builder.finalize()
    tree.destroy()
    assert repr(gone) == "<qd.field f32, of a tree that was destroyed>"
    a = qd.ndarray(qd.f32, 3)
    qd.init(arch="interp", offline_cache=False)
    assert repr(x) == "<qd.field 'x' f32, of an ended program>" and repr(early) == "<qd.field f32, of an ended program>"
    assert repr(a) == "<qd.ScalarNdarray of an ended program>"


def test_arrays_are_shown_as_numpy_does():
    for dtype in (qd.f32, qd.i8, qd.f16, qd.u64):
        a = qd.ndarray(dtype, (40, 50))
        a.from_numpy(np.arange(2000).reshape(40, 50) % 100)
        assert repr(a) == f"<qd.ScalarNdarray (40, 50) {dtype} {a.to_numpy()}>"
        f = qd.field(dtype, (40, 50))
        f.from_numpy(a.to_numpy())
        assert str(f) == str(a.to_numpy())
    v = qd.Vector.ndarray(2, qd.f32, 600)
    assert repr(v) == f"<qd.VectorNdarray (600,) (2,) f32 {v.to_numpy()}>"
    t = qd.tensor(qd.f32, (3, 400), layout=(1, 0), backend=qd.Backend.NDARRAY)
    t.from_numpy(np.arange(1200.0).reshape(3, 400))
    assert str(t.to_numpy()) in repr(t._impl)


def test_a_large_array_is_not_copied(memory_in_reach):
    """Only the edges of 512 MiB of untouched memory are read."""

    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    a, f = qd.ndarray(qd.f32, (1 << 13, 1 << 14)), qd.field(qd.f32, (1 << 13, 1 << 14))
    f[0, 0] = 0
    repr(qd.ndarray(qd.f32, 2000))
    before = resident()
    assert "..." in repr(a) and "..." in str(f)
    assert resident() - before < 128 << 20


def warned(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [(os.path.basename(one.filename), one.lineno, str(one.message)) for one in caught]


def test_warnings_point_at_the_line_of_the_program(tmp_path):
    def line():
        return sys._getframe(1).f_lineno

    here = line()
    for make in (
        lambda: qd.ndarray(qd.u8, (60000, 60000)),
        lambda: qd.ScalarNdarray(qd.u8, (60000, 60000)),
        lambda: qd.Vector.ndarray(2, qd.u8, (60000, 60000)),
        lambda: qd.field(qd.u8, 3).from_numpy(np.array([1, 2, 300])),
        lambda: qd.ndarray(qd.u8, 3).from_numpy(np.array([1, 2, 300])),
        lambda: dynamic().to_numpy(),
        lambda: dynamic().to_numpy(copy=None),
    ):
        try:
            found = warned(make)
        except MemoryError:
            continue
        assert [(file, here < number < here + 12) for file, number, _ in found] == [(CALLER, True)], found
    assert {file for file, _, _ in warned(lambda: qd.init(arch=qd.cuda, offline_cache=False))} <= {CALLER}


def dynamic():
    x = qd.field(qd.i32)
    qd.root.dynamic(qd.i, 8).place(x)
    return x


@pytest.mark.parametrize(
    "dtype, values, words",
    [
        (qd.u8, np.array([1, 300]), "300 becomes 44 in u8; the array has dtype=int64"),
        (qd.u8, np.array([-1, 3], np.int8), "-1 becomes 255 in u8"),
        (qd.i32, np.array([1.0, 2.5]), "2.5 becomes 2 in i32"),
        (qd.i32, np.array([1.0, np.nan]), "nan becomes"),
        (qd.i32, np.array([2**40, 0]), "1099511627776 becomes 0 in i32"),
        (qd.i32, np.array([1.0, -7.0]), None),
        (qd.i32, np.array([5, 6]), None),
        (qd.u8, np.array([True, False]), None),
        (qd.f32, np.array([0.1, 1e-60]), None),
        (qd.f32, np.array([2**40 + 1, 0]), None),
        (qd.u1, np.array([2, 0]), None),
    ],
)
def test_changed_numbers_are_reported(dtype, values, words):
    for made in (qd.field(dtype, 2), qd.ndarray(dtype, 2)):
        told = [text for _, _, text in warned(lambda: made.from_numpy(values))]
        told = [text for text in told if text.startswith("from_numpy: ")]  # NumPy also warns of NaN
        assert len(told) == (words is not None) and all(words in text for text in told), told
        with np.errstate(invalid="ignore"):
            assert made.to_numpy().tolist() == values.astype(made.to_numpy().dtype).tolist()
