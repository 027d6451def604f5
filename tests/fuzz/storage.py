"""Arrays and fields of generated programs: how they are named, made, filled, passed and read."""

import math
import re

INTS = ["i32", "i64", "u8", "u32", "i16", "u64", "i8", "u16"]
REALS = ["f32", "f64"]
EXTENTS = ((4, 2), (4, 2), (4, 2), (4, 3), (6, 3))  # each cell costs an iteration in Python
WIDE = (20, 3)  # fills SIMD lanes
NUMPY = {"i8": "int8", "u8": "uint8", "i16": "int16", "u16": "uint16", "i32": "int32", "u32": "uint32", "i64": "int64", "u64": "uint64", "f16": "float16", "f32": "float32", "f64": "float64", "u1": "bool"}  # fmt: skip
ELEMENTS = {"": (), "vec": (3,), "mat": (2, 2)}

_ARRAYS = ["ndarray", "ndarray", "numpy", "view", "tensor"]
_FIELDS = ["field", "field", "field", "tree", "full", "tensor", "bits", "packed", "full packed"]
_PACKED = ("bits", "packed", "shared", "full packed")
# n and m are placeholders for the extents, h for half of the first.
_TREES = {
    1: ["dense(qd.i, h).dense(qd.i, 2)", "dense(qd.i, n)", "dense(qd.i, 1).dense(qd.i, n)"],
    2: ["dense(qd.i, n).dense(qd.j, m)", "dense(qd.ij, (h, 1)).dense(qd.ij, (2, m))", "dense(qd.j, m).dense(qd.i, n)"],
}
# Trees with all cells active; LEVEL is a placeholder for a sparse level.
_FULL = {
    1: ["LEVEL(qd.i, h).dense(qd.i, 2)", "LEVEL(qd.i, n)", "dense(qd.i, 2).LEVEL(qd.i, h)", "LEVEL(qd.i, 2).LEVEL(qd.i, h)"],
    2: ["LEVEL(qd.i, n).dense(qd.j, m)", "LEVEL(qd.ij, (h, m)).dense(qd.i, 2)", "LEVEL(qd.ij, (2, 1)).LEVEL(qd.ij, (h, m))"],
}
_FULL_PACKED = {
    1: ["LEVEL(qd.i, h).quant_array(qd.i, 2", "LEVEL(qd.i, 1).dense(qd.i, h).quant_array(qd.i, 2", "dense(qd.i, h).LEVEL(qd.i, 1).quant_array(qd.i, 2"],
    2: ["LEVEL(qd.i, h).quant_array(qd.ij, (2, m)", "LEVEL(qd.i, n).quant_array(qd.j, m", "LEVEL(qd.j, m).LEVEL(qd.i, h).quant_array(qd.i, 2"],
}
_SPARSE = {
    1: ["pointer(qd.i, h).dense(qd.i, 2)", "bitmasked(qd.i, n)", "dense(qd.i, 2).bitmasked(qd.i, h)", "pointer(qd.i, n)",
        "pointer(qd.i, 2).bitmasked(qd.i, h)", "dynamic(qd.i, n, chunk_size=2)"],
    2: ["pointer(qd.i, n).dense(qd.j, m)", "bitmasked(qd.ij, (h, m)).dense(qd.i, 2)", "pointer(qd.ij, (2, 1)).pointer(qd.ij, (h, m))",
        "dense(qd.i, n).dynamic(qd.j, m)", "pointer(qd.i, n).dynamic(qd.j, m, chunk_size=1)", "pointer(qd.j, m).bitmasked(qd.i, n)"],
}  # fmt: skip


def _tree(writer, shapes):
    n, m = writer.extents
    return re.sub(r"\b[nmh]\b", lambda found: str({"n": n, "m": m, "h": n // 2}[found[0]]), writer.pick(*shapes))


class Storage:
    """`name` is the name in the kernel, `host` the name in `main`; `kind` is a scalar type, `form` one of those above, "sparse" or
    "struct"; `element` is "", "vec", "mat" or "record"."""

    def __init__(self, writer, host, kind, form, rank, element=""):
        self.name = self.host = host
        self.all_extents = writer.extents
        self.kind, self.form, self.rank, self.element = kind, form, rank, element
        self.is_near = host in ("near", "sums")
        self.sign = writer.pick("+", "+", "*") if host == "sums" else None  # its update operator in loops
        self.sharing = None
        self.is_clamped = form in ("ndarray", "numpy") and writer.chance(0.15)
        self.of = None  # the kind of the mesh elements that it belongs to
        is_shifted = form == "field" and rank and writer.chance(0.12)
        self.shift = [writer.pick(-3, -1, 2, 5) for _ in range(rank)] if is_shifted else []  # the start of its indices

    def is_int(self):
        return self.kind not in ("f16", "f32", "f64")

    def is_numeric(self):
        """True if its elements may appear in expressions."""
        return self.element != "record" and not self.is_near

    def may_share(self):
        """True if many iterations may update one element."""
        return self.is_int() and not self.element and not self.is_near and self.form not in _PACKED and self.kind != "u1"

    def extents(self):
        return self.all_extents[: self.rank]

    def at(self, index):
        """Returns the element at an index, given as text, that counts from 0."""
        return self._element(index.split(", "))

    def anywhere(self, writer, depth):
        """Returns the element at any index."""
        if self.is_clamped and self.rank:
            return self._element([f"qd.cast({writer.integer(depth)}, qd.i32) + m0" for e in self.extents()])
        return self._element([f"{writer.integer(depth)} % {e}" for e in self.extents()] or ["None"])

    def _element(self, parts):
        shifted = [f"{part} + {low}" for part, low in zip(parts, self.shift)]
        return f"{self.name}[{', '.join(shifted or parts)}]"

    def note(self, in_class=False):
        """Returns the annotation of a parameter for it."""
        if self.form in ("ndarray", "numpy"):
            dtype = f"qd.types.vector(3, qd.{self.kind})" if self.element else f"qd.{self.kind}"
            clamped = ", boundary='clamp'" if self.is_clamped else ""
            return f"qd.types.ndarray({dtype}, ndim={self.rank}{clamped})"
        if self.form == "view":
            return f"qd.BufferView[qd.{self.kind}]"
        if self.form == "tensor":
            return "qd.Tensor"
        return "qd.Template" if in_class else "qd.template()"

    def made(self, writer):
        """Returns the lines that make and fill it."""
        n, shape = self.host, f"({', '.join(map(str, self.extents()))},)" if self.rank else "()"
        soa = writer.pick("", ", layout=qd.Layout.SOA") + (f", offset={tuple(self.shift)}" if self.shift else "")
        if self.element == "record":
            return [f"{n} = Rec.field(shape={self.extents()[0]}{soa})", f"{n}.n.from_numpy(rng.integers(-9, 9, {self.extents()[0]}).astype(np.int32))"]
        values = self._values()
        if self.form == "numpy":
            return [f"{n} = {values}"]
        if self.form == "view":
            return [f"{n}_all = qd.ndarray(qd.{self.kind}, {self.extents()[0] + 3})", f"{n}_all.fill(1)", f"{n} = {n}_all[2:{self.extents()[0] + 2}]"]
        if self.form == "sparse":
            tree = _tree(writer, _SPARSE[self.rank])
            cells = [tuple(writer.rng.randrange(e) for e in self.extents()) for _ in range(writer.rng.randint(0, 5))]
            stores = [f"{n}[{', '.join(map(str, cell))}] = {writer.rng.randint(0, 9)}" for cell in cells]
            return [f"{n} = qd.field(qd.{self.kind})", f"qd.root.{tree}.place({n})", *stores]
        lines = []
        if self.form == "ndarray":
            lines = [f"{n} = qd.Vector.ndarray(3, qd.{self.kind}, {shape})" if self.element else f"{n} = qd.ndarray(qd.{self.kind}, {shape})"]
        elif self.form == "tensor":
            layout = writer.pick("", ", layout=(1, 0)") if self.rank == 2 else ""
            lines = [f"{n} = qd.tensor(qd.{self.kind}, {shape}, backend=qd.Backend.{writer.pick('FIELD', 'NDARRAY')}{layout})"]
        elif self.form == "tree":
            lines = [f"{n} = qd.field(qd.{self.kind})", f"qd.root.{_tree(writer, _TREES[self.rank])}.place({n})"]
        elif self.form in ("full", "full packed"):
            tree = _tree(writer, (_FULL if self.form == "full" else _FULL_PACKED)[self.rank])
            kind = f"qd.{self.kind}" if self.form == "full" else self._quant(writer, 30 // max(self.all_extents[1], 1) // 2)
            tree = re.sub(r"\.?LEVEL\(", lambda _: f".{writer.pick('pointer', 'bitmasked')}(", tree).lstrip(".")
            closed = "" if self.form == "full" else ", max_num_bits=32)"
            lines = [f"{n} = qd.field({kind})", f"active(qd.root).{tree}{closed}.place({n})", f"for at in np.ndindex({tuple(self.extents())}):", f"    {n}[at] = 0"]
        elif self.form == "packed":
            axes = "qd.i" if self.rank == 1 else "qd.ij"
            first, second = self.all_extents
            above, inside = f".dense({axes}, {(first // 2, 1)[: self.rank]})", (2, second)[: self.rank]
            if self.rank == 1 and first <= 6 and writer.chance(0.5):
                above, inside = "", (first,)
            lines = [f"{n} = qd.field({self._quant(writer, 30 // math.prod(inside))})",
                     f"qd.root{above}.quant_array({axes}, {inside}, max_num_bits=32).place({n})"]  # fmt: skip
        elif self.form == "shared":
            exponent = writer.pick(5, 6, 8)
            kinds = [f"qd.types.quant.float({exponent}, {writer.rng.randint(3, 11)}, {writer.pick(True, False)})" for _ in range(2)]
            lines = [
                f"{n}, {n}_more = qd.field({kinds[0]}), qd.field({kinds[1]})", f"{n}_bits = qd.BitpackedFields(max_num_bits=32)",
                f"{n}_bits.place({n}, {n}_more, shared_exponent=True)",
                f"qd.root.dense({'qd.i' if self.rank == 1 else 'qd.ij'}, {shape}).place({n}_bits)", f"{n}_more.from_numpy({values})",
            ]  # fmt: skip
        elif self.form == "bits":
            lines = [
                f"{n} = qd.field({self._quant(writer, 21)})", f"{n}_more = qd.field(qd.types.quant.int({writer.rng.randint(2, 9)}))",
                f"{n}_bits = qd.BitpackedFields(max_num_bits=32)", f"{n}_bits.place({writer.pick(f'{n}, {n}_more', f'{n}_more, {n}')})",
                f"qd.root.dense({'qd.i' if self.rank == 1 else 'qd.ij'}, {shape}).place({n}_bits)",
            ]  # fmt: skip
            values = f"rng.integers(0, 2, {self.extents()}).astype(np.int32)" if self.is_int() else values
        elif self.element == "vec":
            lines = [f"{n} = qd.Vector.field(3, qd.{self.kind}, shape={shape}{soa})"]
        elif self.element == "mat":
            lines = [f"{n} = qd.Matrix.field(2, 2, qd.{self.kind}, shape={shape}{soa})"]
        else:
            order = writer.pick("", ", order='ji'") if self.rank == 2 else ""
            lines = [f"{n} = qd.field(qd.{self.kind}, shape={shape}{order}{f', offset={tuple(self.shift)}' if self.shift else ''})"]
        return [*lines, f"{n}.from_numpy({values})"]

    def _quant(self, writer, most):
        """Returns a packed type of at most that many bits."""
        bits, signed = writer.rng.randint(2, most), writer.pick(True, False)
        if self.is_int():
            return f"qd.types.quant.int({bits}, {signed})"
        if self.form == "bits" and writer.chance(0.4):
            return f"qd.types.quant.float({writer.pick(5, 6, 8)}, {writer.rng.randint(5, 12)}, {signed})"
        scale = writer.pick("max_value=4.0", "max_value=8.0", "scale=0.25")
        return f"qd.types.quant.fixed({bits}, {signed}, {scale})"

    def _values(self):
        shape = tuple(self.extents()) + ELEMENTS[self.element]
        low = 0 if self.kind[0] == "u" else -20
        values = f"rng.integers({low}, 20, {shape})" if self.is_int() else f"(rng.integers(-20, 20, {shape}) / 4)"
        return f"{values}.astype(np.{NUMPY[self.kind]})"

    def looked_at(self):
        """Returns the expression for its final values."""
        if self.element == "record":
            return f"*flat({self.host}.to_numpy())"
        if self.form == "numpy":
            return self.host
        if self.form == "shared":
            return f"{self.host}.to_numpy(), {self.host}_more.to_numpy()"
        return f"{self.host}_all.to_numpy()" if self.form == "view" else f"{self.host}.to_numpy()"


def chosen(writer):
    """Returns the storage of a program."""
    pick, real = writer.pick, lambda: writer.pick("f32", "f64", "f32", "f64", "f16")
    ints = pick("i32", "i64", "u8")
    c, d = pick(*_FIELDS), pick("field", "field", "tree", "tensor", "bits", "packed", "shared")
    if writer.is_sparse:
        c, d = "sparse", pick("field", "sparse")
    rank = pick(1, 2) if c != "field" else 2
    return [
        Storage(writer, "a", ints, pick(*_ARRAYS), 1), Storage(writer, "b", real(), pick(*_ARRAYS), 1),
        Storage(writer, "c", "i32" if c in _PACKED else pick(*INTS, "u1") if c != "sparse" else pick(*INTS), c, rank),
        Storage(writer, "d", "f32" if d in _PACKED else real() if d == "field" else pick(*REALS), d, pick(1, 2)),
        Storage(writer, "e", "f32", pick("field", "ndarray"), 1, "vec"), Storage(writer, "g", pick(*REALS), "field", 1, "mat"),
        Storage(writer, "s", "i32", "struct", 1, "record"),
        Storage(writer, "z", pick(*INTS, *REALS), pick("field", "ndarray"), 0), Storage(writer, "near", "f64", "ndarray", 1),
        Storage(writer, "sums", pick(*REALS), pick("field", "ndarray"), 1, pick("", "", "vec")),
    ]  # fmt: skip
