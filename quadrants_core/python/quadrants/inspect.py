"""`python -m quadrants.inspect program.py arguments` runs a program with the window of qd.inspect()."""

import sys


def main():
    """Runs the program as Python would."""
    import argparse
    import os
    import runpy

    p = argparse.ArgumentParser(prog="python -m quadrants.inspect", description="Runs a program with the window of qd.inspect().")
    p.add_argument("--wait", action="store_true", help="start paused, until Resume is pressed in the window")
    p.add_argument("program", help="the Python file to run")
    p.add_argument("arguments", nargs=argparse.REMAINDER, help="arguments of the program")
    given = p.parse_args()
    if not os.path.isfile(given.program):
        p.error(f"{given.program} is not a file")
    import quadrants

    sys.argv[:] = [given.program, *given.arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(given.program))
    quadrants.inspect(wait=given.wait)
    runpy.run_path(given.program, run_name="__main__")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
else:  # `quadrants.inspect` is the function, however this module was imported
    from quadrants._inspect.inspector import inspect

    sys.modules[__name__] = inspect
