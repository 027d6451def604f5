"""Verdicts are reliable: none of more than a hundred programs with a mistake passes, and none of as many right programs is called wrong."""

import warnings

import numpy as np
import pytest
import quadrants as qd
from gradient_programs import RIGHT, WRONG, Maker


@pytest.fixture(autouse=True)
def arch():
    yield "cpu"
    qd.reset()


PROGRAMS = [pytest.param(*one[1:], id=one[0]) for one in WRONG + RIGHT]


def verdict(make, chosen, **options):
    chosen = dict(chosen)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some programs lose precision or old values on purpose
        m = Maker(chosen.pop("dtype"))
        qd.init(arch=qd.cpu, offline_cache=False, default_fp=m.dtype, ad_stack_experimental_enabled=True)
        return qd.ad.check(make(m, **chosen), **options)


@pytest.mark.parametrize("make, chosen, allowed", PROGRAMS)
def test_verdict(make, chosen, allowed):
    found = verdict(make, chosen)
    assert found.verdict in allowed, found
    assert found.reason or found.verdict == "agrees"


FAMILIES = ("between_without_a_gradient", "gradient_of_ones_own", "function", "accumulator_not_cleared", "scales")
OF_TAPES = [(make, chosen, allowed) for _, make, chosen, allowed in WRONG + RIGHT if make.__name__ in FAMILIES and chosen["dtype"] == "f64"]


@pytest.mark.parametrize("make, chosen, allowed", [one for one in OF_TAPES if one[1].get("mistake") not in ("kept", "little")])
def test_grad_check_of_a_tape(make, chosen, allowed, capsys):
    """The check of a tape covers only the gradients of the loss, to 1 %."""
    chosen = dict(chosen)
    m = Maker(chosen.pop("dtype"))
    qd.init(arch=qd.cpu, offline_cache=False, default_fp=qd.f64)
    program = make(m, **chosen)
    *inputs, loss = m.fields
    try:
        with qd.ad.Tape(loss, grad_check=inputs):
            program()
        assert allowed == {"agrees"}
    except AssertionError as error:
        assert "Not all variables pass grad check" in str(error) and allowed == {"wrong"}
    assert "cannot be checked" not in capsys.readouterr().out


def test_there_are_enough_programs():
    assert len(WRONG) > 100 and len(RIGHT) > 100


class TestWithoutInputs:
    """Results that do not depend on anything with a gradient. Zeros agree only if they were compared with something."""

    def fields(self, needs_grad, start=1.5, dtype=qd.f64):
        qd.init(arch=qd.cpu, offline_cache=False)
        x = qd.field(dtype, shape=3, needs_grad=needs_grad, name="x")
        x.fill(start)
        return x, *(qd.field(dtype, shape=n, needs_grad=True, name=name) for name, n in (("p", 3), ("y", 3), ("loss", ())))

    @pytest.mark.parametrize("dtype", [qd.f32, qd.f64])
    @pytest.mark.parametrize("start", [0.0, 1.5])
    @pytest.mark.parametrize("way", ["at once", "through a field", "written back"])
    def test_inputs_without_a_gradient_are_named(self, way, start, dtype):
        x, p, y, loss = self.fields(False, start, dtype)

        @qd.kernel
        def at_once():
            for i in x:
                loss[None] += x[i] ** 2 + x[i]

        @qd.kernel
        def first():
            for i in x:
                y[i] = x[i] ** 2 + x[i]

        @qd.kernel
        def second():
            for i in y:
                loss[None] += y[i]

        @qd.kernel
        def written_back():
            for i in x:
                y[i] = x[i] + 1
            for i in y:
                y[i] = y[i] * y[i]

        def through():
            first()
            second()

        found = qd.ad.check({"at once": at_once, "through a field": through, "written back": written_back}[way])
        assert (found.verdict, found.reason) == ("cannot say", "no input has a gradient: give `x` needs_grad=True")

    def test_arrays_of_each_kind(self):
        x, p, y, loss = self.fields(False)
        a, b = qd.ndarray(qd.f64, 3), np.ones(3)
        v = qd.Vector.field(2, qd.f64, shape=3, name="v")
        a.fill(1)

        @qd.kernel
        def add(a: qd.types.ndarray(), b: qd.types.ndarray()):
            for i in v:
                loss[None] += a[i] * b[i] + v[i].y

        found = qd.ad.check(add, a, b)
        assert found.verdict == "cannot say" and b.tolist() == [1, 1, 1]
        assert found.reason == ("no input has a gradient: give `v`, `a` needs_grad=True, and instead of the NumPy array `b` "
                                "pass a qd.ndarray with needs_grad=True")  # fmt: skip

    def test_no_inputs_at_all(self):
        x, p, y, loss = self.fields(False)

        @qd.kernel
        def count():
            for i in range(3):
                loss[None] += i

        found = qd.ad.check(count)
        assert (found.verdict, found.reason) == ("cannot say", "no input has a gradient: `loss` depends on no field or array")

    @pytest.mark.parametrize("needs_grad", [True, False])
    def test_zeros_that_are_right_agree(self, needs_grad):
        x, p, y, loss = self.fields(needs_grad)

        @qd.kernel
        def times_zero():
            for i in p:
                loss[None] += p[i] * 0.0 + (x[i] * 0.0 + 1.0 if qd.static(needs_grad) else x[i])

        found = qd.ad.check(times_zero)
        named = "`x`, `p`" if needs_grad else "`p`"
        assert (found.verdict, found.reason) == ("agrees", f"backward, like finite differences, gives 0 for `loss` by {named}")

    def test_accumulated_fields_are_not_inputs(self):
        x, p, y, loss = self.fields(True, start=0.0)

        @qd.kernel
        def squares():
            for i in x:
                loss[None] += x[i] ** 2

        found = qd.ad.check(squares)
        assert found.verdict == "agrees" and "by `loss`" not in str(found), found
