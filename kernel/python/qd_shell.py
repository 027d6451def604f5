"""The IPython shell of the Quadrants kernel. Embedded in the executable; `_qd` is the C++ side. JSON crosses as text."""

import atexit
import builtins
import contextlib
import getpass
import inspect
import io
import json
import linecache
import os
import re
import sqlite3
import sys
import threading
import traceback
import types

import _qd
import comm
from comm.base_comm import BaseComm, CommManager
from IPython.core import page, payloadpage
from IPython.core.application import BaseIPythonApplication
from IPython.core.completer import provisionalcompleter, rectify_completions
from IPython.core.displayhook import DisplayHook
from IPython.core.formatters import DisplayFormatter
from IPython.core.displaypub import DisplayPublisher
from IPython.core.error import UsageError
from IPython.core.history import HistoryManager
from IPython.core.inputtransformer2 import TransformerManager
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.shellapp import InteractiveShellApp
from IPython.utils.tokenutil import token_at_cursor
from traitlets import Any, Instance, Type


# --- JSON ------------------------------------------------------------------------------------------------------------

def _plain(value):
    """What json cannot write: bytes become base64 text, numpy values Python values, the rest its repr."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        import base64
        return base64.b64encode(bytes(value)).decode("ascii")
    for method in ("tolist", "item"):
        if hasattr(value, method):
            return getattr(value, method)()
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    return repr(value)


def _finite(value):
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else repr(value)
    if isinstance(value, dict):
        return {str(k): _finite(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(v) for v in value]
    return value


def _dumps(value):
    try:
        text = json.dumps(value, default=_plain, allow_nan=False)
    except (ValueError, TypeError):
        text = json.dumps(_finite(value), default=_plain)
    if "\\ud" in text:  # perhaps a lone surrogate, which is not JSON for everybody
        text = json.dumps(json.loads(text), ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")
    return text


def _publish(kind, content, metadata=None, buffers=None):
    _qd.publish(kind, "{}" if not metadata else _dumps(metadata), _dumps(content), buffers)


# --- streams ---------------------------------------------------------------------------------------------------------

class OutStream(io.TextIOBase):
    encoding = "utf-8"
    errors = "strict"

    def __init__(self, name, descriptor):
        self.name = name
        self._is_error = name == "stderr"
        self._descriptor = descriptor

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        _qd.stream(self._is_error, text)
        return len(text)

    def writelines(self, lines):
        self.write("".join(lines))

    def flush(self):
        pass  # text leaves by itself, in order, within 40 ms

    def fileno(self):
        return self._descriptor

    def writable(self):
        return True

    def isatty(self):
        return False


# --- display ---------------------------------------------------------------------------------------------------------

class Publisher(DisplayPublisher):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._hooks = []

    def publish(self, data, metadata=None, source=None, *, transient=None, update=False, **kwargs):
        content = {"data": data, "metadata": metadata or {}, "transient": transient or {}}
        message = {"content": content, "header": {"msg_type": "update_display_data" if update else "display_data"}}
        for hook in self._hooks:
            message = hook(message)
            if message is None:
                return
        _publish(message["header"]["msg_type"], message["content"])

    def clear_output(self, wait=False):
        _publish("clear_output", {"wait": bool(wait)})

    def register_hook(self, hook):
        self._hooks.append(hook)

    def unregister_hook(self, hook):
        if hook in self._hooks:
            self._hooks.remove(hook)
            return True
        return False


class Formatter(DisplayFormatter):
    """IPython asks eleven formatters about every result; for Python's own types ten of them have nothing to say."""

    own_types = frozenset({int, float, complex, bool, str, bytes, list, tuple, dict, set, frozenset, type(None)})

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.plain = self.formatters["text/plain"]
        self.others = [f.type_printers for f in self.formatters.values() if f is not self.plain]

    def format(self, obj, include=None, exclude=None):
        kind = type(obj)
        if kind in self.own_types and include is None and exclude is None and self.plain.enabled:
            if not any(kind in printers or object in printers for printers in self.others):
                return {"text/plain": self.plain(obj)}, {}
        return super().format(obj, include, exclude)


class Transformer(TransformerManager):
    """Looks for magics, commands and questions among the tokens only of cells that can hold any."""

    def do_token_transforms(self, lines):
        if len(self.token_transformers) == self.own and not any(_may_be_special(line) for line in lines):
            return lines
        return super().do_token_transforms(lines)

    def __init__(self):
        super().__init__()
        self.own = len(self.token_transformers)


def _may_be_special(line):
    return "%" in line or "!" in line or "?" in line or line.lstrip()[:1] in (",", ";", "/")


class Result(DisplayHook):
    """Sends the value of the last expression as execute_result."""

    content = Any()

    def start_displayhook(self):
        self.content = {"execution_count": _count, "data": {}, "metadata": {}}

    def write_output_prompt(self):
        pass

    def write_format_data(self, format_dict, md_dict=None):
        self.content["data"] = format_dict
        self.content["metadata"] = md_dict or {}

    def finish_displayhook(self):
        if self.content["data"]:
            _publish("execute_result", self.content)
        self.content = None


# --- comms -----------------------------------------------------------------------------------------------------------

class Comm(BaseComm):
    # No attribute `kernel`: ipywidgets takes None there for "closed" and sends nothing.
    def publish_msg(self, msg_type, data=None, metadata=None, buffers=None, **keys):
        content = {"comm_id": self.comm_id, "data": data or {}}
        content.update((k, v) for k, v in keys.items() if v is not None)
        _publish(msg_type, content, metadata, buffers)

    def handle_msg(self, msg):
        _call_back(super().handle_msg, msg)

    def handle_close(self, msg):
        _call_back(super().handle_close, msg)


class Comms(CommManager):
    def register_target(self, target_name, f):
        if isinstance(f, str):
            module, _, name = f.rpartition(".")
            f = getattr(__import__(module, fromlist=[name]), name)
        super().register_target(target_name, f)


def _call_back(handle, msg):
    """User code that a message from the front end calls: events, Stop, and errors that are seen."""
    shell = InteractiveShell.instance()
    shell.events.trigger("pre_execute")
    try:
        _qd.allow_interrupts(True)
        handle(msg)
    except BaseException:
        _qd.allow_interrupts(False)
        shell.showtraceback()
    finally:
        _qd.allow_interrupts(False)
        shell.events.trigger("post_execute")


def _install_comms():
    manager = Comms()
    comm.create_comm = lambda *args, **kwargs: Comm(*args, **kwargs)
    comm.get_comm_manager = lambda: manager
    for name in ("ipykernel.comm", "ipykernel.comm.comm", "ipykernel.comm.manager"):
        module = types.ModuleType(name)
        module.Comm, module.CommManager, module.BaseComm = Comm, Comms, BaseComm
        sys.modules[name] = module
    return manager


class Kernel:
    """What libraries expect of `get_ipython().kernel`."""

    def __init__(self, manager, shell):
        self.comm_manager = manager
        self.shell = shell

    def get_parent(self, channel=None):
        return json.loads(_qd.parent())

    @property
    def _parent_header(self):
        return self.get_parent()


# --- history ---------------------------------------------------------------------------------------------------------

class History(HistoryManager):
    """IPython writes every cell to disk as it begins, under a lock that the next cell needs: many short cells wait for the
    disk. Here cells are written together, a tenth of a second later, and no cell waits."""

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
            except sqlite3.IntegrityError:  # another process took the number of this session
                self.new_session(conn)
                self._insert(conn, inputs, outputs)

    def _insert(self, conn, inputs, outputs):
        with conn:
            conn.executemany("INSERT INTO history VALUES (?, ?, ?, ?)", [(self.session_number, *row) for row in inputs])
            conn.executemany("INSERT INTO output_history VALUES (?, ?, ?)", [(self.session_number, *row) for row in outputs])


# --- shell -----------------------------------------------------------------------------------------------------------

_groups = getattr(builtins, "BaseExceptionGroup", ())


class Shell(InteractiveShell):
    input_transformer_manager = Instance(Transformer, ())
    displayhook_class = Type(Result)
    display_pub_class = Type(Publisher)
    kernel = Any()
    readline_use = False
    autoindent = False

    def _tee(self, channel):
        return contextlib.nullcontext()  # IPython would keep a copy of everything printed

    def init_hooks(self):
        super().init_hooks()
        self.set_hook("show_in_pager", page.as_hook(payloadpage.page), 99)

    def init_io(self):
        pass

    def init_history(self):
        self.history_manager = History(shell=self, parent=self)
        self.configurables.append(self.history_manager)
        atexit.register(self.history_manager.ending.set)

    def should_run_async(self, raw_cell, *, transformed_cell=None, **kwargs):
        """IPython compiles the cell to find out; without these words there is no need to."""
        text = raw_cell if transformed_cell is None else transformed_cell
        may = "await" in text or "async" in text
        return may and super().should_run_async(raw_cell, transformed_cell=transformed_cell, **kwargs)

    def init_display_formatter(self):
        self.display_formatter = Formatter(parent=self)
        self.configurables.append(self.display_formatter)
        self.display_formatter.active_types = self.display_formatter.format_types

    def enable_gui(self, gui=None):
        if gui not in (None, "inline"):
            raise NotImplementedError(f"the kernel runs no event loop for {gui!r}; use %matplotlib inline")

    def ask_exit(self):
        self.payload_manager.write_payload({"source": "ask_exit", "keepkernel": False})

    def set_next_input(self, text, replace=False):
        self.payload_manager.write_payload({"source": "set_next_input", "text": text, "replace": replace})

    def showtraceback(self, exc_tuple=None, *args, **kwargs):
        etype, evalue, tb = self._get_exc_info(exc_tuple)
        if isinstance(evalue, _groups):  # IPython would print these on stderr and report no error
            self._showtraceback(etype, evalue, traceback.format_exception(etype, evalue, tb and tb.tb_next))
        elif etype is KeyboardInterrupt:  # at once: whoever pressed Stop waits for this
            self._showtraceback(etype, evalue, self._where_it_stopped(tb))
        else:
            super().showtraceback(exc_tuple, *args, **kwargs)

    def _where_it_stopped(self, tb):
        lines = []
        for frame, number in traceback.walk_tb(tb):
            code = frame.f_code
            name = self.compile.format_code_name(code.co_filename)
            place = " ".join(name) if name else f"File {code.co_filename}"
            if name or lines:
                lines.append(f"{place}, line {number}, in {code.co_name}\n"
                             f"    {linecache.getline(code.co_filename, number).strip()}")
        return [*lines, "\x1b[1mKeyboardInterrupt\x1b[0m"]

    def _showtraceback(self, etype, evalue, stb):
        name = getattr(etype, "__name__", str(etype))
        try:
            value = str(evalue)
        except BaseException as error:
            value = f"<str() of this error failed: {type(error).__name__}>"
        self._last_error = {"ename": name, "evalue": value, "traceback": stb}
        sys.stdout.flush()
        _publish("error", self._last_error)

    def _format_exception_for_storage(self, exception, *args, **kwargs):
        """Keeps what was shown: IPython would format every error a second time, and load the means for it on the first Stop."""
        return self._last_error or super()._format_exception_for_storage(exception, *args, **kwargs)

    async def run_code(self, code_obj, result=None, *, async_=False):
        try:
            _qd.allow_interrupts(True)
            return await super().run_code(code_obj, result, async_=async_)
        finally:
            _qd.allow_interrupts(False)


class App(BaseIPythonApplication, InteractiveShellApp):
    name = "xquadrants"

    def initialize(self, argv=None):
        super().initialize([])
        self.init_path()
        self.shell = Shell.instance(parent=self, profile_dir=self.profile_dir, user_ns={})
        self.shell.configurables.append(self)
        self.init_gui_pylab()
        self.init_extensions()
        self.init_code()


_shell = None
_accepts = frozenset()
_may_ask = True
_count = 1


def _input(prompt=""):
    if not _may_ask:
        raise RuntimeError("input() was called, but this front end does not answer questions")
    return _qd.ask(str(prompt), False)


def _getpass(prompt="Password: ", stream=None):
    if not _may_ask:
        raise RuntimeError("getpass() was called, but this front end does not answer questions")
    return _qd.ask(str(prompt), True)


def _register_lazy(name, kind):
    """A magic of quadrants_jupyter, loaded at its first use."""

    def load(line, cell=None):
        _shell.extension_manager.load_extension("quadrants_jupyter")
        return _shell.run_cell_magic(name, line, cell) if kind == "cell" else _shell.run_line_magic(name, line)

    _shell.register_magic_function(load, kind, name)


_imports_quadrants = re.compile(r"^\s*(import|from)\s+quadrants\b", re.M)


def _load_with_quadrants(info):
    """quadrants_jupyter is there before the first cell that may define a kernel."""
    if "quadrants" in sys.modules or _imports_quadrants.search(info.raw_cell):
        _shell.events.unregister("pre_run_cell", _load_with_quadrants)
        _shell.extension_manager.load_extension("quadrants_jupyter")


def start():
    global _shell, _accepts
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    os.environ.setdefault("TERM", "xterm-color")
    os.environ.setdefault("CLICOLOR", "1")
    os.environ.setdefault("PAGER", "cat")
    sys.stdout, sys.stderr = OutStream("stdout", 1), OutStream("stderr", 2)
    builtins.input, getpass.getpass = _input, _getpass
    manager = _install_comms()
    app = App.instance()
    app.initialize()
    _shell = app.shell
    _shell.kernel = Kernel(manager, _shell)
    for name, kind in (("qd_kernel", "cell"), ("qd_coverage", "line"), ("qd_tasks", "line"), ("qd_config", "line")):
        _register_lazy(name, kind)
    _shell.events.register("pre_run_cell", _load_with_quadrants)
    _accepts = frozenset(inspect.signature(_shell.run_cell).parameters)
    return app


def run(request):
    global _may_ask, _count
    request = json.loads(request)
    silent, store_history = request["silent"], request["store_history"]
    _may_ask = request["allow_stdin"]
    _shell._last_error = None
    _count = _shell.execution_count
    options = {"store_history": store_history, "silent": silent}
    if "cell_id" in _accepts:
        options["cell_id"] = request["cell_id"]
    expressions = request["user_expressions"]
    reply = {"status": "ok", "user_expressions": {}}
    try:
        result = _shell.run_cell(request["code"], **options)
        error = result.error_before_exec or result.error_in_exec
    except BaseException as raised:  # a Stop between user code and IPython's own handlers
        error = raised
    _qd.allow_interrupts(False)
    if error is not None:
        if _shell._last_error is None and not isinstance(error, UsageError):  # those stand on stderr already
            with contextlib.suppress(BaseException):
                _shell.showtraceback((type(error), error, error.__traceback__))
        reply = {"status": "error", **(_shell._last_error or {"ename": type(error).__name__, "evalue": str(error), "traceback": []})}
    elif expressions:
        reply["user_expressions"] = _shell.user_expressions(expressions)
    reply["execution_count"] = _count
    reply["payload"] = _shell.payload_manager.read_payload()
    _shell.payload_manager.clear_payload()
    reply["next_count"] = _shell.execution_count
    return _dumps(reply)


def complete(request):
    request = json.loads(request)
    code, cursor = request["code"], request["cursor"]
    with provisionalcompleter():
        found = list(rectify_completions(code, _shell.Completer.completions(code, cursor)))
    reply = {"status": "ok", "matches": [c.text for c in found], "cursor_start": cursor, "cursor_end": cursor}
    if found:
        reply["cursor_start"], reply["cursor_end"] = found[0].start, found[0].end
    types_of = [{"start": c.start, "end": c.end, "text": c.text, "type": c.type, "signature": c.signature} for c in found]
    reply["metadata"] = {"_jupyter_types_experimental": types_of}
    return _dumps(reply)


def inspect_at(request):
    request = json.loads(request)
    name = token_at_cursor(request["code"], request["cursor"])
    reply = {"status": "ok", "found": False, "data": {}, "metadata": {}}
    with contextlib.suppress(KeyError):
        reply["data"] = _shell.object_inspect_mime(name, detail_level=request["detail_level"])
        reply["found"] = True
    return _dumps(reply)


def is_complete(request):
    status, indent = _shell.input_transformer_manager.check_complete(json.loads(request)["code"])
    return _dumps({"status": status, **({"indent": " " * (indent or 0)} if status == "incomplete" else {})})


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
    return _dumps({"status": "ok", "history": [list(row) for row in rows]})


def comm_message(kind, text, buffers):
    message = json.loads(text)
    message["buffers"] = [memoryview(b) for b in buffers]
    getattr(_shell.kernel.comm_manager, kind)(None, None, message)
    _qd.flush()


def comm_info(request):
    target = json.loads(request).get("target_name")
    comms = _shell.kernel.comm_manager.comms
    return _dumps({"status": "ok", "comms": {key: {"target_name": c.target_name} for key, c in comms.items()
                                             if target is None or c.target_name == target}})
