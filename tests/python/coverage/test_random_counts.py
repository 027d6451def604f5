"""Random parallel loops under coverage: with lanes that leave loops and branches, the counts equal those of the interpreter."""

import linecache
import random

import numpy as np
import pytest
import quadrants as qd


class Generator:
    """A kernel over an array: each element goes through nested branches, `while` and `for` loops, breaks and continues."""

    NAMES = ("v", "w", "t")

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = ["import quadrants as qd", "@qd.kernel", "def k(x: qd.types.ndarray(qd.i32, ndim=1), m: qd.i32):"]
        self.emit(1, "for i in x:")
        self.emit(2, "v, w, t = x[i], i, m")
        for _ in range(self.random.randrange(2, 5)):
            self.statement(2, 3, False)
        self.emit(2, "x[i] = v + w * 64 + t")

    def emit(self, depth, text):
        self.lines.append("    " * depth + text)

    def number(self):
        a = self.random.choice([*self.NAMES, "i % 7"])
        b = self.random.choice([*self.NAMES, str(self.random.randrange(1, 6))])
        return self.random.choice([f"{a} + {b}", f"{a} - {b}", f"({a} * 3) & 63", f"{a} ^ {b}", f"{a} // 2", f"min({a}, {b})"])

    def condition(self):
        a = self.random.choice([*self.NAMES, "i"])
        b = self.random.choice([*self.NAMES, str(self.random.randrange(9))])
        text = f"{a} {self.random.choice(['<', '>', '==', '!=', '<='])} {b}"
        return f"{text} and {self.random.choice(self.NAMES)} % 3 != 0" if self.random.random() < 0.2 else text

    def block(self, depth, deeper, in_loop):
        for _ in range(self.random.randrange(1, 4)):
            self.statement(depth, deeper, in_loop)

    def statement(self, depth, deeper, in_loop):
        kind = self.random.random()
        if in_loop and kind < 0.08:
            self.emit(depth, f"if {self.condition()}:")
            self.emit(depth + 1, self.random.choice(["break", "continue"]))
        elif deeper == 0 or kind < 0.4:
            self.emit(depth, f"{self.random.choice(self.NAMES)} = {self.number()}")
        elif kind < 0.65:
            self.emit(depth, f"if {self.condition()}:")
            self.block(depth + 1, deeper - 1, in_loop)
            if self.random.random() < 0.5:
                self.emit(depth, "else:")
                self.block(depth + 1, deeper - 1, in_loop)
        elif kind < 0.85:
            name = f"n{len(self.lines)}"
            self.emit(depth, f"{name} = 0")
            self.emit(depth, f"while {name} < {self.random.randrange(1, 7)} and {self.condition()}:")
            self.emit(depth + 1, f"{name} += 1")
            self.block(depth + 1, deeper - 1, True)
        else:
            self.emit(depth, f"for k{len(self.lines)} in range({self.random.choice(['3', 'i % 4', '5'])}):")
            self.block(depth + 1, deeper - 1, True)


def results_and_counts(text, arch, name):
    qd.init(arch=arch, offline_cache=False)
    qd.coverage.clear()
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope = {"__name__": "random_counts"}
    exec(compile(text, name, "exec"), scope)
    x = np.random.default_rng(3).integers(0, 40, 61).astype(np.int32)
    scope["k"](x, 5)
    return x.tolist(), {line: count for line, count in qd.coverage.snapshot()[name].items() if count}


@pytest.mark.parametrize("part", range(4))
def test_counts_are_those_of_the_interpreter(arch, part, monkeypatch):
    if arch != "cpu":
        pytest.skip("it is what the others are compared with")
    monkeypatch.setenv("QD_KERNEL_COVERAGE", "1")
    for seed in range(part * 10, part * 10 + 10):
        text = "\n".join(Generator(seed).lines) + "\n"
        name = f"<random counts {seed}>"
        assert results_and_counts(text, arch, name) == results_and_counts(text, "interp", name), text
    qd.coverage.clear()
