"""Output of the session: JSON, streams, displays, results. Each message belongs to a request: that of the running cell or callback or, in
a task or copied context, the one that created it. `_qd` is the C++ side."""

import contextvars
import io
import json

import _qd
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.formatters import DisplayFormatter
from traitlets import Any


# --- JSON ------------------------------------------------------------------------------------------------------------

def _plain(value):
    """Converts values that json cannot write: bytes become base64 text, numpy values Python values, the rest its repr."""
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


def dumps(value):
    try:
        text = json.dumps(value, default=_plain, allow_nan=False)
    except (ValueError, TypeError):
        text = json.dumps(_finite(value), default=_plain)
    if "\\ud" in text:  # possibly a lone surrogate, which not every JSON parser accepts
        text = json.dumps(json.loads(text), ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")
    return text


# --- requests --------------------------------------------------------------------------------------------------------

class Request:
    """A message that requests the execution of code."""

    def __init__(self, header, text):
        self.header, self.text = header, text

    def message(self):
        return json.loads(self.text)


_request = contextvars.ContextVar("request", default=None)
_current = None  # the newest one that ran user code, which threads belong to


def begin():
    """Makes the request that the C++ side is handling the one of this context."""
    global _current
    _current = Request(*_qd.parent())
    return _request.set(_current)


def adopt(message):
    """Makes the request that `message` came with the one of this context."""
    header = dumps(message.get("header", {}))
    _request.set(_current if _current is not None and json.loads(_current.header) == message.get("header") else Request(header, dumps(message)))


def end(token, before):
    """Ends a callback: output without a request of its own belongs to the cell again."""
    global _current
    _current = before
    _request.reset(token)


def current():
    return _current


def of_context():
    """Returns the request that the running code belongs to."""
    return _request.get() or _current or Request(*_qd.parent())


def _older():
    """Returns the header of the request of this context, or None if it is the newest."""
    request = _request.get()
    return None if request is None or request is _current else request.header


def publish(kind, content, metadata=None, buffers=None):
    _qd.publish(kind, "{}" if not metadata else dumps(metadata), dumps(content), buffers, _older())


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
        _qd.stream(self._is_error, text, _older())
        return len(text)

    def writelines(self, lines):
        self.write("".join(lines))

    def flush(self):
        pass  # text is sent automatically, in order, within 40 ms

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
        publish(message["header"]["msg_type"], message["content"])

    def clear_output(self, wait=False):
        publish("clear_output", {"wait": bool(wait)})

    def register_hook(self, hook):
        self._hooks.append(hook)

    def unregister_hook(self, hook):
        if hook in self._hooks:
            self._hooks.remove(hook)
            return True
        return False


class Formatter(DisplayFormatter):
    """Skips ten of IPython's eleven formatters for Python's own types, which only the plain one can format."""

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


class Result(DisplayHook):
    """Sends the value of the last expression as execute_result."""

    content = Any()
    count = 1  # number of the running request

    def start_displayhook(self):
        self.content = {"execution_count": self.count, "data": {}, "metadata": {}}

    def write_output_prompt(self):
        pass

    def write_format_data(self, format_dict, md_dict=None):
        self.content["data"] = format_dict
        self.content["metadata"] = md_dict or {}

    def finish_displayhook(self):
        if self.content["data"]:
            publish("execute_result", self.content)
        self.content = None
