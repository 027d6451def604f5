"""Arrays, types and modules have the attributes that other libraries and tools expect."""

import logging
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import quadrants as qd
from quadrants import _logging



def program(text, **environment):
    environment = {**{k: v for k, v in os.environ.items() if k != "ENABLE_QUADRANTS_HEADER_PRINT"}, **environment}
    return subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, text=True)


def test_numpy_accepts_the_types():
    for t in (qd.u1, qd.i8, qd.u16, qd.i32, qd.u64, qd.f16, qd.f64):
        assert np.dtype(t) == qd.lang.util.to_numpy_type(t)
    assert np.empty(2, qd.f16).dtype == np.float16 and np.issubdtype(qd.u8, np.integer)


@pytest.mark.parametrize("make", [qd.field, qd.ndarray, qd.tensor])
def test_size_and_axes(make):
    x = make(qd.f32, (3, 4))
    assert (x.ndim, x.size, len(x), bool(x)) == (2, 12, 3, True)
    one = make(qd.f32, ())
    assert (one.ndim, one.size, bool(one)) == (0, 1, True)
    with pytest.raises(TypeError, match="without axes"):
        len(one)


def test_size_of_vectors_and_structs():
    v = qd.Vector.field(3, qd.f32, 4)
    assert (v.ndim, v.size, len(v)) == (1, 4, 4)  # `ndim` is that of an element, as programs expect
    s = qd.Struct.field({"size": qd.f32}, shape=5)
    assert len(s) == 5 and s.size is s.get_member_field("size") and bool(s)
    assert bool(qd.field(qd.f32))  # not placed


def test_a_field_says_how_to_loop_over_it():
    with pytest.raises(NotImplementedError, match=r"loop over x.to_numpy\(\)"):
        list(qd.field(qd.f32, 3))


def test_structs_are_structured_arrays():
    inner = qd.types.struct(a=qd.f32, v=qd.types.vector(3, qd.i32))
    s = qd.types.struct(n=qd.i64, inner=inner, m=qd.types.matrix(2, 2, qd.f64)).field(shape=(2, 3))
    s[1, 2] = {"n": 7, "inner": inner(a=0.5, v=[1, 2, 3]), "m": [[1, 2], [3, 4]]}
    x = np.asarray(s)
    assert x.dtype == np.dtype([("n", "i8"), ("inner", [("a", "f4"), ("v", "i4", 3)]), ("m", "f8", (2, 2))]) and x.shape == (2, 3)
    assert x["n"][1, 2] == 7 and x["inner"]["v"][1, 2].tolist() == [1, 2, 3] and x["m"][1, 2, 1].tolist() == [3, 4]
    with pytest.raises(ValueError, match="structured array is a copy"):
        np.asarray(s, copy=False)


def test_completion():
    v = qd.Vector([1.0, 2.0])
    assert {"x", "y", "dot", "norm"} <= {*dir(v)} and "xy" not in dir(v) and v.xy.n == 2 and len(dir(v)) < 150
    b = qd.Struct.field({"pos": qd.f32, "m": qd.i32}, shape=2)
    assert {"pos", "m", "fill"} <= {*dir(b)} and {"pos", "m"} <= {*dir(b[0])}
    assert {"ndim", "size"} <= {*dir(qd.field(qd.f32, 2))}
    show = "; import inspect, quadrants as qd; print(inspect.signature(qd.init), inspect.signature(qd.field))"
    shown = program("import sys; sys.ps1 = ''" + show).stdout
    assert "random_seed=0" in shown and "layout=None" in shown
    assert "random_seed" not in program("pass" + show).stdout  # only in interactive shells
    assert "True" in program("import quadrants as qd, sys; print('inspect' not in sys.modules)").stdout


def test_public_names_of_modules():
    for thing in (qd.QuadrantsSyntaxError, qd.init, qd.field, qd.kernel, qd.Matrix, qd.ScalarField, qd.FieldsBuilder, qd.dataclass):
        assert thing.__module__ == "quadrants" and pickle.loads(pickle.dumps(thing)) is thing


def test_version_is_a_tuple_and_a_text():
    assert qd.__version__ == (0, 1, 0) and f"{qd.__version__}" == str(qd.__version__) == qd.__version_str__
    major, minor, patch = qd.__version__
    assert qd.__version__ >= (0, 1) and (major, minor, patch) == qd.__version__


def test_the_header_does_not_mix_with_output():
    done = program("import quadrants as qd; print(qd.__version_str__)")
    assert done.stdout == qd.__version_str__ + "\n" and done.stderr.startswith("[Quadrants] version ")
    done = program("import sys; sys.ps1 = '> '; import quadrants")
    assert done.stdout.startswith("[Quadrants] version ") and done.stderr == ""
    done = subprocess.run([sys.executable, "-m", "quadrants", "--version"], capture_output=True, text=True, env={**os.environ, "ENABLE_QUADRANTS_HEADER_PRINT": "1"})
    assert done.stdout.count("\n") == 1 and done.stderr == ""


def test_messages_reach_logging(capsys, caplog):
    with caplog.at_level(logging.DEBUG, "quadrants"):
        _logging.warn("one")
        _logging.debug("below the level of Quadrants")
    assert [(r.levelname, r.getMessage()) for r in caplog.records] == [("WARNING", "one")]
    assert capsys.readouterr().err == "[Quadrants] [warn] one\n"
    handler = logging.StreamHandler(sys.stderr)
    logging.getLogger("quadrants").addHandler(handler)
    try:
        _logging.warn("two")  # the handler shows it, so it is not printed again
    finally:
        logging.getLogger("quadrants").removeHandler(handler)
    assert capsys.readouterr().err == "two\n"


@pytest.mark.parametrize("kind", [UserWarning, DeprecationWarning])
def test_deprecated_spellings(kind):
    with pytest.warns(kind, match="`pure` is deprecated"):
        qd.kernel(pure=True)


def test_is_initialized():
    assert qd.is_initialized()
    qd.reset()
    assert not qd.is_initialized()
    qd.init(arch=qd.python)
    assert qd.is_initialized()
    qd.reset()
