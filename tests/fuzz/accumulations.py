"""Random loops that accumulate: in arrays, fields, cells of sparse trees and variables of the kernel, by one operation or several, at places
that collide, below conditions, in inner loops that break, with old values used, with two arguments over one memory. Each runs on
more threads than there are cores, all of which take part (QD_SHARE_LITTLE), and has the results of the interpreter: whole numbers and
extremes exactly, sums of reals up to rounding. With `deterministic`, every number of threads gives the same bits. `python -m
tests.fuzz.accumulations --count N --seed S` runs more."""

import argparse
import os
import random
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INTS = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"]
REALS = ["f32", "f64"]
OPERATIONS = ["add", "sub", "min", "max", "and", "or", "xor"]
LENGTHS = [0, 1, 2, 17, 100, 1000, 5000, 20_000]
CELLS = [1, 2, 7, 64, 1000]
WRITTEN = {"add": "+=", "sub": "-=", "and": "&=", "or": "|=", "xor": "^="}


class Store:
    """Storage that loops accumulate in: `place(index)` is an element of it."""

    def __init__(self, name, dtype, cells, form, op):
        self.name, self.dtype, self.cells, self.form, self.op = name, dtype, cells, form, op
        self.is_real = dtype in REALS
        self.is_exact = not self.is_real or op in ("min", "max")

    def place(self, index):
        at = f"({index}) % {self.cells}"
        if self.form == "vector":
            return f"{self.name}[{at}][{self.part}]"
        return f"{self.name}[{at}]" if self.form != "number" else f"{self.name}[None]"


class Program:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.lines, self.deep = [], 1
        self.is_deterministic = self.chance(0.35)
        self.is_debug = self.chance(0.1)
        self.n = self.rng.choice(LENGTHS)
        self.stores = [self.store(k) for k in range(self.rng.randint(1, 4))]
        self.aliased = self.rng.choice(self.stores) if self.chance(0.15) else None
        if self.aliased and self.aliased.form != "ndarray":
            self.aliased = None

    def chance(self, p):
        return self.rng.random() < p

    def store(self, k):
        form = self.rng.choice(["ndarray"] * 3 + ["field"] * 3 + ["vector", "number", "pointer", "bitmasked"])
        dtype = self.rng.choice(INTS if self.chance(0.5) else REALS)
        op = self.rng.choice(OPERATIONS if dtype in INTS else OPERATIONS[:4])
        made = Store(f"a{k}", dtype, 1 if form == "number" else self.rng.choice(CELLS), form, op)
        made.part = self.rng.randrange(2)
        return made

    def put(self, text):
        self.lines.append("    " * self.deep + text)

    def index(self):
        return self.rng.choice(["i", "to[i]", "to[i] * 7 + i // 3", "i // 50", "to[i] // 2 + 1", "i * i % 1013", "0", "5"])

    def amount(self, store):
        text = self.rng.choice(["to[i]", "i % 5", "3", "x[i]", "x[i] * 0.5 + i % 3"] if store.is_real else ["to[i]", "i % 5", "3", "i"])
        return f"qd.cast({text}, qd.{store.dtype})"

    def update(self, store, op=None, index=None):
        op, place = op or store.op, store.place(index or self.index())
        if op in WRITTEN and self.chance(0.7):
            return f"{place} {WRITTEN[op]} {self.amount(store)}"
        return f"qd.atomic_{op}({place}, {self.amount(store)})"

    def statement(self, store, inside=False):
        r = self.rng.random()
        if r < 0.45 or inside:
            self.put(self.update(store))
            if self.chance(0.3):
                self.put(self.update(store))
        elif r < 0.6:
            self.put(self.rng.choice(["if to[i] % 3 == 0:", "if x[i] > 0.2:", "if i % 7 < 5:"]))
            self.deep += 1
            self.statement(store)
            self.deep -= 1
        elif r < 0.75:
            self.put(f"for j in range({self.rng.choice(['to[i] % 4', '3', '2 + i % 3'])}):")
            self.deep += 1
            self.put(self.update(store, index=self.rng.choice(["i + j", "j", "to[i] + j * 3"])))
            if self.chance(0.5):
                self.put(self.rng.choice(["if to[i] % 5 == j:", "if x[i] < 0.5:"]))
                self.put("    break")
                self.put(self.update(store, index="j + 1"))
            self.deep -= 1
        elif r < 0.82:
            self.put("if to[i] % 11 == 3:")
            self.put("    continue")
            self.put(self.update(store))
        elif r < 0.9:
            self.put(f"assert to[i] >= 0, 'claim {self.rng.randrange(9)}'")
            self.put(self.update(store))
        elif not store.is_real and store.dtype in ("i32", "i64", "u32", "u64") and store.op in ("add", "sub"):
            # Old values depend on the order, but their sum does not, since every iteration adds the same amount.
            self.put("if to[i] % 2 == 0:")
            self.put(f"    seen[0] += qd.cast(qd.atomic_add({store.place('5')}, 1), qd.i64) % 65536")
        else:
            self.put(self.update(store))

    def loop(self):
        kind = self.rng.choice(["range", "range", "array", "grid", "one"])
        if kind == "one" and self.n > 3000:
            kind = "range"
        head = {"range": "for i in range(to.shape[0]):", "array": "for i in to:", "one": "for i in range(to.shape[0] // 2, to.shape[0]):",
                "grid": "for row, column in qd.ndrange(to.shape[0] // 5, 5):"}  # fmt: skip
        if self.chance(0.1):
            self.put(f"qd.loop_config(block_dim={self.rng.choice([1, 32, 256])})")
        self.put(head[kind])
        self.deep += 1
        if kind == "grid":
            self.put("i = row * 5 + column")
        used = self.rng.sample(self.stores, self.rng.randint(1, len(self.stores)))
        for store in used:
            self.statement(store)
        if self.aliased in used and self.aliased.form == "ndarray":
            self.put(f"again[(i + 3) % {self.aliased.cells}] += {self.amount(self.aliased)}" if self.aliased.op in ("add", "sub") else "pass")
        if self.chance(0.3):
            self.put("total += " + self.rng.choice(["x[i]", "x[i] * x[i] + to[i]"]))
        if self.chance(0.3):
            self.put("count += " + self.rng.choice(["to[i]", "1", "i % 3"]))
        if self.chance(0.08):  # reading it prevents privatised copies, and the value does not depend on the order
            store = self.rng.choice(self.stores)
            self.put(f"if {store.place('3')} != {store.place('3')}:")
            self.put(f"    {self.update(store)}")
        self.deep -= 1

    def declared(self):
        """Returns the lines that make the storage, as separate fields of one tree, as members of one cell, or as one tree each."""
        lines, shared = [], [s for s in self.stores if s.form == "field"]
        together = len(shared) > 1 and self.chance(0.5)
        if together:
            cells = shared[0].cells
            for s in shared:
                s.cells = cells
        for s in self.stores:
            dtype = f"qd.{s.dtype}"
            lines += {
                "ndarray": [f"{s.name} = qd.ndarray({dtype}, {s.cells})"],
                "vector": [f"{s.name} = qd.Vector.ndarray(2, {dtype}, {s.cells})"],
                "number": [f"{s.name} = qd.field({dtype}, ())"],
                "field": [f"{s.name} = qd.field({dtype})" if together else f"{s.name} = qd.field({dtype}, {s.cells})"],
                "pointer": [f"{s.name} = qd.field({dtype})", f"qd.root.pointer(qd.i, {s.cells // 4 + 1}).dense(qd.i, 4).place({s.name})"],
                "bitmasked": [f"{s.name} = qd.field({dtype})", f"qd.root.bitmasked(qd.i, {s.cells // 4 + 1}).dense(qd.i, 4).place({s.name})"],
            }[s.form]
        if together:
            names = ", ".join(s.name for s in shared)
            if self.chance(0.6):
                lines.append(f"qd.root.dense(qd.i, {cells}).place({names})")
            else:
                lines += [f"qd.root.dense(qd.i, {cells}).place({s.name})" for s in shared]
        return lines

    def text(self):
        declared = self.declared()
        arrays = [s for s in self.stores if s.form in ("ndarray", "vector")]
        notes = {"ndarray": "qd.types.ndarray(qd.{}, 1)", "vector": "qd.types.ndarray(qd.math.vec2, 1)"}
        params = [f"{s.name}: {notes[s.form].format(s.dtype) if s.form == 'ndarray' else f'qd.types.ndarray(qd.types.vector(2, qd.{s.dtype}), 1)'}"
                  for s in arrays]  # fmt: skip
        params += ["to: qd.types.ndarray(qd.i32, 1)", "x: qd.types.ndarray(qd.f32, 1)", "seen: qd.types.ndarray(qd.i64, 1)"]
        params += [f"again: qd.types.ndarray(qd.{self.aliased.dtype}, 1)"] if self.aliased else []
        self.put("total = 0.0")
        self.put("count = 0")
        for _ in range(self.rng.randint(1, 3)):
            self.loop()
        self.put("return total, count")
        kernel = ["@qd.kernel", f"def k({', '.join(params)}) -> (qd.f32, qd.i32):", *self.lines]
        args = [s.name for s in arrays] + ["to", "x", "seen"] + ([self.aliased.name] if self.aliased else [])
        made = [f"    rng = np.random.default_rng({self.rng.randrange(1000)})"]
        made += [f"    to, x, seen = qd.ndarray(qd.i32, {max(self.n, 1)}), qd.ndarray(qd.f32, {max(self.n, 1)}), qd.ndarray(qd.i64, 1)",
                 f"    to.from_numpy(rng.integers(0, {self.rng.choice([3, 60, 2000])}, {max(self.n, 1)}).astype(np.int32))",
                 f"    x.from_numpy((rng.integers(-64, 64, {max(self.n, 1)}) / 32).astype(np.float32))"]  # fmt: skip
        calls = ["    total, count = k(" + ", ".join(args) + ")"] * self.rng.randint(1, 2)
        options = {"cpu_max_num_threads": self.rng.choice([3, 5, 8]), "fast_math": self.chance(0.5), "debug": self.is_debug}
        if self.is_deterministic:
            options["deterministic"] = True
        if self.chance(0.1):
            options["make_thread_local"] = False
        exact = [s for s in self.stores if s.is_exact]
        near = [s for s in self.stores if not s.is_exact]

        def values(stores):
            return ", ".join(f"np.array({s.name}.to_numpy())" for s in stores)

        return "\n".join([
            'ORACLE = "interp"', f"OPTIONS = {options}", "import quadrants as qd", "import numpy as np", "", "",
            "def main():", *("    " + line for line in declared), "", *("    " + line for line in kernel), "", *made, *calls,
            f"    return [{', '.join(filter(None, [values(exact), 'seen.to_numpy()', 'np.int64(count)']))}], "
            f"[{', '.join(filter(None, [values(near), 'np.float64(total)']))}]",
        ]) + "\n"  # fmt: skip


def fault(seed):
    """Returns the fault of the program as text, or None. The environment has QD_SHARE_LITTLE=1."""
    from tests.fuzz import run

    text = Program(seed).text()
    found = run.fault(text, valid=True, archs=("cpu",))
    if found:
        return f"{found[0]}: {found[1]}\n{text}"
    if "'deterministic': True" in text:
        threads = text.partition("'cpu_max_num_threads': ")[2][0]
        all_bits = []
        for number in ("1", "2", threads, "64"):
            got = run.outcome(text.replace(f"'cpu_max_num_threads': {threads}", f"'cpu_max_num_threads': {number}"), "cpu")
            all_bits.append([v.tobytes() for v in (*got.exact, *got.near)])
        if any(bits != all_bits[0] for bits in all_bits):
            return f"other bits with other threads\n{text}"
    return None


def run_all(seed, count):
    """Returns the faults of some programs, which run in a process of their own."""
    command = [sys.executable, "-m", "tests.fuzz.accumulations", "--count", str(count), "--seed", str(seed)]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "QD_SHARE_LITTLE": "1"}, capture_output=True, text=True)
    said = "".join(line for line in done.stderr.splitlines(True)[-40:] if done.returncode < 0 or not line.startswith("... "))
    return done.returncode, done.stdout + said


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if os.environ.get("QD_SHARE_LITTLE") != "1":
        code, said = run_all(options.seed, options.count)
        print(said, end="")
        return code
    found = 0
    for seed in range(options.seed, options.seed + options.count):
        print(f"... {seed}", file=sys.stderr, flush=True)
        wrong = fault(seed)
        if wrong:
            found += 1
            print(f"=== {seed}: {wrong}", flush=True)
    print(f"{options.count} programs, {found} faults")
    return found > 0


if __name__ == "__main__":
    raise SystemExit(main())
