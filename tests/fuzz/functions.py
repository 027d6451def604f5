"""Random funcs, and loops at the top level of a kernel with the storage that each iteration may read, write and share."""

import math

from tests.fuzz.callables import Callables
from tests.fuzz.writer import MOST_TRIPS, Function


class Functions(Callables):
    def function(self):
        outer = self.scopes, self.loops, self.own, self.readable, self.shared, self.branches
        self.scopes, self.loops, self.own, self.readable, self.shared, self.branches = [[]], [], [], [], [], 0
        self.trips, self.most_trips = 1, 6
        result = self.pick("int", "int", "real", "real", "vec", "both", "record", "out")
        real = self.chance(0.25) and result in ("int", "real")
        params = []
        for _ in range(self.rng.randint(1, 3)):
            kind = self.pick("int", "real", "vec", "record", *(() if real else ("int", "real", "static", *["obj"] * self.has_class, *self.kinds_of_mesh() * 2)))
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
        """Writes a real func or method that calls itself and returns from inside a branch."""
        outer = self.scopes, self.own, self.readable, self.shared
        name, n, x = self.fresh("f"), self.fresh("p"), self.fresh("p")
        self.scopes, self.own, self.readable, self.shared = [[(n, "int", False), (x, "int", False)]], [], [], []
        kind, held = self.pick("i32", "i64", "u8"), self.fresh("h") if self.chance(0.3) else None
        if held:
            self.lines += ["@qd.data_oriented", f"class C{held}:", "    def __init__(self, n):", "        self.n = n", ""]
            self.declare("self.n", "int", False)
        start, written = len(self.lines), name
        self.lines += ["@qd.real_func", f"def {name}({'self, ' * bool(held)}{n}: qd.i32, {x}: qd.{kind}) -> qd.{kind}:"]
        name = f"self.{name}" if held else name
        self.put(f"if {n} <= 0 or {n} > 5:")
        self.put(f"    return {self.integer(1)}")
        self.put(f"if {self.condition(1)}:")
        self.put(f"    return {name}({n} - 1, {self.integer(1)}) {self.pick('+', '-', '^')} {self.integer(1)}")
        call = f"{name}({n} - {self.pick(1, 2)}, {self.integer(0)})"
        self.put(f"return {self.pick(f'min({call}, {self.integer(0)})', f'{call} * 3', self.integer(2))}")
        if held:
            self.lines[start:] = ["    " + line for line in self.lines[start:]] + ["", "", f"{held} = C{held}({self.literal_int()})"]
        self.lines += ["", ""]
        self.scopes, self.own, self.readable, self.shared = outer
        self.functions.append(Function(f"{held}.{written}" if held else written, [(n, "int", ""), (x, "int", "")], "int"))

    def parallel_loop(self):
        """Writes a loop at the top level of the kernel, with its own storage, storage to read and storage to share."""
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
            self.readable = [s for s in self.readable if s.form != "sparse"]  # its cells are activated and deactivated
        self._iterations([(n, "int", False) for n in names], math.prod(self.extents[:rank]))

    def _iterations(self, variables, count):
        """Writes the body of a loop at the top level, which does not change variables outside of it."""
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
        """Writes a loop over elements of the mesh: attributes of the element belong to the iteration, others are read or updated."""
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
