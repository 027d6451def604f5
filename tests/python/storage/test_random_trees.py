"""Random trees of fields, every kind of level nested in any order, against a model made of dicts and lists."""

import itertools
import random

import numpy as np
import pytest
import quadrants as qd


class Cell:
    """A cell of the model: the value at the bottom, or the container of the next level."""

    def __init__(self, levels):
        self.value = 0
        self.next = Container(levels) if levels else None


class Container:
    def __init__(self, levels):
        self.level, self.below = levels[0], levels[1:]
        self.cells = {}  # number -> Cell; a bitmask also has its inactive cells here
        self.on = set()
        self.length = 0

    def exists(self, number):
        kind = self.level["kind"]
        if kind == "dense":
            return True
        if kind == "bitmasked":
            return number in self.on
        if kind == "pointer":
            return number in self.cells
        return number[0] < self.length

    def get(self, number):
        """Returns the cell for reading, or None if it reads as zeros."""
        kind = self.level["kind"]
        if kind == "pointer" and number not in self.cells or kind == "dynamic" and number[0] >= self.length:
            return None
        return self.cells.setdefault(number, Cell(self.below))

    def make(self, number):
        self.on.add(number)
        if self.level["kind"] == "dynamic":
            self.length = max(self.length, number[0] + 1)
        return self.cells.setdefault(number, Cell(self.below))

    def drop(self, number):
        kind = self.level["kind"]
        if kind == "pointer":
            self.cells.pop(number, None)
        elif kind == "bitmasked":
            self.on.discard(number)
        elif kind == "dynamic":
            self.length = 0
            self.cells.clear()

    def numbers(self):
        return [n for n in itertools.product(*(range(e) for _, e in self.level["axes"])) if self.exists(n)]

    def drop_all(self):
        kind = self.level["kind"]
        if kind in ("dense", "bitmasked"):
            for number in self.numbers() if self.below else []:
                self.get(number).next.drop_all()
            self.on.clear()
        else:
            self.cells.clear()
            self.length = 0


class Model:
    def __init__(self, levels, offset):
        self.levels, self.offset = levels, offset
        self.top = Container(levels)
        for n, level in enumerate(levels):
            level["divide"] = [
                int(np.prod([e for deeper in levels[n + 1 :] for b, e in deeper["axes"] if b == a], dtype=int))
                for a, _ in level["axes"]
            ]

    def path(self, storage, depth):
        """Returns the numbers of the cells on the path, from indices in units of level `depth`."""
        numbers = []
        for n, level in enumerate(self.levels[:depth]):
            number = []
            for (axis, extent), divide in zip(level["axes"], level["divide"]):
                beyond = int(np.prod([e for d in self.levels[depth:] for b, e in d["axes"] if b == axis], dtype=int))
                number.append(storage[axis] // (divide // beyond) % extent)
            numbers.append(tuple(number))
        return numbers

    def container(self, storage, depth, make):
        """Returns the container of level `depth`, from indices in its units, or None."""
        at = self.top
        for number in self.path(storage, depth)[:-1]:
            cell = at.make(number) if make else at.get(number)
            if cell is None:
                return None
            at = cell.next
        return at

    def shape(self, depth):
        extents = {}
        for level in self.levels[:depth]:
            for axis, extent in level["axes"]:
                extents[axis] = extents.get(axis, 1) * extent
        return extents

    def storage(self, index):
        return {a: i - o for a, (i, o) in enumerate(zip(index, self.offset))}

    def read(self, index):
        at = self.top
        cell = None
        for number in self.path(self.storage(index), len(self.levels)):
            cell = at.get(number)
            if cell is None:
                return 0
            at = cell.next
        return cell.value

    def write(self, index, value):
        at = self.top
        cell = None
        for number in self.path(self.storage(index), len(self.levels)):
            cell = at.make(number)
            at = cell.next
        cell.value = value

    def cells(self, depth):
        """Returns the indices, in units of level `depth`, of the cells that exist."""
        found = []
        rank = sorted(self.shape(depth))

        def visit(container, level, unit):
            for number in container.numbers():
                here = dict(unit)
                for (axis, extent), n in zip(self.levels[level]["axes"], number):
                    here[axis] = here.get(axis, 0) * extent + n
                if level + 1 == depth:
                    found.append(tuple(here[a] for a in rank))
                else:
                    cell = container.get(number)
                    if cell is not None:
                        visit(cell.next, level + 1, here)

        visit(self.top, 0, {})
        return sorted(found)


def random_levels(rng):
    rank = rng.randint(1, 3)
    levels = []
    dynamic_axis = rng.randrange(rank) if rng.random() < 0.5 else None
    while True:
        levels = []
        for _ in range(rng.randint(1, 4)):
            kind = rng.choice(["dense", "pointer", "bitmasked"])
            axes = rng.sample(range(rank), rng.randint(1, rank))
            if dynamic_axis in axes and len(axes) > 1:
                axes.remove(dynamic_axis)
            if axes == [dynamic_axis]:
                continue
            levels.append({"kind": kind, "axes": [(a, rng.choice([1, 2, 3, 4, 5])) for a in axes], "chunk": None})
        if dynamic_axis is not None:
            at = rng.randint(0, len(levels))
            chunk = rng.choice([None, 1, 2, 3])
            levels.insert(at, {"kind": "dynamic", "axes": [(dynamic_axis, rng.randint(1, 9))], "chunk": chunk})
        used = {a for level in levels for a, _ in level["axes"]}
        if used == set(range(rank)) and np.prod([e for level in levels for _, e in level["axes"]]) < 3000:
            return rank, levels


def build(levels):
    node, nodes = qd.root, []
    for level in levels:
        axes = qd.axes(*(a for a, _ in level["axes"]))
        extents = [e for _, e in level["axes"]]
        if level["kind"] == "dynamic":
            node = node.dynamic(axes, extents[0], chunk_size=level["chunk"])
        else:
            node = getattr(node, level["kind"])(axes, extents)
        nodes.append(node)
    return nodes


class Subject:
    """The real tree, with kernels for everything that the model can do."""

    def __init__(self, levels, rank, offset):
        self.rank = rank
        self.nodes = build(levels)
        self.x = qd.field(qd.i32)
        self.nodes[-1].place(self.x, offset=offset)
        self.count = qd.ndarray(qd.i32, 1)

    def call(self, kernel, indices, values=None):
        indices = np.asarray(indices, np.int32).reshape(len(indices), -1)
        values = np.zeros(len(indices), np.int32) if values is None else np.asarray(values, np.int32)
        kernel(indices, values)
        return values.tolist()

    def write(self, indices, values):
        x, rank = self.x, qd.static(self.rank)

        @qd.kernel
        def kernel(at: qd.types.ndarray(), value: qd.types.ndarray()):
            for k in range(value.shape[0]):
                x[[at[k, d] for d in qd.static(range(rank))]] = value[k]

        self.call(kernel, indices, values)

    def read(self, indices):
        x, rank = self.x, self.rank

        @qd.kernel
        def kernel(at: qd.types.ndarray(), value: qd.types.ndarray()):
            for k in range(value.shape[0]):
                value[k] = x[[at[k, d] for d in qd.static(range(rank))]]

        return self.call(kernel, indices)

    def about(self, depth, what, indices):
        node = self.nodes[depth - 1]
        rank = len(node.shape)

        @qd.kernel
        def activate(at: qd.types.ndarray(), value: qd.types.ndarray()):
            for k in range(value.shape[0]):
                qd.activate(node, [at[k, d] for d in qd.static(range(rank))])

        @qd.kernel
        def deactivate(at: qd.types.ndarray(), value: qd.types.ndarray()):
            for k in range(value.shape[0]):
                qd.deactivate(node, [at[k, d] for d in qd.static(range(rank))])

        @qd.kernel
        def is_active(at: qd.types.ndarray(), value: qd.types.ndarray()):
            for k in range(value.shape[0]):
                value[k] = qd.is_active(node, [at[k, d] for d in qd.static(range(rank))])

        kernels = {"activate": activate, "deactivate": deactivate, "is_active": is_active}
        return self.call(kernels[what], indices)

    def visit(self, target, rank, most):
        """Returns the indices that a loop over the target visits."""
        found = np.zeros((most + 1, rank), np.int32)
        count = np.zeros(1, np.int32)

        @qd.kernel
        def kernel(found: qd.types.ndarray(), count: qd.types.ndarray()):
            for I in qd.grouped(target):
                n = qd.atomic_add(count[0], 1)
                for d in qd.static(range(rank)):
                    found[n, d] = I[d]

        kernel(found, count)
        return sorted(map(tuple, found[: count[0]].tolist()))

    def visit_serially(self, rank, most):
        found = np.zeros((most + 1, rank), np.int32)
        count = np.zeros(1, np.int32)
        x = self.x

        @qd.kernel
        def kernel(found: qd.types.ndarray(), count: qd.types.ndarray()):
            for once in range(1):
                n = 0
                for I in qd.grouped(x):
                    for d in qd.static(range(rank)):
                        found[n, d] = I[d]
                    n += 1
                count[0] = n

        kernel(found, count)
        return sorted(map(tuple, found[: count[0]].tolist()))

    def add_in_loop(self, amount):
        x = self.x

        @qd.kernel
        def kernel():
            for I in qd.grouped(x):
                x[I] += amount
                x[I] = x[I] * 3

        kernel()


def random_index(rng, model, depth):
    return tuple(rng.randrange(e) for _, e in sorted(model.shape(depth).items()))


@pytest.mark.filterwarnings("ignore:You are trying to convert a dynamic snode")
@pytest.mark.parametrize("seed", range(40))
def test_random_tree(seed):
    rng = random.Random(seed)
    rank, levels = random_levels(rng)
    offset = tuple(rng.choice([0, 0, -3, 7]) for _ in range(rank))
    model, real = Model(levels, offset), Subject(levels, rank, offset)
    full = len(levels)
    shape = [e for _, e in sorted(model.shape(full).items())]
    assert real.x.shape == tuple(shape)
    most = int(np.prod(shape))

    def user(index):
        return tuple(i + o for i, o in zip(index, offset))

    def compare():
        exist = model.cells(full)
        expected = np.zeros(shape, np.int32)
        for index in exist:
            expected[index] = model.read(user(index))
        assert real.x.to_numpy().tolist() == expected.tolist()
        assert real.visit(real.x, rank, most) == [user(i) for i in exist]

    for _ in range(6):
        action = rng.choice(["write", "host", "activate", "deactivate", "loop", "clear"])
        some = list({user(random_index(rng, model, full)) for _ in range(rng.randint(1, 12))})
        depth = rng.randint(1, full)
        kind = levels[depth - 1]["kind"]
        if action == "write":
            values = [rng.randint(1, 99) for _ in some]
            real.write(some, values)
            for index, value in zip(some, values):
                model.write(index, value)
        elif action == "host":
            real.x[some[0]] = 5
            model.write(some[0], 5)
            assert [real.x[i] for i in some] == [model.read(i) for i in some]
        elif action in ("activate", "deactivate") and kind in ("pointer", "bitmasked"):
            cells = list({random_index(rng, model, depth) for _ in range(rng.randint(1, 6))})
            real.about(depth, action, cells)
            for cell in cells:
                storage = dict(zip(sorted(model.shape(depth)), cell))
                number = model.path(storage, depth)[-1]
                container = model.container(storage, depth, action == "activate")
                if action == "activate":
                    container.make(number)
                elif container:
                    container.drop(number)
            assert real.about(depth, "is_active", cells) == [int(action == "activate")] * len(cells)
        elif action == "loop":
            real.add_in_loop(2)
            for index in model.cells(full):
                model.write(user(index), (model.read(user(index)) + 2) * 3)
        elif action == "clear" and rng.random() < 0.5:
            real.nodes[depth - 1].deactivate_all()

            def clear(container, left):
                if left == 0:
                    container.drop_all()
                    return
                for number in container.numbers():
                    cell = container.get(number)
                    if cell is not None:
                        clear(cell.next, left - 1)

            clear(model.top, depth - 1)
        assert real.read(some) == [model.read(i) for i in some]
        compare()
    for depth in range(1, full + 1):
        assert real.visit(real.nodes[depth - 1], len(model.shape(depth)), most) == model.cells(depth)
    assert real.visit_serially(rank, most) == [user(i) for i in model.cells(full)]
