"""Finds the lines of a kernel that read or write a field or array, from its source and the names visible to it."""

import ast
import inspect
import re

from quadrants import _source


def of_function(function):
    """Returns (file, line) of a custom gradient."""
    code = inspect.unwrap(function).__code__
    return code.co_filename, code.co_firstlineno


def of_error(error):
    """Returns the innermost location in the message of an error."""
    found = re.findall(r'File "([^"]+)", line (\d+)', str(error))
    return [(file, int(line)) for file, line in found[-1:]]


def readers(calls, source, target):
    """Returns the lines that read `source`, starting with those that also write `target`."""
    found = _uses(calls)
    reads = [(where, names_target) for where, reads, writes in found
             if any(source.holds(x) for x in reads) for names_target in [any(target.holds(x) for x in writes)]]  # fmt: skip
    places = [where for where, both in reads if both] + [where for where, both in reads if not both]
    return list(dict.fromkeys(places)) or writers(calls, [target])


def read(calls, variables):
    """Returns the variables that are read by some line."""
    reads = [x for _, reads, _ in _uses(calls) for x in reads]
    return [v for v in variables if any(v.holds(x) for x in reads)]


def naming(calls, name):
    """Returns the first line of the kernels that uses a function of the package, or None."""
    for info in {one.call for one in calls}:
        source = getattr(info, "_qd_source_", None)
        for node in ast.walk(source.python_tree()) if source is not None else ():
            if isinstance(node, ast.Attribute | ast.Name) and getattr(node, "attr", getattr(node, "id", "")) == name:
                return info.fn.__code__.co_filename, node.lineno
    return None


def writers(calls, variables):
    """Returns the lines that write to one of these."""
    both = [where for where, reads, writes in _uses(calls)
            if any(v.holds(x) for v in variables for x in writes)]  # fmt: skip
    return list(dict.fromkeys(both))


def _uses(calls):
    """Returns [((file, line), reads, writes)] for the statements of kernels and of the funcs that they call."""
    found = []
    for info, args in {one.call: one.args for one in calls}.items():
        if not hasattr(info, "_qd_source_"):
            continue
        names = dict(zip([p[0] for p in info.signature[0]], args))
        try:
            _Uses(found, info.fn, info._qd_source_, names, set()).visit(info._qd_source_.python_tree())
        except (OSError, SyntaxError):
            pass
    return found


class _Uses(ast.NodeVisitor):
    def __init__(self, found, fn, source, names, seen):
        self.found, self.seen = found, seen
        self.file = fn.__code__.co_filename
        closure = inspect.getclosurevars(fn) if fn.__closure__ else None
        self.names = {**fn.__globals__, **(dict(closure.nonlocals) if closure else {}), **names}

    def resolve(self, node):
        """Returns the object that an expression refers to, or None."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id)
        if isinstance(node, ast.Attribute):
            base = self.resolve(node.value)
            return None if base is None else getattr(base, node.attr, None)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            base = self.resolve(node.value)
            if type(base) in (list, tuple, dict):
                try:
                    return base[node.slice.value]
                except (LookupError, TypeError):
                    return None
        return None

    def touched(self, node, wanted):
        """Returns the fields and arrays that are indexed below a node, in this context."""
        inner = [n for n in ast.walk(node) if isinstance(n, ast.Subscript) and isinstance(n.ctx, wanted)]
        bases = []
        for n in inner:
            while isinstance(n, (ast.Subscript, ast.Attribute)):
                n = n.value
                if (found := self.resolve(n)) is not None and hasattr(type(found), "_qd_kind_"):
                    bases.append(found)
        return bases

    def generic_visit(self, node):
        if isinstance(node, ast.stmt) and not isinstance(node, ast.FunctionDef):
            heads = [node] if not hasattr(node, "body") else [n for n in (getattr(node, "test", None), getattr(node, "iter", None)) if n]
            for head in heads:
                self.note(node, head)
        super().generic_visit(node)

    def note(self, statement, head):
        reads, writes = self.touched(head, ast.Load), self.touched(head, ast.Store)
        if isinstance(statement, ast.AugAssign):
            reads = self.touched(statement.value, ast.Load) + self.touched(statement.target, ast.Load)
            if not isinstance(statement.op, (ast.Add, ast.Sub)):
                reads += writes
        for called in (n for n in ast.walk(head) if isinstance(n, ast.Call)):
            self.follow(called)
            if isinstance(called.func, ast.Attribute) and called.func.attr.startswith("atomic_") and called.args:
                written = self.touched(called.args[0], ast.Load)
                reads, writes = reads + written, writes + written
        self.found.append(((self.file, statement.lineno), reads, writes))

    def follow(self, called):
        """Visits the lines of a func with the arguments of this call."""
        func = self.resolve(called.func)
        source = getattr(func, "_qd_source_", None)
        fn = getattr(func, "fn", None) or getattr(func, "func", None)
        if source is None or fn is None or (fn, called.lineno) in self.seen:
            return
        self.seen.add((fn, called.lineno))
        parameters = [p for p in inspect.signature(fn).parameters]
        owner = self.resolve(called.func.value) if isinstance(called.func, ast.Attribute) else None
        given = [owner] if parameters[:1] == ["self"] else []
        given += [self.resolve(a) for a in called.args]
        names = {name: value for name, value in zip(parameters, given) if value is not None}
        _Uses(self.found, fn, source, names, self.seen).visit(source.python_tree())
