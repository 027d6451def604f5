"""Programs from a grammar of the accepted language. Every one is valid, ends, and means one thing whatever the order of
parallel iterations: an iteration writes its own elements, and shares others by atomics that commute.

A program is the text of a module with a function `main()` that makes the storage, runs the kernels and returns what to
compare. Reals are computed with operations that are exact everywhere; the others go into the array `near`.
"""

import math
import random

from tests.fuzz.hazards import Hazards
from tests.fuzz.meshes import KINDS, Mesh
from tests.fuzz.storage import EXTENTS, INTS, REALS, WIDE, chosen

HEAD = "import dataclasses\nimport quadrants as qd\nimport numpy as np\n\n"
MOST_DEEP = 4  # loops in one another
MOST_TRIPS = 100  # of the innermost of them, over all cells: each is run by Python
TRIPS = {"range": 3, "while": 3, "static": 3, "nest": 4, "ndrange": 5, "bounds": 2, "touching": 3}  # about as many


class Function:
    def __init__(self, name, params, result):
        self.name, self.params, self.result = name, params, result


class Writer:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.random = self.rng.random
        self.lines = []
        self.indent = 1
        self.counter = 0
        self.scopes = [[]]  # (name, type, assignable)
        self.loops = []  # of the function being written: "serial", "parallel" or "static"
        self.branches = 0  # run-time branches inside of the innermost static loop
        self.storage = []
        self.readable = []  # storage that may be read at any index now
        self.own = []  # (storage, index) that belongs to this iteration
        self.shared = []  # storage of integers that is only updated now
        self.grows = None  # whether this loop appends to the list; None: it may do neither that nor read its length
        self.functions = []
        self.budget = 0
        self.in_mesh_loop = False
        self.hazards = Hazards(self)
        self.in_kernel = False
        self.trips, self.most_trips = 1, MOST_TRIPS

    # choices
    def chance(self, p):
        return self.random() < p

    def pick(self, *items):
        return items[int(self.random() * len(items))]

    def fresh(self, prefix):
        self.counter += 1
        return f"{prefix}{self.counter}"

    def put(self, text):
        self.lines.append("    " * self.indent + text)

    def variables(self, wanted, assignable=False):
        return [n for scope in self.scopes for n, t, a in scope if t == wanted and (a or not assignable)]

    def declare(self, name, kind, assignable=True):
        self.scopes[-1].append((name, kind, assignable))

    # expressions
    def literal_int(self):
        return str(self.pick(0, 1, 2, 3, 5, 7, 8, 31, 63, 100, 127, 255, -1, -2, -3, -128, 1000, 65535, 2**31 - 1, -(2**31), self.rng.randint(-50, 50)))

    def literal_real(self):
        return self.pick("0.0", "0.5", "1.0", "-1.0", "2.0", "1.5", "0.25", "-2.5", "3.0", "100.0", "1e10", "0.1", "-0.3", "7.75")

    def element_of(self, s, depth):
        for known, index in self.own:
            if known is s and self.chance(0.6 if s in self.readable else 1):
                return s.at(index)
        return s.anywhere(self, min(depth, 1))

    def sources(self, is_int, element=""):
        known = self.readable + [s for s, _ in self.own]
        return [s for s in known if s.is_int() == is_int and s.element == element and s.is_numeric()]

    def integer(self, depth=3):
        depth -= self.is_small and depth > 2
        if depth <= 0 or self.chance(0.22):
            return self.int_leaf(depth)
        p = self.integer
        d = depth - 1
        form = self.rng.randrange(22)
        if self.hazards.makes and self.chance(0.1):
            return self.hazards.made(p(d))
        if form < 5:
            return f"({p(d)} {self.pick('+', '-', '*', '&', '|', '^')} {p(d)})"
        if form == 5:
            return f"({p(d)} {self.pick('//', '%')} ({p(d)} % 7 + {self.pick(9, 11)}))"
        if form == 6:
            return f"({p(d)} {self.pick('<<', '>>')} {p(d)})"
        if form == 7:
            return f"{self.pick('min', 'max', 'qd.min', 'qd.max')}({p(d)}, {p(d)})"
        if form == 8:
            return f"({p(d)} if {self.condition(d)} else {p(d)})"
        if form == 9:
            return f"({p(d)} {self.pick('and', 'or')} {p(d)})"
        if form == 10:
            return f"({self.pick('-', '~', '+', 'not ')}{p(d)})"
        if form == 11:
            return f"qd.cast({self.pick(p, self.real)(d)}, qd.{self.pick(*INTS)})"
        if form == 12:
            return f"int({self.pick(p, self.real)(d)})"
        if form == 13:
            return f"qd.select({self.condition(d)}, {p(d)}, {p(d)})"
        if form == 14:
            return f"({self.condition(d)})"
        if form == 15:
            return f"abs({p(d)})"
        if form == 16:
            return f"({p(d)} ** {self.pick(0, 1, 2, 3)})"
        if form == 17 and self.functions:
            return self.call("int", d)
        if form == 18:
            return f"qd.math.{self.pick('popcnt', 'clz', 'ffs')}(qd.cast({p(d)}, qd.{self.pick('i32', 'u32', 'u64')}))"
        if form == 19:
            return f"{self.pick('qd.raw_div', 'qd.raw_mod')}({p(d)}, {self.pick('3', '5', '-7', 'qd.i64(9)')})"
        if form == 20:
            return f"qd.bit_shr({p(d)}, {self.pick(1, 3, 7)})"
        vectors = self.variables("ivec")
        if form == 21 and self.chance(0.4):
            name = self.fresh("z")
            self.scopes.append([(name, "int", False)])
            item = p(1)
            test = self.pick("", f" if {name} != 1")
            self.scopes.pop()
            return f"qd.Vector([{item} for {name} in qd.static(range({self.pick(2, 3)})){test}]).{self.pick('sum', 'max', 'any', 'all')}()"
        return f"{self.pick(*vectors)}[{p(d)} % 3]" if vectors else self.int_leaf(depth)

    def int_leaf(self, depth):
        options = [self.literal_int()]
        names = self.variables("int")
        options += [self.pick(*names)] * 4 if names else []
        places = self.sources(True)
        if places and depth > -2:
            options += [self.element_of(self.pick(*places), depth - 1)] * 3
        vectors = self.variables("ivec")
        if vectors:
            options += [f"{self.pick(*vectors)}{self.pick('[0]', '[1]', '.z', '.sum()', '.max()', '.x')}"]
        records = self.variables("record")
        if records:
            options += [f"{self.pick(*records)}.{self.pick('n', 'w[1]', 'total()', 'p.a', 'p.q.y')}"]
        options += self.hazards.numbers() if self.in_kernel else []
        if self.is_sparse and depth > -2:
            options += self._of_trees(depth)
        if self.mesh and depth > -2:
            options += self.mesh.numbers(self, depth)
        return self.pick(*options)

    def _of_trees(self, depth):
        """What tells of sparse storage that does not change now."""
        found = ["qd.length(l.parent(), [])"] if self.grows is False else []
        for s in self.readable:
            if s.form == "sparse":
                index = ", ".join(f"{self.integer(min(depth - 1, 1))} % {e}" for e in s.extents())
                found.append(f"qd.is_active({s.name}.parent(), [{index}])")
        return found

    def real(self, depth=3):
        depth -= self.is_small and depth > 2
        if depth <= 0 or self.chance(0.25):
            return self.real_leaf(depth)
        p, d = self.real, depth - 1
        form = self.rng.randrange(16)
        if form < 5:
            return f"({p(d)} {self.pick('+', '-', '*')} {p(d)})"
        if form == 5:
            return f"({p(d)} / {p(d)})"
        if form == 6:
            return f"({p(d)} {self.pick('+', '-', '*')} {self.integer(d)})"
        if form == 7:
            return f"({p(d)} if {self.condition(d)} else {p(d)})"
        if form == 8:
            return f"{self.pick('abs', 'qd.floor', 'qd.ceil', 'qd.round', '-', '+')}({p(d)})"
        if form == 9:
            return f"{self.pick('min', 'max')}({p(d)}, {self.pick(p, self.integer)(d)})"
        if form == 10:
            return f"qd.{self.pick('f32', 'f64')}({self.real_leaf(0) if self.chance(0.5) else self.literal_real()})"
        if form == 11:
            return f"qd.cast({self.pick(p, self.integer)(d)}, qd.{self.pick(*REALS)})"
        if form == 12:
            return f"qd.sqrt(abs({p(d)}))"
        if form == 13:
            return f"qd.select({self.condition(d)}, {p(d)}, {p(d)})"
        if form == 14 and self.functions:
            return self.call("real", d)
        return f"({self.integer(d)} / {self.pick('2', '4', '8.0', self.literal_real())})"

    def real_leaf(self, depth):
        options = [self.literal_real()]
        names = self.variables("real")
        options += [self.pick(*names)] * 4 if names else []
        places = self.sources(False)
        if places and depth > -2:
            options += [self.element_of(self.pick(*places), depth - 1)] * 3
        vectors = self.variables("vec")
        if vectors:
            options += [f"{self.pick(*vectors)}{self.pick('[0]', '[2]', '.y', '.sum()', '.min()', '.norm_sqr()', '[1:].sum()', '[0:2].y')}"]
        matrices = self.variables("mat")
        if matrices:
            element = f"[{self.pick(1, 'N', 'abs(N - 3)')} % 2, {self.integer(min(depth - 1, 0)) if depth > -2 else 0} % 2]"
            options += [f"{self.pick(*matrices)}{self.pick('[0, 1]', '[1, 1]', '.trace()', '.determinant()', '.sum()', element, '[0, :].sum()')}"]
        records = self.variables("record")
        if records:
            options += [f"{self.pick(*records)}.{self.pick('r', 'v.x', 'v[2]', 'p.b', 'p.part().b')}"]
        return self.pick(*options)

    def condition(self, depth=2):
        form = self.rng.randrange(8)
        op = self.pick("<", "<=", ">", ">=", "==", "!=")
        if form < 3 or depth <= 0:
            return f"{self.integer(depth - 1)} {op} {self.integer(depth - 1)}"
        if form == 3:
            return f"{self.real(depth - 1)} {op} {self.real(depth - 1)}"
        if form == 4:
            return f"{self.integer(0)} {self.pick('<', '<=')} {self.integer(depth - 1)} {self.pick('<', '!=')} {self.integer(0)}"
        if form == 5:
            return f"not ({self.condition(depth - 1)})"
        return f"({self.condition(depth - 1)}) {self.pick('and', 'or')} ({self.condition(depth - 1)})"

    def vector(self, depth=2):
        p, d = self.vector, depth - 1
        names, places = self.variables("vec"), self.sources(False, "vec")
        if depth <= 0 or self.chance(0.3):
            options = [f"qd.Vector([{self.real(0)}, {self.real(0)}, {self.real(0)}])", f"qd.math.vec3({self.real(0)})"]
            options += [self.pick(*names)] * 3 if names else []
            options += [self.element_of(self.pick(*places), 0)] * 3 if places else []
            return self.pick(*options)
        form = self.rng.randrange(9)
        if form < 3:
            return f"({p(d)} {self.pick('+', '-', '*')} {p(d)})"
        if form == 3:
            return f"({p(d)} * {self.real(d)})"
        if form == 4:
            return f"({self.real(d)} - {p(d)})"
        if form == 5:
            return f"{p(d)}.cross({p(d)})"
        if form == 6 and self.variables("vec"):
            return f"{self.pick(*self.variables('vec'))}.{self.pick('zyx', 'xxy', 'yzx', 'bgr')}"
        if form == 7:
            return f"qd.{self.pick('min', 'max')}({p(d)}, {self.pick(p, self.real)(d)})"
        return f"qd.select({self.condition(d)}, {p(d)}, {p(d)})"

    def ivector(self, depth=1):
        names = self.variables("ivec")
        if depth <= 0 or not names:
            return f"qd.Vector([{self.integer(1)}, {self.integer(1)}, {self.integer(0)}])"
        return self.pick(
            f"({self.pick(*names)} {self.pick('+', '-', '*', '^', '&')} {self.ivector(depth - 1)})",
            f"({self.pick(*names)} {self.pick('<', '==', '>=')} {self.ivector(depth - 1)})",
            f"({self.pick(*names)} + {self.integer(1)})",
            f"{self.pick(*names)}.{self.pick('zyx', 'xxy')}",
        )

    def matrix(self, depth=1):
        names = self.variables("mat")
        if depth <= 0 or not names:
            rows = ", ".join(f"[{self.real(1)}, {self.real(0)}]" for _ in range(2))
            return f"qd.Matrix([{rows}])"
        return self.pick(
            f"({self.pick(*names)} @ {self.matrix(depth - 1)})", f"({self.pick(*names)} {self.pick('+', '-', '*')} {self.matrix(depth - 1)})",
            f"{self.pick(*names)}.transpose()", f"({self.pick(*names)} * {self.real(1)})",
        )  # fmt: skip

    def record(self):
        records = self.variables("record")
        part = self.pick(f"Part({self.integer(0)}, b={self.real(0)})", *[f"{r}.p" for r in records], *[f"{r}.p.part()" for r in records])
        return f"Rec({self.integer(1)}, {self.real(1)}, v={self.vector(0)}, w={self.ivector(0)}{self.pick('', f', p={part}')})"

    VALUES = {"int": "integer", "real": "real", "vec": "vector", "ivec": "ivector", "mat": "matrix"}

    def value(self, kind, depth=2):
        if kind in KINDS:
            return self.pick(*self.variables(kind))
        if kind in ("pair", "ipair"):
            known = self.variables("vec" if kind == "pair" else "ivec")
            if known and self.chance(0.5):
                return f"{self.pick(*known)}{self.pick('.xy', '.yz', '[1:]', '.xx')}"
            part = self.real if kind == "pair" else self.integer
            return f"qd.Vector([{part(1)}, {part(0)}])"
        return self.record() if kind == "record" else getattr(self, self.VALUES[kind])(depth)

    def _may_call(self, f):
        """Whether there are elements of meshes to pass."""
        return all(self.variables(kind) for _, kind, _ in f.params if kind in KINDS)

    def call(self, result, depth):
        known = [f for f in self.functions if f.result == result and self._may_call(f)]
        if not known:
            return getattr(self, self.VALUES[result])(depth)
        f = self.pick(*known)
        args = [self.value(k, min(depth, 1)) if k != "static" else str(self.rng.randint(0, 3)) for _, k, _ in f.params]
        if args and self.chance(0.2):
            args[-1] = f"{f.params[-1][0]}={args[-1]}"
        return f"{f.name}({', '.join(args)})"

    # statements
    def block(self, size):
        self.indent += 1
        self.scopes.append([])
        before = len(self.lines)
        for _ in range(self.rng.randint(1, size)):
            self.statement()
        if len(self.lines) == before:
            self.put("pass")
        self.scopes.pop()
        self.indent -= 1

    def statement(self):
        self.budget -= 1
        form = self.rng.randrange(100)
        if self.grows and self.loops == ["parallel"] and self.chance(0.3):
            self.put(self.pick(f"l.append({self.integer(1)})", f"qd.append(l.parent(), [], {self.integer(1)})"))
        elif self.hazards.asserts and self.chance(0.15):
            self.hazards.assertion()
        elif self.budget <= 0 or form < 24:
            self.assignment()
        elif form < 40:
            self.declaration()
        elif form < 54:
            self.update()
        elif form < 68:
            self.branch()
        elif form < 82 and len(self.loops) < MOST_DEEP:
            self.loop()
        elif form < 88 and self.loops:
            self.leave()
        elif form < 94:
            self.own_store()
        elif form < 97:
            if any(f.result == "out" and self._may_call(f) for f in self.functions) and self.chance(0.5):
                self.change()
            else:
                self.unpacking()
        elif form < 99 or not self.is_debug:
            self.report()
        else:
            self.claim()

    def formatted(self):
        """A value and a format that suits it."""
        kind = self.pick("int", "int", "real", "real", "vec", "ivec", "mat")
        if kind in ("int", "ivec"):
            dtype = self.pick("i32", "i64", "u32", "u8")
            spec = self.pick("", "", ":5d" if dtype[0] == "i" else ":5u", ":x", ":08x") if kind == "int" else self.pick("", ":3d")
            dtype = dtype if kind == "int" else "i32"
            return f"qd.cast({self.value(kind, 1)}, qd.{dtype})", spec
        dtype = self.pick("f32", "f64")
        return f"qd.cast({self.value(kind, 1)}, qd.{dtype})", self.pick("", "", ":.3f", ":.2e", ":10.1f", ":g" if kind == "real" else ":.1f")

    def report(self):
        items = [self.formatted() for _ in range(self.rng.randint(1, 3))]
        form = self.rng.randrange(3)
        if form == 0:
            ending = self.pick("", ", sep=', '", ", end='.\\n'")
            self.put(f"print('@@{self.fresh('text')}', {', '.join(value for value, _ in items)}{ending})")
        elif form == 1:
            self.put(f"print(f\"@@ {' '.join('{' + value + spec + '}' for value, spec in items)}\")")
        else:
            self.put(f"print('@@ {' '.join('{' + spec + '}' for _, spec in items)}'.format({', '.join(value for value, _ in items)}))")

    def claim(self):
        value = self.integer(1)
        message = self.pick("", f", 'claim {self.fresh('c')}'", f", f'claim {self.fresh('c')}: {{{value}}}'")
        self.put(f"assert {self.condition(1)} or {self.condition(0)}{message}")

    def declaration(self):
        if self.mesh and self.chance(0.2) and self.mesh.declared(self):
            return
        kind = self.pick("int", "int", "real", "real", "vec", "ivec", "mat", "record")
        name = self.fresh(kind[0])
        value = self.value(kind)
        if any(f.result == kind and self._may_call(f) for f in self.functions) and self.chance(0.3):
            value = self.call(kind, 1)
        if kind in ("int", "real") and self.chance(0.3):
            dtype = self.pick(*(INTS if kind == "int" else REALS))
            value = f"qd.cast({value}, qd.{dtype})"
            if self.chance(0.3):
                self.put(f"{name}: qd.{dtype} = {value}")
                self.declare(name, kind)
                return
        if self.chance(0.05):
            other = self.fresh(kind[0])
            self.put(f"{other} = {name} = {value}")
            self.declare(other, kind)
        else:
            self.put(f"{name} = {value}")
        self.declare(name, kind)

    def targets(self):
        """(text, kind) of places that may be assigned."""
        found = []
        for kind in ("int", "real", "vec", "ivec", "mat", "record"):
            for name in self.variables(kind, assignable=True):
                found.append((name, kind))
                if kind == "vec":
                    found += [(f"{name}[{self.rng.randrange(3)}]", "real"), (f"{name}.{self.pick('x', 'y')}", "real")]
                    found.append((f"{name}{self.pick('[0:2]', '[1:]', '.xy', '.zx')}", "pair"))
                if kind == "ivec":
                    found += [(f"{name}[{self.integer(1)} % 3]", "int"), (f"{name}{self.pick('.xy', '.zy', '[0:2]')}", "ipair")]
                if kind == "mat":
                    found += [(f"{name}[1, 0]", "real"), (f"{name}[{self.integer(0)} % 2, 1]", "real")]
                if kind == "record":
                    found += [(f"{name}.n", "int"), (f"{name}.v.y", "real"), (f"{name}.w", "ivec"), (f"{name}.w[2]", "int")]
                    found += [(f"{name}.p.a", "int"), (f"{name}.p.b", "real"), (f"{name}.p.q.x", "int")]
        return found

    def assignment(self):
        found = self.targets()
        if not found:
            self.declaration()
            return
        text, kind = self.pick(*found)
        if kind in ("int", "real") and self.chance(0.2):
            kind = self.pick("int", "real")  # converted to the variable's type
        self.put(f"{text} = {self.value(kind)}")

    def update(self):
        if any(f.result == "out" and self._may_call(f) for f in self.functions) and self.chance(0.4):
            self.change()
            return
        found = [t for t in self.targets() if t[1] in ("int", "real", "vec", "ivec")]
        if self.shared and self.chance(0.4):
            s = self.pick(*self.shared)
            place = s.anywhere(self, 1)
            if self.chance(0.4):
                self.put(f"qd.atomic_{s.sharing}({place}, {self.integer(2)})")
            else:
                self.put({"add": f"{place} += {self.integer(2)}", "or": f"{place} |= {self.integer(2)}",
                          "xor": f"{place} ^= {self.integer(2)}"}.get(s.sharing, f"qd.atomic_{s.sharing}({place}, {self.integer(1)})"))  # fmt: skip
            return
        if not found:
            self.declaration()
            return
        text, kind = self.pick(*found)
        if kind == "int" and self.chance(0.25):
            name = self.fresh("old")
            self.put(f"{name} = qd.atomic_{self.pick('add', 'sub', 'min', 'max', 'and', 'or', 'xor', 'mul')}({text}, {self.integer(1)})")
            self.declare(name, "int")
            return
        ops = ["+", "-", "*"] + (["&", "|", "^", "<<", ">>"] if kind in ("int", "ivec") else ["/"])
        amount = self.pick("int", "real") if kind == "real" else kind
        self.put(f"{text} {self.pick(*ops)}= {self.value(amount, 1)}")

    def branch(self):
        is_static = bool(self.loops) and self.chance(0.15)  # at the top level its loops would be parallel
        test = f"qd.static({self.pick('N > 2', 'N == 5', 'FLAG', 'not FLAG', 'FLAG and N < 5', '2 < N <= 5')})" if is_static else self.condition()
        outer = self.branches
        self.branches += not is_static
        if not is_static and self.chance(0.3):
            test = self.pick("N > 2", "N == 5", "FLAG", "not FLAG", "FLAG and N < 5", "2 < N <= 5")  # of the run all the same
        self.put(f"if {test}:")
        self.block(3)
        if self.loops and self.chance(0.3):
            self.put(f"elif {self.condition(1)}:")
            self.branches += is_static
            self.block(2)
        if self.chance(0.4):
            self.put("else:")
            self.block(2)
        self.branches = outer

    def loop(self):
        name = self.fresh("k")
        kinds = ["range", "range", "while", "static", "nest", "ndrange", "bounds"]
        around = [k for k in KINDS if self.variables(k)]
        kind = self.pick(*kinds, *["touching"] * 3 * bool(around))
        outer, self.branches, trips = self.branches, 0, self.trips
        self.trips *= TRIPS[kind]
        if self.trips > self.most_trips:
            self.branches, self.trips = outer, trips
            self.assignment()
            return
        names = [name]
        if kind == "range":
            self.put(f"for {name} in range({self.pick(2, 3, 4, 'N')}):")
        elif kind == "touching":
            of = self.pick(*around)
            touched = self.pick(*self.mesh.touching(of))
            self.put(f"for {name} in {self.pick(*self.variables(of))}.{touched}:")
        elif kind == "bounds":
            self.put(f"for {name} in range({self.integer(0)} % 3, {self.integer(1)} % 5):")
        elif kind == "ndrange":
            names.append(self.fresh("k"))
            axes = self.pick("", ", axes=(1, 0)")
            if self.chance(0.3):
                group = self.fresh("g")
                self.put(f"for {group} in qd.grouped(qd.ndrange(3, (1, 3){axes})):")
                self.indent += 1
                self.put(f"{names[0]}, {names[1]} = {group}")
                self.indent -= 1
            else:
                self.put(f"for {names[0]}, {names[1]} in qd.ndrange(2, ({self.pick(0, 1)}, 3){axes}):")
        elif kind == "static":
            form = self.pick("range(3)", "range(1, 3)", "(1, 4, 2)", "range(N)", "[x * 2 for x in range(2)]", "ndrange", "grouped", "enumerate", "zip")
            if form == "ndrange":
                names.append(self.fresh("k"))
                self.put(f"for {names[0]}, {names[1]} in qd.static(qd.ndrange(2, ({self.pick(0, 1)}, 2))):")
            elif form == "enumerate":
                names.append(self.fresh("k"))
                self.put(f"for {names[0]}, {names[1]} in qd.static(enumerate((5, 3))):")
            elif form == "zip":
                names.append(self.fresh("k"))
                self.put(f"for {names[0]}, {names[1]} in qd.static(zip((7, N), (-2, 6))):")
            elif form == "grouped":
                names = [f"{name}[0]", f"{name}.y", f"({name} * 2)[1]"]
                self.put(f"for {name} in qd.static(qd.grouped(qd.ndrange(2, (1, 3)))):")
            else:
                self.put(f"for {name} in qd.static({form}):")
        elif kind == "nest":
            names += [self.fresh("k"), self.fresh("k")]
            for inner, form in zip(names, ("range(2)", f"range({name}, 2)", f"range({name} - {names[1]}, 2)")):
                self.put(f"for {inner} in qd.static({form}):")
                self.indent += 1
            self.indent -= 3
        else:
            self.put(f"{name} = {self.rng.randint(1, 4)}")
            test = self.pick(f"{name} > 0", f"{name} > 0 and {self.condition(0)}", "True")
            self.put(f"while {test}:")
            self.put(f"    {name} -= 1")
            if test == "True":
                self.put(f"    if {name} < 0 or {self.condition(0)}:")
                self.put("        break")
        inner = ["static"] * 3 if kind == "nest" else ["static" if kind == "static" else "serial"]
        self.loops += inner
        self.indent += len(inner) - 1
        self.scopes.append([(n, touched if kind == "touching" else "int", False) for n in names])
        self.block(2 if kind == "nest" else 4)
        self.scopes.pop()
        self.indent -= len(inner) - 1
        del self.loops[-len(inner) :]
        self.branches, self.trips = outer, trips

    def leave(self):
        word = self.pick("break", "continue")
        if self.loops[-1] == "parallel":
            word = "continue"
        if self.loops[-1] == "static":
            if self.branches == 0:
                self.put(f"if qd.static({self.pick('FLAG', 'N == 5')}):")
                self.put(f"    {word}")
            return
        self.put(f"if {self.condition(1)}:")
        self.put(f"    {word}")

    def own_store(self):
        if not self.own:
            self.assignment()
            return
        s, index = self.pick(*self.own)
        place = s.at(index)
        if s.element == "record":
            member, kind = self.pick(("n", "int"), ("r", "real"), ("v", "vec"), ("v[1]", "real"), ("w.x", "int"), ("p.a", "int"), ("p.b", "real"), ("p.q[1]", "int"))
            self.put(f"{place}.{member} {self.pick('=', '=', '+=')} {self.value(kind)}")
        elif s.element == "mat":
            if self.chance(0.5):
                self.put(f"{place} {self.pick('=', '+=', '*=')} {self.matrix()}")
            else:
                self.put(f"{place}[{self.pick(0, 1)}, {self.pick(0, 1)}] {self.pick('=', '-=')} {self.real()}")
        elif s.element:
            if self.chance(0.5):
                self.put(f"{place} {self.pick('=', '+=', '*=')} {self.vector()}")
            else:
                self.put(f"{place}[{self.rng.randrange(3)}] {self.pick('=', '-=')} {self.real()}")
        elif s.is_near:
            f = self.pick("sin", "cos", "exp", "tanh", "atan2", "log", "pow")
            x = f"qd.math.clamp({self.real(1)}, 0.1, 8.0)"
            call = f"qd.{f}({x}, 1.5)" if f in ("atan2", "pow") else f"qd.{f}({x})"
            self.put(f"{place} = {call}")
        elif s.form == "sparse" and self.chance(0.3):
            self.put(f"qd.{self.pick('activate', 'deactivate')}({s.name}.parent(), [{index}])")
        elif s.kind != "u1" and self.chance(0.15):
            name = self.fresh("old")
            op = self.pick("add", "sub", "min", "max", *(("and", "or", "xor", "exchange") if s.is_int() else ()))
            self.put(f"{name} = qd.atomic_{op}({place}, {self.value('int' if s.is_int() else 'real', 1)})")
            self.declare(name, "int" if s.is_int() else "real")
        else:
            self.put(f"{place} {self.pick('=', '=', '+=', '-=', '*=')} {self.value('int' if s.is_int() else 'real')}")

    def change(self):
        """Calls a func that changes what it is given."""
        f = self.pick(*[f for f in self.functions if f.result == "out" and self._may_call(f)])
        kind = f.params[0][1]
        places = self.variables(kind, assignable=True)
        places += [s.at(i) for s, i in self.own if s.is_numeric() and not s.element and s.is_int() == (kind == "int")]
        if not places:
            self.declaration()
            return
        args = [self.value(k, 1) if k != "static" else "1" for _, k, _ in f.params[1:]]
        self.put(f"{f.name}({', '.join([self.pick(*places), *args])})")

    def unpacking(self):
        a, b = self.fresh("i"), self.fresh("r")
        both = [f for f in self.functions if f.result == "both" and self._may_call(f)]
        if both and self.chance(0.7):
            f = self.pick(*both)
            args = ", ".join(self.value(k, 1) if k != "static" else "2" for _, k, _ in f.params)
            self.put(f"{a}, {b} = {f.name}({args})")
        else:
            self.put(f"{a}, {b} = {self.integer()}, {self.real()}")
        self.declare(a, "int")
        self.declare(b, "real")
        names = self.variables("int", assignable=True)
        if len(names) > 1 and self.chance(0.5):
            x, y = self.rng.sample(names, 2)
            self.put(f"{x}, {y} = {y}, {x}")

    # functions
    def function(self):
        outer = self.scopes, self.loops, self.own, self.readable, self.shared, self.branches
        self.scopes, self.loops, self.own, self.readable, self.shared, self.branches = [[]], [], [], [], [], 0
        self.trips, self.most_trips = 1, 6
        result = self.pick("int", "int", "real", "real", "vec", "both", "record", "out")
        real = self.chance(0.25) and result in ("int", "real")
        params = []
        for _ in range(self.rng.randint(1, 3)):
            kind = self.pick("int", "real", "vec", "record", *(() if real else ("int", "real", "static", *self.kinds_of_mesh() * 2)))
            note = {"int": "qd.i32", "real": "qd.f32", "vec": "qd.math.vec3", "record": "Rec"}.get(kind)
            text = "qd.template()" if kind == "static" else note if note and (real or self.chance(0.4)) else ""
            params.append((self.fresh("p"), kind, text))
        name = self.fresh("f")
        changed = self.pick("int", "real")
        if result == "out":
            params.insert(0, (self.fresh("o"), changed, "qd.template()"))
        returns = {"int": " -> qd.i32", "real": " -> qd.f32"}.get(result, "") if real or self.chance(0.3) else ""
        self.lines.append("@qd.real_func" if real else "@qd.func")
        self.lines.append(f"def {name}({', '.join(n + (': ' + t if t else '') for n, _, t in params)}){returns}:")
        for n, kind, _ in params:
            self.declare(n, "int" if kind == "static" else kind, kind != "static")
        self.budget = 6
        self.put(f"a = {self.integer(1)}")
        self.declare("a", "int")
        self.put("qd.loop_config(serialize=True)")
        self.put("for _ in range(1):")
        self.loops.append("serial")
        self.block(4)
        self.loops.pop()
        if real and self.chance(0.7):
            self.put(f"if {self.condition(1)}:")
            self.put(f"    return {self.value(result, 1)}")
        if result == "out":
            self.put(f"{params[0][0]} {self.pick('=', '+=', '-=')} {self.value(changed, 1)}")
        else:
            self.put(f"return {self.integer(1)}, {self.real(1)}" if result == "both" else f"return {self.value(result, 2)}")
        self.lines += ["", ""]
        self.scopes, self.loops, self.own, self.readable, self.shared, self.branches = outer
        self.functions.append(Function(name, params, result))

    def recursion(self):
        """A real func that calls itself, and returns from within a branch."""
        outer = self.scopes, self.own, self.readable, self.shared
        name, n, x = self.fresh("f"), self.fresh("p"), self.fresh("p")
        self.scopes, self.own, self.readable, self.shared = [[(n, "int", False), (x, "int", False)]], [], [], []
        kind = self.pick("i32", "i64", "u8")
        self.lines += ["@qd.real_func", f"def {name}({n}: qd.i32, {x}: qd.{kind}) -> qd.{kind}:"]
        self.put(f"if {n} <= 0 or {n} > 5:")
        self.put(f"    return {self.integer(1)}")
        self.put(f"if {self.condition(1)}:")
        self.put(f"    return {name}({n} - 1, {self.integer(1)}) {self.pick('+', '-', '^')} {self.integer(1)}")
        call = f"{name}({n} - {self.pick(1, 2)}, {self.integer(0)})"
        self.put(f"return {self.pick(f'min({call}, {self.integer(0)})', f'{call} * 3', self.integer(2))}")
        self.lines += ["", ""]
        self.scopes, self.own, self.readable, self.shared = outer
        self.functions.append(Function(name, [(n, "int", ""), (x, "int", "")], "int"))

    def parallel_loop(self):
        """A loop at the top level of the kernel, with storage of its own, storage to read and storage to share."""
        self.readable, self.own, self.shared = [], [], []
        self.grows = self.chance(0.6) if self.is_sparse else None
        index = self.fresh("k")
        rank = self.pick(1, 1, 2)
        form = self.pick("range", "struct", "struct", "ndrange", "grouped")
        mine = [s for s in self.storage if s.rank == rank]
        names = [index] if rank == 1 else [index, self.fresh("k")]
        places = [s for s in mine if s.element != "record"]
        if form == "struct" and places:
            over = self.pick(*places)
            indices = [self.fresh("at") for _ in names] if over.shift else names
            self.put(f"for {', '.join(indices)} in {over.name}:")
            for name, at, low in zip(names, indices, over.shift):
                self.put(f"    {name} = {at} - {low}")
        elif form == "grouped" and [s for s in places if s.form not in ("view", "sparse") and not s.shift]:
            group = self.fresh("g")
            over = [s for s in places if s.form not in ("view", "sparse") and not s.shift]
            self.put(f"for {group} in qd.grouped({self.pick(*over).name}):")
            self.indent += 1
            self.put(f"{', '.join(names)}{',' if rank == 1 else ''} = {group}" if rank > 1 else f"{index} = {group}[0]")
            self.indent -= 1
        elif rank == 1 and form == "range":
            self.put(f"for {index} in range({self.extents[0]}):")
        else:
            self.put(f"for {', '.join(names)} in qd.ndrange({', '.join(map(str, self.extents[:rank]))}):")
        for s in self.storage:
            r = self.rng.random()
            if s.rank == rank and (r < 0.45 or not s.is_numeric()):
                self.own.append((s, ", ".join(names)))
            elif r < 0.75 and s.is_numeric():
                self.readable.append(s)
            elif s.may_share():
                s.sharing = self.pick("add", "min", "max", "or", "xor", "and")
                self.shared.append(s)
        self.own = [o for o in self.own if o[0].rank == rank]
        if any(s.form == "sparse" for s, _ in self.own):
            self.readable = [s for s in self.readable if s.form != "sparse"]  # its cells come and go
        self._iterations([(n, "int", False) for n in names], math.prod(self.extents[:rank]))

    def _iterations(self, variables, count):
        """The body of a loop at the top level: it changes no variables outside of it."""
        self.trips, self.most_trips = count, max(MOST_TRIPS, 6 * count)
        frozen = [[(n, t, False) for n, t, _ in scope] for scope in self.scopes]
        outer, self.scopes = self.scopes, [*frozen, variables]
        self.loops.append("parallel")
        self.block(6)
        self.loops.pop()
        self.scopes, self.grows, self.trips, self.most_trips = outer, None, 1, MOST_TRIPS
        self.readable, self.own, self.shared = [s for s in self.storage if s.is_numeric()], [], []

    def kinds_of_mesh(self):
        return self.mesh.kinds if self.mesh else ()

    def mesh_loop(self):
        """A loop over elements of the mesh: attributes of the element are its own, others are read or updated."""
        self.readable, self.own, self.shared, self.grows = [], [], [], None
        name, kind = self.fresh("v"), self.pick(*self.mesh.kinds)
        self.put(f"for {name} in {self.mesh.name}.{kind}:")
        self.in_mesh_loop = True
        for s in self.storage:
            r = self.rng.random()
            if s.of == kind and r < 0.5:
                self.own.append((s, name))
            elif r < 0.75 and s.is_numeric():
                self.readable.append(s)
            elif s.may_share():
                s.sharing = self.pick("add", "min", "max", "or", "xor", "and")
                self.shared.append(s)
        self._iterations([(name, kind, False)], self.mesh.counts[kind])
        self.in_mesh_loop = False

    def _some(self, items, count):
        return [items[k] for k in sorted(self.rng.sample(range(len(items)), count))]

    def kernel(self):
        self.storage = chosen(self)
        self.arguments = [
            ("m", "int", f"qd.{self.pick('i32', 'u32', 'i64')}", str(self.rng.randint(0, 9))),
            ("x", "real", f"qd.{self.pick(*REALS)}", self.pick("0.5", "-1.25", "3.0")),
            ("u", "vec", "qd.math.vec3", f"qd.Vector([0.5, -2.0, {self.rng.randint(0, 5)}.0])"), ("h", "real", "qd.f16", "1.5"),
            ("q", "int", "qd.u1", self.pick("0", "1")), ("rec", "record", "Rec", "Rec(n=3, r=0.5)"),
            ("t", "int", "qd.template()", str(self.rng.randint(-2, 9))),
        ]  # fmt: skip
        if self.is_small:
            self.storage = self._some(self.storage, 3)
            self.arguments = self._some(self.arguments, 2)
        self._group()
        self.hazards.prepare()
        self.in_kernel = True
        params = [f"{s.host}: {s.note()}" for s in self.storage if s not in self.packed]
        if self.mesh:
            params += self.mesh.parameters()
            self.storage = self.storage + self.mesh.attributes
        params += [f"{name}: {note}" for name, _, note, _ in self.arguments] + ["l: qd.template()"] * self.is_sparse
        params += self.hazards.parameters()
        params += [f"pack: {'Outer' if self.is_nested else 'Pack'}"] if self.packed and not self.is_method else []
        start = len(self.lines)
        self.lines.append("@qd.kernel")
        self.lines.append(f"def k({', '.join(['self'] * self.is_method + params)}) -> (qd.i64, qd.f64):")
        self.scopes = [[(name, kind, False) for name, kind, _, _ in self.arguments]]
        self.readable = [s for s in self.storage if s.is_numeric()]
        for _ in range(self.rng.randint(1, 2 if self.is_small else 4)):
            self.budget = 5 if self.is_small else 14
            r = self.rng.random()
            if r < 0.55:
                if self.chance(0.15):
                    self.put("qd.loop_config(serialize=True)")
                if self.mesh and self.chance(0.7):
                    self.mesh_loop()
                else:
                    self.parallel_loop()
            elif r < (0.65 if self.hazards.overlapping else 0.85):
                self.declaration()
            elif r < 0.85:
                self.hazards.overlap()
            else:
                self.branch()
        self.put(f"return {self.integer(1)}, {self.real(1)}")
        if self.is_method:
            method = ["    " + line for line in self.lines[start:]]
            self.lines[start:] = [*self.hazards.classes(), "class World:", "    def __init__(self, **members):",
                                  "        self.__dict__.update(members)", "", *method]  # fmt: skip

    def _group(self):
        """Hands some of the storage over as members: of a dataclass, a nested one, or of the object with the kernel."""
        self.packed, self.is_nested, self.is_method = [], False, False
        if self.chance(0.7):
            return
        self.is_method = self.chance(0.4)
        self.is_nested = not self.is_method and self.chance(0.4)
        able = [s for s in self.storage if s.form not in ("view",) and not (self.is_method and s.form == "numpy")]
        self.packed = self._some(able, min(2, len(able)))
        prefix = "self" if self.is_method else "pack.inner" if self.is_nested else "pack"
        for s in self.packed:
            s.name = f"{prefix}.{s.host}"
        if self.is_method:
            return
        self.lines += [self.pick("@dataclasses.dataclass", "@dataclasses.dataclass(frozen=True)"), "class Pack:"]
        self.lines += [f"    {s.host}: {s.note(True)}" for s in self.packed]
        if self.is_nested:
            self.lines += ["", "", "@dataclasses.dataclass", "class Outer:", "    count: qd.i32", "    inner: Pack"]
        self.lines += ["", ""]

    def _called(self):
        """The call of the kernel in `main`."""
        members = ", ".join(f"{s.host}={s.host}" for s in self.packed)
        args = [s.host for s in self.storage if s not in self.packed and not s.of]
        args += ["MESH"] * bool(self.mesh and self.mesh.parameters()) + [value for _, _, _, value in self.arguments]
        args += ["l"] * self.is_sparse + self.hazards.arguments()
        if self.packed and not self.is_method:
            args.append(f"Outer(3, Pack({members}))" if self.is_nested else f"Pack({members})")
        return f"{f'{self.hazards.world(members)}.' if self.is_method else ''}k({', '.join(args)})"

    def program(self):
        self.is_small = self.chance(0.88)
        self.is_debug = self.chance(0.12)
        self.is_sparse = self.chance(0.12)
        self.mesh = Mesh(self) if not self.is_sparse and self.chance(0.1) else None
        self.hazards.choose()
        self.extents = WIDE if self.chance(0.03) else self.pick(*EXTENTS)
        for _ in range(self.rng.randint(0, 1 if self.is_small else 3)):
            self.function()
        if self.chance(0.1):
            self.recursion()
        self.kernel()
        body = "\n".join(self.lines)
        lines = ["", "", "def main():"]
        seed = self.rng.randrange(1000)
        lines.append(f"    rng = np.random.default_rng({seed})")
        for s in self.storage:
            lines += ["    " + line for line in ([s.filled()] if s.of else s.made(self))]
        before = [*self.mesh.made(), ""] if self.mesh else []
        lines += self.hazards.made_arrays()
        if self.is_sparse:
            lines += ["    l = qd.field(qd.i32)", f"    qd.root.dynamic(qd.i, 512, chunk_size={self.pick(1, 4, 512)}).place(l)"]
        lines.append(f"    result = {self._called()}")
        if self.chance(0.25):
            lines.append(f"    result += {self._called()}")
        exact = ["*result", *["np.sort(l.to_numpy())"] * self.is_sparse, *(s.looked_at() for s in self.storage if not s.is_near)]
        near = [s.looked_at() for s in self.storage if s.is_near]
        lines.append(f"    return [{', '.join(exact)}], [{', '.join(near)}]")
        options = {}
        if self.chance(0.4):
            options = {"default_ip": self.pick("i32", "i64"), "default_fp": self.pick("f32", "f64")}
        if self.chance(0.1):
            options["short_circuit_operators"] = False
        if self.is_debug:
            options["debug"] = True
        if self.chance(0.25) and not self.is_sparse:  # a dynamic list is deactivated as a whole
            options["cpu_max_num_threads"] = self.pick(2, 4)
        if self.chance(0.15):
            options.update(compile_tiers=False, opt_level=self.pick(0, 2, 3))
        oracle = 'ORACLE = "interp"\n' if self.is_sparse else ""
        flags = f"{oracle}OPTIONS = {options}\nN = {self.pick(2, 3, 5)}\nFLAG = {self.pick(True, False)}\n"
        body = "\n".join(before) + body
        records = next((RECORD for word in ("Rec", "Part", "flat(") if word in body or any(word in line for line in lines)), "\n\n")
        return HEAD + flags + self.hazards.functions() + records + body + "\n" + "\n".join(lines) + "\n"


RECORD = """

@qd.dataclass
class Part:
    a: qd.i64
    b: qd.f64
    q: qd.types.vector(2, qd.u8)

    @qd.func
    def part(self):
        return Part(self.q.y, self.b + self.a, self.q)


@qd.dataclass
class Rec:
    n: qd.i32
    r: qd.f32
    v: qd.types.vector(3, qd.f32)
    w: qd.types.vector(3, qd.i32)
    p: Part

    @qd.func
    def total(self):
        return self.n + self.w[0] - self.w[2]


def flat(members):
    return [x for m in members.values() for x in (flat(m) if isinstance(m, dict) else [m])]


"""


def program(seed):
    """The text of program number `seed`."""
    return Writer(seed).program()
