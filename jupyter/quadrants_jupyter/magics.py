"""The magics: %%qd_kernel, %qd_coverage, %qd_progress, %qd_gradients, %qd_adstack, %qd_tasks, %qd_step, %qd_graph, %qd_config."""

import argparse
import ast
import functools
import inspect
import re
import shlex
import textwrap
import time

from IPython.core.async_helpers import get_asyncio_loop
from IPython.core.completer import SimpleCompletion, context_matcher
from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, line_magic, magics_class
from IPython.display import display

from quadrants import _native
from quadrants._trees import snode as _snode
from quadrants_jupyter import adstack, badge, cells, live, looks, ordinary, progress, reloaded, reports, stale, tooltip


def _words(name, line):
    try:
        return shlex.split(line)
    except ValueError as error:  # unclosed quotes
        raise UsageError(f"{name}: {error}") from None


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise UsageError(f"{self.prog}: {message}\n{self.format_usage().strip()}")

    def exit(self, status=0, message=None):
        raise UsageError(message or "")

    def parse(self, line):
        return self.parse_args(_words(self.prog, line))


def _kernel_options():
    p = _Parser(prog="%%qd_kernel", add_help=False)
    p.add_argument("--arch", help="start a program on this architecture if none runs")
    p.add_argument("--coverage", action=argparse.BooleanOptionalAction, default=True, help="count how often lines run")
    p.add_argument("--show", choices=("ir", "tasks", "llvm", "asm"), help="show what the compiler made of the kernels")
    p.add_argument("--time", action="store_true", help="show how long the cell took")
    p.add_argument("--quiet", action="store_true", help="no report under the cell")
    return p


def _coverage_options():
    p = _Parser(prog="%qd_coverage", add_help=False)
    p.add_argument("--live", action="store_true", help="keep the counts up to date")
    p.add_argument("--clear", action="store_true", help="reset all counts, or those of the named kernels")
    ordinary_cells = p.add_mutually_exclusive_group()
    ordinary_cells.add_argument("--off", dest="on", action="store_false", default=None, help="do not count kernels of ordinary cells")
    ordinary_cells.add_argument("--on", dest="on", action="store_true", default=None, help="count them again")
    p.add_argument("names", nargs="*", metavar="NAME", help="names of kernels (default: those of the last cell)")
    return p


def _gradient_options():
    p = _Parser(prog="%qd_gradients", add_help=False)
    either = p.add_mutually_exclusive_group(required=True)
    either.add_argument("--off", dest="on", action="store_false", help="turn badges off")
    either.add_argument("--on", dest="on", action="store_true", help="turn badges on again")
    return p


def _progress_options():
    p = _Parser(prog="%qd_progress", add_help=False)
    either = p.add_mutually_exclusive_group(required=True)
    either.add_argument("--off", dest="on", action="store_false", help="do not show what cells wait for")
    either.add_argument("--on", dest="on", action="store_true", help="show it again")
    return p


def _adstack_options():
    p = _Parser(prog="%qd_adstack", add_help=False)
    p.add_argument("--budget", type=int, metavar="N", help="limit, in bytes, of what a gradient keeps for one iteration of a parallel loop; 0: no limit")
    p.add_argument("--measure", action="store_true", help="measure the gradients with several budgets")
    p.add_argument("names", nargs="*", metavar="NAME", help="names of kernels (default: those whose gradient ran)")
    return p


parsers = {"%%qd_kernel": _kernel_options(), "%qd_coverage": _coverage_options(), "%qd_progress": _progress_options(),
           "%qd_gradients": _gradient_options(), "%qd_adstack": _adstack_options()}


def help_of(name):
    """Returns what `--help` shows for a magic: its docstring, followed by its options."""
    text = inspect.getdoc(getattr(QuadrantsMagics, name.lstrip("%")))
    parser = parsers.get(name)
    return text if parser is None else f"{text}\n\n{parser.format_help().partition(chr(10) + chr(10))[2].strip()}"


def _with_help(magic):
    """Returns a magic that shows its help for `--help`."""

    @functools.wraps(magic)
    def helped(self, line, *cell):
        if line.strip() == "--help":
            print(help_of(("%%" if magic.__name__ == "qd_kernel" else "%") + magic.__name__))
            return None
        return magic(self, line, *cell)

    return helped


def _start(name):
    """Starts a program on the architecture `name`, as qd.init(arch=...) takes it: `gpu` is any GPU, or the CPU if there is none."""
    import quadrants as qd
    from quadrants import _arch, _settings

    try:
        wanted = _arch.gpu if name == "gpu" else _arch.from_name(name)
    except ValueError:
        raise UsageError(f"--arch: unknown arch {name!r}; known: {', '.join(_arch_names())}") from None
    running = _settings.cfg or _settings.of_python
    if running is None:
        qd.init(arch=wanted)
        return
    fits = wanted if name == "gpu" else [wanted]
    if name == "gpu" and not any(map(_arch.is_arch_supported, wanted)):
        fits = [_arch.cpu]
    if running.arch not in fits:
        raise UsageError(f"--arch {name}: a program runs on {running.arch.name} already, and its arrays would be lost; "
                         "call qd.reset() first")


_call = "get_ipython().run_cell_magic('qd_kernel', "


def _awaited(shell):
    """Returns a transform by which a cell that awaits something at its top level awaits the magic; IPython then runs it in its event loop.
    A cell without a body, which may be a request for help, becomes a line magic."""

    def transform(lines):
        if not lines or not lines[0].startswith(_call):
            return lines
        _, line, body = (argument.value for argument in ast.parse(lines[0]).body[0].value.args)
        if not body:  # IPython does not support cell magics without a body
            return [f"get_ipython().run_line_magic('qd_kernel', {line!r})\n", *lines[1:]]
        return ["await " + lines[0], *lines[1:]] if cells.awaits(shell, body) else lines

    return transform


def _finished(work):
    """Returns the result of a coroutine that never suspends."""
    try:
        work.send(None)
    except StopIteration as done:
        return done.value
    raise RuntimeError("the cell waits for something")


@magics_class
class QuadrantsMagics(Magics):
    @line_cell_magic
    @_with_help
    def qd_kernel(self, line, cell=""):
        """Runs a cell of kernels and reports what was compiled.

        %%qd_kernel [--arch A] [--no-coverage] [--show ir|tasks|llvm|asm] [--time] [--quiet]
        """
        if not cell.strip():
            raise UsageError("%%qd_kernel: the cell has no kernels below this line; %%qd_kernel --help shows its options")
        work = self.carried_out(parsers["%%qd_kernel"].parse(line), cell)
        if not cells.awaits(self.shell, cell):
            return _finished(work).value()
        return self.awaited(work)

    def awaited(self, work):
        async def value():
            return (await work).value()

        loop = get_asyncio_loop()
        return value() if loop.is_running() else loop.run_until_complete(value())

    async def carried_out(self, options, cell):
        if options.arch:
            _start(options.arch)
        reports.collect()  # discards the reports of other cells
        start = time.perf_counter()
        if options.coverage:
            live.live.start(self.shell)
        outcome = await cells.Runner(self.shell, cell, options.coverage).run()
        if outcome.error is not None:
            return outcome
        self.compile_now(outcome)
        seconds = time.perf_counter() - start
        lines = reports.lines_for(outcome, reports.collect())
        cells.after_cell()
        if not options.quiet and (lines or options.time):
            display(reports.CellReport(lines, seconds if options.time else None))
        if options.show:
            self.show(options.show)
        return outcome

    def compile_now(self, outcome):
        """Compiles the specialisations that the edited kernel had, or the only one that its annotations allow."""
        from quadrants import _settings

        if _settings.cfg is None:
            return
        for name in outcome.defined:
            entry = cells.registry.entries[name]
            kernel = entry.value()
            if not entry.is_kernel or kernel._specialisations():
                continue
            before = outcome.replaced.get(name)
            kernel._compile_like(before)

    def show(self, what):
        entries = cells.registry.of_last_cell()
        if what == "tasks":
            display(reports.TaskTable(entries))
            return
        for entry in entries:
            if entry.is_kernel:
                print(entry.value()._show(what) or f"; {entry.name} compiles at its first call")

    @line_magic
    @_with_help
    def qd_coverage(self, line):
        """Shows how often each line of the last cell's kernels ran.

        %qd_coverage [NAME ...]         the current counts
        %qd_coverage --live [NAME ...]  kept up to date while cells run
        %qd_coverage --clear [NAME ...] starts from zero
        %qd_coverage --off              kernels that ordinary cells define from now on are not counted; --on: counted again
        """
        from quadrants_jupyter import heatmap

        options = parsers["%qd_coverage"].parse(line)
        if options.clear and options.names:
            with live.live.lock:
                live.live.take()
                return live.live.clear(self.find_counted(options.names))
        if options.clear:
            from quadrants._coverage import counts as _coverage

            return _coverage.clear()
        if options.on is not None:
            ordinary.cells.on = options.on
            return None
        with live.live.lock:
            live.live.take()
            shown = heatmap.Heatmap(self.find_counted(options.names), follows=options.live)
        cell_id, _ = live.executions.current()
        if not options.live:
            live.live.follow(cell_id, None)
            return shown
        live.live.start(self.shell)
        live.live.follow(cell_id or object(), heatmap.Display(self.shell, shown))

    @line_magic
    @_with_help
    def qd_progress(self, line):
        """Switches the progress below a cell, which appears once a compilation or a launch has taken a second.

        %qd_progress --off   no progress from now on; --on: again, from the next cell on
        """
        progress.shown.follow(parsers["%qd_progress"].parse(line).on)

    @line_magic
    @_with_help
    def qd_gradients(self, line):
        """Switches the badge below cells that compute gradients, which says if these are right.

        %qd_gradients --off   no badges from now on; --on: again
        """
        badge.badges.follow(parsers["%qd_gradients"].parse(line).on)

    @line_magic
    @_with_help
    def qd_adstack(self, line):
        """Shows what backward kernels keep for the backward pass through their loops.

        %qd_adstack [NAME ...]              what was kept at the last launch
        %qd_adstack NAME ... --budget N     from the next call of the gradient on, at most N bytes for one iteration; 0: no budget
        %qd_adstack [NAME ...] --measure    time and memory with several budgets, on the arguments of the last call
        """
        options = parsers["%qd_adstack"].parse(line)
        if options.budget is not None and (options.budget < 0 or not options.names):
            raise UsageError("%qd_adstack: --budget N needs N >= 0 and the name of a kernel")
        try:
            view = adstack.View(self.shell, options.names)
        except LookupError as error:
            raise UsageError(f"%qd_adstack: {error.args[0]}") from None
        if options.budget is not None:
            for name in options.names:
                view.set_budget(adstack.shown_name(name), options.budget)
        if options.measure:
            for kernel in view.kernels:
                if view.stopped is None:
                    view.measure(kernel["name"])
        adstack.show(self.shell, view)
        if view.stopped is not None:
            raise view.stopped

    @line_magic
    @_with_help
    def qd_tasks(self, line):
        """Shows the tasks of the kernels that the last cell with kernels defines. %qd_tasks [NAME ...]"""
        reports.collect()
        try:
            return reports.TaskTable(reports.find(_words("%qd_tasks", line)))
        except LookupError as error:
            raise UsageError(error.args[0]) from None

    @line_magic
    @_with_help
    def qd_step(self, line):
        """Launches a kernel with graph=True in steps, and shows the arrays of the kernel.

        %qd_step KERNEL(ARGUMENTS)   to the end of the first checkpoint
        %qd_step --step              moves that launch: to the end of the next checkpoint; --iteration, --task, --run, --back
        %qd_step --resume LABEL      begins it again from a checkpoint
        """
        from quadrants_jupyter import checkpoints

        found = re.fullmatch(r"\s*--(\w+)\s*(.*?)\s*", line)
        if not line.strip():
            raise UsageError(f"%qd_step: give the call of a kernel\n{self.qd_step.__doc__}")
        if found is None:
            try:
                begun = checkpoints.begin(self.shell, line)
            except SyntaxError as error:
                raise UsageError(f"%qd_step: {error.msg}") from None
            begun.end_cell()
            return
        how, label = found.groups()
        if how not in ("step", "iteration", "task", "run", "back", "resume") or bool(label) != (how == "resume"):
            raise UsageError(f"%qd_step: not understood: {line.strip()}\n{self.qd_step.__doc__}")
        if checkpoints.newest is None:
            raise UsageError("%qd_step: no launch has been started; write %qd_step KERNEL(ARGUMENTS)")
        checkpoints.newest.from_cell(how, label)

    @line_magic
    @_with_help
    def qd_graph(self, line):
        """Shows the loops, checkpoints, sections and tasks of a kernel, without running it.

        %qd_graph KERNEL              as it was compiled last; otherwise compiled now, if its annotations leave no choice
        %qd_graph KERNEL(ARGUMENTS)   as it is compiled for these arguments
        """
        from quadrants_jupyter import checkpoints, outline

        if not line.strip():
            raise UsageError(f"%qd_graph: give the name of a kernel\n{self.qd_graph.__doc__}")
        try:
            kernel, args, keywords = checkpoints.call_of(self.shell, line)
            checkpoints.need_kernel(kernel)
        except SyntaxError as error:
            raise UsageError(f"%qd_graph: {error.msg}") from None
        kernel, steps = outline.outline_of(kernel, args, keywords)
        if steps is None:
            raise UsageError(f"%qd_graph: the arguments of {adstack.shown_name(kernel._primal.name)} decide how it is compiled; call it once, or write "
                             f"%qd_graph {line.strip()}(...)")
        return outline.Graph(kernel, steps)

    @line_magic
    @_with_help
    def qd_cache(self, line):
        """Shows the cache on disk, which saves the next process from compiling.

        %qd_cache              the content of the cache
        %qd_cache why KERNEL   says if the kernel was found there and, if not, what had changed
        %qd_cache verify       lists files that are damaged or not trusted; clear: empties the cache
        """
        import quadrants as qd

        words, cache = line.split(), qd.cache
        try:
            if not words or words == ["info"]:
                return display(reports.CacheReport("info", cache.info()))
            if words == ["verify"]:
                return display(reports.CacheReport("verify", cache.verify()))
            if words == ["clear"]:
                return display(reports.CacheReport("clear", f"{cache.clear()} files removed"))
            if words[0] == "why" and len(words) == 2:
                return display(reports.CacheReport(f"why {words[1]}", cache.why(self.shell.ev(words[1]))))
        except (AttributeError, NameError, OSError, SyntaxError, TypeError, qd.QuadrantsRuntimeError) as error:
            raise UsageError(f"%qd_cache: {error}") from None
        else:
            raise UsageError(f"%qd_cache: not understood: {line.strip()}\n{self.qd_cache.__doc__}")

    @line_magic
    @_with_help
    def qd_config(self, line):
        """Shows the options of the running program, first those that differ from the default.

        %qd_config            those that have an effect here, and the names of the others
        %qd_config NAME ...   these
        """
        from quadrants import _option_values, _options, _runtime, _settings

        values = {name: value for name, value in vars(_settings.current()).items() if not name.startswith("_")}
        names = _words("%qd_config", line)
        for name in names:
            if name not in values:
                raise UsageError(f"%qd_config: no option named {name!r}{looks.meant(name, values)}")
        defaults = _options.gather({"default_fp": None, "default_ip": None}, {})[0]
        changed = {name for name, value in values.items() if value != defaults.get(name, value)}
        without_effect = {name for name, row in _option_values.ROWS.items() if not row[5]} - changed

        def line_of(name):
            return f"{name} = {values[name]}" + (f"  (by default {defaults[name] if defaults[name] != '' else 'none'})" if name in changed else "")

        if not _runtime.is_initialized():
            print("no program is running; qd.init() would start one with these options:")
        if names:
            return print("\n".join(map(line_of, names)))
        rest = sorted(values.keys() - changed - without_effect)
        print("\n".join(["changed from the default:" if changed else "all at their defaults:",
                         *(f"  {line_of(name)}" for name in sorted(changed)), *(["at their defaults:"] if changed else []),
                         *(f"  {line_of(name)}" for name in rest),
                         textwrap.fill("no effect on this machine: " + ", ".join(sorted(values.keys() & without_effect)), 100, subsequent_indent="  ")]))

    def find_counted(self, names):
        try:
            return cells.registry.find_counted(names)
        except LookupError as error:
            hint = "" if ordinary.cells.counts() else "; %qd_coverage --on counts those that ordinary cells define"
            raise UsageError(error.args[0] + hint) from None


def _names_counted():
    return sorted(map(adstack.shown_name, cells.registry.counted()))


def _names_compiled():
    reports.collect()
    return sorted(map(adstack.shown_name, reports.compiled()))


def _option_names():
    from quadrants import _settings

    return sorted(name for name in vars(_settings.current()) if not name.startswith("_"))


def _arch_names():
    from quadrants import _arch

    return ["cpu", "gpu", *(arch.name for arch in _arch.Arch if _arch.is_arch_supported(arch))]


def _completer(parser, words):
    """Returns a completer for options, for values of the option before the cursor, and for the other words that the magic takes."""
    options = {option: action for action in parser._actions for option in action.option_strings} if parser else {}

    def complete(line, symbol):
        before = line[: len(line) - len(symbol)].split()[1:]
        action = options.get(before[-1]) if before else None
        if action is not None and action.dest == "arch":
            return _arch_names()
        if action is not None and action.choices:
            return list(action.choices)
        if symbol.startswith("--h"):
            return ["--help"]
        return sorted(options) if symbol.startswith("-") or not words else [*words(), *sorted(options)]

    return complete


def _kernel_names():
    """Returns the names of graph=True kernels among the variables of the notebook, and of those that are methods of these variables."""
    from IPython import get_ipython

    shell = get_ipython()
    found = []
    for name, value in list(shell.user_ns.items()) if shell is not None else []:
        if name.startswith("_") or name in shell.user_ns_hidden:
            continue
        if _is_graph(value):
            found.append(name)
        elif getattr(type(value), "_qd_kind_", None) == "data_oriented":
            found += [f"{name}.{method}" for kind in type(value).__mro__ for method, kernel in vars(kind).items() if _is_graph(kernel)]
    return sorted(set(found))


def _is_graph(value):
    return getattr(type(value), "_qd_kind_", None) == "kernel" and value._primal.graph


_moves_of_step = ["--back", "--resume", "--run", "--step", "--task", "--iteration"]


def _complete_step(line, symbol):
    if symbol.startswith("-"):
        return _moves_of_step
    from quadrants_jupyter import checkpoints

    before = line[: len(line) - len(symbol)].split()[1:]
    if before[-1:] == ["--resume"]:
        return checkpoints.newest.names() if checkpoints.newest is not None else []
    return [] if before else [*_kernel_names(), *_moves_of_step]


def _complete_graph(line, symbol):
    return [] if line[: len(line) - len(symbol)].split()[1:] else _kernel_names()


_completers = {
    "%qd_step": _complete_step,
    "%qd_graph": _complete_graph,
    "%%qd_kernel": _completer(parsers["%%qd_kernel"], None),
    "%qd_coverage": _completer(parsers["%qd_coverage"], _names_counted),
    "%qd_progress": _completer(parsers["%qd_progress"], None),
    "%qd_gradients": _completer(parsers["%qd_gradients"], None),
    "%qd_adstack": _completer(parsers["%qd_adstack"], lambda: sorted(map(adstack.shown_name, adstack.pick([])))),
    "%qd_tasks": _completer(None, _names_compiled),
    "%qd_config": _completer(None, _option_names),
}
_transform = None


def _keywords_of_init(context):
    """Returns the options that a call of qd.init around the cursor may take; empty if there is no such call, or if a value is being
    written."""
    before = "\n".join(context.full_text.splitlines()[:context.cursor_line] + [context.line_with_cursor])
    before = before[:len(before) - len(context.token)] if context.token.isidentifier() else before
    call = re.search(r"([\w.]+)\(([^()]*(?:\([^()]*\)[^()]*)*)$", before)
    if call is None or not re.search(r"(^|,)\s*$", call[2]) or not call[1].endswith("init"):
        return []
    import quadrants as qd
    from IPython import get_ipython

    found, shell = None, get_ipython()
    for at, name in enumerate(call[1].split(".")):
        found = shell.user_ns.get(name) if at == 0 else vars(found).get(name) if inspect.ismodule(found) else None
    if found is not qd.init:
        return []
    from quadrants import _options

    own = [name for name, p in inspect.signature(qd.init).parameters.items() if p.kind is not p.VAR_KEYWORD and not name.startswith("_")]
    known = sorted({*own, *_options.OPTIONS, *_options.SPECIAL})
    return [name for name in known if not re.search(rf"\b{name}\s*=", call[2])]


@context_matcher(priority=100, identifier="quadrants_jupyter.magics")
def _complete(context):
    """Completes the arguments of a magic or of qd.init, and suppresses Python's own completions there."""
    line, symbol = context.line_with_cursor, context.token
    keywords = _keywords_of_init(context)
    if keywords:
        found = [SimpleCompletion(text=f"{word}=", type="param") for word in keywords if word.startswith(symbol)]
        return {"completions": found, "suppress": bool(found), "ordered": True}
    completer = _completers.get(line.split(" ", 1)[0]) if " " in line else None
    found = [word for word in completer(line, symbol) if word.startswith(symbol)] if completer is not None else []
    return {"completions": [SimpleCompletion(text=word, type="magic") for word in found], "suppress": bool(found), "ordered": True}


def _watch_for_stop():
    """Reinstalls the SIGINT handler of the package after ipykernel has set one for this cell, so that Stop also ends what other threads
    have launched before."""
    if _native.loaded is not None:
        _native.loaded.watch_interrupts()


def register(shell):
    global _transform
    shell.register_magics(QuadrantsMagics)
    shell.Completer.custom_matchers.append(_complete)
    _transform = _awaited(shell)
    shell.input_transformers_post.append(_transform)
    shell.events.register("pre_execute", _watch_for_stop)
    shell.events.register("pre_execute", reloaded.before_cell)
    shell.events.register("post_run_cell", stale.after_cell)
    shell.events.register("post_run_cell", cells.after_cell)
    stale.follow(shell.user_ns)
    _snode.results_of_cells = lambda: list(shell.user_ns.get("_oh", {}).values())
    shell.events.register("post_run_cell", adstack.views.refresh)
    live.register(shell)
    badge.register(shell)
    tooltip.register(shell)
    progress.register(shell)


def unregister(shell):
    shell.Completer.custom_matchers.remove(_complete)
    shell.input_transformers_post.remove(_transform)
    shell.events.unregister("post_run_cell", cells.after_cell)
    shell.events.unregister("post_run_cell", stale.after_cell)
    stale.leave()
    _snode.results_of_cells = None
    shell.events.unregister("pre_execute", reloaded.before_cell)
    shell.events.unregister("pre_execute", _watch_for_stop)
    reloaded.leave()
    shell.events.unregister("post_run_cell", adstack.views.refresh)
    live.unregister(shell)
    badge.unregister(shell)
    tooltip.unregister(shell)
    progress.unregister(shell)
