"""Programs with a mistake in their gradients, and programs without one, for test_gradient_verdicts.py. Each family has parameters and makes
a program from a `Maker`. A family states the verdicts that its programs may have; uncertain ones may be "cannot say"."""

import itertools

import numpy as np
import quadrants as qd

WRONG, RIGHT = [], []  # (name, family, parameters, verdicts)


def _listed(where, verdict):
    def family(unsure=False, **parameters):
        def decorate(make):
            for values in itertools.product(*parameters.values()):
                chosen = dict(zip(parameters, values))
                sure = not (unsure(**chosen) if callable(unsure) else unsure)
                name = "-".join([make.__name__, *map(str, values)])
                where.append((name, make, chosen, {verdict} if sure else {verdict, "cannot say"}))
            return make

        return decorate

    return family


wrong, right = _listed(WRONG, "wrong"), _listed(RIGHT, "agrees")
BOTH = ("f32", "f64")


class Maker:
    """Fields of one type, with values."""

    def __init__(self, dtype):
        self.dtype = getattr(qd, dtype)
        self.numpy = np.float32 if dtype == "f32" else np.float64
        self.rng = np.random.default_rng(5)
        self.fields = []  # the fields with a gradient; in most programs the last one is the loss

    def real(self, values=0.0, needs_grad=True, **options):
        values = np.asarray(values, self.numpy)
        made = qd.field(self.dtype, shape=values.shape, needs_grad=needs_grad, **options)
        made.from_numpy(values)
        self.fields += [made] * needs_grad
        return made

    def array(self, values, needs_grad=True):
        made = qd.ndarray(self.dtype, np.shape(values), needs_grad=needs_grad)
        made.from_numpy(np.asarray(values, self.numpy))
        return made

    def spread(self, n, scale=1.0):
        return self.rng.uniform(0.5, 2.0, n) * scale


# --- with a mistake ----------------------------------------------------------------------------------------------------------------------------


# No verdict is possible if everything added is lost to rounding.
@wrong(dtype=BOTH, p=(1.0, 0.01, 30.0), stands=(0.0, 100.0, 1e6), form=("square", "sin"),
       unsure=lambda dtype, p, stands, form: dtype == "f32" and stands == 1e6 and p < 1)  # fmt: skip
def between_without_a_gradient(m, p, stands, form):
    x, tmp, loss = m.real([p, p, p]), m.real(np.zeros(3), needs_grad=False), m.real(stands)

    @qd.kernel
    def via():
        for i in x:
            tmp[i] = x[i] ** 2 if qd.static(form == "square") else qd.sin(x[i])
        for i in x:
            loss[None] += tmp[i]

    return via


@wrong(dtype=BOTH, stands=(0.0, 100.0), kind=("numpy", "ndarray"))
def through_an_array_without_a_gradient(m, stands, kind):
    x, loss = m.real([1.0, 2.0, 3.0]), m.real(stands)
    between = np.zeros(3, m.numpy) if kind == "numpy" else m.array(np.zeros(3), needs_grad=False)

    @qd.kernel
    def via(b: qd.types.ndarray()):
        for i in x:
            b[i] = x[i] * x[i]
        for i in x:
            loss[None] += b[i] + x[i]

    return lambda: via(between)


@wrong(dtype=BOTH, scale=(1e-12, 1e-6, 1e6, 1e12), stands=(0.0, 100.0),
       unsure=lambda dtype, scale, stands: dtype == "f32" and stands == 100 and scale < 1e-5)  # fmt: skip
def one_parameter_of_two_ends(m, scale, stands):
    """The correct part of the gradient is much larger, or much smaller, than the missing part."""
    p, q, tmp, loss = m.real(m.spread(4)), m.real(m.spread(4, 0.5)), m.real(0.0, needs_grad=False), m.real(stands)

    @qd.kernel
    def both():
        for i in p:
            loss[None] += p[i] * p[i] * scale
            tmp[None] += q[i] * q[i]
        for i in p:
            loss[None] += tmp[None] * scale

    return both


@wrong(dtype=BOTH, scale=(1e-12, 1e-4, 1e4, 1e12))
def results_of_other_sizes(m, scale):
    """The smaller of two results is not differentiated."""
    p, tmp, small, large = m.real(m.spread(4)), m.real(np.zeros(4), needs_grad=False), m.real(np.zeros(4)), m.real(0.0)

    @qd.kernel
    def both():
        for i in p:
            tmp[i] = p[i] * p[i]
        for i in p:
            large[None] += p[i] * 1e3
            small[i] = tmp[i] * scale

    return both


@wrong(dtype=BOTH, form=("square", "scaled", "later", "swap", "twice"))
def overwritten(m, form):
    x, y, loss = m.real(m.spread(5)), m.real(m.spread(5)), m.real(0.0)

    @qd.kernel
    def square():
        for i in x:
            x[i] = x[i] ** 2

    @qd.kernel
    def scaled():
        for i in x:
            x[i] *= y[i]

    @qd.kernel
    def add_up():
        for i in x:
            loss[None] += x[i] ** 2

    @qd.kernel
    def reset():
        for i in x:
            x[i] = 3.0

    @qd.kernel
    def swap():
        for i in x:
            t = x[i]
            x[i] = y[i] * t
            y[i] = t * t

    def later():
        add_up()
        reset()

    def twice():
        add_up()
        scaled()
        add_up()

    return {"square": square, "scaled": scaled, "later": later, "swap": swap, "twice": twice}[form]


@wrong(dtype=BOTH, form=("python", "floor", "cast"), stands=(0.0, 100.0), unsure=lambda dtype, form, stands: form == "floor")
def cut(m, form, stands):
    """A step in between passes no gradient back."""
    x, y, z, loss = m.real(m.spread(3)), m.real(0.0), m.real(0.0), m.real(stands)

    @qd.kernel
    def first():
        for i in x:
            y[None] += x[i] ** 2

    @qd.kernel
    def second():
        for i in x:
            loss[None] += z[None] + x[i]

    @qd.kernel
    def floors():
        for i in x:
            loss[None] += qd.floor(x[i] * 1e9) * 1e-9 + x[i]

    @qd.kernel
    def casts():
        for i in x:
            loss[None] += qd.cast(qd.cast(x[i] * 1e15, qd.i64), m.dtype) * 1e-15 + x[i]

    def python():
        first()
        z[None] = 2 * y[None]
        second()

    return {"python": python, "floor": floors, "cast": casts}[form]


@wrong(dtype=BOTH, unsure=True, form=("from_numpy", "no_grad", "stop_grad", "stop_grad_once", "tape", "while"))
def cut_on_purpose_or_unseen(m, form):
    x, y, loss = m.real(m.spread(3)), m.real(np.zeros(3)), m.real(0.0)

    @qd.kernel
    def first():
        for i in x:
            y[i] = x[i] ** 2

    @qd.kernel
    def second():
        for i in x:
            loss[None] += y[i] * x[i]

    @qd.kernel
    def stopped():
        for i in x:
            qd.stop_grad(x)
            loss[None] += x[i] ** 3

    @qd.kernel
    def stopped_once():
        for i in x:
            loss[None] += x[i]
        for i in x:
            qd.stop_grad(x)
            loss[None] += x[i] ** 3

    @qd.kernel
    def halves():
        for i in x:
            v = x[i]
            while v > 0.1:
                v *= 0.5
            loss[None] += v

    quiet = qd.ad.no_grad(lambda: first())

    def copied():
        first()
        y.from_numpy(y.to_numpy() * 2)
        second()

    def unfollowed():
        quiet()
        second()

    def taped():
        first()
        with qd.ad.Tape(loss):
            second()

    return {"from_numpy": copied, "no_grad": unfollowed, "stop_grad": stopped, "stop_grad_once": stopped_once, "tape": taped, "while": halves}[form]


@wrong(dtype=BOTH, form=("multiplied", "largest", "least", "old_value", "old_of_add"))
def atomics(m, form):
    x, product, loss = m.real(m.spread(4)), m.real(1.5), m.real(0.25)

    @qd.kernel
    def multiplied():
        for i in x:
            qd.atomic_mul(product[None], x[i])

    @qd.kernel
    def largest():
        for i in x:
            qd.atomic_max(loss[None], x[i] * x[i])

    @qd.kernel
    def least():
        for i in x:
            qd.atomic_min(product[None], x[i] * 0.5)

    @qd.kernel
    def old_value():
        for i in range(1):
            old = qd.atomic_add(product[None], x[0])
            loss[None] += old * 3

    @qd.kernel
    def old_of_add():
        for i in range(1):
            loss[None] += qd.atomic_sub(product[None], x[1] * 2)

    return {"multiplied": multiplied, "largest": largest, "least": least, "old_value": old_value, "old_of_add": old_of_add}[form]


MISTAKES = ("factor", "little", "sign", "short", "offset", "square", "kept", "missing", "twice", "element", "transposed", "nothing")


def replaced(m, mistake, n=6):
    x, c, y, loss = m.real(m.spread(n)), m.real(1.25), m.real(np.zeros(n)), m.real(0.0)

    @qd.kernel
    def cube():
        for i in x:
            y[i] = c[None] * x[i] ** 3

    factor = {"factor": 2.0, "little": 3.03, "sign": -3.0, "nothing": 0.0}.get(mistake, 3.0)
    last = n - 1 if mistake == "short" else n

    @qd.kernel
    def back():
        for i in range(last):
            part = 2.0 if qd.static(mistake == "element") and i == n // 3 else 1.0
            at = n - 1 - i if qd.static(mistake == "transposed") else max(i - 1, 0) if qd.static(mistake == "offset") else i
            power = x[at] if qd.static(mistake == "square") else x[at] ** 2
            x.grad[i] += part * factor * c[None] * power * y.grad[i]
            if qd.static(mistake == "twice"):
                x.grad[i] += factor * c[None] * power * y.grad[i]
            if qd.static(mistake != "missing"):
                c.grad[None] += x[i] ** 3 * y.grad[i]
        for i in y:
            if qd.static(mistake != "kept"):
                y.grad[i] = 0

    @qd.kernel
    def add_up():
        for i in y:
            loss[None] += y[i]

    @qd.ad.grad_replaced
    def forward():
        cube()

    @qd.ad.grad_for(forward)
    def backward():
        back()

    def program():
        forward()
        add_up()

    return program


@wrong(dtype=BOTH, mistake=MISTAKES)
def gradient_of_ones_own(m, mistake):
    return replaced(m, mistake)


@wrong(dtype=BOTH, n=(1000, 20_000))
def one_wrong_element_of_many(m, n):
    return replaced(m, "element", n)


@wrong(dtype=BOTH, stands=(0.0, 100.0), n=(100, 20_000))
def one_element_of_many_ends(m, stands, n):
    x, tmp, loss = m.real(m.spread(n)), m.real(0.0, needs_grad=False), m.real(stands)

    @qd.kernel
    def boundary():
        for i in x:
            if i == 17:
                tmp[None] = x[i] * x[i]
            else:
                loss[None] += x[i] * x[i]
        for i in range(1):
            loss[None] += tmp[None]

    return boundary


# --- without -----------------------------------------------------------------------------------------------------------------------------------

FUNCTIONS = ("sin", "exp", "log", "sqrt", "tanh", "atan2", "power", "rsqrt", "inverse", "abs", "largest", "remainder", "acos")


@right(dtype=BOTH, name=FUNCTIONS)
def function(m, name):
    x, y, loss = m.real(m.spread(7)), m.real(np.zeros(7)), m.real(0.0)
    of_ops = getattr(qd, name, None)

    @qd.func
    def f(v):
        r = 1.0 / v
        if qd.static(name in ("sin", "exp", "log", "sqrt", "tanh", "rsqrt")):
            r = of_ops(v)
        if qd.static(name == "atan2"):
            r = qd.atan2(v, 1.5)
        if qd.static(name == "power"):
            r = v**3.5
        if qd.static(name == "abs"):
            r = abs(v - 10.0)
        if qd.static(name == "largest"):
            r = qd.max(v, 0.1)
        if qd.static(name == "remainder"):
            r = v % 7.0
        if qd.static(name == "acos"):
            r = qd.acos(v * 0.4)
        return r

    @qd.kernel
    def apply():
        for i in x:
            y[i] = f(x[i]) * x[i] ** 2
        for i in x:
            loss[None] += y[i]

    return apply


@right(dtype=BOTH, stands=(100.0, -1e6, 1e6, 1e9), form=("sum", "mixed"))
def accumulator_not_cleared(m, stands, form):
    x, y, loss = m.real(m.spread(5)), m.real(np.zeros(5)), m.real(stands)

    @qd.kernel
    def add_up():
        for i in x:
            y[i] = x[i] * 0.5
        for i in x:
            loss[None] += y[i] ** 2 if qd.static(form == "sum") else y[i] * qd.sin(x[i]) - 0.3 * x[i]

    return add_up


@right(dtype=BOTH, scale=(1e-12, 1e-7, 1e7, 1e12), stands=(0.0, 1.0),
       unsure=lambda dtype, scale, stands: dtype == "f32" and stands and scale < 1e-6)  # fmt: skip
def scales(m, scale, stands):
    x, w, loss = m.real(m.spread(5, scale)), m.real(m.spread(5)), m.real(stands)

    @qd.kernel
    def weigh():
        for i in x:
            loss[None] += qd.sin(x[i] / scale) * w[i] * scale

    return weigh


@right(dtype=BOTH, unsure=True, form=("abs", "ramp", "ramp_from_zero", "apart", "clip", "branch", "norm", "root"))
def at_a_kink(m, form):
    x, loss = m.real(np.zeros(3)), m.real(0.0)

    @qd.kernel
    def kink():
        for i in x:
            if qd.static(form == "abs"):
                loss[None] += abs(x[i])
            if qd.static(form == "ramp"):
                loss[None] += qd.max(x[i], 0.0)
            if qd.static(form == "ramp_from_zero"):
                loss[None] += qd.max(0.0, x[i])
            if qd.static(form == "apart"):
                loss[None] += qd.max(x[i], 0.0) * (1 - 2 * (i % 2)) - qd.max(0.0, x[i]) * (i % 2)
            if qd.static(form == "clip"):
                loss[None] += qd.min(qd.max(x[i] + 1, 0.0), 1.0)
            if qd.static(form == "branch"):
                loss[None] += x[i] if x[i] > 0 else 3 * x[i]
            if qd.static(form == "norm"):
                loss[None] += qd.sqrt(x[i] * x[i])
            if qd.static(form == "root"):
                loss[None] += qd.sqrt(qd.max(x[i], 0.0))

    return kink


@right(dtype=BOTH, unsure=lambda dtype, rounds: rounds > (12 if dtype == "f64" else 4), rounds=(4, 12, 60))
def chaotic(m, rounds):
    x, loss = m.real([0.3, 0.41, 0.77]), m.real(0.0)

    @qd.kernel
    def logistic():
        for i in x:
            v = x[i]
            for _ in range(rounds):
                v = 3.9 * v * (1 - v)
            loss[None] += v

    return logistic


@right(dtype=BOTH, n=(1000, 50_000))
def large(m, n):
    x, y, loss = m.real(m.spread(n)), m.real(np.zeros(n)), m.real(0.0)

    @qd.kernel
    def stencil():
        for i in x:
            y[i] = qd.sin(x[i]) * x[(i + 1) % n]
        for i in x:
            loss[None] += y[i] * y[i]

    return stencil


@right(dtype=BOTH, unsure=lambda dtype, form: form != "alternating", form=("alternating", "huge", "almost", "ripple"))
def cancelling(m, form):
    x, loss = m.real(m.spread(6)), m.real(0.0)
    much = 1e4 if m.dtype == qd.f32 else 1e8

    @qd.kernel
    def cancels():
        for i in x:
            if qd.static(form == "alternating"):
                loss[None] += x[i] ** 2 * (1.0 - 2.0 * (i % 2))
            if qd.static(form == "huge"):
                loss[None] += much * x[i] - much * x[i] + x[i]
            if qd.static(form == "almost"):
                loss[None] += (x[i] + 1e5) ** 2 - 1e10 - 2e5 * x[i]
            if qd.static(form == "ripple"):
                loss[None] += x[i] + 1e-6 * qd.sin(1e7 * x[i])

    return cancels


@right(dtype=BOTH, stands=(0.0, 100.0), form=("unused", "times_zero", "difference", "whole"))
def zero(m, stands, form):
    x, p, loss = m.real(m.spread(4)), m.real(m.spread(4)), m.real(stands)
    n = qd.field(qd.i32, shape=())
    n[None] = 3

    @qd.kernel
    def depends():
        for i in x:
            if qd.static(form == "unused"):
                loss[None] += p[i] * p[i]
            if qd.static(form == "times_zero"):
                loss[None] += x[i] * 0.0 + p[i]
            if qd.static(form == "difference"):
                loss[None] += (x[i] - x[i]) + p[i] * 2
            if qd.static(form == "whole"):
                loss[None] += p[i] * qd.cast(n[None] + i, m.dtype)

    return depends


@right(dtype=BOTH, form=("collide", "subtract", "gather", "scatter"))
def atomic_sums(m, form):
    x, y, loss = m.real(m.spread(8)), m.real(np.zeros(4)), m.real(0.0)
    to = qd.field(qd.i32, shape=8)
    to.from_numpy(np.arange(8, dtype=np.int32) * 3 % 4)

    @qd.kernel
    def add():
        for i in x:
            if qd.static(form == "collide"):
                y[i % 4] += x[i] ** 2
            if qd.static(form == "subtract"):
                qd.atomic_sub(y[i // 2], x[i] * x[(i + 1) % 8])
            if qd.static(form == "gather"):
                y[0] += x[to[i]] * x[i]
            if qd.static(form == "scatter"):
                y[to[i]] += qd.sin(x[i])
        for i in y:
            loss[None] += y[i] * y[i] if qd.static(form == "collide") else y[i]

    return add


@right(dtype=BOTH, form=("vectors", "matrices", "structs", "arrays", "argument"))
def kinds_of_storage(m, form):
    loss = m.real(0.0)
    v, w = (qd.Vector.field(3, m.dtype, shape=4, needs_grad=True) for _ in range(2))
    a = qd.Matrix.field(2, 2, m.dtype, shape=3, needs_grad=True)
    balls = qd.types.struct(at=qd.types.vector(2, m.dtype), mass=m.dtype).field(shape=3, needs_grad=True)
    for some in (v, w, a):
        some.from_numpy(m.spread(some.to_numpy().shape).astype(m.numpy))
    balls.at.from_numpy(m.spread((3, 2)).astype(m.numpy))
    balls.mass.from_numpy(m.spread(3).astype(m.numpy))
    array = m.array(m.spread(5))

    @qd.kernel
    def vectors():
        for i in v:
            loss[None] += v[i].norm() * w[i].dot(v[i])

    @qd.kernel
    def matrices():
        for i in a:
            loss[None] += a[i].determinant() + (a[i] @ a[i].transpose()).trace()

    @qd.kernel
    def structs():
        for i in balls:
            loss[None] += balls[i].mass * balls[i].at.dot(balls[i].at)

    @qd.kernel
    def arrays(x: qd.types.ndarray()):
        for i in x:
            loss[None] += x[i] ** 3

    @qd.kernel
    def argument(x: qd.types.ndarray(), n: qd.i32):
        for i in range(n):
            loss[None] += x[i] * v[0][1]

    return {"vectors": vectors, "matrices": matrices, "structs": structs, "arrays": lambda: arrays(array), "argument": lambda: argument(array, 4)}[form]


@right(dtype=BOTH, form=("chain", "copied", "time", "branches", "replaced"))
def several_kernels(m, form):
    x, y, z, loss = m.real(m.spread(4)), m.real(np.zeros(4)), m.real(np.zeros(4)), m.real(3.0)
    t = m.real(np.zeros((6, 4)))

    @qd.kernel
    def square():
        for i in x:
            y[i] = x[i] ** 2

    @qd.kernel
    def root():
        for i in x:
            z[i] += qd.sqrt(y[i]) * x[i]

    @qd.kernel
    def add_up():
        for i in x:
            loss[None] += z[i] * y[i]

    @qd.kernel
    def first():
        for i in x:
            t[0, i] = x[i]

    @qd.kernel
    def step(k: qd.i32):
        for i in x:
            t[k + 1, i] = t[k, i] + 0.1 * qd.sin(t[k, (i + 1) % 4])

    @qd.kernel
    def branches():
        for i in x:
            if x[i] > 1.0:
                loss[None] += qd.exp(-x[i])
            elif i > 1:
                loss[None] += x[i] ** 2

    def chain():
        square()
        root()
        add_up()

    def copied():
        square()
        z.copy_from(y)
        y.fill(2)
        add_up()

    def time():
        first()
        for k in range(5):
            step(k)

    return {"chain": chain, "copied": copied, "time": time, "branches": branches, "replaced": replaced(m, "none")}[form]


@right(dtype=BOTH, form=("springs", "wells"))
def at_a_minimum(m, form):
    x, loss = m.real(np.arange(5.0) + 1e-7), m.real(0.0)

    @qd.kernel
    def energy():
        for i in range(4):
            if qd.static(form == "springs"):
                loss[None] += 0.5 * (x[i + 1] - x[i] - 1.0) ** 2
            if qd.static(form == "wells"):
                loss[None] -= qd.cos(6.283185307179586 * x[i])

    return energy


@right(dtype=("f64",))
def narrower_on_the_way(m):
    x, loss = m.real(m.spread(4)), m.real(0.0)
    y = qd.field(qd.f32, shape=4, needs_grad=True)

    @qd.kernel
    def narrow():
        for i in x:
            a = qd.cast(x[i], qd.f32)
            y[i] = a * qd.sin(a)
        for i in x:
            loss[None] += y[i]

    return narrow
