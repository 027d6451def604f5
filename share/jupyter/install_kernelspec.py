"""Installs the Quadrants kernelspec into an environment, with the absolute paths of the kernel and the interpreter.

    python install_kernelspec.py --kernel build/kernel/xquadrants [--prefix .venv]
"""

import argparse
import json
import pathlib
import shutil
import sys


def install(kernel, prefix):
    source = pathlib.Path(__file__).parent / "kernels" / "quadrants"
    target = pathlib.Path(prefix).absolute() / "share" / "jupyter" / "kernels" / "quadrants"
    target.mkdir(parents=True, exist_ok=True)
    python = pathlib.Path(prefix).absolute() / "bin" / "python"
    text = (source / "kernel.json.in").read_text()
    quoted = lambda path: json.dumps(str(path))[1:-1]
    text = text.replace("@XQUADRANTS@", quoted(pathlib.Path(kernel).absolute())).replace("@PYTHON@", quoted(python))
    json.loads(text)
    (target / "kernel.json").write_text(text)
    for logo in source.glob("logo-*"):
        shutil.copy(logo, target)
    return target


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--kernel", required=True, help="the xquadrants executable")
    options.add_argument("--prefix", default=sys.prefix, help="the environment, by default that of this Python")
    given = options.parse_args()
    if not pathlib.Path(given.kernel).is_file():
        sys.exit(f"no such file: {given.kernel}")
    print("kernelspec:", install(given.kernel, given.prefix))


if __name__ == "__main__":
    main()
