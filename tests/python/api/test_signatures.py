"""Names and defaults of the parameters of public functions and methods: signatures.txt has one on each line. Functions that kernels may
call have the same parameters there."""

import inspect
import pathlib

import numpy as np
import pytest
import quadrants as qd
from quadrants._test_tools.load_kernel_string import load_kernel_from_string

LINES = (pathlib.Path(__file__).parent / "signatures.txt").read_text().split("\n")[:-1]
SIGNATURES = dict(line.split("(", 1) for line in LINES)


def shown(function):
    out, star = [], False
    for p in inspect.signature(function).parameters.values():
        if p.kind == p.KEYWORD_ONLY and not star:
            out.append("*")
        star = star or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        name = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "") + p.name
        out.append(name if p.default is p.empty else f"{name}={p.default!r}")
    return ", ".join(out) + ")"


def test_signatures():
    wrong = []
    for name, expected in SIGNATURES.items():
        owner, _, last = name.rpartition(".")
        target = qd
        for part in filter(None, owner.split(".")):
            target = getattr(target, part)
        found = inspect.getattr_static(target, last) if inspect.isclass(target) else getattr(target, last)
        text = shown(getattr(found, "__func__", found))
        if text != expected:
            wrong.append(f"{name}({text}, not ({expected}")
    assert not wrong, "\n".join(wrong)


BY_NAME = [
    "qd.sin(x=a)", "qd.cos(x=a)", "qd.tan(x=a)", "qd.asin(x=a)", "qd.acos(x=a)", "qd.tanh(x=a)", "qd.atan2(x1=a, x2=b)",
    "qd.exp(x=a)", "qd.log(x=a)", "qd.sqrt(x=a)", "qd.rsqrt(x=a)", "qd.abs(x=a)", "qd.pow(base=a, exponent=b)",
    "qd.raw_div(x1=7, x2=b)", "qd.raw_mod(x1=-7, x2=2)", "qd.bit_shr(x1=8, x2=1)", "qd.select(cond=1, x1=a, x2=b)",
    "qd.floor(x=a)", "qd.ceil(x=a, dtype=qd.i32)", "qd.round(a, dtype=qd.i32)", "qd.cast(obj=a, dtype=qd.i32)",
    "qd.bit_cast(obj=a, dtype=qd.i32)", "qd.zero(x=a)", "qd.one(x=a)", "qd.frexp(x=a)[0]", "qd.math.clamp(x=a, xmin=0.6, xmax=1.0)",
    "qd.math.mix(x=a, y=b, a=0.5)", "qd.math.mod(x=a, y=b)", "qd.math.smoothstep(edge0=0.0, edge1=1.0, x=a)",
    "qd.math.step(edge=0.0, x=a)", "qd.math.fract(x=a)", "qd.math.sign(x=a)", "qd.math.degrees(x=a)", "qd.math.radians(x=a)",
    "qd.math.isnan(x=a)", "qd.math.isinf(x=a)", "qd.math.log2(x=a)", "qd.math.popcnt(x=3)", "qd.math.clz(x=3)",
    "qd.math.ffs(x=4)", "qd.math.dot(x=v, y=w)", "qd.math.length(x=v)", "qd.math.distance(x=v, y=w)",
    "qd.math.normalize(v=v)[0]", "qd.math.cross(x=v, y=w)[0]", "qd.math.reflect(x=v, n=w)[0]", "qd.math.determinant(m=M)",
    "qd.math.inverse(mat=M)[0, 0]", "v.norm(eps=0.5)", "v.norm_inv(eps=0.5)", "v.normalized(eps=0.5)[0]", "v.dot(other=w)",
    "v.cross(other=w)[0]", "v.outer_product(other=w)[0, 1]", "v.cast(dtype=qd.i32)[1]", "M.frobenius_inner(other=M)",
    "qd.atomic_add(x=F[0], y=1.0)", "qd.atomic_sub(F[0], y=1.0)", "qd.atomic_mul(x=F[0], y=2.0)",
    "qd.atomic_min(x=F[0], y=2.0)", "qd.atomic_max(x=F[0], y=2.0)", "qd.atomic_exchange(x=I[0], y=3)",
    "qd.atomic_cas(x=I[0], expected=3, desired=1)", "qd.atomic_and(x=I[0], y=3)", "qd.atomic_or(x=I[0], y=3)",
    "qd.atomic_xor(x=I[0], y=3)", "qd.volatile_load(target=I[0])",
]  # fmt: skip


def by_position(call):
    """The same call with its arguments by position."""
    name, inside = call.split("(", 1)
    inside, after = inside.rsplit(")", 1)
    return f"{name}({', '.join(p.partition('=')[2] if '=' in p else p for p in inside.split(', '))}){after}"


HEAD = """
import quadrants as qd
F = qd.field(qd.f32, shape=2)
I = qd.field(qd.i32, shape=2)
@qd.kernel
def k(out: qd.types.ndarray(dtype=qd.f64, ndim=2)):
    a, b = 0.5, 0.25
    v, w = qd.Vector([1.0, 2.0, 3.0]), qd.Vector([0.5, 0.25, 1.0])
    M = qd.Matrix([[2.0, 0.5], [0.5, 3.0]])
"""


def results(calls):
    lines = [f"    F[0], I[0] = 1.5, 3\n    out[{n}, 0] = {c}\n    out[{n}, 1] = F[0] + I[0]\n" for n, c in enumerate(calls)]
    out = np.zeros((len(calls), 2))
    with load_kernel_from_string(HEAD + "".join(lines), "k") as k:
        k(out)
    return out


@pytest.mark.parametrize("python", [False, True])
def test_keywords_in_kernels(arch, python):
    if python:
        qd.init(arch=qd.python)
    named, placed = results(BY_NAME), results([by_position(call) for call in BY_NAME])
    for call, one, other in zip(BY_NAME, named, placed):
        np.testing.assert_equal(one, other, call)


def test_fill_by_keyword():
    @qd.kernel
    def f() -> qd.f32:
        M = qd.Matrix([[2.0, 0.5], [0.5, 3.0]])
        M.fill(val=1.5)
        return M.sum()

    assert f() == 6


def test_unknown_keywords_of_methods():
    @qd.kernel
    def f() -> qd.f32:
        v = qd.Vector([2.0, 0.5])
        return v.dot(w=v)

    with pytest.raises(qd.QuadrantsTypeError, match="unexpected keyword argument 'w'"):
        f()


# One call of each function, to which a keyword that it does not have is added.
OTHERS = [
    "qd.max(a, b)", "qd.min(a, b)", "max(a, b)", "abs(a)", "int(a)", "float(a)", "bool(a)", "pow(a, b)", "len(v)", "any(v)",
    "all(v)", "sum(v)", "isinstance(v, qd.Vector)", "print(a)", "qd.random()", "qd.randn()", "qd.static(a)", "qd.static(1, 2)",
    "qd.Vector([a, b])", "qd.Matrix([[a, b]])", "qd.Vector.zero(qd.f32, 2)", "qd.Matrix.one(qd.f32, 2, 2)",
    "qd.Matrix.identity(qd.f32, 2)", "qd.Vector.unit(2, 0)", "qd.Matrix.rows([v, w])", "qd.Matrix.cols([v, w])",
    "qd.Matrix.diag(2, a)", "qd.svd(M)", "qd.sym_eig(M)", "qd.eig(M)", "qd.polar_decompose(M)", "qd.make_spd(M)",
    "qd.solve(M, qd.Vector([a, b]))", "qd.static_assert(True)", "qd.static_print(1)", "qd.loop_config()", "qd.block_local(F)",
    "qd.assume_in_range(1, 1, 0, 2)", "qd.rescale_index(F, F, [0])", "qd.get_addr(F, [0])",
    "qd.global_thread_idx()", "qd.clock_counter()", "qd.grouped(F)", "qd.ndrange(2)", "range(2)", "qd.math.clamp(a, 0.0, 1.0)",
]  # fmt: skip


@pytest.mark.parametrize("call", OTHERS + BY_NAME)
def test_unknown_keywords_are_type_errors(call):
    inside, after = call.rsplit(")", 1)
    call = inside + ("" if inside.endswith("(") else ", ") + "no_such=1)" + after
    statement = f"    for i in {call}:\n        pass\n" if call.startswith(("range", "qd.ndrange", "qd.grouped")) else f"    x = {call}\n"
    with load_kernel_from_string(HEAD + statement, "k") as k:
        with pytest.raises(TypeError, match="no_such|takes no keyword arguments|static_assert"):
            k(np.zeros((1, 2)))


@pytest.mark.parametrize("name", ["sin", "cos", "tan", "asin", "acos", "tanh", "sqrt", "rsqrt", "exp", "log", "abs"])
@pytest.mark.parametrize("python", [False, True])
def test_only_rounding_takes_a_dtype(name, python):
    if python:
        qd.init(arch=qd.python, print_full_traceback=True)
    with load_kernel_from_string(HEAD + f"    out[0, 0] = qd.{name}(a, dtype=qd.i32)\n", "k") as k:
        with pytest.raises(qd.QuadrantsTypeError, match=rf"{name}\(\) got an unexpected keyword argument 'dtype'"):
            k(np.zeros((1, 2)))
    with pytest.raises(TypeError, match="unexpected keyword"):
        getattr(qd, name)(0.5, dtype=qd.i32)


@pytest.mark.parametrize("python", [False, True])
def test_keyword_of_an_atomic_changes_a_variable(python):
    if python:
        qd.init(arch=qd.python)

    @qd.kernel
    def f() -> qd.i32:
        n = 3
        old = qd.atomic_add(y=4, x=n)
        return 10 * n + old

    assert f() == 73


def test_static_assert_by_keyword():
    @qd.kernel
    def f(n: qd.template()) -> qd.i32:
        qd.static_assert(cond=n == 1, msg="only one")
        return n

    assert f(1) == 1
    with pytest.raises(AssertionError, match="only one"):
        f(2)


def test_arrays_by_their_classes():
    for made, shape in [
        (qd.ScalarNdarray(qd.f32, (3,)), (3,)),
        (qd.VectorNdarray(2, qd.f32, (3,)), (3, 2)),
        (qd.MatrixNdarray(2, 4, dtype=qd.f32, shape=(3,)), (3, 2, 4)),
    ]:
        made.fill(val=2.0)
        assert made.to_numpy().shape == shape and (made.to_numpy() == 2).all()


def test_fields_by_position():
    for made in (
        qd.field(qd.f32, (2, 3), "ji"),
        qd.Vector.field(2, qd.f32, (2, 3), "ji"),
        qd.Matrix.field(2, 2, qd.f32, (2, 3), "ji"),
    ):
        made.fill(1.0)
        assert made.shape == (2, 3) and made._qd_layout == (1, 0)
