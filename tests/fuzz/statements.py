"""Random statements: declarations, assignments, updates, branches, loops inside of functions."""

from tests.fuzz.expressions import Expressions
from tests.fuzz.meshes import KINDS
from tests.fuzz.storage import INTS, REALS

MOST_DEEP = 4  # nested loops
TRIPS = {"range": 3, "while": 3, "static": 3, "nest": 4, "ndrange": 5, "bounds": 2, "touching": 3}  # approximate trip counts


class Statements(Expressions):
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
        """Returns a value with a suitable format."""
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
        kind = self.pick("int", "int", "real", "real", "vec", "ivec", "mat", "record", *["obj"] * 4 * self.has_class)
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
            self.declare(name, kind)
        else:
            self.define(name, kind, value)

    def targets(self):
        """Returns (text, kind) of lvalues that may be assigned."""
        found = []
        for kind in ("int", "real", "vec", "ivec", "mat", "record", "obj"):
            for name in self.variables(kind, assignable=True):
                found.append((name, kind))
                if kind == "vec":
                    found += [(f"{name}[{self.rng.randrange(3)}]", "real"), (f"{name}.{self.pick('x', 'y')}", "real")]
                    found.append((f"{name}{self.pick('[0:2]', '[1:]', '.xy', '.zx')}", "pair"))
                if kind == "ivec":
                    found += [(f"{name}[{self.integer(1)} % 3]", "int"), (f"{name}{self.pick('.xy', '.zy', '[0:2]')}", "ipair")]
                if kind == "mat":
                    found += [(f"{name}[1, 0]", "real"), (f"{name}[{self.integer(0)} % 2, 1]", "real")]
                if kind == "obj":
                    found += [(f"{name}.a", "int"), (f"{name}.b", "real")]
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
        found = [t for t in self.targets() if t[1] in ("int", "real", "vec", "ivec", "obj")]
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
        if kind == "obj" and self.chance(0.5):
            self.put(f"{text}.grow({self.integer(1)})")
            return
        ops = ["+", "-", "*"] + (["&", "|", "^", "<<", ">>"] if kind in ("int", "ivec") else ["/"] if kind != "obj" else [])
        amount = self.pick("int", "real") if kind == "real" else kind
        self.put(f"{text} {self.pick(*ops)}= {self.value(amount, 1)}")

    def branch(self):
        is_static = bool(self.loops) and self.chance(0.15)  # at the top level its loops would be parallel
        test = f"qd.static({self.pick('N > 2', 'N == 5', 'FLAG', 'not FLAG', 'FLAG and N < 5', '2 < N <= 5')})" if is_static else self.condition()
        outer = self.branches
        self.branches += not is_static
        if not is_static and self.chance(0.3):
            test = self.pick("N > 2", "N == 5", "FLAG", "not FLAG", "FLAG and N < 5", "2 < N <= 5")  # a run-time condition nevertheless
        named = self.fresh("w") if not is_static and self.chance(0.15) else None
        if named:
            test = f"({self.pick(test, self.condition(1))}) and ({named} := {self.integer(1)}) {self.pick('<', '!=', '>=')} {self.integer(0)}"
        self.put(f"if {test}:")
        self.scopes.append([(named, "int", True)] if named else [])
        self.block(3)
        self.scopes.pop()
        if self.loops and self.chance(0.3):
            self.put(f"elif {self.condition(1)}:")
            self.branches += is_static
            self.block(2)
        elif self.loops and self.chance(0.04):
            self.branches += is_static
            self.chain()
        if self.chance(0.4):
            self.put("else:")
            self.block(2)
        self.branches = outer

    def chain(self):
        """Writes so many `elif` that branches nest deeply."""
        names = self.variables("int", True)
        value = self.integer(1)
        for k in range(self.pick(5, 70, 140)):
            self.put(f"elif {value} == {k}:" if k % 50 else f"elif {self.condition(1)}:")
            self.put(f"    {self.pick(*names)} += {k + 1}" if names else "    pass")

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
            named = self.fresh("w")
            test = self.pick(f"{name} > 0", f"{name} > 0 and {self.condition(0)}", "True", f"({named} := {name} - {self.pick(0, 1)}) > 0")
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
        if s.sign:
            self.add_up(s, place)
        elif s.element == "record":
            member, kind = self.pick(("n", "int"), ("r", "real"), ("v", "vec"), ("v[1]", "real"), ("w.x", "int"), ("p.a", "int"), ("p.b", "real"), ("p.q[1]", "int"))
            self.put(f"{place}.{member} {self.changed(('=', '=', '+='), kind)} {self.value(kind)}")
        elif s.element == "mat":
            if self.chance(0.5):
                self.put(f"{place} {self.changed(('=', '+=', '*='))} {self.matrix()}")
            else:
                self.put(f"{place}[{self.pick(0, 1)}, {self.pick(0, 1)}] {self.changed(('=', '-='))} {self.real()}")
        elif s.element:
            if self.chance(0.5):
                self.put(f"{place} {self.changed(('=', '+=', '*='))} {self.vector()}")
            else:
                self.put(f"{place}[{self.rng.randrange(3)}] {self.changed(('=', '-='))} {self.real()}")
        elif s.is_near:
            f = self.pick("sin", "cos", "exp", "tanh", "atan2", "log", "pow")
            x = f"qd.math.clamp({self.real(1)}, 0.1, 8.0)"
            call = f"qd.{f}({x}, 1.5)" if f in ("atan2", "pow") else f"qd.{f}({x})"
            self.put(f"{place} = {call}")
        elif s.form == "sparse" and self.chance(0.3):
            self.put(f"qd.{self.pick('activate', 'deactivate')}({s.name}.parent(), [{index}])")
        elif s.kind != "u1" and (s.is_int() or not self.repeats()) and self.chance(0.15):
            name = self.fresh("old")
            op = self.pick("add", "sub", "min", "max", *(("and", "or", "xor", "exchange") if s.is_int() else ()))
            self.put(f"{name} = qd.atomic_{op}({place}, {self.value('int' if s.is_int() else 'real', 1)})")
            self.declare(name, "int" if s.is_int() else "real")
        else:
            kind = "int" if s.is_int() else "real"
            self.put(f"{place} {self.changed(('=', '=', '+=', '-=', '*='), kind)} {self.value(kind)}")

    def repeats(self):
        return len(self.loops) > 1

    def changed(self, forms, kind="real"):
        """Returns the operator that changes an element. Sums and products of a loop in memory may be regrouped, so reals that are also read
        are stored there."""
        return "=" if kind != "int" and self.repeats() else self.pick(*forms)

    def add_up(self, s, place):
        """Writes sums and products in loops that are not read."""
        value = self.vector if s.element else self.real
        if s.element and self.chance(0.5):
            place, value = f"{place}[{self.rng.randrange(3)}]", self.real
        form = self.pick("+=", "-=") if s.sign == "+" else "*="
        self.put(f"{place} {form} {value()}")

    def change(self):
        """Calls a func that changes its argument."""
        f = self.pick(*[f for f in self.functions if f.result == "out" and self._may_call(f)])
        kind = f.params[0][1]
        places = self.variables(kind, assignable=True)
        if kind == "int":
            places += [s.at(i) for s, i in self.own if s.is_numeric() and not s.element and s.is_int()]
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
