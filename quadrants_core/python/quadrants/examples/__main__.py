"""`python -m quadrants.examples` lists the examples; followed by a name, it runs one, with the words after the name as its arguments."""

import ast
import runpy
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def examples():
    """Returns the name of each example -> its path. The installation puts them next to this file."""
    return {path.stem: path for path in sorted(FOLDER.glob("*.py")) if not path.stem.startswith("_")}


def main(arguments):
    found = examples()
    if not arguments or arguments[0] in ("-h", "--help"):
        print("python -m quadrants.examples NAME [--small]\n")
        for name, path in found.items():
            head = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
            print(f"  {name:<20}{head.splitlines()[0] if head else ''}")
        print("\nEach prints its result next to the textbook's, and writes out/NAME.png. Most need matplotlib.")
        return 0
    name = arguments[0].removesuffix(".py")
    if name not in found:
        print(f"There is no example {name!r}: {', '.join(found) or 'the examples are part of an installed package'}", file=sys.stderr)
        return 2
    sys.argv = [str(found[name]), *arguments[1:]]
    runpy.run_path(str(found[name]), run_name="__main__")
    return 0


if __name__ == "__main__":
    from quadrants._command import until_its_reader_leaves

    raise SystemExit(until_its_reader_leaves(main, sys.argv[1:]))
