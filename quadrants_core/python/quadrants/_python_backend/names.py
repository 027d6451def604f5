"""The names in a function: which it assigns, where, and the objects that the others refer to."""

import ast
import builtins as _builtins

from quadrants._language import signature as _signature


def _target_names(target):
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, (ast.Tuple, ast.List)):
        return [name for item in target.elts for name in _target_names(item)]
    return []


def _owners(target):
    """Returns the names whose elements or attributes these are."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return {name for item in target.elts for name in _owners(item)}
    node = target
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) and node is not target else set()


def elif_of(node):
    """Returns the `if` that forms the whole else block of an `if`; None if there is none."""
    return node.orelse[0] if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If) else None


class Survey:
    """A single walk over a function before it is rewritten."""

    def __init__(self, tree):
        self.assigned = {}  # statement -> the names assigned by it and the statements inside it
        self.comprehended = set()  # names of comprehension variables
        self.named = set()  # names bound by `:=`
        self.calls = []
        self.modified = set()  # names whose parts are assigned, or whose methods are called
        for statement in tree.body:
            self._statement(statement)

    def _statement(self, node):
        outer, self._found = getattr(self, "_found", None), []
        self._walk(node)
        self.assigned[node] = self._found
        if outer is not None:
            outer += self._found
        self._found = outer

    def _walk(self, node):
        while type(node) is ast.BinOp:  # a sum of many terms is nested as deeply
            self._walk(node.right)
            node = node.left
        if type(node) is ast.If:
            self._chain(node)
            return
        if isinstance(node, _LEAVES):
            return
        kind = type(node)
        if kind is ast.Assign:
            for target in node.targets:
                self._found += _target_names(target)
                self.modified |= _owners(target)
        elif kind in (ast.AnnAssign, ast.AugAssign, ast.NamedExpr, ast.For):
            self._found += _target_names(node.target)
            self.modified |= _owners(node.target)
            if kind is ast.NamedExpr:
                self.named.add(node.target.id)
        elif kind is ast.Call:
            self.calls.append(node)
            self.modified |= _owners(node.func)
        elif kind is ast.comprehension:
            self.comprehended |= {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, list):
                for item in value:
                    if isinstance(item, ast.stmt):
                        self._statement(item)
                    elif isinstance(item, ast.AST):
                        self._walk(item)
            elif isinstance(value, ast.AST) and not isinstance(value, _LEAVES):
                self._walk(value)

    def _chain(self, node):
        """Walks an `if` with its `elif`s, each of which is in the else block of the previous one."""
        begun = []
        while True:
            self._walk(node.test)
            for statement in node.body:
                self._statement(statement)
            following = elif_of(node)
            if following is None:
                break
            begun.append((following, self._found))
            node, self._found = following, []
        for statement in node.orelse:
            self._statement(statement)
        for statement, outer in reversed(begun):
            self.assigned[statement] = self._found
            outer += self._found
            self._found = outer

    def names(self, body):
        return [name for statement in body for name in self.assigned[statement]]


_LEAVES = (ast.expr_context, ast.operator, ast.boolop, ast.unaryop, ast.Constant, ast.Name)


class Names:
    """The objects that the names of a function refer to outside it."""

    def __init__(self, fn):
        self.scope = dict(vars(_builtins))
        self.scope.update(fn.__globals__)
        self.scope.update(_signature.closure_of(fn))

    def find(self, node, local):
        """Returns the object of a name, or of attributes of modules and classes; None if it is known only at run time."""
        if isinstance(node, ast.Name):
            return None if node.id in local else self.scope.get(node.id)
        if isinstance(node, ast.Attribute):
            owner = self.find(node.value, local)
            if isinstance(owner, type) or type(owner).__name__ == "module":
                return getattr(owner, node.attr, None)
        return None
