"""Cache entries: a kernel that was compiled once is loaded without parsing it again, but never if anything that it depends on has changed.
The programs run one after another in one process; each executes the module again, as a process would."""

import linecache
import os
import subprocess
import sys
import textwrap
import types

import numpy as np
import pytest
import quadrants as qd
from cached_programs import HEAD
from quadrants import _native


def kernel(body, before="", call="k()", returns="qd.f32"):
    return f"{before}\n@qd.kernel\ndef k() -> {returns}:\n{textwrap.indent(textwrap.dedent(body), '    ')}\ndef go():\n    return {call}\n"


CHANGES = {
    "a global int": (kernel("return N * 2.0", "N = 3"), kernel("return N * 2.0", "N = 4")),
    "int to float": (kernel("return 7 // 2 * N", "N = 1"), kernel("return 7 // 2 * N", "N = 1.5")),
    "True to 1": (kernel("a = B\na = 2\nreturn a * 1.0", "B = True"), kernel("a = B\na = 2\nreturn a * 1.0", "B = 1")),
    "zero to minus zero": (kernel("return qd.atan2(Z, -1.0)", "Z = 0.0"), kernel("return qd.atan2(Z, -1.0)", "Z = -0.0")),
    "the body": (kernel("return 1.0"), kernel("return 2.0")),
    "one more line": (
        kernel("a = 1.0\nfor i in range(3):\n    a += 1.0\nreturn a"),
        kernel("a = 1.0\nfor i in range(3):\n    a += 1.0\n    a += 1.0\nreturn a"),
    ),
    "a default of a func": (
        kernel("return f(1.0)", "@qd.func\ndef f(x, y=2.0):\n    return x + y"),
        kernel("return f(1.0)", "@qd.func\ndef f(x, y=3.0):\n    return x + y"),
    ),
    "the body of a func": (
        kernel("return f(1.0)", "@qd.func\ndef f(x):\n    return x + 1.0"),
        kernel("return f(1.0)", "@qd.func\ndef f(x):\n    return x + 2.0"),
    ),
    "the body of a func called by a func": (
        kernel("return f(1.0)", "@qd.func\ndef g(x):\n    return x + 1.0\n@qd.func\ndef f(x):\n    return g(x)"),
        kernel("return f(1.0)", "@qd.func\ndef g(x):\n    return x + 5.0\n@qd.func\ndef f(x):\n    return g(x)"),
    ),
    "a global of a func": (
        kernel("return f(1.0)", "N = 1\n@qd.func\ndef f(x):\n    return x * N"),
        kernel("return f(1.0)", "N = 2\n@qd.func\ndef f(x):\n    return x * N"),
    ),
    "an annotation of a func": (
        kernel("return f(1.5)", "T = qd.i32\n@qd.func\ndef f(x: T):\n    return x"),
        kernel("return f(1.5)", "T = qd.f32\n@qd.func\ndef f(x: T):\n    return x"),
    ),
    "another func under the name": (
        kernel("return f(1.0)", "@qd.func\ndef a(x):\n    return x + 1.0\n@qd.func\ndef b(x):\n    return x + 2.0\nf = a"),
        kernel("return f(1.0)", "@qd.func\ndef a(x):\n    return x + 1.0\n@qd.func\ndef b(x):\n    return x + 2.0\nf = b"),
    ),
    "a name that shadows a builtin": (
        kernel("return max(1.0, 2.0)", "max = max"),
        kernel("return max(1.0, 2.0)", "@qd.func\ndef max(a, b):\n    return a"),
    ),
    "a builtin under another name": (kernel("return op(2.0, 3.0)", "op = qd.min"), kernel("return op(2.0, 3.0)", "op = qd.max")),
    "a module attribute": (
        kernel("return m.x * 1.0", "m = types.ModuleType('m')\nm.x = 1"),
        kernel("return m.x * 1.0", "m = types.ModuleType('m')\nm.x = 2"),
    ),
    "a name that hides a module": (
        kernel("return math.pi * 1.0"),
        kernel("return math.pi * 1.0", "math = types.SimpleNamespace(pi=3)"),
    ),
    "a numpy scalar": (kernel("return N * 1.0", "N = np.int32(3)"), kernel("return N * 1.0", "N = np.int32(4)")),
    "a numpy float": (kernel("return N * 1.0", "N = np.float64(3)"), kernel("return N * 1.0", "N = np.float64(3.5)")),
    "a dtype": (kernel("return qd.cast(2.75, T)", "T = qd.i32"), kernel("return qd.cast(2.75, T)", "T = qd.f32")),
    "a matrix": (kernel("return M[0] + M[1]", "M = qd.Vector([1.0, 2.0])"), kernel("return M[0] + M[1]", "M = qd.Vector([1.0, 4.0])")),
    "a matrix type": (
        kernel("return V(1.5)[1] * 1.0", "V = qd.types.vector(2, qd.i32)"),
        kernel("return V(1.5)[1] * 1.0", "V = qd.types.vector(2, qd.f32)"),
    ),
    "an item of a list": (
        kernel("a = 0.0\nfor x in qd.static(L):\n    a += x\nreturn a", "L = [1, 2, 3]"),
        kernel("a = 0.0\nfor x in qd.static(L):\n    a += x\nreturn a", "L = [1, 2, 4]"),
    ),
    "the length of a tuple": (kernel("return len(L) * 1.0", "L = (1, 2)"), kernel("return len(L) * 1.0", "L = (1, 2, 3)")),
    "an item of a dict": (kernel("return D['a'] * 1.0", "D = {'a': 1}"), kernel("return D['a'] * 1.0", "D = {'a': 2}")),
    "a func in a list": (
        kernel("return F[0](1.0)", "@qd.func\ndef a(x):\n    return x\n@qd.func\ndef b(x):\n    return x + 1\nF = [a, b]"),
        kernel("return F[0](1.0)", "@qd.func\ndef a(x):\n    return x\n@qd.func\ndef b(x):\n    return x + 1\nF = [b, a]"),
    ),
    "an attribute of an object in a list": (
        kernel("a = 0.0\nfor o in qd.static(O):\n    a += o.v\nreturn a", "O = [types.SimpleNamespace(v=1)]"),
        kernel("a = 0.0\nfor o in qd.static(O):\n    a += o.v\nreturn a", "O = [types.SimpleNamespace(v=2)]"),
    ),
    "a member of an enumeration": (
        kernel("return E.A * 1.0", "class E(enum.IntEnum):\n    A = 1\n    B = 2"),
        kernel("return E.A * 1.0", "class E(enum.IntEnum):\n    A = 3\n    B = 2"),
    ),
    "an attribute of a class": (kernel("return C.n * 1.0", "class C:\n    n = 1"), kernel("return C.n * 1.0", "class C:\n    n = 2")),
    "an attribute of a class that an instance hides": (
        kernel("return c.n * 1.0", "class C:\n    n = 1\nc = C()"),
        kernel("return c.n * 1.0", "class C:\n    n = 1\nc = C()\nc.n = 5"),
    ),
    "what a property gives": (
        kernel("return c.n * 1.0", "class C:\n    @property\n    def n(self):\n        return 1\nc = C()"),
        kernel("return c.n * 1.0", "class C:\n    @property\n    def n(self):\n        return 2\nc = C()"),
    ),
    "two names for one object": (
        kernel("return a.n + b.n * 10.0", "a = types.SimpleNamespace(n=1)\nb = a"),
        kernel("return a.n + b.n * 10.0", "a = types.SimpleNamespace(n=1)\nb = types.SimpleNamespace(n=2)"),
    ),
    "a local name for an object": (
        kernel("p = qd.static(c)\nreturn p.n * 1.0", "c = types.SimpleNamespace(n=1)"),
        kernel("p = qd.static(c)\nreturn p.n * 1.0", "c = types.SimpleNamespace(n=2)"),
    ),
    "the shape of a field": (
        kernel("a = 0.0\nfor i in range(x.shape[0]):\n    a += 1.0\nreturn a", "x = qd.field(qd.f32, 3)"),
        kernel("a = 0.0\nfor i in range(x.shape[0]):\n    a += 1.0\nreturn a", "x = qd.field(qd.f32, 4)"),
    ),
    "the dtype of a field": (
        kernel("x[0] = 2.75\nreturn x[0] * 1.0", "x = qd.field(qd.i32, 3)"),
        kernel("x[0] = 2.75\nreturn x[0] * 1.0", "x = qd.field(qd.f32, 3)"),
    ),
    "the offset of a field": (
        kernel("for i in x:\n    x[i] = i\nreturn 0.0", "x = qd.field(qd.f32, 3)", "(k(), x.to_numpy().tolist())"),
        kernel("for i in x:\n    x[i] = i\nreturn 0.0", "x = qd.field(qd.f32, 3, offset=2)", "(k(), x.to_numpy().tolist())"),
    ),
    "the slot of a field": (
        kernel("for i in x:\n    x[i] = 5\nreturn 0.0", "x = qd.field(qd.f32, 3)\ny = qd.field(qd.f32, 3)", "(x[0], y[0], k(), x[2], y[2], 1)"),
        kernel("for i in x:\n    x[i] = 5\nreturn 0.0", "y = qd.field(qd.f32, 3)\nx = qd.field(qd.f32, 3)", "(y[0], x[0], k(), x[2], y[2], 2)"),
    ),
    "the size of a vector field": (
        kernel("return x[0].n * 1.0", "x = qd.Vector.field(2, qd.f32, 3)"),
        kernel("return x[0].n * 1.0", "x = qd.Vector.field(3, qd.f32, 3)"),
    ),
    "an ndrange": (
        kernel("a = 0.0\nfor i, j in R:\n    a += 1.0\nreturn a", "R = qd.ndrange(2, 3)"),
        kernel("a = 0.0\nfor i, j in R:\n    a += 1.0\nreturn a", "R = qd.ndrange(2, 4)"),
    ),
}

STRUCT = "S = qd.types.struct(a=qd.i32, b=qd.types.vector(2, qd.f32))"
BALL = "@qd.dataclass\nclass Ball:\n    r: qd.f32\n    @qd.func\n    def area(self):\n        return self.r * self.r\n"
CHANGES["a member of a struct type"] = (
    kernel("s = S(a=2.75)\nreturn s.a * 1.0", STRUCT),
    kernel("s = S(a=2.75)\nreturn s.a * 1.0", STRUCT.replace("a=qd.i32", "a=qd.f32")),
)
CHANGES["a method of a struct type"] = (
    kernel("b = Ball(r=3.0)\nreturn b.area()", BALL),
    kernel("b = Ball(r=3.0)\nreturn b.area()", BALL.replace("self.r * self.r", "self.r + self.r * 5.0")),
)
CHANGES["a struct"] = (kernel("return s.a * 1.0", "s = qd.Struct(a=1, b=2)"), kernel("return s.a * 1.0", "s = qd.Struct(a=4, b=2)"))
CHANGES["a struct with methods"] = (kernel("return s.area()", BALL + "s = Ball(r=2.0)"), kernel("return s.area()", BALL + "s = Ball(r=4.0)"))
CHANGES["a field of structs"] = (
    kernel("f[1].a = 2.75\nreturn f[1].a * 1.0", STRUCT + "\nf = S.field(shape=3)"),
    kernel("f[1].a = 2.75\nreturn f[1].a * 1.0", STRUCT.replace("a=qd.i32", "a=qd.f32") + "\nf = S.field(shape=3)"),
)
CHANGES["a member of a field of structs"] = (
    kernel("return f.a.shape[0] * 1.0", STRUCT + "\nf = S.field(shape=3)"),
    kernel("return f.a.shape[0] * 1.0", STRUCT + "\nf = S.field(shape=4)"),
)
CHANGES["an argument of a func of the package"] = (
    kernel("U, s, V = qd.svd(M, qd.f32)\nreturn s[0, 0]", "M = qd.Matrix([[1.0, 0.5], [0.25, 2.0]])"),
    kernel("U, s, V = qd.svd(M, qd.f32)\nreturn s[0, 0]", "M = qd.Matrix([[1.0, 0.5], [0.25, 4.0]])"),
)

CLASS = """
@qd.data_oriented
class Solver:
    def __init__(self, n, scale):
        self.n = n
        self.scale = scale
        self.x = qd.field(qd.f32, n)
    @qd.func
    def f(self, v):
        return v * self.scale
    @qd.kernel
    def run(self) -> qd.f32:
        a = 0.0
        for i in range(self.n):
            a += self.f(i)
        return a
def go():
    return Solver(NUMBERS).run()
"""
CHANGES["an attribute of a data-oriented object"] = (CLASS.replace("NUMBERS", "4, 2"), CLASS.replace("NUMBERS", "5, 2"))
CHANGES["an attribute read in a method func"] = (CLASS.replace("NUMBERS", "4, 2"), CLASS.replace("NUMBERS", "4, 3"))
CHANGES["the body of a method"] = (CLASS.replace("NUMBERS", "4, 2"), CLASS.replace("NUMBERS", "4, 2").replace("v * self", "v - self"))
SPARSE = """
x, y = qd.field(qd.i32), qd.field(qd.i32)
block = qd.root.pointer(qd.i, 4)
block.dense(qd.i, SIZE).place(x)
qd.root.bitmasked(qd.i, 8).place(y)
@qd.kernel
def k() -> qd.i32:
    for i in range(3):
        x[i * 4] = i + 1
        y[i] = 1
    n = 0
    for i in x:
        n += 1
    for i in y:
        n += 100
    for i in block:
        n += 10000
    return n
def go():
    return k()
"""
CHANGES["the cells of a sparse tree"] = (SPARSE.replace("SIZE", "4"), SPARSE.replace("SIZE", "8"))
CHANGES["the kind of a level"] = (SPARSE.replace("SIZE", "4"), SPARSE.replace("SIZE", "4").replace("root.bitmasked", "root.dense"))

FIELDS = "@qd.kernel\ndef k(f: qd.template()) -> qd.f32:\n    f[1][0] = 2.75\n    return f[1][0] * 1.0\ndef go():\n    return k([qd.field(qd.f32, 3), qd.field(KIND, 3)])\n"
CHANGES["the dtype of a field in a list"] = (FIELDS.replace("KIND", "qd.i32"), FIELDS.replace("KIND", "qd.f32"))
GIVEN = "def make(f):\n    @qd.kernel\n    def k() -> qd.f32:\n        f[0][0] = 2.75\n        return f[0][0] * 1.0\n    return k\ndef go():\n    return make((qd.field(KIND, 3),))()\n"
CHANGES["a field in a closure"] = (GIVEN.replace("KIND", "qd.i32"), GIVEN.replace("KIND", "qd.f32"))

HOLDER = """
@qd.data_oriented
class Holder:
    def __init__(self):
        self.x = qd.ndarray(qd.i32, 3)
        self.inner = types.SimpleNamespace(n=1)
        self.pair = [qd.ndarray(qd.f32, 3), qd.ndarray(qd.f32, 4)]
    @qd.kernel
    def run(self) -> qd.f32:
        self.x[0] = 2.75
        for a in qd.static(self.pair):
            a[1] = self.x[0]
        return self.x[0] * self.inner.n + self.pair[1].shape[0]
def go():
    h = Holder()
    return h.run(), h.pair[0][1], h.pair[1][1]
"""
CHANGES["the dtype of a member that is an array"] = (HOLDER, HOLDER.replace("qd.i32", "qd.f32"))
CHANGES["an attribute of a member"] = (HOLDER, HOLDER.replace("n=1", "n=2"))
CHANGES["the number of arrays in a member"] = (HOLDER, HOLDER.replace("qd.ndarray(qd.f32, 4)]", "qd.ndarray(qd.f32, 5), qd.ndarray(qd.f32, 5)]"))
LIFTED = """
@qd.data_oriented(template_primitives=LIFT)
class Holder:
    def __init__(self, n):
        self.n = n
    @qd.kernel
    def run(self) -> qd.f32:
        return self.n * 2.0
def go():
    h = Holder(NUMBER)
    first = h.run()
    h.n += 1
    return first, h.run()
"""
CHANGES["how numbers of a class are passed"] = (
    LIFTED.replace("LIFT", "False").replace("NUMBER", "3"),
    LIFTED.replace("LIFT", "False").replace("NUMBER", "3.5"),
)
BUNDLE = """
import dataclasses
A = qd.types.ndarray(qd.f32, ndim=1)
@dataclasses.dataclass
class State:
    x: A
    n: qd.i32
    kind: qd.template()
@qd.func
def bump(s):
    s.x[0] += s.n + s.kind
@qd.kernel
def k(s: State):
    bump(s)
def go():
    s = State(qd.ndarray(qd.f32, 3), 2, KIND)
    k(s)
    return s.x[0]
"""
CHANGES["a constant member of a dataclass"] = (BUNDLE.replace("KIND", "1"), BUNDLE.replace("KIND", "5"))
CHANGES["an annotation of a dataclass"] = (
    BUNDLE.replace("KIND", "1"),
    BUNDLE.replace("KIND", "1").replace("2, 1", "2.75, 1").replace("n: qd.i32", "n: qd.f32"),
)
RETURNS = "S = qd.types.struct(a=qd.i32)\n@qd.kernel\ndef k(x: qd.f32) -> S:\n    return S(a=x)\ndef go():\n    return k(2.75).a\n"
CHANGES["a struct that is returned"] = (RETURNS, RETURNS.replace("a=qd.i32", "a=qd.f32"))
TEMPLATE = "@qd.kernel\ndef k(n: qd.template()) -> qd.f32:\n    return n.v * 1.0\ndef go():\n    return k(VALUE)\n"
CHANGES["an attribute of a template argument"] = tuple(TEMPLATE.replace("VALUE", f"types.SimpleNamespace(v={v})") for v in (1, 2))
TEMPLATE = "@qd.kernel\ndef k(n: qd.template()) -> qd.f32:\n    return n * 1.0\ndef go():\n    return k(VALUE)\n"
CHANGES["a template argument"] = (TEMPLATE.replace("VALUE", "1"), TEMPLATE.replace("VALUE", "2"))
CLOSURE = "def make(n):\n    @qd.kernel\n    def k() -> qd.f32:\n        return n * 1.0\n    return k\ndef go():\n    return make(VALUE)()\n"
CHANGES["a closure"] = (CLOSURE.replace("VALUE", "1"), CLOSURE.replace("VALUE", "2"))
CHANGES["an object in a closure"] = tuple(CLOSURE.replace("n *", "n.v *").replace("VALUE", f"types.SimpleNamespace(v={v})") for v in (1, 2))
DELETED = (
    "N = 1\ndef make(N):\n    @qd.kernel\n    def k() -> qd.f32:\n        return N * 1.0\n    DELETE\n    return k\ndef go():\n    return make(2)()\n"
)
CHANGES["a closure variable that was deleted"] = (DELETED.replace("DELETE", "pass"), DELETED.replace("DELETE", "del N"))

PARTIAL = "import functools\n@qd.func\ndef f(a, b=1.0):\n    return a * 10 + b\n@qd.func\ndef g(a, b=1.0):\n    return a + b\n"
PARTIALS = {
    "an argument of a partial": ("functools.partial(f, 2.0)", "functools.partial(f, 3.0)"),
    "a keyword of a partial": ("functools.partial(f, b=2.0)", "functools.partial(f, b=3.0)"),
    "the func of a partial": ("functools.partial(f, 2.0)", "functools.partial(g, 2.0)"),
    "an argument of a partial in a partial": (
        "functools.partial(functools.partial(f, b=3.0), b=4.0)", "functools.partial(functools.partial(f, b=3.0), b=5.0)",
    ),
}  # fmt: skip
for name, pair in PARTIALS.items():
    CHANGES[name] = tuple(kernel("return p(1.0)", PARTIAL + "p = " + made) for made in pair)
TEMPLATE = PARTIAL + "@qd.kernel\ndef k(p: qd.template()) -> qd.f32:\n    return p(1.0)\ndef go():\n    return k(functools.partial(f, VALUE))\n"
CHANGES["a partial as template argument"] = (TEMPLATE.replace("VALUE", "2.0"), TEMPLATE.replace("VALUE", "3.0"))
CALLED = "class C:\n    @qd.func\n    def __call__(self, x):\n        return x * 3 + NUMBER\nc = C()"
CHANGES["the func that calls of an object are"] = tuple(kernel("return c(1.0)", CALLED.replace("NUMBER", n)) for n in "12")

MESH = """
mesh = qd.Mesh._create_instance(qd.Mesh.generate_meta({"edges": EDGES, "x": np.zeros((8, 3))}))
mesh.verts.place({"n": TYPE})
mesh.edges.place({"m": qd.f32})
@qd.kernel
def k(mesh: qd.template()) -> qd.f32:
    for v in mesh.verts:
        v.n += v.id + 0.75
        for u in v.verts:
            v.n += u.id
    for e in mesh.edges:
        e.m += e.verts[0].n
    return mesh.verts.n[0] + mesh.edges.m[0]
def go():
    return k(mesh), mesh.verts.n.to_numpy().tolist(), mesh.edges.m.to_numpy().tolist()
"""
MESH = MESH.replace("EDGES", "[[0, 1], [1, 2], [2, 3]]"), MESH
CHANGES["the dtype of an attribute of a mesh"] = (MESH[0].replace("TYPE", "qd.f32"), MESH[0].replace("TYPE", "qd.i32"))
CHANGES["the elements of a mesh"] = (MESH[0].replace("TYPE", "qd.f32"), MESH[1].replace("TYPE", "qd.f32").replace("EDGES", "[[0, 1], [2, 3]]"))
WIDTH = "mesh = qd.Mesh._create_instance(qd.Mesh.generate_meta({'edges': EDGES}))\n"
WIDTH += kernel("n = 0\nfor v in mesh.verts:\n    n += v.edges.size ** 2 * (v.id + 1)\nfor e in mesh.edges:\n    n += 10 * e.verts.size\nreturn n")
CHANGES["how many elements of a mesh touch each"] = tuple(WIDTH.replace("EDGES", e) for e in ("[[0, 1], [1, 2], [2, 0]]", "[[0, 1], [0, 2], [0, 3]]"))
CHANGES["the number of patches of a mesh"] = tuple(
    f"""
one = {{"order": 0, "num": 2, "max_num_per_patch": 2, "owned_offsets": {ends}, "total_offsets": {ends}, **dict.fromkeys(["l2g_mapping", "l2r_mapping", "g2r_mapping"], [0, 1])}}
mesh = qd.Mesh._create_instance(qd.Mesh.generate_meta({{"num_patches": {len(ends) - 1}, "elements": [one], "relations": []}}))
"""
    + kernel("n = 0\nfor v in mesh.verts:\n    n += qd.mesh_patch_idx()\nreturn n")
    for ends in ([0, 2], [0, 1, 2])
)


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_seen(cached, name):
    before, after = CHANGES[name]
    first, second = cached.fresh(before), cached.fresh(after)
    assert first != second or str(first) != str(second)
    assert cached.run(before) == (first, "made")
    assert cached.run(before) == (first, "loaded")
    assert cached.run(after) == (second, "made")
    assert cached.run(after) == (second, "loaded")
    assert cached.run(before) == (first, "loaded")


@pytest.fixture
def made(monkeypatch):
    """The kernels that a program makes."""
    kernels, plain = [], qd.kernel

    def remembered(fn):
        kernels.append(plain(fn))
        return kernels[-1]

    monkeypatch.setattr(qd, "kernel", remembered)
    return kernels


@pytest.mark.parametrize("name", CHANGES)
def test_every_change_is_explained(cached, made, name):
    for text in CHANGES[name]:
        made.clear()
        cached.run(text)
    told = [one for k in made for one in qd.cache.why(k).specialisations]
    assert told and all(isinstance(reason, str) and reason for one in told for reason in one.reasons)
    assert any(one.reasons for one in told)


STATIC = "a = 0.0\nfor i in qd.static(V):\n    a += 1.0\nreturn a"
SHOWN = {
    "5.0 if qd.static(V) else 6.0": ("None", "False", "V was None and is False"),
    "V * 1.0": ("2", "True", "V was 2 and is True"),
    "2.0 * V": ("1.5", "2.5", "V was 1.5 and is 2.5"),
    "V % 7 * 1.0": (f"{2**70}", f"{2**70 + 1}", f"V was {2**70} and is {2**70 + 1}"),
    "len(V) * 1.0": ("'ab'", "'abc'", "V was 'ab' and is 'abc'"),
    "3.0 * V": ("np.int32(2)", "np.int32(3)", "V was numpy.int32(2) and is numpy.int32(3)"),
    "qd.cast(2.5, V) * 1.0": ("qd.i32", "qd.f32", "V was i32 and is f32"),
    "V(2.0, 3.0)": ("qd.min", "qd.max", None),
    "V(3.0)": ("abs", "float", "V was abs and is float"),
    "4.0 * V": ("E.A", "E.B", "V was E(1) and is E(2)"),
    "V(1.5)[1] * 1.0": ("qd.types.vector(2, qd.i32)", "qd.types.vector(2, qd.f32)", "V was vector(2, i32) and is vector(2, f32)"),
    "V[0] * 1.0": ("qd.Vector([1, 2])", "qd.Vector([3, 2])", "V was [1, 2] and is [3, 2]"),
    "len(V) * 2.0": ("(1, (2,))", "(1, [])", "V was (1, (2,)) and is (1, [])"),
    "len(V) * 3.0": ("{'a': 1}", "{'a': [2.5]}", "V was {'a': 1} and is {'a': [2.5]}"),
    STATIC: ("range(3)", "range(1, 9, 2)", "V was range(0, 3) and is range(1, 9, 2)"),
    "len(V) * 4.0": ("range(3)", "range(4)", "V was range(0, 3) and is range(0, 4)"),
}


@pytest.mark.parametrize("use", SHOWN)
def test_values_that_changed_are_shown(cached, made, use):
    *values, words = SHOWN[use]
    for value in values:
        made.clear()
        before = f"class E(enum.IntEnum):\n    A = 1\n    B = 2\nV = {value}"
        cached.run(kernel(use if use == STATIC else f"return {use}", before))
    (told,) = qd.cache.why(made[0]).specialisations
    assert told.reasons == [words or "V has changed"]


def test_prints_that_are_damaged_are_not_shown():
    from quadrants._cache import reads

    whole = b"(" + (2).to_bytes(8, "little") + b"N" + b"s" + (3).to_bytes(8, "little") + b"abc"
    assert reads.value_in(whole) == "(None, 'abc')"
    for size in range(len(whole)):
        assert reads.value_in(whole[:size]) is None
    assert reads.value_in(whole + b"N") is None and reads.value_in(b"d" + b"i" + b"\x7f" * 8) is None


@pytest.mark.parametrize("option", [{"default_fp": qd.f64}, {"default_ip": qd.i64}, {"debug": True}, {"fast_math": False}, {"check_out_of_bound": True}])
def test_an_option(cached, option):
    text = "@qd.kernel\ndef k() -> qd.f64:\n    a = 16777217.0\n    b = 2 ** 31 - 1\n    return a + b\ndef go():\n    return k()\n"
    assert cached.run(text)[1] == "made"
    assert cached.run(text, **option) == (cached.fresh(text, **option), "made")
    assert cached.run(text, **option)[1] == "loaded"
    assert cached.run(text)[1] == "loaded"


def test_a_deleted_name(cached):
    text = kernel("return N * 1.0", "N = 1")
    assert cached.run(text) == (1, "made")
    with pytest.raises(qd.QuadrantsNameError):
        cached.run(text.replace("N = 1", "pass"))


def test_mesh_relations_are_data(cached):
    path, star = (MESH[1].replace("TYPE", "qd.f32").replace("EDGES", e) for e in ("[[0, 1], [1, 2], [2, 3]]", "[[0, 1], [0, 2], [0, 3]]"))
    expected = cached.fresh(path), cached.fresh(star)
    assert expected[0] != expected[1]
    assert cached.run(path) == (expected[0], "made")
    assert cached.run(star) == (expected[1], "loaded")


UNTOLD = {
    "a Python function": kernel("return qd.static(f()) * 1.0", "calls = []\ndef f():\n    calls.append(1)\n    return len(calls)"),
    "an operator of a class": kernel("return qd.static(c + 1) * 1.0", "class C:\n    def __add__(self, n):\n        return n\nc = C()"),
    "the truth of an object": kernel(
        "a = 1.0\nif qd.static(c):\n    a = 2.0\nreturn a", "class C:\n    def __bool__(self):\n        return True\nc = C()"
    ),
    "items of an object": kernel("return c[0] * 1.0", "class C:\n    def __getitem__(self, i):\n        return 3\nc = C()"),
    "a comparison of objects in lists": kernel(
        "return qd.static(a == b) * 1.0", "class C:\n    def __eq__(self, o):\n        return True\na, b = [C()], [C()]"
    ),
    "a numpy array": kernel("return qd.static(A[1]) * 1.0", "A = np.arange(3)"),
    "a wrapper of a func": kernel("return w(f)(2.0)", PARTIAL + "def w(f):\n    def inner(*args):\n        return f(*args)\n    return inner"),
    "an instance of a class": kernel(
        "return C(2.0).twice()", "class C:\n    def __init__(self, x):\n        self.x = x\n    def twice(self):\n        return self.x * 2"
    ),
    "a function that dispatches": kernel(
        "return s(1.0) + 1", PARTIAL + "@functools.singledispatch\ndef s(x):\n    return 1.0\n@s.register(float)\ndef _(x):\n    return f(x)"
    ),
    "a print while compiling": kernel("qd.static_print('here')\nreturn 1.0"),
}


@pytest.mark.parametrize("name", UNTOLD)
def test_unknown_dependencies_are_compiled_again(cached, name):
    for _ in range(2):
        assert cached.run(UNTOLD[name]) == (cached.fresh(UNTOLD[name]), "made")


def test_arrays_overlap_in_a_cached_kernel(cached):
    text = """
    @qd.kernel
    def k(a: qd.types.ndarray(qd.f32, ndim=1), b: qd.types.ndarray(qd.f32, ndim=1)):
        for _ in range(1):
            for i in range(7):
                a[i + 1] = b[i] + 1
    def go():
        x = np.zeros(8, np.float32)
        y = np.zeros(8, np.float32)
        k(x, y)
        k(x, x)
        return x.tolist()
    """
    expected = [0, 1, 2, 3, 4, 5, 6, 7]
    assert cached.run(text)[0] == expected
    assert cached.run(text)[0] == expected


def test_read_only_arrays_are_refused_by_a_cached_kernel(cached):
    text = """
    @qd.kernel
    def k(a: qd.types.ndarray(qd.f32, ndim=1), b: qd.types.ndarray(qd.f32, ndim=1)):
        for i in a:
            a[i] = b[i]
    def go():
        x, y = np.zeros(4, np.float32), np.ones(4, np.float32)
        y.flags.writeable = False
        k(x, y)
        try:
            k(y, x)
        except Exception as error:
            return x.tolist(), type(error).__name__
    """
    first = cached.run(text)
    assert first[0][0] == [1, 1, 1, 1]
    assert cached.run(text) == (first[0], "loaded")


def test_assertions_and_prints_keep_their_places(cached, capfd):
    text = """
    @qd.func
    def check(a):
        assert a < 3, "too large: {}".format(a)
    @qd.kernel
    def k(a: qd.i32):
        print("a is", a)
        check(a)
    def go():
        k(1)
        try:
            k(5)
        except AssertionError as error:
            return str(error)
    """
    first = cached.run(text, debug=True)
    words = capfd.readouterr().out
    assert "too large: 5" in first[0] and "a is 1" in words
    assert cached.run(text, debug=True) == (first[0], "loaded")
    assert capfd.readouterr().out == words


def test_warnings_are_given_again(cached):
    text = """
    @qd.kernel
    def k(a: qd.f32) -> qd.i32:
        b = 1
        b = a
        return b
    def go():
        return k(2.5)
    """
    for how in ("made", "loaded"):
        with pytest.warns(UserWarning, match="may lose precision"):
            assert cached.run(text) == (2, how)


def test_coverage_counts_the_same_lines(cached, monkeypatch):
    text = """
    @qd.kernel
    def k(n: qd.i32) -> qd.i32:
        a = 0
        for i in range(n):
            if i % 2:
                a += i
        return a
    def go():
        return k(10), qd._native.core().coverage()
    """
    assert cached.run(text)[1] == "made"
    monkeypatch.setenv("QD_KERNEL_COVERAGE", "1")
    first = cached.run(text)
    assert first[1] == "made" and len(first[0][1]) >= 5
    assert cached.run(text) == (first[0], "loaded")


def test_a_kernel_further_down_keeps_its_lines(cached):
    text = "@qd.kernel\ndef k(a: qd.i32):\n    assert a < 3\ndef go():\n    try:\n        k(5)\n    except AssertionError as error:\n        return str(error)\n"
    assert cached.run(text, debug=True) == (cached.fresh(text, debug=True), "made")
    lower = "\n\n" + text
    assert cached.run(lower, debug=True)[0] == cached.fresh(lower, debug=True) != cached.fresh(text, debug=True)


def test_two_specialisations(cached):
    text = """
    @qd.kernel
    def k(x: qd.types.ndarray(), n: qd.template()):
        for I in qd.grouped(x):
            x[I] = n
    def go():
        arrays = np.zeros(3, np.float32), np.zeros((2, 2), np.int32), np.zeros(3, np.float32)
        for n, x in enumerate(arrays):
            k(x, n + 1)
        return [x.tolist() for x in arrays]
    """
    first = cached.run(text)
    assert first == ([[1, 1, 1], [[2, 2], [2, 2]], [3, 3, 3]], "made")
    assert cached.run(text) == (first[0], "loaded")


def test_a_field_dies_with_its_last_user(cached):
    text = """
    x = qd.field(qd.f32, 3)
    @qd.kernel
    def k() -> qd.f32:
        x[1] = 2
        return x[1]
    def go():
        global x
        first = k()
        x = None
        y = qd.field(qd.f32, 3)
        return first, k(), y[1]
    """
    assert cached.run(text) == ((2, 2, 0), "made")
    assert cached.run(text) == ((2, 2, 0), "loaded")


def test_files_that_are_cut_or_altered(cached):
    text = kernel("return N * 1.0", "N = 1")
    assert cached.run(text) == (1, "made")
    records = list((cached.folder / "cache" / "records").glob("*.qdr"))
    assert len(records) == 1
    whole = records[0].read_bytes()
    for broken in (b"", whole[:40], whole[:-1], whole[:100] + bytes([whole[100] ^ 1]) + whole[101:], whole + b"x"):
        records[0].write_bytes(broken)
        assert cached.run(text) == (1, "made")
        assert cached.run(text) == (1, "loaded")


def test_a_cache_entry_needs_its_tasks(cached):
    """The first kernel has the same task; the second one nevertheless has its own file."""
    text = """
    @qd.kernel
    def a(x: qd.types.ndarray(qd.f32, ndim=1)):
        for i in x:
            x[i] = 3
    @qd.kernel
    def b(x: qd.types.ndarray(qd.f32, ndim=1)):
        for i in x:
            x[i] = 3
    def go():
        x = np.zeros(3, np.float32)
        for k in ORDER:
            k(x)
        return x.tolist()
    """
    both, second = text.replace("ORDER", "(a, b)"), text.replace("ORDER", "(b,   )")
    assert cached.run(both) == ([3, 3, 3], "made")
    assert cached.run(second) == ([3, 3, 3], "loaded")
    qd.reset()
    for kernel in (cached.folder / "cache").rglob("*.qdc"):
        kernel.unlink()
    assert cached.run(second) == ([3, 3, 3], "made")


def test_a_cell_of_a_notebook(cached):
    text = HEAD + kernel("return N * 1.0", "N = {}")
    for number, how in ((1, "made"), (1, "loaded"), (2, "made"), (2, "loaded")):
        source = text.replace("{}", str(number))
        name = f"<ipython-input-3-{number}>"
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        qd.init(arch=cached.arch, offline_cache=True, offline_cache_file_path=str(cached.folder / "cache"))
        cell = {}
        exec(compile(source, name, "exec"), cell)
        _native.core().take_reports()
        assert cell["go"]() == number
        assert (_native.core().take_reports()[0]["phases"][0][0] == "cache entry") == (how == "loaded")


def test_ahead_of_the_call(cached):
    text = "@qd.kernel\ndef k(a: qd.i32) -> qd.i32:\n    return a + 1\ndef go():\n    made = k._compile_like(None)\n    return made, k(1), k._specialisations()\n"
    assert cached.run(text) == ((1, 2, 1), "made")
    assert cached.run(text) == ((1, 2, 1), "loaded")


def test_a_file_edited_after_its_first_kernel_ran(cached):
    """Both specialisations use the original text; the next program sees the new one."""
    text = """
    @qd.kernel
    def k(n: qd.template()) -> qd.f32:
        return n * 1.0
    def go():
        first = k(1)
        path = k.fn.__code__.co_filename
        text = open(path).read()
        open(path, "w").write(text.replace("n * 1.0", "n * 3.0"))
        second = k(2)
        open(path, "w").write(text)
        return first, second
    """
    assert cached.run(text) == ((1, 2), "made")
    assert cached.run(text) == ((1, 2), "loaded")
    assert cached.run(text.replace("n * 1.0\n", "n * 3.0\n"))[0] == (3, 6)


def test_two_processes(tmp_path, arch):
    """Two real processes with LLVM: the second one does not load it."""
    (tmp_path / "helper.py").write_text("import quadrants as qd\n@qd.func\ndef f(x):\n    return x + 1\n")
    (tmp_path / "main.py").write_text(
        f"import sys, quadrants as qd\nimport helper\nqd.init(arch='{arch}', offline_cache_file_path='cache')\nx = qd.ndarray(qd.f32, 4)\n"
        "@qd.kernel\ndef k(x: qd.types.ndarray()):\n    for i in x:\n        x[i] = helper.f(x[i])\n"
        "k(x)\nphases = qd._native.core().take_reports()[0]['phases']\n"
        "print(x[0], phases[0][0], 'libquadrants_llvm' in open('/proc/self/maps').read())\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(qd.__file__)), "ENABLE_QUADRANTS_HEADER_PRINT": "0"}

    def run():
        done = subprocess.run([sys.executable, "main.py"], cwd=tmp_path, env=environment, capture_output=True, text=True)
        return done.stdout.splitlines()[-1:] or done.stderr

    assert run() == [f"1.0 frontend {arch == 'cpu'}"]
    assert run() == ["1.0 cache entry False"]
    helper = tmp_path / "helper.py"
    helper.write_text(helper.read_text().replace("x + 1", "x + 20"))
    assert run()[0].startswith("20.0 frontend")
    assert run()[0].startswith("20.0 cache entry")


def test_builders_of_sparse_matrices(cached):
    program = """
        @qd.kernel
        def k(A: qd.types.sparse_matrix_builder()):
            for i in range(3):
                A[i, i] += 0.5 * i

        def go():
            builder = qd.linalg.SparseMatrixBuilder(3, 3, 3, qd.TYPE)
            k(builder)
            return builder.build()[2, 2]
    """
    for dtype in ("f32", "f64"):
        assert [cached.run(program.replace("TYPE", dtype)) for _ in range(2)] == [(1.0, "made"), (1.0, "loaded")]
