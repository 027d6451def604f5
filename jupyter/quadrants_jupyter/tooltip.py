"""Help on a kernel for Shift-Tab, `kernel?` and `kernel??`: its signature as written, its docstring, and its compiled specialisations. Also
the parameters of qd.Vector.field, which Python knows as *args."""

import ast
import inspect
import textwrap
from html import escape

from quadrants import _exceptions
from quadrants_jupyter import reports


def _kernel_of(shown):
    """Returns the kernel that IPython inspects; None if it is something else. IPython before 8.22 passes the object itself."""
    from quadrants import _native

    found = getattr(shown, "obj", shown)
    return found if _native.loaded is not None and isinstance(found, _native.loaded.Kernel) else None


def signature(kernel):
    """Returns the signature as written in the source, so that annotations are shown by name."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(kernel.fn)))
        (node,) = [n for n in tree.body if isinstance(n, ast.FunctionDef)]
    except (OSError, TypeError, ValueError, SyntaxError):
        return f"{kernel.__name__}{inspect.signature(kernel)}"
    result = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
    return f"{node.name}({ast.unparse(node.args)}){result}"


def _tasks(kernel):
    """Yields a line for each task of the newest compilation."""
    report = reports.latest(kernel.fn.__qualname__)
    if report is None:
        return
    import linecache

    for task in report["tasks"]:
        line = linecache.getline(kernel.fn.__code__.co_filename, task["line"]).strip() if task["line"] else ""
        yield f"{task['name']:<12} " + (f"line {task['line']:>3}  {line}" if task["line"] else "statements between loops").rstrip()


def sections(kernel, with_source=False):
    """Yields (title, text) of each section, as IPython arranges them."""
    reports.collect()
    count = kernel._specialisations()
    yield "Kernel", signature(kernel)
    if kernel.__doc__:
        yield "Docstring", inspect.cleandoc(kernel.__doc__)
    yield "Specialised", "not yet: it is compiled at its first call" if not count else f"for {count} set{'s' * (count != 1)} of argument types"
    tasks = list(_tasks(kernel))
    if tasks:
        yield "Tasks", "\n".join(tasks)
    line = kernel.fn.__code__.co_firstlineno
    yield "Defined", f"{_exceptions.named_now(getattr(kernel, '_primal', kernel)._qd_source_.shown, line)}, line {line}"
    if with_source:
        yield "Source", textwrap.dedent(inspect.getsource(kernel.fn)).rstrip()


def _of_vector_field(shown):
    """Returns help on qd.Vector.field, which forwards its arguments to qd.Matrix.field."""
    import quadrants as qd

    found = getattr(shown, "obj", shown)
    if getattr(found, "__func__", None) is not qd.Vector.field.__func__:
        return None
    of_matrix = inspect.signature(qd.Matrix.field)
    parameters = [p for name, p in of_matrix.parameters.items() if name not in ("m", "ndim")]
    return [("Signature", f"Vector.field{of_matrix.replace(parameters=parameters)}"), ("Docstring", inspect.getdoc(found))]


def _plain(shown, info=None):
    kernel = _kernel_of(shown)
    if kernel is None:
        return _of_vector_field(shown)
    return None if kernel is None else list(sections(kernel, getattr(shown, "detail_level", 0) > 0))


def _html(shown, info=None):
    found = _plain(shown, info)
    return None if found is None else [(title, f"<pre>{escape(text)}</pre>") for title, text in found]


def register(shell):
    shell.inspector.mime_hooks = {**shell.inspector.mime_hooks, "text/plain": _plain, "text/html": _html}


def unregister(shell):
    ours = (_plain, _html)
    shell.inspector.mime_hooks = {kind: hook for kind, hook in shell.inspector.mime_hooks.items() if hook not in ours}
