"""The texts and keys of the checkpoint stepper: the pure part of widgets/checkpoints, run by node."""

import json
import pathlib
import subprocess
import sys

WIDGETS = pathlib.Path(__file__).resolve().parents[2] / "widgets"
NODE = pathlib.Path(sys.executable).parent / "node"

SCRIPT = """
import * as shown from %s;
const array = { name: "a", dtype: "f32", shape: [3, 4], rows: null, picture: "", changed: 0, elements: 12, changes: [], marks: [] };
const step = { kind: "checkpoint", depth: 0, text: "", label: 1, state: "done", flag: "stop", value: 0, iteration: null, runs: null, microseconds: null };
const launch = { kernel: "k", steps: [step], next: 0, over: false, yielded: null, labels: [[1, "GROW"]], back: 0, arrays: [] };
console.log(JSON.stringify({
  keys: [..."nktebx"].map(shown.moveOf),
  may: ["back", "step", "iteration"].map((move) => shown.may(launch, move)),
  over: ["back", "run"].map((move) => shown.may({ ...launch, over: true, back: 2 }, move)),
  words: [step, { ...step, value: null }, { ...step, kind: "level", iteration: 3 }, { ...step, kind: "task", flag: null, runs: 2 }].map(shown.words),
  heads: [launch, { ...launch, over: true }, { ...launch, over: true, yielded: 1 }].map(shown.head),
  times: [0.4, 12.3, 4321, 2e6].map(shown.duration),
  index: ["1, 2", "2 3", "3, 0", "1", "-1, 0", ""].map((text) => shown.parsedIndex(text, array.shape)),
  edits: [shown.edit(array, [1, 2], " 0.5 "), shown.edit(array, null, "1"), shown.edit(array, [0, 0], "x"), shown.edit(array, [0, 0], "nan")],
  changes: shown.changes({ ...array, changed: 3, changes: ["[0, 0]: 1 to 2"] }),
}));
"""


def test_words_keys_and_edits(tmp_path):
    module = tmp_path / "shown.js"
    subprocess.run([WIDGETS / "node_modules/.bin/esbuild", "checkpoints/shown.ts", "--bundle", "--format=esm", f"--outfile={module}"],
                   cwd=WIDGETS, check=True, capture_output=True, env={"PATH": str(NODE.parent)})  # fmt: skip
    module.rename(tmp_path / "shown.mjs")
    (tmp_path / "ask.mjs").write_text(SCRIPT % '"./shown.mjs"')
    told = json.loads(subprocess.run([NODE, tmp_path / "ask.mjs"], check=True, capture_output=True, text=True).stdout)
    assert told["keys"] == ["step", "task", "iteration", "run", "back", None]
    assert told["may"] == [False, True, False] and told["over"] == [True, False]
    assert told["words"] == ["done, stop = 0", "done, yields on stop", "iteration 3, stop = 0", "ran 2 times"]
    assert told["heads"] == ["stopped", "at its end", "yielded at GROW"]
    assert told["times"] == ["0.4 µs", "12 µs", "4.3 ms", "2 s"]
    assert told["index"] == [[1, 2], [2, 3], None, None, None, None]
    assert told["edits"][0] == {"do": "edit", "name": "a", "index": [1, 2], "value": "0.5"}
    assert told["edits"][1].startswith("a has no such element") and told["edits"][2] == "x is not a number"
    assert told["edits"][3]["value"] == "nan"
    assert told["changes"] == "3 of 12 changed: [0, 0]: 1 to 2 and 2 more"
