"""python -m tests.published [NAME ...]: a table of the examples, with what they end with here and in the reference."""

import argparse
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEERS = ROOT / ".venv-peers"


def end_of(python, program, seconds):
    """"ok", or the last line that the program said."""
    with tempfile.TemporaryDirectory() as folder:
        command = [python, ROOT / "tests/published/run.py", program]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            return f"more than {seconds} s"
    if done.returncode == 0 and done.stdout.endswith("ran to its end\n"):
        return "ok"
    said = [line for line in done.stderr.splitlines() if line.strip()]
    return f"status {done.returncode}: {said[-1][:100] if said else ''}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of paths; all examples without")
    parser.add_argument("--seconds", type=int, default=120)
    options = parser.parse_args()
    folder = next(PEERS.glob("lib/python*/site-packages/taichi/examples"), None)
    if folder is None:
        raise SystemExit("Taichi is not installed: run `make bench-peers`")
    ran = worse = 0
    for program in sorted(folder.rglob("*.py")):
        name = str(program.relative_to(folder))
        if options.names and not any(part in name for part in options.names):
            continue
        ours = end_of(sys.executable, program, options.seconds)
        reference = "" if ours == "ok" else end_of(PEERS / "bin/python", program, options.seconds)
        ran += ours == "ok"
        worse += ours != "ok" and reference == "ok"
        print(f"{name:52} {ours}" + (f"   [reference: {reference}]" if reference else ""), flush=True)
    print(f"{ran} ran; {worse} that the reference runs did not")
    return 1 if worse else 0


raise SystemExit(main())
