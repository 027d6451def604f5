"""The program being written: its lines, the names and the storage that they may use, and random choices."""

import random

from tests.fuzz.hazards import Hazards

MOST_TRIPS = 100  # of the innermost of nested loops, over all cells, since Python runs each iteration


class Function:
    """`params` are (name, kind, annotation)."""

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
        self.loops = []  # the loops around the current line: "serial", "parallel" or "static"
        self.branches = 0  # run-time branches inside the innermost static loop
        self.storage = []
        self.readable = []  # storage that may currently be read at any index
        self.own = []  # (storage, index) that belong to this iteration
        self.shared = []  # storage of integers that is currently only updated
        self.grows = None  # True if this loop appends to the list; None: it may neither append nor read its length
        self.functions = []
        self.budget = 0
        self.in_mesh_loop = False
        self.hazards = Hazards(self)
        self.in_kernel = False
        self.has_class = False  # the class Num exists
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

    def define(self, name, kind, value):
        self.put(f"{name} = {value}")
        self.declare(name, kind)

    def some(self, items, count):
        return [items[k] for k in sorted(self.rng.sample(range(len(items)), count))]
