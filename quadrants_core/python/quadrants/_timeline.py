"""A timeline of a program for Perfetto (https://ui.perfetto.dev) and similar tools, recorded while the option `timeline` is on."""

from quadrants import _native


def timeline_clear():
    """Clears the recorded events."""
    _native.core().clear_timeline()


def timeline_save(fn):
    """Writes the recorded events to the file `fn`, as trace events in JSON: for each thread the kernels it compiled, with the phases of
    their compilation, and the kernels it launched, with their tasks."""
    import json
    import os

    events, lost = _native.core().timeline()
    process = os.getpid()
    programs = {thread for what, *_, thread in events if what in ("compile", "launch")}
    rows = [_named("process_name", process, process, "Quadrants")]
    for thread in sorted({event[-1] for event in events}):
        name = "compiles" if thread not in programs else "program" if thread == process else f"program {thread}"
        rows.append(_named("thread_name", process, thread, name))
    for what, name, of, begin, length, thread in sorted(events, key=lambda event: event[3]):
        row = {"name": name, "cat": what, "ph": "X", "ts": begin, "dur": length, "pid": process, "tid": thread}
        rows.append({**row, "args": {"of": of}} if of else row)
    if lost:
        rows.append(_named("process_labels", process, process, f"{lost} later events are missing: there was no room for them"))
    with open(fn, "w", encoding="utf-8") as file:
        json.dump(rows, file)


def _named(what, process, thread, text):
    key = "labels" if what == "process_labels" else "name"
    return {"name": what, "ph": "M", "pid": process, "tid": thread, "args": {key: text}}
