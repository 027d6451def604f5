"""The adstack memory used by lines of code: the Python side of AdstackLine of widgets/protocol/coverage.ts."""

import ast
import functools

from quadrants import _exceptions
from quadrants._gradients import memory as _memory


def adstack_now():
    """Returns (kernel, name of the cell or file) -> {line: AdstackLine} for the gradients that have run or are running. Of several
    specialisations, the one that uses most memory for a line is reported."""
    found = {}
    for kernel in _memory.memory_now():
        name = kernel.name.removesuffix("_reverse_grad").replace("<locals>.", "")
        for task in kernel.tasks:
            loops = [loop for loop in task.loops if loop.trips]
            loops = [_at_the_statements(loop) for loop in loops]
            for file, line in sorted({(v.file, v.line) for loop in loops for v in loop.variables if v.file}):
                one = _line(name, line, _only(loops, file, line))
                lines = found.setdefault((name, file), {})
                if line not in lines or lines[line]["bytes"] < one["bytes"]:
                    lines[line] = one
    return found


def _at_the_statements(loop):
    """Moves the variables to the line where the loop assigns their next value, away from that of their initial value before the loop."""
    return loop._replace(variables=tuple(v._replace(line=_assigned_in(v.file, loop.line, v.name) or v.line) for v in loop.variables))


def _assigned_in(file, line, name):
    """Returns the line of the last statement of the loop at `line` that assigns the name, or None."""
    loops = (node for node in ast.walk(_tree(_exceptions.source_of(file))) if isinstance(node, ast.For | ast.While) and node.lineno == line)
    targets = (target for node in loops for inner in node.body for part in ast.walk(inner)
               for target in (part.targets if isinstance(part, ast.Assign) else [part.target] if isinstance(part, ast.AugAssign | ast.AnnAssign) else [])
               for target in ast.walk(target))  # fmt: skip
    return max((target.lineno for target in targets if isinstance(target, ast.Name) and target.id == name), default=None)


@functools.lru_cache(32)
def _tree(text):
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):  # a cell with magics
        return ast.Module([], [])


def _only(loops, file, line):
    """Returns the same loops, with only the variables computed on this line."""
    return [loop._replace(variables=tuple(v for v in loop.variables if (v.file, v.line) == (file, line))) for loop in loops]


def _line(kernel, line, loops):
    of = {}  # components of a vector, and SIMD lanes, are one value
    for loop in loops:
        for v in loop.variables:
            one = {"kernel": kernel, "name": v.name, "type": v.type, "bytes": 0, "trips": loop.trips, "loop": loop.line, "choice": loop.choice}
            of.setdefault(tuple(one.values()), one)["bytes"] += v.bytes * loop.lanes * loop.pieces
    return {"number": line, "bytes": _memory.most_bytes(loops), "of": list(of.values())}


def lines_of(entries, kept):
    """Returns the AdstackLines of a listing with these kernels and funcs. `kept`: the result of adstack_now()."""
    found = {}
    for entry in entries:
        for (_, file), lines in kept.items():
            for number, one in lines.items() if file == entry.label else ():
                if entry.first_line <= number <= entry.last_line:
                    at = number + entry.shift
                    here = found.setdefault(at, {"number": at, "bytes": 0, "of": []})
                    here["bytes"] = max(here["bytes"], one["bytes"])
                    here["of"] += [{**value, "loop": value["loop"] + entry.shift} for value in one["of"]]
    return [found[number] for number in sorted(found)]
