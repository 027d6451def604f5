"""python -m tests.fuzz --count N --seed S [--mutants] [--no-shrink] [--out FOLDER]"""

import argparse
import time
from pathlib import Path

from tests.fuzz import generate, mutate, shrink, worker
from tests.fuzz.run import ARCHS


INTERP_EVERY = 8  # the frontend is the same on every arch, and `interp` and `cpu` are compared by tests/property too


def archs_of(number):
    return ARCHS if number % INTERP_EVERY == 0 else ("cpu",)


def programs(kind, seed, count):
    valid = kind == "programs"
    for number in range(seed, seed + count):
        yield generate.program(number) if valid else mutate.program(number), valid, archs_of(number)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mutants", action="store_true", help="spoiled programs instead of valid ones")
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("--stop", type=int, default=20, help="stop after so many faults")
    parser.add_argument("--out", type=Path, help="where failing programs are written")
    options = parser.parse_args()
    begin, found = time.time(), 0
    kind = "mutants" if options.mutants else "programs"
    valid = not options.mutants
    done = 0

    def counted():
        nonlocal done
        for done, item in enumerate(programs(kind, options.seed, options.count), 1):
            yield item

    def report(process):
        if done % 500 == 0 and process.alive():
            spent, memory = time.time() - begin, process.memory()
            print(f"... {done} {kind}, {found} faults, {spent:.0f} s, {memory:.0f} MiB", flush=True)

    for text, fault, detail in worker.faults(counted(), report):
        found += 1
        print(f"\n=== {kind} {options.seed + done - 1}: {fault}\n{detail}", flush=True)
        small = text if options.no_shrink else shrink.smallest(text, fault, valid, archs=archs_of(options.seed + done - 1))
        print(small, flush=True)
        if options.out:
            options.out.mkdir(parents=True, exist_ok=True)
            (options.out / f"{kind}_{options.seed + done - 1}.py").write_text(f"# {fault}\n# {detail!r}\n{small}")
        if found >= options.stop:
            break
    print(f"{done} {kind}, {found} faults, {time.time() - begin:.0f} s")
    return 1 if found else 0


raise SystemExit(main())
