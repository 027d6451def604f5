"""Describes the current activity of a program: the kernel being compiled or the task being run, and its progress."""

from quadrants import _exceptions, _native


def shift_of(file):
    """Returns the number of lines in the editor before line 1 of a source; notebooks replace this function."""
    return 0


def now():
    """Returns the current activity of the core (`activity` of python/bind/module.cpp), or None. It may be called from any thread at any
    frequency."""
    return _native.loaded.activity() if _native.loaded is not None else None


def shown_name(kernel):
    name = kernel.replace("<locals>.", "")
    for end in ("_reverse_grad", "_forward_grad"):
        if name.endswith(end):
            return name.removesuffix(end) + ".grad"
    return name


def share_of(activity):
    """Returns the progress from 0 to 1; None if unknown."""
    whole = activity["tasks"] if activity["what"] == "compiling" else activity["chunks"]
    return activity["done"] / whole if whole else None


def place_of(activity, shift=0):
    """Returns the current task, or the number of compiled tasks, without values that change constantly. `shift`: lines of the editor before
    line 1."""
    if activity["what"] == "compiling":
        return f"{activity['done']} of {activity['tasks']} tasks" if activity["tasks"] else "reading its source"
    iterations = [f"iteration {' · '.join(f'{iteration:,}' for iteration in activity['iterations'])}"] if activity["iterations"] else []
    task = [f"task {activity['number']} of {activity['tasks']}"] if activity["number"] and activity["tasks"] > 1 else []
    line = [f"line {activity['line'] + shift}"] if activity["line"] else []
    return ", ".join(iterations + task + line)


def where_it_stopped(kernel, file, line, done, chunks, iterations):
    """Returns the text of the KeyboardInterrupt of a launch that Stop ended."""
    said = [f"in iteration {' · '.join(f'{iteration:,}' for iteration in iterations)}"] if iterations else []
    if line:
        said.append(f"at {_exceptions.place_name(file, line + shift_of(file))}" if file else f"at line {line}")
    if chunks and not iterations:
        said.append(f"after {done / chunks:.0%} of this loop")
    return f"kernel {shown_name(kernel)} was stopped {', '.join(said)}".strip()


def time_of(seconds):
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def text_of(progress):
    """Returns one line of text for the data specified in widgets/protocol/progress.ts."""
    done = [] if progress["share"] is None or progress["what"] == "compiling" else [f"{progress['share']:.0%}"]
    head = f"compiling {progress['kernel']}" if progress["what"] == "compiling" else f"{progress['kernel']} runs"
    rest = [part for part in (progress["place"], *done, time_of(progress["seconds"])) if part]
    return f"{head}: {', '.join(rest)}"
