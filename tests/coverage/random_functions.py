"""Random functions with the same meaning as plain Python and as funcs of a kernel."""

import random

PLAIN = "def mark(fn):\n    return fn\n\n"
KERNEL = "import quadrants as qd\nmark = qd.{decorator}\n\n"


class Writer:
    """Writes the text of one function. Only real funcs have early returns."""

    def __init__(self, seed, early_returns):
        self.random = random.Random(seed)
        self.early_returns = early_returns
        self.lines = []
        self.names = 0
        self.budget = self.random.randint(4, 22)

    def put(self, depth, text):
        self.lines.append("    " * depth + text)

    def name(self, kind):
        self.names += 1
        return f"{kind}{self.names}"

    def condition(self):
        choices = (f"x % {self.random.randint(2, 4)} == {self.random.randint(0, 2)}", f"a > {self.random.randint(0, 4)}",
                   f"b < {self.random.randint(0, 4)}", f"x > {self.random.randint(0, 12)}", "a == b")  # fmt: skip
        return self.random.choice(choices)

    def simple(self):
        return self.random.choice(("x += 1", "x = (x * 3 + a) % 17", "x -= b", "x = x + 2; x = x % 13", "pass"))

    def jump(self, in_loop):
        jumps = ["break", "continue"] if in_loop else []
        return self.random.choice(jumps + ["return x + 100"] * self.early_returns) if jumps or self.early_returns else None

    def block(self, depth, in_loop):
        for _ in range(self.random.randint(1, 3)):
            self.statement(depth, in_loop)

    def body(self, depth, in_loop):
        """Writes the body of a branch; it may end with a jump."""
        jump = self.jump(in_loop) if self.random.random() < 0.3 else None
        if jump is None or self.random.random() < 0.5:
            self.block(depth, in_loop)
        if jump is not None:
            self.put(depth, jump)

    def statement(self, depth, in_loop):
        self.budget -= 1
        kinds = ["simple"] * 4
        if self.budget > 0 and depth < 5:
            kinds += ["if", "if", "chain", "line if", "for", "while", "endless", "line for", "line while"]
        kind = self.random.choice(kinds)
        getattr(self, "put_" + kind.replace(" ", "_"))(depth, in_loop)

    def put_simple(self, depth, in_loop):
        self.put(depth, self.simple())

    def put_if(self, depth, in_loop):
        self.put(depth, f"if {self.condition()}:")
        self.body(depth + 1, in_loop)
        if self.random.random() < 0.4:
            self.put(depth, "else:")
            self.body(depth + 1, in_loop)

    def put_chain(self, depth, in_loop):
        self.put(depth, f"if {self.condition()}:")
        self.body(depth + 1, in_loop)
        for _ in range(self.random.randint(1, 2)):
            self.put(depth, f"elif {self.condition()}:")
            self.body(depth + 1, in_loop)
        if self.random.random() < 0.5:
            self.put(depth, "else:")
            self.body(depth + 1, in_loop)

    def put_line_if(self, depth, in_loop):
        action = (self.jump(in_loop) if self.random.random() < 0.5 else None) or self.simple()
        self.put(depth, f"if {self.condition()}: {action}")
        if self.random.random() < 0.3:
            self.put(depth, f"else: {self.simple()}")

    def put_for(self, depth, in_loop):
        self.put(depth, f"for {self.name('i')} in range({self.random.choice(('a', 'b', '3', '0', '1'))}):")
        self.body(depth + 1, True)

    def put_line_for(self, depth, in_loop):
        self.put(depth, f"for {self.name('i')} in range({self.random.choice('ab2')}): {self.simple()}")

    def put_while(self, depth, in_loop):
        counter = self.name("w")
        self.put(depth, f"{counter} = 0")
        self.put(depth, f"while {counter} < {self.random.choice('ab3')}:")
        self.put(depth + 1, f"{counter} += 1")
        self.body(depth + 1, True)

    def put_line_while(self, depth, in_loop):
        counter = self.name("w")
        self.put(depth, f"{counter} = 0")
        self.put(depth, f"while {counter} < {self.random.choice('ab2')}: {counter} += 1")

    def put_endless(self, depth, in_loop):
        counter = self.name("w")
        self.put(depth, f"{counter} = 0")
        self.put(depth, "while True:")
        self.put(depth + 1, f"{counter} += 1")
        self.put(depth + 1, f"if {counter} > {self.random.randint(0, 3)}: break")
        self.body(depth + 1, True)


def function(number, seed, early_returns):
    """Returns the lines of `f<number>(a, b)`."""
    writer = Writer(seed, early_returns)
    writer.put(0, "@mark")
    writer.put(0, f"def f{number}(a: int, b: int) -> int:")
    if writer.random.random() < 0.3:
        writer.put(1, '"""What it is for."""')
    writer.put(1, "x = a + 2 * b")
    writer.block(1, False)
    writer.block(1, False)
    writer.put(1, "return x")
    return writer.lines + [""]


def module(count, seed, early_returns):
    """Returns the text of a module without its head, and the first and last line of each function after a head of 3 lines."""
    lines, ranges = [], []
    for number in range(count):
        body = function(number, f"{seed} {number}", early_returns)
        ranges.append((len(lines) + 4, len(lines) + 3 + len(body)))
        lines += body
    return "\n".join(lines) + "\n", ranges


def inputs(number, seed):
    """Returns a few arguments for a function, rarely enough to reach every line."""
    chooser = random.Random(f"inputs {seed} {number}")
    return [(chooser.randint(0, 4), chooser.randint(0, 4)) for _ in range(chooser.randint(1, 3))]
