"""Graphs of kernels: which of their steps are displayed, and their descriptions (widgets/protocol/checkpoints.ts)."""

import linecache


def shown_steps(kernel, all_steps):
    """Returns the indices of the steps of Stepper.state() to display. Tasks that compute or count the bounds of a loop or the head of a
    block belong to the step of that construct."""
    file = kernel._primal.fn.__code__.co_filename
    newest = {one["line"]: at for at, one in enumerate(all_steps) if one["kind"] == "task"}

    def is_head(at, line):
        source = linecache.getline(file, line).strip()
        return source.startswith(("while ", "with ")) or (source.startswith("for ") and newest[line] != at)

    return [at for at, one in enumerate(all_steps) if one["kind"] != "task" or not is_head(at, one["line"])]


def following(all_steps, one):
    """Returns the steps inside one of them."""
    at = next(at for at, other in enumerate(all_steps) if other is one) + 1
    end = next((k for k in range(at, len(all_steps)) if all_steps[k]["depth"] <= one["depth"]), len(all_steps))
    return all_steps[at:end]


def steps_of(kernel, all_steps, shift=0):
    """Returns the displayed data of each of these steps. `shift`: number of preceding lines in the displayed code."""
    file = kernel._primal.fn.__code__.co_filename
    steps = []
    for one in all_steps:
        kind = one["kind"]
        step = {"kind": kind, "depth": one["depth"], "text": "", "label": one.get("label"), "state": one.get("state", ""),
                "flag": one.get("flag"), "value": one.get("value"), "iteration": one.get("iteration"), "runs": one.get("runs"),
                "microseconds": one.get("microseconds")}
        if kind == "task":
            source = linecache.getline(file, one["line"]).strip()
            step["text"] = f"line {one['line'] + shift}: {source}" if source else f"line {one['line'] + shift}"
        elif kind == "level":
            step["text"] = f"do_while {one['flag']}"
        elif kind == "region":
            count = sum(other["kind"] == "section" and other["depth"] == one["depth"] + 1 for other in following(all_steps, one))
            step["text"] = f"region of {count} section{'s' if count != 1 else ''}"
        elif kind == "section":
            step["text"] = f"section {one['index'] + 1}"
        elif one["label"] is None:
            step["text"] = "loop that is a checkpoint of its own"
        else:
            step["text"] = f"checkpoint {one['name'] or one['label']}"
        steps.append(step)
    return steps
