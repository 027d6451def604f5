"""Dataclasses whose annotations are text, as `from __future__ import annotations` leaves them."""

from __future__ import annotations

import dataclasses

import pytest
import quadrants as qd

Ints = qd.types.NDArray[qd.i32, 1]


@dataclasses.dataclass
class Inner:
    x: Ints
    n: qd.i32


@dataclasses.dataclass
class Outer:
    inner: Inner
    t: qd.Tensor | None


@qd.kernel
def fill(o: Outer) -> qd.i32:
    for i in o.inner.x:
        o.inner.x[i] = o.inner.n
    r = 0
    if qd.static(o.t is None):
        r = 1
    return r


def test_annotations_are_evaluated():
    x = qd.ndarray(qd.i32, 2)
    assert fill(Outer(Inner(x, 4), None)) == 1 and fill(Outer(Inner(x, 5), x)) == 0
    assert x.to_numpy().tolist() == [5, 5]


def test_unknown_names():
    @dataclasses.dataclass
    class Local:
        x: nothing  # noqa: F821

    @qd.kernel
    def k(a: Local) -> qd.i32:
        return a.x

    with pytest.raises(qd.QuadrantsSyntaxError, match="Invalid type annotation 'nothing' of .*Local.x"):
        k(Local(1))
