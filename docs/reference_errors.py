"""The pages of docs/reference/ about errors: one for each subject, and errors.md with every message by the moment at which it appears. They
come from the programs of tests/errors and from docs/remedies.txt. See api.py.

The heading of an entry is the message. The address of an entry is the name of its program, error-range-step: it stays when a message is
reworded.
"""

import re
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ERRORS = ROOT / "tests" / "errors"
REMEDIES = ROOT / "docs" / "remedies.txt"
MADE = "\n\n---\n\nMade by `make reference` from the programs of tests/errors.\n"
LONGEST = 100  # characters of a message in a heading
TOPICS = {  # page -> title, beginnings of the names of the programs in tests/errors
    "arguments": ("Arguments and annotations", "annotated annotation argument buffer_view call_keyword dataclass func_annotation func_array_e func_array_r "
     "func_matrix func_result kernel_annotation kernel_result runtime_number missing_argument multiple_values ndarray_of parameter real_func_result "
     "too_many unexpected_argument sparse_builder_func"),
    "kernels": ("Kernels, funcs and what they may hold", "class_def error_ external foreign func_rec function_def "
     "generator global import internal iterable kernel_from long_line math_function name_ python_function real_func requires "
     "star_keywords unsupported tabs builtin_keyword unexpected_keyword call_a text_choice tuple_choice "
     "variable_python value_element in_operator not_in is_not is_op list_ literal_ nested_list source_ isinstance lambda_ named_ super_ too_large"),
    "control": ("Loops, branches and results", "append_in_loop break comprehension continue for_else func_return loop_ range_ return unpack_ while_else with_"),
    "numbers": ("Numbers and types", "and_ assign assume atomic augmented bit bitand cast constant division dtype floor fraction_lost frexp if_ invert narrowing negative "
     "not_float number_ popcnt randn round select sin_ string_plus while_float rescale shapes_differ ternary volatile"),
    "matrices": ("Vectors and matrices", "determinant eig inverse make_spd matmul matrix outer polar solve svd swizzle sym_eig transpose vector unpacked numpy tensor_to method_of"),
    "fields": ("Fields, arrays and indices", "bounds field_ index_of ndarray_ slice_of activate append deactivate is_active length_not dynamic cell_loop block_local mesh"),
    "static": ("Static, templates and pure kernels", "static in_static is_static is_not_static pure grouped ndrange endless iterator"),
    "structs": ("Structs", "struct"),
    "printing": ("Assertions, printing and formats", "assert print format percent"),
    "derivatives": ("Derivatives", "derivative stop_grad"),
    "graphs": ("Graphs, checkpoints and streams", "graph checkpoints stream"),
    "sparse": ("Sparse matrices and algorithms", "sparse_builder algorithms prefix_sum"),
    "gpu": ("Operations of GPUs", "simt tile on_lanes"),
}  # fmt: skip
MOMENTS = {  # moment -> title and introduction of its list on errors.md, and its words in an entry
    "compiled": ("While a kernel is compiled", "The first call with each combination of argument types compiles the kernel. The message shows the line, with a "
                 "caret, and the calls of funcs that lead to it. All these classes are `QuadrantsCompilationError`.", "raised while the kernel is compiled"),
    "python": ("In Python code", "A decorator, a call of a kernel, or a method of a field or an array raises these.", "raised by a call or a decorator in Python code"),
    "runs": ("While a kernel runs", "`qd.init(debug=True)` enables most of these checks. The message shows the line.", "raised while the kernel runs"),
    "warning": ("Warnings", "The kernel is compiled nevertheless.", "only a warning"),
}  # fmt: skip
OTHERS = """## Options

`qd.init` refuses a keyword that is not an option with a `KeyError` that names similar ones, and a value that is not valid with a `ValueError`
or a `TypeError` that names what is. [Options](options.md) lists them. A misspelt `QD_...` variable is a line in the log.

## Errors of Quadrants

A message that begins with `internal error` is a bug in Quadrants, not in your program. Please report it with the program: the
message says where in Quadrants it happened.

## Errors of the device

A call of the device that fails is a `QuadrantsRuntimeError` with the name of the call and the device's code. Out of memory is a `MemoryError`
too. A crash in native code that a kernel calls ends the process; in a notebook, the first cell after the restart says which line ran.

"""


def remedies():
    """name of a program in tests/errors -> what to do"""
    found = {}
    for line in REMEDIES.read_text(encoding="utf-8").splitlines():
        names, mark, said = line.partition(": ")
        if mark and not line.startswith("#"):
            found |= dict.fromkeys(names.split(), said)
    return found


def cases():
    """(name, class of the error, message, hint or None, program, moment) of every program that is wrong"""
    for path in sorted(ERRORS.glob("*.expected")):
        text = path.read_text(encoding="utf-8").rstrip()
        program = path.with_suffix(".py").read_text(encoding="utf-8")
        if not program.strip():
            continue
        kind, said, hint = message(text)
        if path.stem.startswith("assert_") and moment(kind, text) == "runs":
            said = f"{kind}: {said}"  # the text is the program's own
        yield path.stem, kind, said, hint, program, moment(kind, text)


def moment(kind, text):
    if kind.endswith("Warning"):
        return "warning"
    if kind == "QuadrantsAssertionError":
        return "runs"
    return "compiled" if 'File "' in text else "python"


def message(text):
    """(class, message, hint) of what the user sees, without places in the source"""
    first = text.split("\n", 1)[0]
    if ", line " in first and first.split(",")[0].endswith("Warning"):
        kind, said = first.split(",")[0], first.split(": ", 1)[1]
        return kind, said, None
    kind, _, rest = text.partition(":")
    lines, hint, body = rest.strip("\n").split("\n"), None, []
    place = -1  # the lines of the place that was named last: 1 is its source, then come carets
    for line in lines:
        if line.lstrip().startswith("File "):
            place = 0
            continue
        place += place >= 0
        if place == 1 or place > 1 and line.startswith("    ") or not set(line.strip()) - set("^~"):
            continue
        place = -1
        if re.fullmatch(r"\s*\.\.\. \d+ more calls \.\.\.", line):
            continue
        if line.startswith("Hint: "):
            hint = line[6:]
        else:
            body.append(line)
    return kind, " ".join(" ".join(body).split()), hint


def topic_of(name):
    best = max(((len(start), page) for page, (_, starts) in TOPICS.items() for start in starts.split() if name.startswith(start)), default=None)
    return best[1] if best else None


def heading(said):
    """Returns the message, or its beginning, as the Markdown of a heading."""
    short = said if len(said) <= LONGEST else said[: LONGEST - 4].rpartition(" ")[0] + " ..."
    parts = re.split(r"(`[^`]*`)", short)
    return "".join(part if part.startswith("`") else re.sub(r"([\\*_\[\]<>#`~$])", r"\\\1", part) for part in parts)


def address(name):
    return "error-" + name.replace("_", "-")


def entries():
    """page -> (message, class) -> its cases"""
    found = {page: {} for page in TOPICS}
    for case in cases():
        if (page := topic_of(case[0])) is not None:
            found[page].setdefault((case[2], case[1]), []).append(case)
    return found


def entry(said, same, known):
    """Returns the lines of a message: its class, the programs that cause it, and what to do."""
    _, kind, _, _, _, when = same[0]
    lines = [f"({address(name)})=" for name, *_ in same] + [f"## {heading(said)}", "", f"`{kind}`, {MOMENTS[when][2]}.", ""]
    if len(said) > LONGEST:
        lines += ["```text", *textwrap.wrap(said, 116, break_on_hyphens=False), "```", ""]
    for name, _, _, hint, program, _ in same:
        cause = re.sub(r"\n{3,}", "\n\n", program.strip().removeprefix("import quadrants as qd").strip())
        lines += ["```python", cause, "```", "", f"**What to do**: {(hint or known.get(name, '')).rstrip('.')}.", ""]
    return lines


def pages():
    """file name -> text"""
    known, found = remedies(), entries()
    made = {}
    for page, messages in found.items():
        title = TOPICS[page][0]
        lines = [f"# Errors: {title[0].lower() + title[1:]}", "", "Each message with a program that causes it, and what to do. [Errors](errors.md) lists all messages.", ""]
        for (said, _), same in messages.items():
            lines += entry(said, same, known)
        made[f"errors-{page}.md"] = "\n".join(lines).rstrip() + MADE
    made["errors.md"] = contents(found)
    return made


def contents(found):
    lines = [
        "# Errors", "",
        "Find a message below, by the moment at which it appears, or by its words with the search of the site. Its entry has a program that causes it, "
        "and what to do. The words of your message may contain other names and numbers than the ones here. The address of an entry stays the same when the "
        "message is reworded.", "",
    ]  # fmt: skip
    lines += [f"- [{TOPICS[page][0]}](errors-{page}.md): {len(messages)} messages" for page, messages in found.items()] + [""]
    for when, (title, about, _) in MOMENTS.items():
        rows = {}  # a message that several pages have leads to the first
        for page, messages in found.items():
            for (said, _), same in messages.items():
                if same[0][5] == when:
                    rows.setdefault(heading(said), f"(errors-{page}.md#{address(same[0][0])}): `{same[0][1]}`")
        lines += [f"## {title}", "", about, ""]
        lines += [f"- [{said}]{rows[said]}" for said in sorted(rows, key=lambda said: re.sub(r"\W", "", said.lower()))] + [""]
    return "\n".join(lines) + "\n" + OTHERS.rstrip() + MADE
