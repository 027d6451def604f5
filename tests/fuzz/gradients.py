"""Random programs with gradients: kernels in a row over fields, arrays and members of structs, with loops in loops, branches, funcs,
vectors and matrices, sums at places that collide, recurrences and whole numbers that are only indices. The gradient of a Tape equals those
of explicit `.grad` calls, of the interpreter, on `far` and with a budget for stacks; along a random direction it equals the slope from
differences, away from kinks, and the result of forward mode. `python -m tests.fuzz.gradients --count N --seed S` runs more."""

import argparse
import itertools
import linecache
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np

from tests.fuzz.smooth_programs import Program

ROOT = Path(__file__).resolve().parents[2]
_numbers = itertools.count()


class Instance:
    """A program on one arch, ready to run."""

    def __init__(self, text, arch, **options):
        import quadrants as qd

        line = next(line for line in text.splitlines() if line.startswith("OPTIONS = "))
        qd.init(arch=arch, default_fp=qd.f64, offline_cache=False, print_full_traceback=True, **{**eval(line[10:]), **options})
        name = f"<gradients {next(_numbers)}>"
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        self.scope, self.name = {"__name__": "gradients_program"}, name
        exec(compile(text, name, "exec"), self.scope)
        self.inputs, self.between, self.loss = self.scope["INPUTS"], self.scope["BETWEEN"], self.scope["LOSS"]

    def close(self):
        self.scope.clear()
        linecache.cache.pop(self.name, None)

    def prepare(self, values):
        for storage, value in zip(self.inputs, values):
            storage.from_numpy(value)
        for storage in [*self.between, self.loss]:
            storage.fill(0)

    def value(self, values):
        self.prepare(values)
        self.scope["run"]()
        return float(self.loss.to_numpy().ravel()[0])

    def gradient(self, values, by_hand=False):
        import quadrants as qd

        self.prepare(values)
        for storage in [*self.inputs, *self.between, self.loss]:
            storage.grad.fill(0)
        if by_hand:
            self.scope["run"]()
            self.loss.grad.fill(1)
            self.scope["back"]()
        else:
            with qd.ad.Tape(self.loss):
                self.scope["run"]()
        return [storage.grad.to_numpy() for storage in self.inputs]

    def tangent(self, values, which, seed):
        import quadrants as qd

        self.prepare(values)
        with qd.ad.FwdMode(loss=self.loss, param=self.inputs[which], seed=seed.ravel().tolist()):
            self.scope["run"]()
        return float(self.loss.dual.to_numpy())


def along(gradients, direction):
    return sum(float(np.sum(np.multiply(g, d))) for g, d in zip(gradients, direction))


def apart(a, b):
    """Returns the largest difference relative to the largest number."""
    most = max([1e-9, *(float(np.max(np.abs(x), initial=0)) for x in a)])
    return max(float(np.max(np.abs(np.subtract(x, y)), initial=0)) for x, y in zip(a, b)) / most


def slope(instance, values, direction, expected):
    """Returns `agrees`, `kink`, or the slope from differences."""
    here, said = instance.value(values), []
    for step in (1e-4, 1e-5, 1e-6, 1e-7):
        up, down = (instance.value([v + s * step * d for v, d in zip(values, direction)]) for s in (1, -1))
        middle = (up - down) / (2 * step)
        noise = 1e-13 * max(1, abs(here)) / step
        if abs(middle - expected) <= 1e-5 * max(abs(middle), abs(expected)) + noise:
            return "agrees"
        ahead, behind = (up - here) / step, (here - down) / step
        said.append((abs(ahead - behind) > 1e-3 * max(abs(ahead), abs(behind), 1e-6) + noise * 2, f"step {step}: {behind}, {ahead}"))
    return "kink" if said[2][0] else f"{expected} by the gradient; " + "; ".join(text for _, text in said)


def fault(seed, tally):
    """Returns the fault of the program as text, or None."""
    import quadrants as qd

    program = Program(seed)
    text = program.text()
    rng = np.random.default_rng(seed)
    values = [rng.uniform(-1.5, 1.5, shape) for shape in program.input_shapes]
    direction = [rng.normal(size=v.shape) for v in values]
    cpu = None
    try:
        cpu = Instance(text, "cpu")
        gradients = cpu.gradient(values)
        if not all(np.all(np.isfinite(g)) for g in gradients):
            return f"no finite gradient\n{text}"
        expected = along(gradients, direction)
        tally["flat"] += expected == 0
        moved = cpu.gradient([v * (1 + 1e-13 * rng.normal(size=v.shape)) for v in values])
        rounding = 1e-10 + 100 * apart(gradients, moved)  # rounding of numbers, and of sums in another order
        if rounding > 1e-4:
            tally["steep"] += 1
            return None
        if (by_hand := apart(gradients, cpu.gradient(values, by_hand=True))) > rounding:
            return f"by hand another gradient: {by_hand}\n{text}"
        said = slope(cpu, values, direction, expected)
        tally["kinks"] += said == "kink"
        if said not in ("agrees", "kink"):
            return f"another slope: {said}\n{text}"
        if program.moved is not None:
            forward = cpu.tangent(values, program.moved, direction[program.moved])
            backward = float(np.sum(gradients[program.moved] * direction[program.moved]))
            most = float(np.sum(np.abs(gradients[program.moved] * direction[program.moved])))
            if abs(forward - backward) > max(1e-9, rounding) * max(1e-6, most):
                return f"forward {forward}, backward {backward}\n{text}"
            tally["forward"] += 1
        elif seed % 5 == 0:
            cpu.prepare(values)
            if (verdict := qd.ad.check(cpu.scope["run"], directions=1)).verdict not in ("agrees", "cannot say"):
                return f"{verdict}\n{text}"
            tally["checked"] += 1
        cpu.close()
        others = [("interp", {})] + [("far", {})] * (seed % 4 == 1)
        if program.has_stacks:
            others.append(("cpu", {"ad_stack_budget_bytes": int(rng.choice([40, 120, 400])), "cpu_max_num_threads": 2}))
        for arch, options in others:
            cpu = Instance(text, arch, **options)
            other = cpu.gradient(values)
            cpu.close()
            if (far := apart(gradients, other)) > rounding and said != "kink":
                return f"another gradient on {arch} {options}: {far}\n{text}"
        tally["done"] += 1
        return None
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:1500]}\n{text}"
    finally:
        if cpu:
            cpu.close()


def run_all(seed, count):
    """Returns the faults of some programs, which run in a process of their own."""
    command = [sys.executable, "-m", "tests.fuzz.gradients", "--count", str(count), "--seed", str(seed), "--here"]
    done = subprocess.run(command, cwd=ROOT, env=os.environ, capture_output=True, text=True)
    said = "".join(line for line in done.stderr.splitlines(True)[-40:] if done.returncode < 0 or not line.startswith("... "))
    return done.returncode, done.stdout + said


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--here", action="store_true", help="in this process")
    options = parser.parse_args()
    if not options.here:
        code, said = run_all(options.seed, options.count)
        print(said, end="")
        return code
    warnings.simplefilter("ignore")
    found, tally = 0, dict.fromkeys(("done", "steep", "kinks", "flat", "forward", "checked"), 0)
    for seed in range(options.seed, options.seed + options.count):
        print(f"... {seed}", file=sys.stderr, flush=True)
        wrong = fault(seed, tally)
        if wrong:
            found += 1
            print(f"=== {seed}: {wrong}", flush=True)
    print(f"{options.count} programs, {found} faults; " + ", ".join(f"{n} {what}" for what, n in tally.items()))
    return found > 0


if __name__ == "__main__":
    raise SystemExit(main())
