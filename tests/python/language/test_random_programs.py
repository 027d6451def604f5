"""Random programs have the same results in a kernel as in Python, for 64-bit integers and floats. A failure prints its program."""

import linecache
import random

import pytest
import quadrants as qd


class Writer:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.lines = []
        self.depth = 0
        self.loops = 0
        self.ints = ["a", "b", "i0", "i1", "i2"]
        self.floats = ["x", "f0", "f1"]
        self.fixed = {"a", "b", "x"}  # arguments, loop variables

    def pick(self, *choices):
        return self.rng.choice(choices)

    def whole(self, depth=3):
        r = self.rng.random()
        if depth == 0 or r < 0.25:
            return self.pick(*self.ints, str(self.rng.randint(-9, 9)))
        p, q = self.whole(depth - 1), self.whole(depth - 1)
        if r < 0.6:
            return f"({p} {self.pick('+', '-', '&', '|', '^')} {q})"
        if r < 0.68:
            return f"({p} * {q} % 1009)"
        if r < 0.76:
            return f"({p} {self.pick('//', '%')} (abs({q}) + 1))"
        if r < 0.8:
            return f"({p} % 64 {self.pick('<<', '>>')} ({q} % 5))"
        if r < 0.84:
            return f"({self.pick('min', 'max')}({p}, {q}))"
        if r < 0.88:
            return f"({p} if {self.condition(depth - 1)} else {q})"
        if r < 0.92:
            return f"({p} {self.pick('and', 'or')} {q})"
        if r < 0.96:
            return f"helper({p}, {q})"
        return f"({self.pick('-', '~', '+')}{p})"

    def real(self, depth=3):
        r = self.rng.random()
        if depth == 0 or r < 0.3:
            return self.pick(*self.floats, "0.5", "1.25", "3.0")
        p = self.real(depth - 1)
        if r < 0.7:
            return f"({p} {self.pick('+', '-', '*')} {self.real(depth - 1)})"
        if r < 0.78:
            return f"({p} / (abs({self.real(depth - 1)}) + 1.0))"
        if r < 0.86:
            return f"({p} + {self.whole(depth - 1)})"
        if r < 0.92:
            return f"({p} if {self.condition(depth - 1)} else {self.real(depth - 1)})"
        return f"({p} ** 2 % 7.0)"

    def condition(self, depth=2):
        kind = self.pick("int", "real", "chain", "logic")
        op = self.pick("<", "<=", ">", ">=", "==", "!=")
        if kind == "real":
            return f"({self.real(depth)} {self.pick('<', '>')} {self.real(depth)})"
        if kind == "chain":
            return f"({self.whole(1)} < {self.whole(1)} <= {self.whole(1)})"
        if kind == "logic" and depth > 0:
            inner = f"{self.condition(depth - 1)} {self.pick('and', 'or')} {self.condition(depth - 1)}"
            return f"(not ({inner}))" if self.rng.random() < 0.3 else f"({inner})"
        return f"({self.whole(depth)} {op} {self.whole(depth)})"

    def put(self, text):
        self.lines.append("    " * (self.depth + 1) + text)

    def block(self, size):
        self.depth += 1
        for _ in range(self.rng.randint(1, size)):
            self.statement()
        self.depth -= 1

    def statement(self):
        targets = [v for v in self.ints if v not in self.fixed]
        r = self.rng.random()
        if self.depth > 3 or r < 0.3:
            self.put(f"{self.pick(*targets)} = {self.whole()} % 100003")
        elif r < 0.42:
            self.put(f"{self.pick('f0', 'f1')} = {self.real()} % 1000.0")
        elif r < 0.52:
            self.put(f"{self.pick(*targets)} {self.pick('+=', '-=', '^=')} {self.whole(1)}")
        elif r < 0.58:
            self.put(f"i0, i1 = i1, {self.whole(1)}")
        elif r < 0.76:
            self.put(f"if {self.condition()}:")
            self.block(3)
            if self.rng.random() < 0.4:
                self.put(f"elif {self.condition()}:")
                self.block(2)
            if self.rng.random() < 0.5:
                self.put("else:")
                self.block(2)
        elif r < 0.92:
            self.loop()
        elif self.loops:
            self.put(f"if {self.condition()}:")
            self.depth += 1
            self.put(self.pick("break", "continue"))
            self.depth -= 1

    def loop(self):
        name = f"k{len(self.lines)}"
        if self.rng.random() < 0.7:
            self.put(f"for {name} in range({self.pick('0', '-2', 'a % 3')}, {self.pick('4', 'b % 6')}):")
        else:
            self.put(f"{name} = {self.rng.randint(0, 5)}")
            self.put(f"while {name} > 0:")
            self.put(f"    {name} -= 1")
        self.ints.append(name)
        self.fixed.add(name)
        self.loops += 1
        self.block(3)
        self.loops -= 1
        self.ints.remove(name)

    def program(self):
        self.put("i0 = a + 1")
        self.put("i1 = b")
        self.put("i2 = 0")
        self.put("f0 = x")
        self.put("f1 = 0.5")
        self.put("for _ in range(2):")  # serial inside, whatever follows
        self.depth += 1
        self.loops += 1
        for _ in range(6):
            self.statement()
        self.loops -= 1
        self.depth -= 1
        self.put("return i0 + 3 * i1 + 7 * i2, f0 - f1")
        return "\n".join(self.lines)


HELPER = "def helper(p, q):\n    p = p % 17\n    if p > q:\n        p -= q % 5\n    return p * 2 - q % 11\n\n\n"


def compiled(name, text, scope):
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), scope)
    return scope["f"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(40))
def test_program(arch, seed):
    qd.init(arch=arch, default_ip=qd.i64, default_fp=qd.f64, print_full_traceback=True, fast_math=False)
    body = Writer(seed).program()
    python = compiled(f"<python {seed}>", HELPER + "def f(a, b, x):\n" + body + "\n", {})
    head = "import quadrants as qd\n\n\n@qd.func\n" + HELPER
    # The outermost loop is serial: its iterations depend on each other.
    text = head + "@qd.kernel\ndef f(a: qd.i64, b: qd.i64, x: qd.f64) -> (qd.i64, qd.f64):\n" + body.replace(
        "    for _ in range(2):", "    qd.loop_config(serialize=True)\n    for _ in range(2):", 1
    )
    kernel = compiled(f"<kernel {seed}>", text + "\n", {})
    for a, b, x in ((1, 2, 0.5), (-7, 5, 2.25), (100, -3, -1.5)):
        expected = python(a, b, x)
        got = kernel(a, b, x)
        assert got[0] == expected[0] and got[1] == pytest.approx(expected[1], rel=1e-9, abs=1e-9), (
            f"f({a}, {b}, {x}) gives {got} instead of {expected}\n{body}"
        )
