"""Prints docs/reference/options.md, from the table that the package has."""

import textwrap

from quadrants import _environment, _option_values

HEAD = """# Options

`qd.init` takes options as keywords. Each can come from the environment instead; a keyword goes before it. Those in the tables
"keyword or variable" live in `qd.cfg` while a program runs and can be changed there: the next kernel that is compiled goes by them,
where a row does not say that `qd.init` alone reads it.
Flags are `1`, `true`, `on`, `yes` or `0`, `false`, `off`, `no`; an empty variable counts as none. As keywords flags are `True` or `False`,
and `None` is as if a keyword was not given. A path may begin with `~`.

A value that an option cannot have is refused, by `qd.init` and by `qd.cfg`, with the name of the option and what it can have; the program
that runs then goes on. Keywords that are no options are a `KeyError` with the one that looks like it; of a variable `QD_...` that looks
like one of these and is none, the log says so, once.

Beside these `qd.init` takes `arch`, one or a list of which the first that this build has is taken, where `"gpu"` is all that are; `enable_fallback=False`, which refuses
an arch that it does not have instead of going on with the CPU; and `require_version="1.2.3"`. A variable that a keyword overrides is
told in the log, on standard error.

The line that `import quadrants` prints comes before options are known: `QD_LOG_LEVEL=warn`, or a level above, leaves it out, and so does
`ENABLE_QUADRANTS_HEADER_PRINT=0`. It is on standard output at a terminal and in notebooks, or if the variable is `1`, and else on standard error. The line of `qd.init` goes by `log_level`, keyword or variable.

What an option costs is said where it was measured, by `benchmarks/options.py` on two cores of an x86-64 server: as a factor of
the CPU time of compiling and of running three kernels (a stencil, a sum over an array, particles that all act on each other), against the
defaults. Where compiling is not named it changed by less than the noise, a tenth, and "nothing" is the same for running.

This page is made of `quadrants_core/options/options.def` by `make reference`.
"""
TYPES = {"Flag": "flag", "Int": "integer", "Word": "integer", "Real": "number", "Text": "text", "Type": "number type"}
UNBOUNDED = ("Flag", "Text", "Type", "Word")
ACTING = {
    "config": "Keyword or variable",
    "special": "Keyword or variable, not in `qd.cfg`",
    "keyword": "Keyword alone",
    "environment": "Variable alone",
}


AT_INIT = set(
    """cpu_max_num_threads make_cpu_multithreading_loop default_cpu_block_dim cpu_block_dim_adaptive compile_tiers random_seed
    offline_cache offline_cache_file_path offline_cache_max_size_of_files offline_cache_cleaning_policy offline_cache_cleaning_factor
    external_metal_command_queue""".split()
)

TAIL = """
## Variables that nothing reads

Programs and their scripts may set these; they are for GPUs, or for how the reference is built and tested: """

# Measured by benchmarks/options.py, or a fact of how the option works.
COSTS = {
    "debug": "running 5 (stencil), 12 (particles), 21 (sum): loops with checks are not SIMD",
    "check_out_of_bound": "running as with `debug`, of which these checks are most",
    "fast_math": "off: running 21 (particles: their loop is no longer SIMD), else nothing",
    "opt_level": "0: compiling 0.5 to 1.0; running 17 (stencil), 58 (particles), 132 (sum)",
    "cfg_optimization": "off: nothing on these kernels; a load and a store for each time that a kernel names an element again",
    "advanced_optimization": "off: nothing on these kernels: LLVM knows most of the laws, too",
    "cache_loop_invariant_global_vars": "off: running 4.6 (particles, whose inner loop reads one element), else nothing",
    "make_thread_local": "off: running 105 (sum), else nothing",
    "flatten_if": "on: nothing on these kernels; where branches are long, both sides are worked out",
    "make_cpu_multithreading_loop": "off: one core instead of all",
    "cpu_max_num_threads": "as many cores",
    "default_cpu_block_dim": "1: running 1.1 (stencil), 1.3 (sum), 13 (particles, in blocks that are no whole vectors)",
    "num_compile_threads": "1: nothing in work; a kernel of many loops waits for one after the other",
    "compile_tiers": "off: nothing in work; the first launch waits for the better code",
    "offline_cache": "off: every start compiles everything",
    "src_ll_cache": "off: every start parses and lowers, and finds the code of what is unchanged",
    "kernel_profiler": "running 1.0 to 1.2: two looks at the clock a task, and launches wait for each",
    "timeline": "as `kernel_profiler`, and about 200 bytes an event, of which 262144 are kept",
    "ad_stack_experimental_enabled": "nothing where no loop needs a stack",
    "kernel_coverage": "see [coverage](../coverage.md)",
    "verify": "nothing on these kernels",
    "collect": "compiling 3, and far more in programs of many objects",
}


def shown(kind, default):
    return f"`{default}`" if kind != "Text" or default else "empty"


def type_of(name, kind):
    """With its limits, but where nothing negative is all there is to say."""
    if kind in UNBOUNDED:
        return TYPES[kind]
    least, greatest = _option_values.limits(name)
    return f"{TYPES[kind]}, {least} to {greatest}" if greatest < 1 << 20 else f"{TYPES[kind]}, at least {least}"


def table(rows, head):
    lines = [f"\n## {head}\n", "| keyword, variable | what it does | type, default |", "| --- | --- | --- |"]
    for name, kind, default, by, key, _, doc in rows:
        names = [f"`{name}`"] * (by != "environment") + [f"`{_environment.variable(name)}`"] * (by != "keyword")
        mark = "; part of the name of cache entries" if key == "entry" else "; read by `qd.init` alone" if name in AT_INIT else ""
        cost = f"<br>*Cost*: {COSTS[name]}" if name in COSTS else ""
        lines.append(f"| {'<br>'.join(names)} | {doc}{mark}{cost} | {type_of(name, kind)}, {shown(kind, default)} |")
    return "\n".join(lines)


def page():
    rows = list(_environment.ROWS.values())
    parts = [table([r for r in rows if r[3] == by and r[5]], head) for by, head in ACTING.items()]
    kept = table([r for r in rows if not r[5]], "Taken, kept and without effect")
    told = "\n\nPrograms set these, and read what they set; each says why it does nothing here.\n"
    assert COSTS.keys() | AT_INIT <= _environment.ROWS.keys()
    unread = textwrap.fill(", ".join(f"`{name}`" for name in _environment.UNREAD), 130)
    return HEAD + "\n".join(parts) + "\n" + kept.replace("effect\n", "effect" + told, 1) + "\n" + TAIL.rstrip() + "\n" + unread + "."


if __name__ == "__main__":
    print(page())
