"""Programs that have derivatives almost everywhere. They obey the global data access rule: storage that a loop reads is complete, or is an
element that the same iteration has stored once before. Numbers stay moderate."""

import random

OPENINGS = ["for i in range({n}):", "for i in {over}:", "for p, q in qd.ndrange({n}, 2):", "for i in range(t, {n}):", "for i in range(2, {n} - 2):"]
FUNCS = """
@qd.func
def bend(a, b):
    c = a * 0.5
    if b > 0.1:
        c += qd.sin(b)
    else:
        c -= b * b * 0.25
    return c


@qd.func
def turn(v, a):
    r = v
    r[1] = qd.tanh(a) - v[0]
    r *= 0.5
    return r


@qd.func
def push(o: qd.template(), a):
    o += a * 0.5
    o *= 0.75


@qd.func
def powers(a, n):
    s = 0.5
    for k in range(n):
        s = s * qd.tanh(a) + 0.3 * k
    return s
"""


class Storage:
    def __init__(self, name, form, kind, rank, n):
        self.host, self.form, self.kind, self.rank, self.n = name, form, kind, rank, n
        self.name = name  # the name in kernels

    @property
    def is_array(self):
        return self.form == "ndarray"

    @property
    def shape(self):
        return {0: (1,) if self.is_array else (), 1: (self.n,), 2: (self.n, 2)}[self.rank]

    @property
    def full_shape(self):
        return self.shape + {"s": (), "v": (3,), "m": (2, 2)}[self.kind]

    @property
    def member(self):
        return {"s": ".a", "v": ".v"}[self.kind] if self.form == "struct" else ""

    def at(self, index):
        if self.rank == 0:
            return f"{self.name}[{0 if self.is_array else None}]{self.member}"
        return f"{self.name}[({index}) % {self.n}{f', ({index}) % 2' if self.rank == 2 else ''}]{self.member}"

    def own(self, index):
        """Returns the element at an index that is known to exist."""
        if self.rank == 0:
            return self.at(index)
        return f"{self.name}[{index}{f', {self.n % 2}' if self.rank == 2 else ''}]{self.member}"

    def declared(self, is_dual):
        more = f"needs_grad=True{', needs_dual=True' if is_dual and not self.is_array else ''}"
        if self.is_array:
            made = {"s": "qd.ndarray(", "v": "qd.Vector.ndarray(3, ", "m": "qd.Matrix.ndarray(2, 2, "}[self.kind]
            return f"{self.host} = {made}qd.f64, {self.shape}, needs_grad=True)"
        if self.form == "struct":
            return f'{self.host} = qd.Struct.field({{"a": qd.f64, "v": qd.types.vector(3, qd.f64)}}, shape={self.shape}, {more})'
        made = {"s": "qd.field(qd.f64", "v": "qd.Vector.field(3, qd.f64", "m": "qd.Matrix.field(2, 2, qd.f64"}[self.kind]
        if self.form == "placed" and self.rank == 1:
            dual = f", {self.host}.dual" if is_dual else ""
            return f"{self.host} = {made}, {more})\nqd.root.dense(qd.i, {self.n}).place({self.host}, {self.host}.grad{dual})"
        layout = ", layout=qd.Layout.SOA" if self.form == "soa" and self.kind != "s" else ""
        return f"{self.host} = {made}, shape={self.shape}{layout}, {more})"

    def note(self):
        dtype = {"s": "qd.f64", "v": "qd.types.vector(3, qd.f64)", "m": "qd.types.matrix(2, 2, qd.f64)"}[self.kind]
        return f"{self.host}: qd.types.ndarray({dtype}, {max(self.rank, 1)})"


class Program:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.n = self.pick(1, 3, 5, 8, 16, 33, 70)
        self.has_stacks = self.chance(0.75)
        self.of_fields = self.chance(0.4)
        self.counter, self.lines, self.deep = 0, [], 1
        self.inputs = [self.storage("x", k) for k in range(self.rng.randint(1, 3))]
        self.moved = None
        if self.of_fields:
            self.inputs[0].kind, self.inputs[0].rank = "s", self.pick(0, 1, 1, 2)
            self.moved = 0
        self.input_shapes = [s.full_shape for s in self.inputs]
        self.between = []
        self.loss = Storage("loss", "field" if self.of_fields or self.chance(0.5) else "ndarray", "s", 0, 1)
        self.whole = [("to", self.pick("ndarray", "field"), 60), ("much", self.pick("ndarray", "field"), 4)]
        self.readable = list(self.inputs)
        self.scopes, self.own, self.straight, self.index, self.loops, self.scratch = [], [], [], "0", 0, False
        self.kernels = []

    # chance and lines
    def chance(self, p):
        return self.rng.random() < p

    def pick(self, *items):
        return self.rng.choice(items)

    def fresh(self, prefix):
        self.counter += 1
        return f"{prefix}{self.counter}"

    def put(self, line):
        self.lines.append("    " * self.deep + line)

    def storage(self, letter, k):
        form = self.pick("field", "placed", "soa") if self.of_fields else self.pick("field", "placed", "soa", "ndarray", "ndarray", "ndarray")
        return Storage(f"{letter}{k}", form, self.pick("s", "s", "s", "v", "m"), self.pick(0, 1, 1, 1, 2), self.n)

    def names(self, kind, assignable=False):
        return [n for scope in self.scopes for n, k, a in scope if k == kind and (a or not assignable)]

    def declare(self, name, kind, assignable=True):
        self.scopes[-1].append((name, kind, assignable))

    # expressions
    def whole_number(self, depth=1):
        r = self.rng.random()
        if r < 0.4 and self.names("i"):
            return self.pick(*self.names("i"))
        if r < 0.55 or depth <= 0:
            return str(self.rng.randrange(5))
        if r < 0.75:
            name, _, most = self.pick(*self.whole)
            return f"{name}[({self.whole_number(depth - 1)}) % {self.n}]"
        if r < 0.8 and self.scratch:
            return f"scratch[{self.index}]"
        if r < 0.82 and (known := [s for s in self.inputs if s.rank]):
            return f"({self.pick(*known).name}.shape[0] % 5)"
        a, b = self.whole_number(depth - 1), self.whole_number(depth - 1)
        return self.pick(f"({a} + {b})", f"({a} * 2 + 1)", f"({a} % 3)", f"qd.max({a}, {b})", f"({a} // 2)")

    def condition(self, depth=1):
        r = self.rng.random()
        if r < 0.35:
            return f"{self.whole_number()} % {self.pick(2, 3)} == {self.rng.randrange(2)}"
        if r < 0.5 and depth > 0:
            return f"({self.condition(depth - 1)} {self.pick('and', 'or')} {self.condition(depth - 1)})"
        return f"{self.real(1)} {self.pick('<', '>')} {self.pick(str(round(self.rng.uniform(-0.6, 0.6), 3)), self.real(0))}"

    def element(self, storage):
        """Returns an element of a storage, by an index that is plainly in range or by any other."""
        if self.straight and self.chance(0.6):
            return storage.own(self.pick(*self.straight))
        return storage.at(self.whole_number())

    def load(self, kind):
        """Returns an element of complete storage, or one that this iteration stored."""
        found = [self.element(s) for s in self.readable if s.kind == kind]
        found += [place for place, k in self.own if k == kind]
        return self.pick(*found) if found else None

    def real(self, depth=2):
        r = self.rng.random()
        if depth <= 0 or r < 0.3:
            s = self.rng.random()
            if s < 0.4 and self.names("s"):
                return self.pick(*self.names("s"))
            if s < 0.5 and self.names("v"):
                return f"{self.pick(*self.names('v'))}[{self.pick('0', '1', '2', f'({self.whole_number(0)}) % 3')}]"
            if s < 0.57 and self.names("m"):
                return f"{self.pick(*self.names('m'))}[{self.rng.randrange(2)}, {self.pick('0', '1', f'({self.whole_number(0)}) % 2')}]"
            if s < 0.63 and self.names("r"):
                return f"{self.pick(*self.names('r'))}.{self.pick('a', 'v[1]', 'v.x')}"
            if s < 0.93 and (loaded := self.load("s")):
                return loaded
            if s < 0.96 and (loaded := self.load("v")):
                return f"{loaded}[{self.rng.randrange(3)}]"
            number = round(self.rng.uniform(-1.2, 1.2), 3)
            return f"({number})" if number < 0 else str(number)
        a = self.real(depth - 1)
        if r < 0.58:
            return self.pick(
                f"qd.sin({a})", f"qd.cos({a})", f"qd.tanh({a})", f"qd.exp(0.3 * qd.tanh({a}))", f"qd.sqrt(1.1 + {a} * {a})", f"(-{a})",
                f"qd.log(1.5 + {a} ** 2)", f"qd.abs({a})", f"(1 / (1.3 + {a} * {a}))", f"qd.rsqrt(1.2 + {a} ** 2)", f"qd.asin(0.8 * qd.sin({a}))",
                f"qd.acos(0.8 * qd.cos({a}))", f"qd.tan(0.5 * qd.tanh({a}))", f"({a} + qd.floor({a} * 1.7) * 0.1)", f"({a} % 1.7)",
                f"qd.cast({self.whole_number()} % 4, qd.f64)", f"(qd.tanh({a}) ** 3)",
            )  # fmt: skip
        if r < 0.66:
            v = self.vector(depth - 1)
            return self.pick(
                f"{v}.dot({self.vector(depth - 1)})",
                f"qd.sqrt(0.3 + {v}.norm_sqr())",
                f"{v}.sum()",
                f"qd.Vector([1.5, 0.1, 0.2]).cross({v})[1]",
                f"({v} + 4.0).norm()",
            )
        if r < 0.71:
            m = self.matrix(depth - 1)
            return self.pick(f"{m}.determinant()", f"{m}.trace()", f"({m} * 0.1 + 1.0)[1, 0]", f"{m}.norm(0.2)")
        b = self.real(depth - 1)
        choices = [f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} * {b})", f"({a} / (1.2 + {b} * {b}))", f"qd.max({a}, {b})", f"min({a}, {b})",
                   f"qd.atan2({a}, 1.1 + {b} * {b})", f"(1.1 + {a} * {a}) ** (0.5 * qd.tanh({b}))", f"qd.select({self.condition(0)}, {a}, {b})",
                   f"({a} if {self.condition(0)} else {b})", f"bend({a}, {b})", f"qd.math.mix({a}, {b}, 0.3)", f"qd.math.clamp({a}, -0.7, 0.9)"]  # fmt: skip
        if self.has_stacks:
            choices.append(f"powers({a}, {self.whole_number(0)} % 4)")
        return self.pick(*choices)

    def vector(self, depth=1):
        r = self.rng.random()
        if depth <= 0 or r < 0.4:
            if self.names("v") and self.chance(0.6):
                return self.pick(*self.names("v"))
            if loaded := self.load("v"):
                return loaded
        if r < 0.6 or depth <= 0:
            return f"qd.Vector([{self.real(depth - 1)}, {self.real(0)}, {self.real(depth - 1)}])"
        v = self.vector(depth - 1)
        return self.pick(f"({v} + {self.vector(depth - 1)})", f"({v} * {self.real(depth - 1)})", f"qd.sin({v})", f"{v}.cross({self.vector(0)})", f"turn({v}, {self.real(0)})",
                         f"({v} / (1 + {v}.norm_sqr()))", f"qd.max({v}, {self.vector(0)})", f"({v} + 5.0).normalized()", f"(0.5 - {v})")  # fmt: skip

    def matrix(self, depth=1):
        r = self.rng.random()
        if depth <= 0 or r < 0.45:
            if self.names("m") and self.chance(0.6):
                return self.pick(*self.names("m"))
            if loaded := self.load("m"):
                return loaded
        if r < 0.65 or depth <= 0:
            return f"qd.Matrix([[{self.real(0)}, {self.real(depth - 1)}], [{self.real(0)}, {self.real(0)}]])"
        m = self.matrix(depth - 1)
        return self.pick(f"({m} @ {self.matrix(depth - 1)})", f"{m}.transpose()", f"({m} * {self.real(depth - 1)})", f"qd.tanh({m})",
                         f"(qd.tanh({m}) * 0.3 + qd.Matrix([[2.0, 0.0], [0.0, 2.0]])).inverse()", f"({m} - {self.matrix(0)})")  # fmt: skip

    def value(self, kind, depth=2):
        return {"s": self.real, "v": self.vector, "m": self.matrix, "i": self.whole_number}[kind](depth if kind in "s" else 1)

    def bounded(self, kind, depth=2):
        """Returns a bounded value for a loop-carried variable."""
        value = self.value(kind, depth)
        return f"{value} % 7" if kind == "i" else self.pick(f"qd.sin({value})", f"qd.tanh({value})")

    # statements
    def block(self, size):
        self.deep += 1
        self.scopes.append([])
        for _ in range(self.rng.randint(1, size)):
            self.statement()
        self.scopes.pop()
        self.deep -= 1

    def statement(self):
        r = self.rng.random()
        if r < 0.2:
            kind = self.pick("s", "s", "s", "v", "m", "i", "r")
            name = self.fresh(kind)
            if kind == "r":
                self.put(f"{name} = Pair(a={self.real(1)}, v={self.vector(1)})")
            else:
                self.put(f"{name} = {self.value(kind)}")
            self.declare(name, kind)
        elif r < 0.45:
            self.change()
        elif r < 0.48 and len(found := self.names(self.pick("s", "v", "m"), assignable=True)) > 1:
            a, b = self.rng.sample(found, 2)
            self.put(f"{a}, {b} = {b}, {a}")
        elif r < 0.56:
            self.put(f"if {self.condition()}:")
            self.block(3)
            if self.chance(0.3):
                self.put(f"elif {self.condition()}:")
                self.block(2)
            if self.chance(0.5):
                self.put("else:")
                self.block(3)
        elif r < 0.75 and self.loops < 3:
            self.loop()
        elif r < 0.79 and self.loops and self.has_stacks:
            self.put(f"if {self.condition(0)}:")
            self.put("    continue")
        elif r < 0.83 and self.scratch:
            self.put(f"scratch[{self.index}] = {self.whole_number()} % 5")
        elif r < 0.86 and self.names("s", assignable=True):
            self.put(f"push({self.pick(*self.names('s', assignable=True))}, {self.bounded('s', 1)})")
        else:
            self.add()

    def change(self):
        kind = self.pick("s", "s", "s", "v", "m", "i", "r")
        found = self.names(kind, assignable=True)
        if not found:
            return self.add()
        name = self.pick(*found)
        if kind == "r":
            self.put(
                self.pick(
                    f"{name}.a = {self.bounded('s')}",
                    f"{name}.v = {self.bounded('v')}",
                    f"{name}.v[2] = {self.bounded('s', 1)}",
                    f"{name}.a *= {self.bounded('s', 1)}",
                )
            )
        elif kind == "i":
            self.put(f"{name} = ({name} + {self.whole_number()}) % 7")
        elif kind == "v" and self.chance(0.5):
            at = self.pick("0", "1", "2", f"({self.whole_number()}) % 3")
            self.put(self.pick(f"{name}[{at}] = {self.bounded('s')}", f"{name}[{at}] += 0.5 * {self.bounded('s', 1)}"))
        elif kind == "m" and self.chance(0.4):
            self.put(f"{name}[{self.pick('1', f'({self.whole_number()}) % 2')}, 0] = {self.bounded('s')}")
        else:
            self.put(self.pick(
                f"{name} = {self.bounded(kind)}", f"{name} += {self.bounded(kind, 1)}", f"{name} -= {self.bounded(kind, 1)}",
                f"{name} *= {self.bounded(kind, 1)}", f"{name} = {self.bounded(kind, 1)} - {name}",
                f"{name} = {name} * {self.bounded('s', 1)} + {self.value(kind, 1)} * 0.2",
                *([f"qd.atomic_max({name}, {self.bounded('s', 1)})", f"{name} /= 1.5 + {self.bounded('s', 1)}"] if kind == "s" else []),
            ))  # fmt: skip

    def loop(self):
        k = self.fresh("k")
        heads = [f"for {k} in qd.static(range({self.rng.randint(1, 3)})):"]
        if self.has_stacks:
            limit = f"({self.whole_number()}) % {self.pick(3, 4, 6)}"
            heads += [f"for {k} in range({self.n})"] * (self.loops == 0)
            most = 40 if self.loops == 0 else 9 if self.loops == 1 else 2
            heads += [f"for {k} in range({limit})", f"for {k} in range({limit})", f"for {k} in range({self.rng.randint(2, most)})",
                      f"for {k} in range({self.whole_number(0)} % 3, {self.whole_number(0)} % 5 * {1 + most // 10})", f"for {k} in range({self.pick(0, 1, 3, 7)})", f"for {k} in range(t, {self.whole_number(0)})",
                      f"for {k}, {k}b in qd.ndrange(2, ({self.whole_number(0)}) % 3)"]  # fmt: skip
        head = self.pick(*heads)
        self.put(head.rstrip(":") + ":")
        is_static, is_whole = "static" in head, f"range({self.n})" in head
        self.straight += [k] * is_whole
        self.scopes.append([(k, "i", False)])
        stacks, self.has_stacks = self.has_stacks, self.has_stacks and not is_static
        self.loops += 1
        self.block(4)
        self.loops -= 1
        self.has_stacks = stacks
        self.scopes.pop()
        if is_whole:
            self.straight.pop()

    def add(self):
        """Writes an update of the loop's target."""
        target, op = self.target, self.pick("+=", "+=", "-=")
        if target and self.mode == "add" and self.chance(0.8):
            place = self.element(target)
            if target.kind == "v" and self.chance(0.4):
                self.put(f"{place}[{self.rng.randrange(3)}] {op} {self.bounded('s')}")
            else:
                self.put(f"{place} {op} {self.bounded(target.kind)}")
        elif target and self.mode == "store" and self.chance(0.8):
            if target.kind == "v" and self.chance(0.3):
                self.put(f"{self.place}[{self.rng.randrange(3)}] = {self.bounded('s')}")
            else:
                self.put(f"{self.place} = {self.bounded(target.kind)}")
        else:
            self.put(f"{self.loss.at('0')} {op} {self.bounded('s')}")

    def top_loop(self):
        """Writes one loop over the range of the target, with one method of writing to it."""
        self.target = target = self.pick(*self.between)
        modes = ["add"]
        if target not in self.written:
            modes += ["store", "once", "serial"]
        elif target in self.stored:
            modes = ["none"]
        self.mode = mode = self.pick(*modes)
        if target.rank == 0 and mode != "add" and mode != "none":
            self.mode = mode = "add"
        self.written.add(target)
        if mode != "add":
            self.stored.add(target)
        if target in self.readable:
            self.readable.remove(target)  # not complete before the end of the loop
        over = [s for s in self.inputs + self.between if s.rank == 1 and s.kind == "s" and not s.member]
        openings = OPENINGS[: 4 if over else 1] + OPENINGS[4:] * 3 * (self.n > 4)
        head = self.pick(*openings).format(n=self.n, over=self.pick(*over).name if over else "")
        if mode == "serial" or "ndrange" in head and mode != "add" and mode != "none":
            head = OPENINGS[0].format(n=self.n)
        if mode == "serial":
            self.put("qd.loop_config(serialize=True)")
        self.put(head)
        self.index, self.loops, self.own = "i", 0, []
        self.straight = ["p"] if "ndrange" in head else ["i", "i - 1", "i + 1", "i + 2"] if "range(2" in head else ["i"]
        self.scratch = self.has_scratch and "ndrange" not in head and (self.has_stacks or mode != "serial" and self.deep == 1)
        self.scopes = [[("i", "i", False)]]
        self.deep += 1
        if "ndrange" in head:
            self.put("i = p * 2 + q")
        if self.scratch:
            self.put(f"scratch[i] = {self.whole_number(0)} % 5")
        for kind in self.rng.sample(["s", "s", "v", "m", "i"], self.rng.randint(0, 3)):
            name = self.fresh(kind)
            self.put(f"{name} = {self.value(kind)}")
            self.declare(name, kind)
        self.place = target.own("i") if target.rank else ""
        if mode == "serial":
            before = target.own("i - 1")
            first = self.fresh(target.kind)
            self.put(f"{first} = {self.bounded(target.kind)}")
            self.put("if i > 0:")
            self.put(f"    {first} = qd.tanh({before} + {first} * 0.5)")
            self.declare(first, target.kind)
        if mode in ("once", "serial"):
            self.before(2)
            self.put(f"{self.place} = {self.bounded(target.kind)}")
            self.own.append((self.place, target.kind))
            self.mode = "none"
        for _ in range(self.rng.randint(2, 6)):
            self.statement()
        if mode in ("add", "store"):
            self.add()
        self.deep -= 1
        self.scopes, self.own, self.straight = [], [], []

    def before(self, size):
        """Writes the statements before the store."""
        mode, self.mode = self.mode, "none"
        for _ in range(self.rng.randint(0, size)):
            self.statement()
        self.mode = mode

    def last_loop(self, kernel_reads):
        """Writes the loop that computes the loss from everything written."""
        self.target, self.mode, self.own, self.straight, self.loops, self.scratch = None, "none", [], ["i"], 0, False
        self.scopes = [[("i", "i", False)]]
        self.put(f"for i in range({self.n}):")
        self.deep += 1
        for s in kernel_reads:
            part = {"s": "", "v": ".dot(qd.Vector([0.3, -0.7, 0.2]))", "m": f"[1, {self.rng.randrange(2)}]"}[s.kind]
            self.put(f"{self.loss.at('0')} += qd.sin({s.at(self.pick('i', 'i + 1', 'to[i]'))}{part} * {self.pick(0.5, 1.5)} + 0.2)")
        self.statement()
        self.deep -= 1
        self.scopes = []

    def kernel(self, name, params):
        self.lines += ["", "", "@qd.kernel", f"def {name}({params}):"]
        self.kernels.append(name)
        self.deep = 1

    def made(self):
        """Returns the lines that make the storage."""
        lines = [s.declared(self.of_fields) for s in [*self.inputs, *self.between, self.loss]]
        for name, form, most in self.whole:
            lines.append(f"{name} = qd.{'ndarray' if form == 'ndarray' else 'field'}(qd.i32, {self.n})")
            lines.append(f"{name}.from_numpy(np.random.default_rng({self.rng.randrange(99)}).integers(0, {most}, {self.n}).astype(np.int32))")
        return lines + [f"scratch = qd.field(qd.i32, {self.n})"] * self.has_scratch

    def text(self):
        self.between = [self.storage("y", k) for k in range(self.rng.randint(1, 3))]
        for s in self.between:
            if s.form == "field" and s.kind in "sv" and self.chance(0.3):
                s.form = "struct"
        self.written, self.stored, self.has_scratch = set(), set(), self.chance(0.3)
        all_storage, is_object = [*self.inputs, *self.between, self.loss], self.chance(0.2)
        for s in all_storage if is_object else ():
            s.name = f"self.{s.host}"
        arrays = [s for s in all_storage if s.is_array and not is_object]
        whole = [name for name, form, _ in self.whole if form == "ndarray"]
        params = ", ".join(
            [*["self"] * is_object, *(s.note() for s in arrays), *(f"{name}: qd.types.ndarray(qd.i32, 1)" for name in whole), "t: qd.i32"]
        )
        args = ", ".join([*(s.host for s in arrays), *whole, "0"])
        for k in range(self.rng.randint(1, 3)):
            self.kernel(f"kernel{k}", params)
            for _ in range(self.rng.randint(1, 2)):
                self.deep = 1
                if self.chance(0.1):
                    self.put("if t >= 0:")
                    self.deep = 2
                self.top_loop()
                if self.chance(0.5):  # complete, so other loops may read it and none writes to it
                    self.stored.add(self.target)
                    self.readable.append(self.target)
            self.readable = [*self.inputs, *(s for s in self.between if s in self.stored or s in self.written and self.chance(0.7))]
            self.stored.update(s for s in self.readable if s in self.between)
        self.kernel("total", params)
        self.readable = [*self.inputs, *self.between]
        self.last_loop(self.between + [self.pick(*self.inputs)])
        options = {"fast_math": self.chance(0.5), "cpu_max_num_threads": self.pick(1, 3), "ad_stack_experimental_enabled": self.has_stacks}
        owner, lines = "", self.lines
        if is_object:
            owner = "world."
            lines = ["", "", "@qd.data_oriented", "class World:", "    def __init__(self):", *(f"        {s.name} = {s.host}" for s in all_storage),
                     *("    " * bool(line) + line for line in lines), "", "", "world = World()"]  # fmt: skip
        return "\n".join([
            f"OPTIONS = {options}", "import numpy as np", "import quadrants as qd", "",
            "Pair = qd.types.struct(a=qd.f64, v=qd.types.vector(3, qd.f64))", FUNCS, "", *self.made(), *lines, "", "",
            f"INPUTS = [{', '.join(s.host for s in self.inputs)}]", f"BETWEEN = [{', '.join(s.host for s in self.between)}]", "LOSS = loss", "", "",
            "def run():", *(f"    {owner}{k}({args})" for k in self.kernels), "", "",
            "def back():", *(f"    {owner}{k}.grad({args})" for k in reversed(self.kernels)), "",
        ])  # fmt: skip
