"""The debugger of notebooks: answers requests of the Debug Adapter Protocol, and those that Jupyter adds to it, with the help of debugpy,
which is loaded by the first request that needs it. Runs on a thread of its own, see debugging.h. File names of cells are derived from
their text, so that the front end finds the cell in which a program is stopped; the files are written when the front end requests them."""

import ast
import atexit
import concurrent.futures
import contextlib
import glob
import importlib
import importlib.util
import json
import linecache
import os
import re
import secrets
import shutil
import socket
import sys
import tempfile
import threading

import _qd
from IPython.core.compilerop import CachingCompiler
from IPython.core.inputtransformer2 import leading_empty_lines
from qd_output import dumps

PATIENCE = 60  # seconds that debugpy has for a response
ENDING = 5  # seconds that debugpy has to end, when the process ends
SEED = 0xC70F6907
FOLDER = os.path.join(os.path.realpath(tempfile.gettempdir()), f"xquadrants_{os.getpid()}_{secrets.token_hex(4)}") + os.sep

shell = None  # set by qd_shell


def available():
    return importlib.util.find_spec("debugpy") is not None


def file_of(text):
    return f"{FOLDER}{_qd.murmur2(text.encode('utf-8', 'surrogatepass'), SEED)}.py"


class Compiler(CachingCompiler):
    def get_code_name(self, raw_code, transformed_code, number):
        return file_of(raw_code)


def hide_from_debugger(thread):
    """Hides a thread from debugpy, which then neither stops nor lists it."""
    thread.pydev_do_not_trace = thread.is_pydev_daemon_thread = True


# --- debugpy ---------------------------------------------------------------------------------------------------------

class Refused(Exception):
    """A request that cannot be answered; the text says why."""


def _loaded():
    """Returns debugpy, with its own modules importable."""
    quiet = "PYDEVD_DISABLE_FILE_VALIDATION"  # it would warn that breakpoints in frozen modules of Python are missed
    before = os.environ.get(quiet)
    os.environ[quiet] = "1"
    try:
        debugpy = importlib.import_module("debugpy")
        importlib.import_module("debugpy.server.api")
        return debugpy
    except ImportError as error:
        raise Refused("the debugger needs debugpy: pip install debugpy") from error
    finally:
        if before is None:
            os.environ.pop(quiet, None)
        else:
            os.environ[quiet] = before


def _end_when_asked():
    _asked_to_end.wait()
    with contextlib.suppress(Exception):
        importlib.import_module("pydevd").stoptrace()
    _ended.set()


_asked_to_end, _ended = threading.Event(), threading.Event()
_ender = threading.Thread(target=_end_when_asked, name="quadrants debugger's end", daemon=True)
hide_from_debugger(_ender)


class Connection:
    """A client of debugpy's adapter. `on_event` is called on the reading thread."""

    address = None  # debugpy can listen only once per process

    def __init__(self, on_event):
        cls, debugpy = type(self), _loaded()
        if cls.address is None:
            _ender.start()
            debugpy.configure(subProcess=False)  # otherwise child processes would wait for a debugger
            try:
                cls.address = debugpy.listen(("127.0.0.1", 0))
            except (RuntimeError, EOFError) as error:
                raise Refused(f"debugpy did not start: {error}") from error
        self.socket = socket.create_connection(cls.address, timeout=PATIENCE)
        self.socket.settimeout(None)
        self.on_event, self.lock, self.seq, self.waiting, self.open = on_event, threading.Lock(), 0, {}, True
        thread = threading.Thread(target=self.read, name="quadrants debugger", daemon=True)
        hide_from_debugger(thread)
        thread.start()

    def send(self, command, arguments):
        """Returns a Future of the response."""
        future = concurrent.futures.Future()
        with self.lock:
            if not self.open:
                raise Refused("debugpy has exited: restart the kernel to debug again")
            self.seq += 1
            self.waiting[self.seq] = future
            text = json.dumps({"seq": self.seq, "type": "request", "command": command, "arguments": arguments}).encode()
            self.socket.sendall(b"Content-Length: %d\r\n\r\n%b" % (len(text), text))
        return future

    def ask(self, command, arguments=None):
        return self.result(self.send(command, arguments or {}))

    @staticmethod
    def result(future):
        try:
            return future.result(PATIENCE)
        except concurrent.futures.TimeoutError:
            raise Refused(f"debugpy did not answer within {PATIENCE} s") from None

    def read(self):
        with contextlib.suppress(OSError, ValueError), self.socket.makefile("rb") as stream:
            while (message := self.next(stream)) is not None:
                if message.get("type") == "event":
                    self.on_event(message)
                elif message.get("type") == "response" and (future := self.waiting.pop(message.get("request_seq"), None)):
                    future.set_result(message)
        with self.lock:
            self.open = False
        for future in self.waiting.values():
            future.set_exception(Refused("debugpy has exited"))

    @staticmethod
    def next(stream):
        size = None
        while (line := stream.readline()).strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                size = int(value)
        return None if size is None else json.loads(stream.read(size))

    def close(self):
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


# --- variables while no program is stopped -----------------------------------------------------------------------------

class _Code:
    co_filename, co_name = "<variables>", "<module>"


class _Frame:
    """Represents the namespace of the cells."""

    f_code, f_back, f_lineno = _Code, None, 1

    def __init__(self, names):
        self.f_globals = self.f_locals = names


class Explorer:
    """Shows variables as debugpy shows those of a frame, without a frame."""

    def __init__(self):
        _loaded()
        frames = importlib.import_module("_pydevd_bundle.pydevd_suspended_frames")
        of_frame = importlib.import_module("_pydevd_bundle.pydevd_frame_utils").create_frames_list_from_frame
        self.variable_presentation = importlib.import_module("_pydevd_bundle.pydevd_api").PyDevdAPI.VariablePresentation()
        self.frame = _Frame(dict(shell.user_ns))  # a copy, because cells may continue
        self.manager = frames.SuspendedFramesManager()
        self.tracker = frames._FramesTracker(self.manager, self)
        self.tracker.track("thread1", of_frame(self.frame))

    def children(self, reference):
        try:
            variable = self.manager.get_variable(reference or id(self.frame))
        except KeyError:
            raise Refused(f"there is no variable {reference}") from None
        return [child.get_var_data() for child in variable.get_children_variables()]


_hidden = frozenset("__name__ __doc__ __package__ __loader__ __spec__ __annotations__ __builtins__ __builtin__ __display__ get_ipython "
                    "debugpy exit quit In Out open _ih _oh _dh _ __ ___".split())


def _is_shown(name):
    """Returns False for names of the session, and for those that the Python backend adds to a kernel."""
    return name not in _hidden and not name.startswith("_i") and re.match(r"_\d|__qd$|__value\d", name) is None


def _libraries():
    """Returns the folders of the code between a cell and the kernels that it runs."""
    modules = (sys.modules.get(name) for name in ("IPython", "quadrants", "quadrants_jupyter"))
    return [os.path.dirname(m.__file__) + os.sep for m in modules if m is not None]


def _stands(thread):
    """Returns True if debugpy regards the thread as suspended."""
    info = getattr(thread, "additional_info", None)
    return info is not None and info.pydev_state == importlib.import_module("_pydevd_bundle.pydevd_constants").STATE_SUSPEND


# --- requests --------------------------------------------------------------------------------------------------------

_numbers = frozenset("threadId frameId variablesReference line endLine column endColumn start count levels startFrame".split())


def _check(value, name=None):
    """Refuses arguments that would end debugpy's thread in the program by an unexpected error."""
    if name in _numbers and (type(value) is not int or value < 0):
        raise Refused(f"{name} is a number, not {value!r}")
    if isinstance(value, str) and "\0" in value:
        raise Refused("a string contains a null character")
    for key, inner in value.items() if isinstance(value, dict) else ():
        _check(inner, key)
    for inner in value if isinstance(value, list) else ():
        _check(inner)


class Debugger:
    """Each method named `on_` and a command returns the body of its response. Commands without a method are forwarded to debugpy."""

    def __init__(self):
        self.connection = None
        self.header = "{}"  # header of the newest request, which events belong to
        self.breakpoints = {}  # path -> [{"line"}]
        self.reported = set()  # (path, line) of breakpoints that cannot stop and have been reported
        self.stopped = set()  # ids of suspended threads
        self.initialized = threading.Event()
        self.explorer = None
        self.kept_lines = None  # position of the removed transform that drops blank lines before a cell

    def answer(self, request):
        command, seq = request.get("command"), request.get("seq")
        reply = {"seq": 0, "type": "response", "request_seq": seq, "command": command, "success": True}
        try:
            arguments = request.get("arguments")
            if request.get("type") != "request" or not isinstance(command, str):
                raise Refused("this is not a request of the Debug Adapter Protocol")
            if arguments is not None and not isinstance(arguments, dict):
                raise Refused("arguments must be an object")
            _check(arguments)
            method = getattr(self, "on_" + command, None)
            body = method(dict(arguments or {})) if method else self.forward(command, arguments)
            return {**reply, "body": body}
        except Refused as why:
            explanation = str(why)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            explanation = f"{command}: {type(error).__name__}: {error}"
        except OSError as error:
            explanation = f"debugpy cannot be reached: {error}"
        return {**reply, "success": False, "message": explanation, "body": {"error": {"id": 0, "format": explanation}}}

    def forward(self, command, arguments=None):
        return self.body(self.started().ask(command, arguments))

    @staticmethod
    def body(response):
        if not response.get("success"):
            raise Refused(response.get("message") or "debugpy refused")
        return response.get("body") or {}

    def started(self):
        if self.connection is None:
            raise Refused("the debugger has not started")
        return self.connection

    # events

    def on_event(self, event):
        name, body = event.get("event"), event.get("body") or {}
        if name == "initialized":
            self.initialized.set()
        elif name == "stopped":
            if not self.stands():
                return None  # Stop came first
            if "threadId" in body:
                self.stopped.add(body["threadId"])
            if body.get("allThreadsStopped"):  # forwarded once the threads are known
                connection = self.connection
                with contextlib.suppress(Refused):
                    return connection.send("threads", {}).add_done_callback(lambda threads: self.report_stopped(event, threads))
        elif name == "continued":
            self.stopped = set() if body.get("allThreadsContinued", True) else self.stopped - {body.get("threadId")}
        elif name == "thread" and body.get("reason") == "exited":
            self.stopped.discard(body.get("threadId"))
        self.publish(event)

    def report_stopped(self, event, threads):
        if not self.stands():
            return
        with contextlib.suppress(Exception):  # the connection may have ended
            self.stopped.update(thread["id"] for thread in self.body(threads.result())["threads"])
        self.publish(event)

    @staticmethod
    def stands():
        return any(_stands(thread) for thread in threading.enumerate())

    def report_resumed(self):
        """Reports that suspended threads have been resumed, which debugpy does not know."""
        body = {"threadId": min(self.stopped, default=1), "allThreadsContinued": True}
        self.stopped = set()
        self.publish({"seq": 0, "type": "event", "event": "continued", "body": body})

    def publish(self, event):
        _qd.publish("debug_event", "{}", dumps(event), None, self.header)

    # the session

    def on_initialize(self, arguments):
        if self.connection is not None and not self.connection.open:
            self.end()
        if self.connection is None:
            self.initialized.clear()
            for thread in threading.enumerate():
                if thread is shell.history_manager.save_thread:
                    hide_from_debugger(thread)
            self.connection = Connection(self.on_event)
            # Line numbers of a cell count all lines that its editor shows, including blank ones at its beginning.
            transforms = shell.input_transformer_manager.cleanup_transforms
            if leading_empty_lines in transforms:
                self.kept_lines = transforms.index(leading_empty_lines)
                del transforms[self.kept_lines]
        return self.forward("initialize", arguments)

    def on_attach(self, arguments):
        """Sends configurationDone before debugpy's response, which waits for it, whereas front ends send it only after the response."""
        connection = self.started()
        host, port = connection.address
        arguments["connect"] = {"host": host, "port": port}
        arguments.setdefault("justMyCode", False)
        arguments["subProcess"] = False
        arguments["rules"] = [{"path": glob.escape(folder) + "**", "include": False} for folder in _libraries()]
        attached = connection.send("attach", arguments)
        attached.add_done_callback(lambda _: self.initialized.set())  # in case debugpy refuses
        if not self.initialized.wait(PATIENCE):
            raise Refused(f"debugpy did not answer within {PATIENCE} s")
        if not attached.done():
            self.forward("configurationDone")
        return self.body(connection.result(attached))

    def on_configurationDone(self, arguments):
        return {}

    def on_disconnect(self, arguments):
        """Disconnects without ending the kernel, which the debugger does not own."""
        try:
            return self.forward("disconnect", {**arguments, "terminateDebuggee": False, "restart": False})
        finally:
            self.end()

    def on_terminate(self, arguments):
        raise Refused("Jupyter starts and stops a kernel, its debugger does not")

    on_launch = on_restart = on_terminate

    def end(self):
        connection, self.connection = self.connection, None
        if connection is not None:
            connection.close()
        self.breakpoints, self.stopped, self.explorer = {}, set(), None
        if self.kept_lines is not None:
            shell.input_transformer_manager.cleanup_transforms.insert(self.kept_lines, leading_empty_lines)
            self.kept_lines = None

    # sources

    def on_dumpCell(self, arguments):
        self.started()
        path = file_of(arguments["code"])
        if not os.path.isdir(FOLDER):
            os.mkdir(FOLDER, 0o700)
            atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
        with open(path, "w", encoding="utf-8", errors="replace") as file:
            file.write(arguments["code"])
        return {"sourcePath": path}

    def on_setBreakpoints(self, arguments):
        path = arguments["source"]["path"]
        body = self.forward("setBreakpoints", arguments)
        self.breakpoints[path] = [{"line": b["line"]} for b in body.get("breakpoints", ()) if "line" in b]
        return body

    def on_source(self, arguments):
        path = arguments["source"]["path"]
        lines = linecache.getlines(path)
        if not lines:
            raise Refused(f"the source of {path} is not available")
        return {"content": "".join(lines)}

    def on_modules(self, arguments):
        found = []
        for at, (name, module) in enumerate(sorted(sys.modules.copy().items())):
            path = getattr(getattr(module, "__spec__", None), "origin", None)
            if isinstance(path, str) and path.endswith(".py"):
                found.append({"id": at, "name": name, "path": path})
        first, count = arguments.get("startModule", 0), arguments.get("moduleCount") or len(found)
        return {"modules": found[first:first + count], "totalModules": len(found)}

    def on_debugInfo(self, arguments):
        if self.connection is not None and not self.connection.open:
            self.end()
        return {
            "isStarted": self.connection is not None,
            "hashMethod": "Murmur2", "hashSeed": SEED, "tmpFilePrefix": FOLDER, "tmpFileSuffix": ".py",
            "breakpoints": [{"source": path, "breakpoints": lines} for path, lines in self.breakpoints.items()],
            "stoppedThreads": sorted(self.stopped),
            "richRendering": True, "exceptionPaths": ["Python Exceptions"], "copyToGlobals": True,
        }  # fmt: skip

    # what is stopped

    def on_continue(self, arguments):
        """Refuses if no thread is suspended: debugpy responds only when a thread resumes, and to no other request before."""
        if not self.stands():
            raise Refused("no program is stopped at a breakpoint")
        return self.forward("continue", arguments)

    def on_stackTrace(self, arguments):
        """Returns the stack without frames of libraries and frames below the cell."""
        body = self.forward("stackTrace", arguments)
        frames = [(frame, (frame.get("source") or {}).get("path") or "") for frame in body.get("stackFrames", ())]
        while any(path.startswith(FOLDER) for _, path in frames) and not frames[-1][1].startswith(FOLDER):
            frames.pop()
        libraries = _libraries()
        shown = [(frame, path) for frame, path in frames if not path.startswith((*libraries, "<"))]
        if len(shown) > 1 and all(frame["name"] == "<module>" and path == shown[-1][1] for frame, path in shown[-2:]):
            shown.pop()  # the call of %%qd_kernel in the text of the cell that it runs
        return {**body, "stackFrames": [frame for frame, _ in shown], "totalFrames": len(shown)}

    def on_variables(self, arguments):
        reference = arguments["variablesReference"]
        if self.stopped:
            found = self.forward("variables", arguments)["variables"]
        elif self.explorer is not None:
            found = self.explorer.children(reference)
        else:
            raise Refused("no program is stopped at a breakpoint")
        shown = [v for v in found if _is_shown(v["name"])]
        for variable in shown:
            if variable.get("type") in ("NumpyArray", "ClampedArray") and variable.get("variablesReference"):
                self.show_array(variable)
            if variable.get("type") == "Scalar":  # a number of the Python backend; JupyterLab shows the value of a variable without a type
                del variable["type"]
                variable["variablesReference"] = 0
        return {"variables": shown}

    def show_array(self, variable):
        """Shows an argument of a kernel of the Python backend as the array that was passed."""
        inside = self.forward("variables", {"variablesReference": variable["variablesReference"]}).get("variables", ())
        for array in inside:
            if array["name"] == "array":
                variable.update((key, array[key]) for key in ("value", "type", "variablesReference") if key in array)

    def on_inspectVariables(self, arguments):
        self.explorer = Explorer()
        return {"variables": [v for v in self.explorer.children(None) if _is_shown(v["name"])]}

    def on_richInspectVariables(self, arguments):
        name = arguments["variableName"]
        if name in ("special variables", "function variables"):
            return {"data": {}, "metadata": {}}
        if not name.isidentifier():
            raise Refused(f"{name!r} is not the name of a variable")
        if self.stopped and "frameId" in arguments:
            code = f"__import__('IPython').get_ipython().display_formatter.format({name})"
            shown = self.forward("evaluate", {"expression": code, "frameId": arguments["frameId"], "context": "clipboard"})
            data, metadata = ast.literal_eval(shown["result"])
        else:
            found = shell.user_expressions({name: name})[name]
            data, metadata = found.get("data", {}), found.get("metadata", {})
        return {"data": data, "metadata": {kind: value for kind, value in metadata.items() if kind in data}}

    def on_copyToGlobals(self, arguments):
        source, target = arguments["srcVariableName"], arguments["dstVariableName"]
        if not source.isidentifier() or not target.isidentifier():
            raise Refused("srcVariableName and dstVariableName must be names of variables")
        code = f"__import__('IPython').get_ipython().user_ns.__setitem__({target!r}, {source})"
        self.forward("evaluate", {"expression": code, "frameId": arguments["srcFrameId"], "context": "repl"})
        return {}


_settrace = sys.settrace  # debugpy replaces it by a function that warns
_debugger = Debugger()
lost = False  # set by end()


def begin():
    """Starts tracing on the thread of the cells if a debugger is connected. Only user code is traced, since nothing may stop at a
    breakpoint where Stop has no effect. Returns the argument for `give_back`, which is called when that code has ended and has no frame
    that could be suspended."""
    if _debugger.connection is None:
        return None  # tracing is up to the user: coverage.py may start in a cell
    before = sys.gettrace()
    sys.modules["debugpy"].trace_this_thread(True)
    return (before,)


def give_back(before):
    """Restores the previous trace function."""
    if before is not None:
        _settrace(before[0])


def end(trace, result):
    """Takes the trace function with which user code ended: None if Stop came while it was suspended. Since Python 3.12, debuggers may use
    other means than a trace function."""
    global lost
    lost = trace is None and (sys.version_info < (3, 12) or isinstance(getattr(result, "error_in_exec", None), KeyboardInterrupt))


def after_cell():
    """After a Stop at a breakpoint, debugpy still regards the program as suspended. Resumes it, together with the threads suspended along
    with it."""
    global lost
    stopped, lost = lost, False
    if stopped and _debugger.connection is not None and _stands(threading.current_thread()):
        importlib.import_module("_pydevd_bundle.pydevd_thread_lifecycle").resume_threads("*")
        _debugger.report_resumed()


def _compiled():
    """Returns (kind, function) of kernels that were compiled, and of funcs among the variables, which may then be part of one."""
    kernels = [kernel for ref in list(sys.modules["quadrants._language.kernel"]._all_kernels) if (kernel := ref()) is not None]
    found = [("kernel", kernel._primal.fn) for kernel in kernels if kernel._specialisations()]
    funcs = [value for value in list(shell.user_ns.values()) if getattr(type(value), "_qd_kind_", None) == "func"]
    return found and [*found, *(("func", value.fn) for value in funcs)]


def report_compiled_code():
    """After a cell: reports breakpoints in compiled code, where nothing stops. Each is reported once."""
    lines = {(path, one["line"]) for path, found in _debugger.breakpoints.items() for one in found} - _debugger.reported
    if not lines or "quadrants" not in sys.modules or sys.modules["quadrants"]._settings.cfg is None:  # no program, or arch=qd.python
        return
    for what, fn in _compiled():
        code = fn.__code__
        last = max(line for _, _, line in code.co_lines() if line is not None)
        for path, line in sorted(lines):
            if path == code.co_filename and code.co_firstlineno <= line <= last and (path, line) not in _debugger.reported:
                _debugger.reported.add((path, line))
                name = shell.compile.format_code_name(path)
                print(f"The breakpoint in {' '.join(name) if name else path}, line {line}, does not stop: {what} {fn.__qualname__} is "
                      "compiled. After qd.init(arch=qd.python) kernels run as Python, and stop.", file=sys.stderr)


def before_exit():
    """Ends debugging before exit handlers run: neither they nor a thread that they wait for may stop at a breakpoint, since nothing could
    resume them. Stop may have come while this thread held a lock of debugpy, so another thread ends it, and the wait for it is limited."""
    if Connection.address is not None:
        atexit.unregister(importlib.import_module("pydevd").stoptrace)
        _asked_to_end.set()
        _ended.wait(ENDING)


def answer(header, content):
    hide_from_debugger(threading.current_thread())
    _debugger.header = header
    return dumps(_debugger.answer(json.loads(content)))
