"""Makes a failing program small: removes statements and replaces expressions by their parts, as long as it fails in the same way."""

import ast

from tests.fuzz import worker
from tests.fuzz.run import ARCHS


def _edits(tree):
    """Yields smaller trees, one edit each, large edits first, as (edit, undo) on `tree` itself."""
    for holder in ast.walk(tree):
        for field in ("body", "orelse"):
            statements = getattr(holder, field, None)
            if isinstance(statements, list):
                yield from _fewer(statements, field == "body")
    for holder in ast.walk(tree):
        if isinstance(holder, (ast.If, ast.For, ast.While)):
            pass
        for field, value in ast.iter_fields(holder):
            if isinstance(value, ast.expr) and not isinstance(getattr(value, "ctx", None), (ast.Store, ast.Del)):
                for part in _parts(value):
                    yield _replacement(holder, field, value, part)
            elif isinstance(value, list):
                for k, item in enumerate(value):
                    if isinstance(item, ast.expr) and not isinstance(getattr(item, "ctx", None), (ast.Store, ast.Del)):
                        for part in _parts(item):
                            yield _item(value, k, item, part)


def _fewer(statements, needed):
    size = len(statements)
    while size >= 1:
        for start in range(0, len(statements), size):
            old = list(statements)
            if start >= len(old):
                break

            def edit(start=start, size=size):
                removed = statements[start : start + size]
                inside = [s for s in removed for s in getattr(s, "body", ())] if len(removed) == 1 else []
                statements[start : start + size] = []
                if needed and not statements:
                    statements.append(ast.Pass())
                return inside

            def undo(old=old):
                statements[:] = old

            yield edit, undo
            if size == 1 and getattr(old[start], "body", None) and not isinstance(old[start], (ast.FunctionDef, ast.ClassDef)):

                def unwrap(start=start):
                    statements[start : start + 1] = statements[start].body

                yield unwrap, undo
        size //= 2


def _parts(node):
    """Returns simpler expressions for one."""
    if isinstance(node, (ast.Name, ast.Constant)):
        if isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value not in (0, 1):
            yield ast.Constant(type(node.value)(1))
        return
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield child
    if isinstance(node, (ast.BinOp, ast.BoolOp, ast.UnaryOp, ast.Compare, ast.IfExp, ast.Call)):
        yield ast.Constant(1)


def _replacement(holder, field, old, new):
    return lambda: setattr(holder, field, new), lambda: setattr(holder, field, old)


def _item(items, k, old, new):
    return lambda: items.__setitem__(k, new), lambda: items.__setitem__(k, old)


def _text(tree):
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _alike(fault, other):
    return other is not None and other[0] == fault


def smallest(text, fault, valid, attempts=600, archs=ARCHS):
    """Returns the smallest program found that has the same kind of fault on `archs`."""
    process = worker.Worker()
    tree = ast.parse(text)
    best = _text(tree)
    if not _alike(fault, process.ask(best, valid, archs)):
        process.close()
        return text
    progress = True
    while progress and attempts > 0:
        progress = False
        for edit, undo in list(_edits(tree)):
            edit()
            candidate = None
            try:
                candidate = _text(tree)
                compile(candidate, "<candidate>", "exec")
            except Exception:
                undo()
                continue
            if len(candidate) >= len(best):
                undo()
                continue
            attempts -= 1
            if not process.alive():
                process.close()
                process = worker.Worker()
            if attempts > 0 and _alike(fault, process.ask(candidate, valid, archs)):
                best, progress = candidate, True
                tree = ast.parse(best)
                break
            undo()
    process.close()
    return best
