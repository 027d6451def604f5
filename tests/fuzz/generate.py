"""Programs from a grammar of the accepted language. Every program is valid, ends, and has one meaning for every order of parallel
iterations: an iteration writes its own elements, and updates shared ones by commutative atomics.

A program is the text of a module with a function `main()` that makes the storage, runs the kernels and returns the values to compare. Reals
are computed with operations that are exact on every backend; results of other operations go into the array `near`, and sums that loops make
in memory, in an order chosen by the compiler, into `sums`. """

from tests.fuzz.functions import Functions
from tests.fuzz.meshes import Mesh
from tests.fuzz.storage import EXTENTS, REALS, WIDE, chosen

HEAD = "import dataclasses\nimport functools\nimport quadrants as qd\nimport numpy as np\n\n"


class Program(Functions):
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
            self.storage = self.some(self.storage, 3)
            self.arguments = self.some(self.arguments, 2)
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
        """Passes some of the storage as members of a dataclass, of a nested one, or of the object with the kernel."""
        self.packed, self.is_nested, self.is_method, self.is_private = [], False, False, False
        if self.chance(0.7):
            return
        self.is_method = self.chance(0.4)
        self.is_nested = not self.is_method and self.chance(0.4)
        able = [s for s in self.storage if s.form not in ("view",) and not (self.is_method and s.form == "numpy")]
        self.packed = self.some(able, min(2, len(able)))
        self.is_private = self.is_method and self.chance(0.3)
        prefix = "self" if self.is_method else "pack.inner" if self.is_nested else "pack"
        for s in self.packed:
            s.name = f"{prefix}.{'__' * self.is_private}{s.host}"
        if self.is_method:
            return
        self.lines += [self.pick("@dataclasses.dataclass", "@dataclasses.dataclass(frozen=True)"), "class Pack:"]
        self.lines += [f"    {s.host}: {s.note(True)}" for s in self.packed]
        if self.is_nested:
            self.lines += ["", "", "@dataclasses.dataclass", "class Outer:", "    count: qd.i32", "    inner: Pack"]
        self.lines += ["", ""]

    def _called(self):
        """Returns the call of the kernel in `main`."""
        members = ", ".join(f"{'_World__' * self.is_private}{s.host}={s.host}" for s in self.packed)
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
        if self.chance(0.15):
            self.plain_class()
        self.has_callables = self.chance(0.15)
        for _ in range(self.rng.randint(self.has_callables, 1 if self.is_small else 3)):
            self.function()
        if self.chance(0.1):
            self.recursion()
        if self.has_callables:
            self.callables()
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
        if self.chance(0.25):
            wish = self.pick("cfg_optimization", "advanced_optimization", "cache_loop_invariant_global_vars", "make_thread_local", "flatten_if")
            options[wish] = wish == "flatten_if"
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
    """Returns the text of program number `seed`."""
    return Program(seed).program()
