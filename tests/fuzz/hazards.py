"""Constructs that a compiler easily gets wrong: funcs made while a kernel is compiled, arrays that share memory with other storage, clamped
indices, nested objects, conditions of assertions with side effects."""

ACTIVE = """
class active:
    \"\"\"A node of a tree below which levels are dense on qd.python, which has no others.\"\"\"

    def __init__(self, node):
        self.node = node

    def __getattr__(self, name):
        dense = qd.cfg is None and name in ("pointer", "bitmasked")
        method = getattr(self.node, "dense" if dense else name)
        return lambda *args, **keywords: active(method(*args, **keywords))


"""

PLAIN = """
def plain(x):
    return x * 2 + N


def made():
    return qd.func(plain)


"""

BUMP = """
@qd.func
def bump(o: qd.template(), v):
    o += v
    return o


"""


class Hazards:
    def __init__(self, writer):
        self.writer = writer
        self.makes = self.asserts = self.is_nested = False
        self.template_primitives = True
        self.overlapping = None  # the storage that an array shares memory with, and that array's first element in it

    def choose(self):
        w = self.writer
        self.makes, self.asserts = w.chance(0.1), w.chance(0.12)

    def prepare(self):
        """Runs once the kernel's storage is known."""
        w = self.writer
        self.is_nested = w.is_method and not w.is_private and w.chance(0.5)
        self.template_primitives = w.chance(0.5)
        if self.is_nested:
            for s in w.packed:
                s.name = f"self.inner.{s.host}"
        for s in w.packed if w.is_method else ():
            s.is_clamped = False  # members of objects have no annotations
        able = [s for s in w.storage if s.rank == 1 and not s.element and not s.shift and not s.is_near and s.kind not in ("u1", "f16")
                and s.form in ("field", "ndarray", "numpy")]  # fmt: skip
        if able and w.chance(0.3):
            self.overlapping = w.pick(*able), w.pick(0, 0, 1)
        self.is_clamped = any(s.is_clamped for s in w.storage)

    # the parts of a program
    def functions(self):
        lines = "\n".join(self.writer.lines)
        return PLAIN * self.makes + BUMP * ("bump(" in lines) + ACTIVE * any("full" in s.form for s in self.writer.storage)

    def classes(self):
        if not self.is_nested:
            return ["@qd.data_oriented"]
        arguments = "" if self.template_primitives else "(template_primitives=False)"
        return ["@qd.data_oriented", "class Inner:", "    def __init__(self, **members):", "        self.__dict__.update(members)", "", "",
                f"@qd.data_oriented{arguments}"]  # fmt: skip

    def world(self, members):
        if not self.is_nested:
            return f"World({members})"
        return f"World(inner=Inner({members}{', ' * bool(members)}count={self.writer.rng.randint(0, 5)}))"

    def parameters(self):
        found = ["m0: qd.i32"] if self.is_clamped else []
        if self.overlapping:
            clamped = self.writer.pick("", "", ', boundary="clamp"')
            found.append(f"shares: qd.types.ndarray(qd.{self.overlapping[0].kind}, ndim=1{clamped})")
        return found

    def arguments(self):
        return ["0"] * self.is_clamped + ["shares"] * bool(self.overlapping)

    def made_arrays(self):
        """Returns the lines of `main` that make the array with shared memory."""
        if not self.overlapping:
            return []
        s, first = self.overlapping
        return [f"    shares = {s.host if s.form == 'numpy' else f'np.from_dlpack({s.host})'}[{first}:]"]

    # in kernels
    def made(self, argument):
        return f"{self.writer.pick('made()', 'qd.func(plain)', 'qd.static(qd.func(plain))')}({argument})"

    def numbers(self):
        return ["self.inner.count"] if self.is_nested else []

    def assertion(self):
        """Writes an assertion whose condition has a side effect."""
        w = self.writer
        places = [text for text, kind in w.targets() if kind == "int" and "." not in text]
        if not places:
            w.declaration()
            return
        place = w.pick(*places)
        message = w.pick("", ", 'claim'", f", f'claim {{bump({place}, 1)}}'")
        w.put(f"assert bump({place}, {w.integer(1)}) {w.pick('!=', '>', '<')} {w.integer(0)}{message}")

    def overlap(self):
        """Writes storage through both of its names, in serial code, and reads it."""
        w = self.writer
        if not self.overlapping:
            w.declaration()
            return
        s, first = self.overlapping
        kind = "int" if s.is_int() else "real"
        extent = s.extents()[0]
        for _ in range(w.rng.randint(2, 4)):
            at = w.pick(0, 1)
            place = f"shares[{at}]" if w.chance(0.5) else s.at(str(w.pick(at + first, w.rng.randrange(extent))))
            if w.chance(0.3):
                w.define(w.fresh(kind[0]), kind, place)
            else:
                w.put(f"{place} {w.pick('=', '+=')} {w.value(kind, 1)}")
