"""Meshes of generated programs: their shapes, attributes, elements and incident elements."""

import itertools

from tests.fuzz.storage import ELEMENTS, INTS, NUMPY, REALS

KINDS = ("verts", "edges", "faces", "cells")
_SHAPES = {
    "edges": [[(0, 1), (1, 2)], [(0, 1), (0, 2), (0, 3)], [(0, 1), (1, 2), (2, 3), (3, 0)]],
    "faces": [[(0, 1, 2)], [(0, 1, 2), (3, 2, 1)], [(0, 1, 2), (0, 2, 3), (0, 3, 1)], [(0, 1, 4), (1, 2, 4), (2, 3, 4), (5, 3, 2)]],
    "cells": [[(0, 1, 2, 3)], [(0, 1, 2, 3), (4, 1, 2, 3)], [(0, 1, 2, 3), (0, 2, 3, 4), (0, 3, 4, 5)]],
}


def _touch(order, a, b, edges):
    """True if two elements, given as sets of vertices, of orders a and b are incident."""
    if order[0] != order[1]:
        return a <= b or b <= a
    return a != b and (a | b in edges if order[0] == 0 else len(a & b) == order[0])


class Attribute:
    """An attribute of the elements of the kind `of`; otherwise like `storage.Storage`."""

    form, is_near, sharing, rank, sign = "attribute", False, None, 0, None

    def __init__(self, mesh, of, name, kind, element):
        self.mesh, self.of, self.name, self.kind, self.element = mesh, of, name, kind, element

    def is_int(self):
        return self.kind[0] != "f"

    def is_numeric(self):
        return True

    def may_share(self):
        return self.is_int() and not self.element

    def at(self, index):
        return f"{index}.{self.name}"

    def anywhere(self, writer, depth):
        elements = [name for kind, name in self.mesh.elements(writer, depth) if kind == self.of]
        if elements and writer.chance(0.8):
            return self.at(writer.pick(*elements))
        return f"{self.mesh.name}.{self.of}.{self.name}[{writer.integer(depth)} % {self.mesh.counts[self.of]}]"

    def filled(self):
        low = 0 if self.kind[0] == "u" else -7
        shape = (self.mesh.counts[self.of], *ELEMENTS[self.element])
        values = f"(rng.integers({low}, 9, {shape}){'' if self.is_int() else ' / 4'}).astype(np.{NUMPY[self.kind]})"
        return f"MESH.{self.of}.{self.name}.from_numpy({values})"

    def looked_at(self):
        return f"MESH.{self.of}.{self.name}.to_numpy()"


class Mesh:
    """`name` is its name in the kernel: a parameter or a name of the module."""

    def __init__(self, writer):
        self.name = writer.pick("mesh", "MESH")
        top = writer.pick("edges", "faces", "faces", "cells")
        corners = writer.pick(*_SHAPES[top])
        numbers = list(range(max(map(max, corners)) + 1))
        writer.rng.shuffle(numbers)
        self.corners = [[numbers[v] for v in corner] for corner in corners]
        self.kinds = KINDS[: KINDS.index(top) + 1]
        elements = [{frozenset(p) for c in self.corners for p in itertools.combinations(c, k + 1)} for k in range(len(self.kinds))]
        self.counts = {kind: len(found) for kind, found in zip(self.kinds, elements)}
        self._touching = {
            kind: [
                other for j, other in enumerate(self.kinds)
                if all(any(_touch((i, j), a, b, elements[1]) for b in elements[j]) for a in elements[i])
            ]
            for i, kind in enumerate(self.kinds)
        }  # fmt: skip
        self.attributes = [self._attribute(writer) for _ in range(writer.rng.randint(2, 4))]
        self.layouts = {kind: writer.pick("", ", layout=qd.Layout.AOS", ", reorder=True") for kind in self.kinds}

    def _attribute(self, writer):
        element = writer.pick("", "", "", "vec")
        kind = writer.pick("f32", "f64") if element else writer.pick(*INTS, *REALS * 3, "f16")
        return Attribute(self, writer.pick(*self.kinds), writer.fresh("at"), kind, element)

    def touching(self, kind):
        """Returns the kinds with at least one element incident to each element of `kind`; there always are some."""
        return self._touching[kind]

    def parameters(self):
        return ["mesh: qd.template()"] if self.name == "mesh" else []

    def made(self):
        lines = [f"MESH = qd.Mesh._create_instance(qd.Mesh.generate_meta({{'{self.kinds[-1]}': np.array({self.corners})}}))"]
        for kind in self.kinds:
            of_kind = [a for a in self.attributes if a.of == kind]
            types = [f"'{a.name}': {f'qd.types.vector(3, qd.{a.kind})' if a.element else f'qd.{a.kind}'}" for a in of_kind]
            if types:
                lines.append(f"MESH.{kind}.place({{{', '.join(types)}}}{self.layouts[kind]})")
        return lines

    def elements(self, writer, depth):
        """Returns (kind, expression) of an available element."""
        found = [(kind, name) for kind in self.kinds for name in writer.variables(kind)]
        for kind, name in list(found):
            other = writer.pick(*self.touching(kind))
            found.append((other, f"{name}.{other}[{writer.integer(min(depth, 0))} % {name}.{other}.size]"))
        return found

    def numbers(self, writer, depth):
        """Returns integers from its elements."""
        found = [(kind, name) for kind in self.kinds for name in writer.variables(kind)]
        if not found:
            return []
        kind, name = writer.pick(*found)
        patch = ["qd.mesh_patch_idx()"] * writer.in_mesh_loop
        return [f"{name}.id", f"{name}.{writer.pick(*self.touching(kind))}.size", *patch, f"{writer.pick(*self.elements(writer, depth - 1))[1]}.id"]

    def declared(self, writer):
        """Declares a variable for an element."""
        found = self.elements(writer, 1)
        if found:
            kind, text = writer.pick(*found)
            name = writer.fresh("w")
            writer.put(f"{name} = {text}")
            writer.declare(name, kind, False)
        return bool(found)
