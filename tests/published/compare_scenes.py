"""python -m tests.published.compare_scenes --python PYTHON [SCENE ...]: scenes of Genesis here and with the reference.

PYTHON is that of an environment of its own with `genesis-world` and `torch`, which bring the reference. Both start with an
empty cache of kernels. The table gives seconds to build (compilation, and one step; of gradients, a first rollout) and to
step (a second rollout), on the clock and of the processor, and the largest difference between where things end, of gradients by
the largest of them. With --rounds both run in turns, and the middle time of each counts."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

import quadrants

HERE = pathlib.Path(__file__).resolve().parent
SCENES = "bodies graph_solver arm material_points smoothed_particles cloth position_liquid pose_gradient throw_gradient push_gradient".split()


def run(python, scene, path, seconds):
    """Returns the output of the scene, or the last line of its failure."""
    with tempfile.TemporaryDirectory() as home:
        surroundings = {**os.environ, "HOME": home, "PYTHONPATH": str(path) if path else "", "PYTHONNOUSERSITE": "1"}
        command = [python, HERE / "scenes.py", scene]
        try:
            done = subprocess.run(command, env=surroundings, cwd=home, capture_output=True, text=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            return f"more than {seconds} s"
    if done.returncode == 0:
        return json.loads(done.stdout.splitlines()[-1])
    said = [line for line in done.stderr.splitlines() if line.strip()]
    return f"status {done.returncode}: {said[-1][:100] if said else ''}"


def middle(runs):
    """The last of some runs, with the middle of their times; a failure if there is one."""
    failed = [one for one in runs if isinstance(one, str)]
    return failed[0] if failed else {**runs[-1], **{what: statistics.median(one[what] for one in runs) for what in ("build", "steps", "busy")}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help=f"of {', '.join(SCENES)}; all without")
    parser.add_argument("--python", required=True)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=1)
    given = parser.parse_args()
    worse = 0
    print(f"{'scene':20}{'build':>9}{'reference':>11}{'steps':>9}{'reference':>11}{'busy':>9}{'reference':>11}   difference")
    with tempfile.TemporaryDirectory() as folder:
        package = pathlib.Path(quadrants.__file__).parent
        (pathlib.Path(folder) / "quadrants").symlink_to(package)  # alone: not what else the environment has
        for scene in given.scenes or SCENES:
            rounds = [[run(given.python, scene, path, given.seconds) for path in (folder, None)] for _ in range(given.rounds)]
            ours, reference = (middle(runs) for runs in zip(*rounds))
            worse += isinstance(ours, str) and not isinstance(reference, str)
            if isinstance(ours, str) or isinstance(reference, str):
                ends = [one if isinstance(one, str) else "ok" for one in (ours, reference)]
                print(f"{scene:20} here: {ends[0]}; reference: {ends[1]}", flush=True)
                continue
            difference = max(abs(a - b) for a, b in zip(ours["result"], reference["result"]))
            if scene.endswith("_gradient"):
                difference /= max(map(abs, reference["result"][1:]))
            times = (f"{one[what]:{width}.3f}" for what in ("build", "steps", "busy") for one, width in ((ours, 9), (reference, 11)))
            print(f"{scene:20}{''.join(times)}   {difference:.1e}", flush=True)
    return 1 if worse else 0


raise SystemExit(main())
