"""python -m tests.published [NAME ...]: a table of the examples, with what they end with here (and in the reference, if that is not
"ok"), and how far what they show is from what is kept in pictures/ of what the reference showed.

--bless keeps new pictures, of the reference. Its windows need Vulkan; that of Mesa (lavapipe) does without a GPU."""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from tests.published import pictures

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEERS = ROOT / ".venv-peers"


def examples():
    """The folder of Taichi's, or None."""
    return next(PEERS.glob("lib/python*/site-packages/taichi/examples"), None)


def run(name, reference=False, seconds=240):
    """"ok" or the last line that the program said, and its first picture or None."""
    how = pictures.shown(name)
    command = [PEERS / "bin/python", ROOT / "tests/published/run.py", "--reference"] if reference else [sys.executable, ROOT / "tests/published/run.py"]
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as shown:
        surroundings = {**os.environ, "PUBLISHED_FRAMES": str(how.frames), "PUBLISHED_PICTURES": shown}
        if how.hand:
            surroundings["PUBLISHED_HAND"] = "1"
        try:
            done = subprocess.run(
                [*command, examples() / f"{name}.py"], cwd=folder, env=surroundings, capture_output=True, text=True, timeout=seconds
            )
        except subprocess.TimeoutExpired:
            return f"more than {seconds} s", None
        picture = pathlib.Path(shown) / "1.npy"
        picture = np.load(picture) if picture.exists() else None
    if done.returncode == 0 and done.stdout.endswith("ran to its end\n"):
        return "ok", picture
    said = [line for line in done.stderr.splitlines() if line.strip()]
    return f"status {done.returncode}: {said[-1][:100] if said else ''}", picture


def bless(name, seconds):
    ours = pictures.shown(name).ours
    end, picture = run(name, not ours, seconds)
    if picture is None:
        return f"{end}; no picture"
    pictures.write(name, picture)
    return f"{end}; kept a picture of {'here: look at it' if ours else 'the reference'}"


def compared(name, picture):
    """A word for the table, and whether it is as it should be."""
    if not pictures.kept(name).exists():
        return ("" if picture is None else "no picture is kept"), picture is None
    if picture is None:
        return "shows nothing", False
    how, off = pictures.shown(name), pictures.off(name, picture, pictures.read(name))
    return f"off by {off:.3f} of {how.limit}", off <= how.limit


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="parts of paths; all examples without")
    parser.add_argument("--seconds", type=int, default=240)
    parser.add_argument("--bless", action="store_true")
    options = parser.parse_args()
    folder = examples()
    if folder is None:
        raise SystemExit("Taichi is not installed: run `make bench-peers`")
    ran = same = worse = 0
    for program in sorted(folder.rglob("*.py")):
        name = str(program.relative_to(folder).with_suffix(""))
        if options.names and not any(part in name for part in options.names):
            continue
        if options.bless:
            print(f"{name:50} {bless(name, options.seconds)}", flush=True)
            continue
        ours, picture = run(name, False, options.seconds)
        reference = "" if ours == "ok" else run(name, True, options.seconds)[0]
        word, fine = compared(name, picture) if ours == "ok" else ("", True)
        ran += ours == "ok"
        same += bool(word) and fine
        worse += (ours != "ok" and reference == "ok") or not fine
        print(f"{name:50} {ours} {word}{'' if fine else ' <-- DIFFERS'}" + (f"   [reference: {reference}]" if reference else ""), flush=True)
    if not options.bless:
        print(f"{ran} ran, {same} of them showed what is kept; {worse} that the reference runs did not, or showed something else")
    return 1 if worse else 0


if __name__ == "__main__":
    raise SystemExit(main())
