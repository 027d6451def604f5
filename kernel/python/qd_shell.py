"""The IPython shell of the Quadrants kernel. Embedded in the executable; `_qd` is the C++ side. JSON is passed as text."""

import atexit
import builtins
import contextlib
import functools
import getpass
import importlib.util
import inspect
import json
import linecache
import os
import pdb
import re
import sqlite3
import sys
import threading
import traceback
import types
import warnings

import _qd
import qd_comms
import qd_debug
import qd_loop
import qd_magics
import qd_output
from IPython.core import debugger, page, payloadpage
from IPython.core.application import BaseIPythonApplication
from IPython.core.completer import provisionalcompleter, rectify_completions
from IPython.core.error import StdinNotImplementedError, UsageError
from IPython.core.extensions import ExtensionManager
from IPython.core.history import HistoryManager
from IPython.core.inputtransformer2 import TransformerManager
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.shellapp import InteractiveShellApp
from IPython.utils.tokenutil import token_at_cursor
from qd_output import dumps, publish
from traitlets import Any, Instance, Type
from traitlets.config import Config


# --- input -----------------------------------------------------------------------------------------------------------

class Transformer(TransformerManager):
    """Searches the tokens for magics, commands and questions only in cells that can contain any."""

    def do_token_transforms(self, lines):
        if len(self.token_transformers) == self.own and not any(_may_be_special(line) for line in lines):
            return lines
        return super().do_token_transforms(lines)

    def __init__(self):
        super().__init__()
        self.own = len(self.token_transformers)


def _may_be_special(line):
    return "%" in line or "!" in line or "?" in line or line.lstrip()[:1] in (",", ";", "/")


# --- history ---------------------------------------------------------------------------------------------------------

class History(HistoryManager):
    """Writes cells to disk together, a tenth of a second later, so that no cell waits. IPython writes every cell as it begins, under a lock
    that the next cell needs: many short cells would wait for the disk."""

    def __init__(self, *args, **kwargs):
        self.one_writer = threading.Lock()
        self.ending = threading.Event()
        super().__init__(*args, **kwargs)

    def writeout_cache(self, conn=None):
        if not self.enabled:
            return
        if threading.current_thread() is self.save_thread:
            self.ending.wait(0.1)
        with self.one_writer:
            with self.db_input_cache_lock, self.db_output_cache_lock:
                inputs, self.db_input_cache = self.db_input_cache, []
                outputs, self.db_output_cache = self.db_output_cache, []
            conn = self.db if conn is None else conn
            try:
                self._insert(conn, inputs, outputs)
            except sqlite3.IntegrityError:  # another process has taken the number of this session
                self.new_session(conn)
                self._insert(conn, inputs, outputs)

    def _insert(self, conn, inputs, outputs):
        with conn:
            conn.executemany("INSERT INTO history VALUES (?, ?, ?, ?)", [(self.session_number, *row) for row in inputs])
            conn.executemany("INSERT INTO output_history VALUES (?, ?, ?)", [(self.session_number, *row) for row in outputs])


# --- shell -----------------------------------------------------------------------------------------------------------

_groups = getattr(builtins, "BaseExceptionGroup", ())


def _name_of(kind):
    try:
        return str(kind.__name__)
    except BaseException:
        return "error"


def _text_of(error):
    """Returns the text of an error, whose class may be anything."""
    try:
        return str(error)
    except BaseException as failure:
        return f"<str() of this error failed: {_name_of(type(failure))}>"


def _own_files():
    """Returns the prefixes of file names of this kernel, and of the package if it is loaded."""
    packages = [sys.modules[name] for name in ("quadrants", "quadrants_jupyter") if name in sys.modules]
    return ("<qd_", *(os.path.dirname(package.__file__) + os.sep for package in packages if getattr(package, "__file__", None)))


class Extensions(ExtensionManager):
    def load_extension(self, module_str):
        """Ignores requests for the extension that this kernel has loaded by itself, which notebooks written for all kernels contain."""
        result = super().load_extension(module_str)
        return None if module_str == "quadrants_jupyter" else result


class ZMQInteractiveShell(InteractiveShell):
    """The shell. Libraries recognise a notebook by the name of this class."""

    input_transformer_manager = Instance(Transformer, ())
    displayhook_class = Type(qd_output.Result)
    display_pub_class = Type(qd_output.Publisher)
    compiler_class = Type(qd_debug.Compiler)
    kernel = Any()
    readline_use = False
    autoindent = False
    _last_error = None

    def _tee(self, channel):
        return contextlib.nullcontext()  # IPython would store a copy of everything printed

    def init_hooks(self):
        super().init_hooks()
        self.set_hook("show_in_pager", page.as_hook(payloadpage.page), 99)

    def init_io(self):
        pass

    def init_history(self):
        self.history_manager = History(shell=self, parent=self)
        self.configurables.append(self.history_manager)
        atexit.register(self.history_manager.ending.set)

    def init_magics(self):
        super().init_magics()
        self.register_magics(qd_magics.KernelMagics)
        self.magics_manager.register_alias("ed", "edit")

    def init_extension_manager(self):
        self.extension_manager = Extensions(shell=self, parent=self)
        self.configurables.append(self.extension_manager)

    def should_run_async(self, raw_cell, *, transformed_cell=None, **kwargs):
        """Returns False without these words in the cell; otherwise IPython compiles it to find out."""
        text = raw_cell if transformed_cell is None else transformed_cell
        may = "await" in text or "async" in text
        return may and super().should_run_async(raw_cell, transformed_cell=transformed_cell, **kwargs)

    def init_display_formatter(self):
        self.display_formatter = qd_output.Formatter(parent=self)
        self.configurables.append(self.display_formatter)
        self.display_formatter.active_types = self.display_formatter.format_types

    def enable_gui(self, gui=None):
        if gui not in (None, "inline", "asyncio"):
            raise NotImplementedError(f"the kernel runs no event loop for {gui!r}; use %matplotlib inline")

    def get_parent(self):
        """Returns the message that requested the running code."""
        return qd_output.of_context().message()

    def set_parent(self, parent):
        """Makes further output of this thread or task belong to that message."""
        qd_output.adopt(parent)

    parent_header = property(get_parent, lambda self, parent: self.set_parent(parent))

    def ask_exit(self):
        self.payload_manager.write_payload({"source": "ask_exit", "keepkernel": False})

    def set_next_input(self, text, replace=False):
        self.payload_manager.write_payload({"source": "set_next_input", "text": text, "replace": replace})

    def showtraceback(self, exc_tuple=None, *args, **kwargs):
        """Shows an error under all circumstances, even if each method of its class raises."""
        if exc_tuple is None and sys.exc_info()[0] is None and not hasattr(sys, "last_type"):
            return print("No traceback available to show.", file=sys.stderr)
        etype, evalue, tb = self._get_exc_info(exc_tuple)
        before = self._last_error
        try:
            self._show_error(etype, evalue, tb, exc_tuple, *args, **kwargs)
        except BaseException:
            pass  # raised by the error's own methods, or by Stop while they ran
        if self._last_error is before and not (isinstance(etype, type) and issubclass(etype, UsageError)):
            self._showtraceback(etype, evalue, self._briefly(etype, evalue, tb))

    def _show_error(self, etype, evalue, tb, exc_tuple, *args, **kwargs):
        if isinstance(evalue, _groups):  # IPython would print these on stderr and report no error
            text = "".join(traceback.format_exception(etype, evalue, tb and tb.tb_next))
            self._showtraceback(etype, evalue, text.rstrip("\n").split("\n"))
        elif etype is KeyboardInterrupt:  # immediately, since the user who pressed Stop waits for this
            self._showtraceback(etype, evalue, self._briefly(etype, evalue, tb))
        elif isinstance(evalue, SyntaxError) and hasattr(evalue, "_render_traceback_"):  # IPython ignores this method for syntax errors
            self._showtraceback(etype, evalue, evalue._render_traceback_())
        else:
            super().showtraceback(exc_tuple, *args, **kwargs)

    def _briefly(self, etype, evalue, tb):
        lines = []
        for frame, number in traceback.walk_tb(tb):
            code = frame.f_code
            if code.co_filename.startswith(_own_files()):
                continue
            name = self.compile.format_code_name(code.co_filename)
            place = " ".join(name) if name else f"File {code.co_filename}"
            if name or lines:
                lines.append(f"{place}, line {number}, in {code.co_name}\n"
                             f"    {linecache.getline(code.co_filename, number).strip()}")
        text = _text_of(evalue)
        return [*lines, f"\x1b[1m{_name_of(etype)}\x1b[0m" + (f": {text}" if text else "")]

    def _showtraceback(self, etype, evalue, stb):
        if (stop := qd_loop.as_stop(evalue)) is not None:
            etype, evalue, stb = KeyboardInterrupt, stop, self._briefly(KeyboardInterrupt, stop, evalue.__traceback__)
        self._last_error = {"ename": _name_of(etype), "evalue": _text_of(evalue), "traceback": list(stb)}
        sys.stdout.flush()
        publish("error", self._last_error)

    def _format_exception_for_storage(self, exception, *args, **kwargs):
        """Returns what was shown: IPython would format every error a second time, and load the modules for that on the first Stop."""
        return self._last_error or super()._format_exception_for_storage(exception, *args, **kwargs)

    @contextlib.contextmanager
    def stoppable(self):
        """A block after the code of a cell that Stop can end, too."""
        try:
            _qd.allow_interrupts(True)
            yield
        finally:
            _qd.allow_interrupts(False)

    async def run_code(self, code_obj, result=None, *, async_=False):
        before = qd_debug.begin()
        try:
            _qd.allow_interrupts(True)
            return await super().run_code(code_obj, result, async_=async_)
        finally:
            trace, _ = sys.gettrace(), qd_debug.give_back(before)
            _qd.allow_interrupts(False)
            qd_debug.end(trace, result)


class App(BaseIPythonApplication, InteractiveShellApp):
    name = "xquadrants"

    def initialize(self, argv=None):
        super().initialize([])
        config = Config()
        config.IPKernelApp.connection_file = _qd.connection_file  # libraries recognise a notebook by the name of this section
        self.update_config(config)
        self.init_path()
        self.shell = ZMQInteractiveShell.instance(parent=self, profile_dir=self.profile_dir, user_ns={})
        self.shell.configurables.append(self)
        self.init_gui_pylab()
        self.init_extensions()
        self.init_code()


_shell = None
_accepts = frozenset()
_may_ask = True


def _input(prompt=""):
    if not _may_ask:
        raise StdinNotImplementedError("input() was called, but this front end does not answer questions")
    return _qd.ask(str(prompt), False)


def _getpass(prompt="Password: ", stream=None):
    if not _may_ask:
        raise StdinNotImplementedError("getpass() was called, but this front end does not answer questions")
    return _qd.ask(str(prompt), True)


def _connect_fault_report():
    """Makes the core report, if this process dies, which kernel may be the cause."""
    core = sys.modules["quadrants"]._native
    core.when_core_loads(lambda loaded: _qd.set_explain(loaded.set_fault_listener(_qd.hear_fault_report)))


def _report_exits():
    """Makes `os._exit` in a cell leave a report, like a signal that ends the process."""
    leave = os._exit

    @functools.wraps(leave)
    def _exit(status):
        _qd.report_exit(int(status))
        leave(status)

    os._exit = _exit


def _show_fault_report():
    """Prints in the first cell why the previous process died."""
    words = _qd.take_fault_report()
    if words:
        print(f"The kernel was restarted, and its variables are gone. The previous process wrote:\n{words.rstrip()}", file=sys.stderr)


def _register_lazy(name, kind):
    """Registers a magic of quadrants_jupyter that is loaded at its first use."""

    def load(line, cell=None):
        _shell.extension_manager.load_extension("quadrants_jupyter")
        return _shell.run_cell_magic(name, line, cell) if kind == "cell" else _shell.run_line_magic(name, line)

    _shell.register_magic_function(load, kind, name)


class _LoadWithQuadrants:
    """Loads quadrants_jupyter together with the package, whichever module imports it, and so before any kernel is defined."""

    looks = False

    @classmethod
    def watch(cls):
        if "quadrants" in sys.modules:
            _shell.events.register("pre_run_cell", cls.before_cell)
        else:
            sys.meta_path.insert(0, cls)

    @classmethod
    def before_cell(cls, _):
        _shell.events.unregister("pre_run_cell", cls.before_cell)
        _shell.extension_manager.load_extension("quadrants_jupyter")

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name != "quadrants" or cls.looks:
            return None
        cls.looks = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            cls.looks = False
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def execute_and_load(module):
            del spec.loader.exec_module
            execute(module)
            _connect_fault_report()
            if cls in sys.meta_path:
                sys.meta_path.remove(cls)
            if "quadrants_jupyter" in sys.modules:  # it imports the package, and may still be loading
                return _shell.events.register("pre_run_cell", cls.before_cell)
            try:
                _shell.extension_manager.load_extension("quadrants_jupyter")
            except Exception:  # the package is usable all the same
                _shell.showtraceback()

        spec.loader.exec_module = execute_and_load
        return spec


def _name_modules():
    """Makes `isinstance(get_ipython(), ipykernel.zmqshell.ZMQInteractiveShell)` true, in case a program checks it."""
    module = types.ModuleType("ipykernel.zmqshell")
    module.ZMQInteractiveShell, module.ZMQDisplayPublisher = ZMQInteractiveShell, qd_output.Publisher
    module.ZMQShellDisplayHook, module.KernelMagics = qd_output.Result, qd_magics.KernelMagics
    sys.modules[module.__name__] = module


def _leave_out_empty_signatures(inspector):
    info_of = inspector.info

    def info(*args, **kwargs):
        """Drops the signature of a call where it says nothing, as for anything written in C."""
        found = info_of(*args, **kwargs)
        if (found.get("call_def") or "").endswith("(*args, **kwargs)"):
            found["call_def"] = None
        return found

    inspector.info = info


def _highlight_what_failed():
    """Lets IPython mark the failed expression in cells, too, where there is no file whose lines it could count."""
    from IPython.core import ultratb

    count = getattr(ultratb, "get_line_number_of_frame", None)
    if count is None:
        return

    def lines_of(frame):
        name = frame.f_code.co_filename
        return len(linecache.getlines(name)) if _shell.compile.format_code_name(name) else count(frame)

    ultratb.get_line_number_of_frame = lines_of


_plain_warning = warnings.formatwarning


def _format_warning(message, category, filename, lineno, line=None):
    """Formats a warning with the name that errors give to a cell."""
    number = re.fullmatch(r"cell (\d+)", filename)
    name = ("Cell", f"In[{number[1]}]") if number else _shell.compile.format_code_name(filename)
    if name is None:
        return _plain_warning(message, category, filename, lineno, line)
    line = (linecache.getline(filename, lineno) if line is None else line).strip()
    return f"{' '.join(name)}, line {lineno}: {category.__name__}: {message}\n" + (f"  {line}\n" if line else "")


def _use_own_debugger():
    """Makes breakpoint() and pdb in cells those of IPython, in the variant that Stop can end."""
    pdb.Pdb = debugger.Pdb = debugger.InterruptiblePdb
    pdb.set_trace = debugger.set_trace


def start():
    global _shell, _accepts
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    os.environ.setdefault("TERM", "xterm-color")
    os.environ.setdefault("CLICOLOR", "1")
    os.environ.setdefault("PAGER", "cat")
    sys.stdout, sys.stderr = qd_output.OutStream("stdout", 1), qd_output.OutStream("stderr", 2)
    builtins.input, getpass.getpass = _input, _getpass
    _report_exits()
    manager = qd_comms.install()
    app = App.instance()
    app.initialize()
    _shell = qd_debug.shell = app.shell
    _name_modules()
    _leave_out_empty_signatures(_shell.inspector)
    _highlight_what_failed()
    _use_own_debugger()
    warnings.formatwarning = _format_warning
    qd_loop.show_error = lambda error: _shell.showtraceback((type(error), error, error.__traceback__))
    qd_loop.install()
    _shell.loop_runner = qd_loop.CellRunner()
    _shell.loop_runner_map = {**_shell.loop_runner_map, "asyncio": (_shell.loop_runner, True)}
    _shell.kernel = qd_comms.Kernel(manager, _shell)
    _register_lazy("qd_kernel", "cell")
    for name in ("qd_cache", "qd_coverage", "qd_progress", "qd_gradients", "qd_adstack", "qd_tasks", "qd_step", "qd_graph", "qd_config"):
        _register_lazy(name, "line")
    _LoadWithQuadrants.watch()
    _accepts = frozenset(inspect.signature(_shell.run_cell).parameters)
    return app


def run(request):
    qd_output.begin()
    qd_loop.enter()
    try:
        return _run(json.loads(request))
    finally:
        _qd.allow_interrupts(False)
        qd_loop.leave()


def _run(request):
    global _may_ask
    silent, store_history = request["silent"], request["store_history"]
    _may_ask = request["allow_stdin"]
    _shell._last_error = None
    count = _shell.displayhook.count = _shell.execution_count
    options = {"store_history": store_history, "silent": silent}
    if "cell_id" in _accepts:
        options["cell_id"] = request["cell_id"]
    expressions = request["user_expressions"]
    reply = {"status": "ok", "user_expressions": {}}
    if store_history and not silent:
        _show_fault_report()
    try:
        result = _shell.run_cell(request["code"], **options)
        error = result.error_before_exec or result.error_in_exec
    except BaseException as raised:  # a Stop between user code and IPython's own handlers
        error = raised
    _qd.allow_interrupts(False)
    qd_debug.after_cell()
    qd_debug.report_compiled_code()
    if error is not None:
        if _shell._last_error is None and not isinstance(error, UsageError):  # those are already on stderr
            _shell.showtraceback((type(error), error, error.__traceback__))
        reply = {"status": "error", **(_shell._last_error or _in_words(error))}
    elif expressions:
        reply["user_expressions"] = _values(expressions)
    reply["execution_count"] = count
    reply["payload"] = _shell.payload_manager.read_payload()
    _shell.payload_manager.clear_payload()
    reply["next_count"] = _shell.execution_count
    try:
        return dumps(reply)
    except BaseException:  # the payload may not be serialisable
        return dumps({**reply, "payload": []})


def _in_words(error):
    return {"ename": _name_of(type(error)), "evalue": _text_of(error), "traceback": []}


def _values(expressions):
    try:
        _qd.allow_interrupts(True)
        values = _shell.user_expressions(expressions)
        dumps(values)
        return values
    except BaseException as error:
        return {key: {"status": "error", **_in_words(error)} for key in expressions}
    finally:
        _qd.allow_interrupts(False)


def complete(request):
    request = json.loads(request)
    code, cursor = request["code"], request["cursor"]
    _qd.allow_interrupts(True)
    with provisionalcompleter():
        found = list(rectify_completions(code, _shell.Completer.completions(code, cursor)))
    reply = {"status": "ok", "matches": [c.text for c in found], "cursor_start": cursor, "cursor_end": cursor}
    if found:
        reply["cursor_start"], reply["cursor_end"] = found[0].start, found[0].end
    types_of = [{"start": c.start, "end": c.end, "text": c.text, "type": c.type, "signature": c.signature} for c in found]
    reply["metadata"] = {"_jupyter_types_experimental": types_of}
    return dumps(reply)


def inspect_at(request):
    request = json.loads(request)
    name = token_at_cursor(request["code"], request["cursor"])
    _qd.allow_interrupts(True)  # it may run code of the object
    reply = {"status": "ok", "found": False, "data": {}, "metadata": {}}
    with contextlib.suppress(KeyError):
        reply["data"] = _shell.object_inspect_mime(name, detail_level=request["detail_level"])
        reply["data"].pop("text/html", None)  # its headings are as large as those of a page and push the text out of the tooltip
        reply["found"] = True
    return dumps(reply)


def is_complete(request):
    status, indent = _shell.input_transformer_manager.check_complete(json.loads(request)["code"])
    return dumps({"status": status, **({"indent": " " * (indent or 0)} if status == "incomplete" else {})})


def history(request):
    q = json.loads(request)
    manager = _shell.history_manager
    if q["how"] == "tail":
        rows = manager.get_tail(q["n"], raw=q["raw"], output=q["output"], include_latest=True)
    elif q["how"] == "range":
        rows = manager.get_range(q["session"], q["start"], q["stop"], raw=q["raw"], output=q["output"])
        rows = [(session or manager.session_number, line, text) for session, line, text in rows]
    else:
        rows = manager.search(q["pattern"], raw=q["raw"], output=q["output"], n=q["n"] or None, unique=q["unique"])
    return dumps({"status": "ok", "history": [list(row) for row in rows]})


def wait(shell, wake):
    qd_loop.wait(shell, wake)


def debugs():
    return qd_debug.available()


def debug(header, content):
    return qd_debug.answer(header, content)


def before_exit():
    qd_debug.before_exit()


def comm_message(kind, text, buffers):
    qd_comms.receive(_shell, kind, json.loads(text), buffers)


def comm_info(request):
    return dumps({"status": "ok", "comms": qd_comms.known(_shell, json.loads(request).get("target_name"))})
