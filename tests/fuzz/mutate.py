"""Spoiled programs: generated ones, and tests of the language, with some nodes of their kernels and funcs changed."""

import ast
import functools
import random
import warnings
from pathlib import Path
from textwrap import indent

from tests.fuzz import generate

TESTS = Path(__file__).resolve().parents[1] / "python"
ABOUT = "arguments data_oriented dataclasses meshes ndarrays storage struct_arguments tensors trees_cells trees_dense trees_dynamic trees_life"
_OPERATORS = [ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift, ast.BitOr, ast.BitXor, ast.BitAnd, ast.MatMult]  # fmt: skip
_COMPARISONS = [ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Is, ast.In]
_CONSTANTS = [0, 1, -1, 2, 7, 255, 2**31 - 1, 2**31, 2**63, 0.0, 0.5, -1.5, 1e300, True, None, "text", float("inf")]
_TYPES = ["i8", "u8", "i16", "i32", "u32", "i64", "u64", "f16", "f32", "f64", "u1"]

_ODD_STATEMENTS = [
    "del zz", "global zz", "zz: qd.i32", "zz: qd.types.vector(2, qd.f32) = (1, 2)", "return", "return 1, 2", "break", "continue",
    "raise ValueError(1)", "import math", "try:\n    pass\nexcept ValueError:\n    pass", "with 1 as zz:\n    pass", "def zz():\n    pass",
    "class zz:\n    pass", "match 1:\n    case 2:\n        pass", "zz, *yy = 1, 2, 3", "[zz, yy] = 1, 2", "zz = yy = {'a': 1}", "zz = lambda: 1",
    "assert 1 < 2, 'x' * 3", "print()", "print(*(1, 2), sep=1)", "zz = print", "qd.static_assert(False)", "qd.static_print(1)",
    "qd.loop_config(serialize=True)", "qd.loop_config(block_dim=0)", "for zz in 1, 2:\n    pass", "for zz in range(3):\n    break\nelse:\n    pass",
    "while True:\n    break", "zz = qd.Vector([])", "zz = qd.Matrix([[1, 2], [3]])", "zz = [zz for zz in range(2) if zz]", "yield 1", "qd.sync()",
    "zz = qd.field(qd.i32, 3)", "zz = qd.random(qd.u1)", "zz = (yy := 3)", "zz = {1, 2}", "zz = 1 if True else 'a'", "zz = 3j", "zz = ...", "zz = None",
]  # fmt: skip
_ODD_EXPRESSIONS = [
    "lambda: {}", "{{'a': {}}}", "{{{}}}", "({} for zz in range(2))", "[{} for zz in qd.static(range(2))]", "{}[:]", "{}[::2]", "{}[..., 0]",
    "{}[None]", "{}[-1]", "(zz := {})", "f'{{{}}}'", "f'{{{}:5d}}'", "'%d' % {}", "*{},", "{} if {} else {}", "{} is {}", "{} in ({}, 1)",
    "not {}", "{}.shape", "{}.grad", "{}.dtype", "{}.parent()", "{}.n", "{}.sum()", "{}.xy", "{}.__class__", "{}(1)", "{}(a=1)", "{} @ {}",
    "{} ** {}", "{} // 0", "{} % 0", "{} << 99", "-(-{})", "qd.cast({}, qd.u8)", "qd.cast({}, 3)", "qd.bit_cast({}, qd.f32)", "qd.select({}, {}, {})",
    "qd.math.vec3({})", "qd.types.vector(3, qd.f32)({})", "qd.i32({})", "qd.f16({})", "qd.Vector([{}] * 3)", "qd.Matrix([[{}, 1], [2, {}]])",
    "isinstance({}, int)", "type({})", "sum({})", "sorted({})", "range({})", "zip({}, {})", "min({})", "max()", "str({})", "qd.ndrange({}, 2)",
    "qd.grouped({})", "qd.atomic_add({}, 1)", "qd.atomic_min({}, {})", "qd.append({}, [], 1)", "qd.length({}, 0)", "qd.activate({}, [0])",
    "qd.is_active({}, 0)", "qd.svd({})", "qd.sqrt({})", "qd.pow({}, {})", "qd.atan2({}, {})", "qd.math.popcnt({})", "qd.stop_grad({})",
    "qd.volatile_load({})", "qd.assume_in_range({}, {}, 0, 2)", "qd.loop_unique({})", "qd.static({}, {})", "qd.zero({})", "qd.ref({})", "hash({})",
]  # fmt: skip
_NOTES = ["qd.i32", "qd.f64", "qd.u1", "qd.template()", "qd.types.ndarray()", "qd.types.ndarray(qd.f32, ndim=2)", "qd.math.vec3", "int", "float", "3", "'qd.i32'", "qd.Tensor", "list", "qd.types.matrix(2, 2, qd.f32)", "None", "qd.types.struct(a=qd.i32)", "tuple[qd.i32, qd.f32]"]  # fmt: skip


def _is_device(node):
    return isinstance(node, ast.FunctionDef) and any("qd." in ast.unparse(d) for d in node.decorator_list)


def _device_functions(node):
    """Those among its statements."""
    found = [node] if _is_device(node) else []
    for field in ("body", "orelse", "finalbody"):
        for inner in getattr(node, field, ()):
            if isinstance(inner, ast.stmt):
                found += _device_functions(inner)
    return found


def _file_about(subject):
    (found,) = TESTS.glob(f"*/test_{subject}.py")
    return found


@functools.cache
def corpus():
    """Texts of modules with one test of the language each, as programs."""
    found = []
    for path in [*sorted(TESTS.glob("language/test_*.py")), *map(_file_about, ABOUT.split())]:
        module = ast.parse(path.read_text())
        head = [s for s in module.body if not (isinstance(s, ast.FunctionDef) and s.name.startswith("test_"))]
        for node in module.body:
            if not isinstance(node, ast.FunctionDef) or not node.name.startswith("test_") or not _device_functions(node):
                continue
            if node.args.args or node.decorator_list:
                continue
            text = ast.unparse(ast.Module([*head, node], [])) + f"\n\ndef main():\n    {node.name}()\n    return [], []\n"
            found.append(text)
    return found


class _Mutator:
    def __init__(self, rng, function):
        self.rng = rng
        self.function = function

    def nodes(self, *kinds):
        return [n for s in self.function.body for n in ast.walk(s) if isinstance(n, kinds)]

    def places(self, kind):
        """(holder, field, index or None) of every node of this kind."""
        found = []
        for s in ast.walk(self.function):
            if s is self.function:
                fields = [("body", self.function.body)]
            else:
                fields = ast.iter_fields(s)
            for field, value in fields:
                if isinstance(value, kind):
                    found.append((s, field, None))
                elif isinstance(value, list):
                    found += [(s, field, k) for k, item in enumerate(value) if isinstance(item, kind)]
        return found

    def get(self, place):
        holder, field, k = place
        value = getattr(holder, field)
        return value if k is None else value[k]

    def put(self, place, node):
        holder, field, k = place
        if k is None:
            setattr(holder, field, node)
        else:
            getattr(holder, field)[k] = node

    def _loads(self):
        return [p for p in self.places(ast.expr) if not isinstance(getattr(self.get(p), "ctx", None), (ast.Store, ast.Del))]

    def delete_statement(self):
        place = self.rng.choice([p for p in self.places(ast.stmt) if p[2] is not None])
        items = getattr(place[0], place[1])
        del items[place[2]]
        if not items and place[1] == "body":
            items.append(ast.Pass())

    def duplicate_statement(self):
        place = self.rng.choice([p for p in self.places(ast.stmt) if p[2] is not None])
        target = self.rng.choice([p for p in self.places(ast.stmt) if p[2] is not None])
        copy = ast.parse(ast.unparse(self.get(place))).body
        getattr(target[0], target[1])[target[2] : target[2]] = copy

    def swap_statements(self):
        places = [p for p in self.places(ast.stmt) if p[2] is not None]
        a, b = self.rng.choice(places), self.rng.choice(places)
        if a[0] is b[0] and a[1] == b[1]:
            x, y = self.get(a), self.get(b)
            self.put(a, y)
            self.put(b, x)

    def swap_expressions(self):
        places = self._loads()
        a, b = self.rng.choice(places), self.rng.choice(places)
        x, y = (ast.parse(ast.unparse(self.get(p)), mode="eval").body for p in (a, b))
        self.put(a, y)
        if self.rng.random() < 0.5:
            self.put(b, x)

    def replace_expression(self):
        places = self._loads()
        self.put(self.rng.choice(places), ast.parse(ast.unparse(self.get(self.rng.choice(places))), mode="eval").body)

    def change_constant(self):
        nodes = self.nodes(ast.Constant)
        if nodes:
            self.rng.choice(nodes).value = self.rng.choice(_CONSTANTS)

    def change_name(self):
        nodes = self.nodes(ast.Name)
        if nodes:
            self.rng.choice(nodes).id = self.rng.choice(nodes).id

    def change_operator(self):
        nodes = self.nodes(ast.BinOp, ast.AugAssign)
        if nodes:
            self.rng.choice(nodes).op = self.rng.choice(_OPERATORS)()

    def change_comparison(self):
        nodes = self.nodes(ast.Compare)
        if nodes:
            node = self.rng.choice(nodes)
            node.ops[self.rng.randrange(len(node.ops))] = self.rng.choice(_COMPARISONS)()

    def change_type(self):
        known = [n for n in ast.walk(self.function) if isinstance(n, ast.Attribute) and n.attr in _TYPES]
        if known:
            self.rng.choice(known).attr = self.rng.choice(_TYPES)

    def change_attribute(self):
        nodes = self.nodes(ast.Attribute)
        if nodes:
            self.rng.choice(nodes).attr = self.rng.choice(nodes).attr

    def drop_argument(self):
        nodes = [n for n in self.nodes(ast.Call) if n.args]
        if nodes:
            node = self.rng.choice(nodes)
            del node.args[self.rng.randrange(len(node.args))]

    def wrap(self):
        place = self.rng.choice(self._loads())
        inner = ast.unparse(self.get(place))
        form = self.rng.choice(["-{}", "not {}", "({}, 1)", "[{}]", "int({})", "{}[0]", "{}.x", "qd.static({})", "qd.Vector([{}, {}])", "abs({})", "float({})", "{}()", "len({})"])  # fmt: skip
        self.put(place, ast.parse(form.replace("{}", f"({inner})"), mode="eval").body)

    def odd_statement(self):
        place = self.rng.choice([p for p in self.places(ast.stmt) if p[2] is not None])
        made = ast.parse(f"def zz():\n    {self.rng.choice(_ODD_STATEMENTS).replace(chr(10), chr(10) + '    ')}").body[0].body
        getattr(place[0], place[1])[place[2] : place[2]] = made

    def odd_expression(self):
        places = self._loads()
        place = self.rng.choice(places)
        form = self.rng.choice(_ODD_EXPRESSIONS)
        inner = [f"({ast.unparse(self.get(place if k == 0 else self.rng.choice(places)))})" for k in range(form.count("{}"))]
        self.put(place, ast.parse(form.format(*inner), mode="eval").body)

    def change_note(self):
        note = self.rng.choice([None, *_NOTES])
        holder = self.rng.choice([*self.function.args.args, self.function])
        setattr(holder, "returns" if holder is self.function else "annotation", note and ast.parse(note, mode="eval").body)

    def indent(self):
        place = self.rng.choice([p for p in self.places(ast.stmt) if p[2] is not None])
        form = self.rng.choice(["for zz in range(2):", "if 1 < 2:", "while False:", "for zz in qd.static(range(2)):", "for zz, yy in qd.ndrange(2, 2):"])
        made = ast.parse(form + "\n    pass").body[0]
        made.body = [self.get(place)]
        self.put(place, made)

    EDITS = (
        delete_statement, duplicate_statement, swap_statements, swap_expressions, replace_expression, replace_expression,
        change_constant, change_constant, change_name, change_name, change_operator, change_comparison, change_type,
        change_attribute, drop_argument, wrap, wrap, indent, odd_statement, odd_statement, odd_expression, odd_expression, odd_expression,
        change_note,
    )  # fmt: skip


def _with(text, changed):
    """The text with these functions as they are now."""
    inside = {inner for outer in changed for inner in ast.walk(outer) if inner is not outer}
    lines = text.splitlines()
    for function in sorted(changed - inside, key=lambda f: -f.lineno):
        begin = min([function.lineno, *(d.lineno for d in function.decorator_list)]) - 1
        lines[begin : function.end_lineno] = [indent(ast.unparse(function), " " * function.col_offset)]
    return "\n".join(lines) + "\n"


def _compiles(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compile(text, "<mutant>", "exec")


@functools.lru_cache(8)
def _generated(seed):
    return generate.program(seed)


def program(seed, of_tests=True):
    """The text of mutant number `seed`: of a generated program, that its neighbours change too, or, if wanted, of a test."""
    rng = random.Random(f"mutant {seed}")
    while True:
        of_neighbours = random.Random(seed // 4).randrange(1 << 30)
        text = rng.choice(corpus()) if of_tests and rng.random() < 0.5 else _generated(of_neighbours)
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        functions, changed = _device_functions(tree), set()
        for _ in range(rng.choice((1, 1, 2, 3, 4))):
            mutator = _Mutator(rng, rng.choice(functions))
            changed.add(mutator.function)
            try:
                rng.choice(mutator.EDITS)(mutator)
            except (IndexError, SyntaxError, ValueError):  # no such place, or no text for what was made
                continue
        try:
            made = _with(text, changed)
            _compiles(made)
            return made
        except (SyntaxError, ValueError, AttributeError, TypeError, RecursionError):
            continue
