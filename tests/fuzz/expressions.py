"""Random expressions of each kind: integers, reals, conditions, vectors, matrices, structs."""

from tests.fuzz.meshes import KINDS
from tests.fuzz.storage import INTS, REALS
from tests.fuzz.writer import Writer


class Expressions(Writer):
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
        form = self.rng.randrange(24)
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
        if form == 22:
            return self.named(p, d)
        if form == 23 and self.chance(0.3):
            return f"({self.pick(' and ', ' or ').join(self.condition(0) for _ in range(self.rng.randint(8, 13)))})"
        vectors = self.variables("ivec")
        if form == 21 and self.chance(0.4):
            name = self.fresh("z")
            self.scopes.append([(name, "int", False)])
            item = p(1)
            test = self.pick("", f" if {name} != 1")
            self.scopes.pop()
            return f"qd.Vector([{item} for {name} in qd.static(range({self.pick(2, 3)})){test}]).{self.pick('sum', 'max', 'any', 'all')}()"
        return f"{self.pick(*vectors)}[{p(d)} % 3]" if vectors else self.int_leaf(depth)

    def named(self, of, depth):
        """Returns an expression in which `:=` binds a name where it may be skipped, and that reads it only where it is bound."""
        name = self.fresh("w")
        first, test = f"({name} := {of(depth)})", self.condition(depth)
        form = self.rng.randrange(5)
        real = "" if of == self.integer else " * 1.0"  # the condition may be known, and the other value an integer
        if form == 0:
            return f"((({first} if {test} else ({name} := {self.pick(of, self.integer)(depth)})) - {name}){real})"
        if form == 1:
            return f"({name} if ({test}) and {first} != 2 else {of(depth)})"
        if form == 2:
            return f"({of(depth)} if not (({test}) and {first} > 1) else {name})"
        if form == 3:
            inner = f"({first} if {self.condition(0)} else ({name} := 7))"
            return f"(({inner} + {name} if {test} else ({name} := {of(depth)}) - {name}){real})"
        return f"({first} + {name})"

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
        instances = self.variables("obj")
        if instances:
            options += [f"{self.pick(*instances)}{self.pick('.a', '.size', '[2]', f'[{self.literal_int()}]')}"] * 2
        options += self.hazards.numbers() if self.in_kernel else []
        if self.is_sparse and depth > -2:
            options += self._of_trees(depth)
        if self.mesh and depth > -2:
            options += self.mesh.numbers(self, depth)
        return self.pick(*options)

    def _of_trees(self, depth):
        """Returns queries of sparse storage that does not change at present."""
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
        form = self.rng.randrange(17)
        if form < 5:
            return f"({p(d)} {self.pick('+', '-', '*')} {p(d)})"
        if form == 16:
            return self.named(p, d)
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
        instances = self.variables("obj")
        if instances:
            options += [f"{self.pick(*instances)}.{self.pick('b', f'mixed({self.literal_int()})')}"] * 2
        return self.pick(*options)

    def condition(self, depth=2):
        form = self.rng.randrange(10)
        op = self.pick("<", "<=", ">", ">=", "==", "!=")
        if form == 8 and depth > 0:
            links = [f"{self.pick('<', '<=', '!=')} {self.pick(self.integer, self.integer, self.real)(depth - 1)}" for _ in range(self.rng.randint(2, 4))]
            return f"{self.integer(depth - 1)} {' '.join(links)}"
        if form == 9 and depth > 0:
            name = self.fresh("w")
            word = self.pick("and", "or")
            return f"({self.condition(depth - 1)} {word} ({name} := {self.integer(depth - 1)}) {op} {self.integer(0)} {word} {name} != {self.integer(0)})"
        if form == 2 and depth > 0 and self.variables("obj"):
            return f"{self.instance(1)} {self.pick('<', '>')} {self.instance(0)}"
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

    VALUES = {"int": "integer", "real": "real", "vec": "vector", "ivec": "ivector", "mat": "matrix", "obj": "instance"}

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
        """True if there are mesh elements to pass."""
        return all(self.variables(kind) for _, kind, _ in f.params if kind in KINDS)

    def call(self, result, depth):
        known = [f for f in self.functions if f.result == result and self._may_call(f)]
        if not known:
            return getattr(self, self.VALUES[result])(depth)
        f = self.pick(*known)
        args = [self.value(k, min(depth, 1)) if k != "static" else str(self.rng.randint(0, 3)) for _, k, _ in f.params]
        if args and all(k == result for _, k, _ in f.params) and len(args) < 3 and self.has_callables:
            return self.through(f, args)
        if args and self.chance(0.2):
            args[-1] = f"{f.params[-1][0]}={args[-1]}"
        return f"{f.name}({', '.join(args)})"
