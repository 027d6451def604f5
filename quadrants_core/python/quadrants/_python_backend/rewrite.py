"""Rewrites the source of a kernel or func into an equivalent Python function, line by line.

Operators are retained, since scalars, vectors and matrices define them. Constructs with a different meaning in Python become calls of
`actions`, which is named `__qd`: assignments (a name retains the type of its first value, vectors are copied), elements, attributes, calls,
`and`, `or`, `a if c else b`, chained comparisons, formatted strings. Lines and columns are those of the source, for debuggers and
tracebacks.
"""

import ast
import copy
import functools as _functools
import types as _types

from quadrants import _exceptions, _source
from quadrants._language import instances
from quadrants._language.annotations import kind_word
from quadrants._python_backend.names import Names, Survey, elif_of

HELPER = "__qd"
BODY = "__qd_body"
_LOAD, _STORE = ast.Load(), ast.Store()
_PLACES_FIRST = {"volatile_load"}  # builtins whose first argument is a place, in addition to all atomics
_PLACES_BY_NAME = {"x", "target"}  # the names of these arguments


def rewritten(source, fn, templates, is_kernel):
    """Returns the code of `fn` as Python code, and the names whose parts it modifies; `templates` are the parameters that may refer to a
    variable of the caller."""
    tree = source.python_tree()
    with _source.deep(source.tree()[4]):
        rewriter = _Rewriter(fn, templates, is_kernel)
        return rewriter.function(tree), rewriter.survey.modified | rewriter.changed


def _is_builtin(found, name):
    return kind_word(found) == "builtin" and getattr(found, "_qd_name_", None) == name


class _Rewriter(ast.NodeTransformer):
    def __init__(self, fn, templates, is_kernel):
        self.fn = fn
        self.names = Names(fn)
        self.templates = set(templates)
        self.is_kernel = is_kernel
        self.static = 0  # nesting depth inside qd.static
        self.temporaries = 0
        self.indices = []  # names of the enclosing loops' variables
        self.declared = [set()]

    # building blocks
    def call(self, name, *args, at):
        target = ast.Attribute(ast.Name(HELPER, _LOAD), name, _LOAD)
        made = _placed(ast.Call(target, list(args), []), at)
        _placed(target, at).end_lineno = at.lineno  # CPython changes the location of attribute calls that span lines
        target.end_col_offset = at.col_offset
        return made

    def thunk(self, node):
        """Wraps the expression in a function, for lazy evaluation."""
        return _thunk(self.visit(node), node)

    def text(self, value):
        return ast.Constant(value)

    def object_of(self, node):
        return self.names.find(node, self.local)

    # the function
    def function(self, tree):
        all_args = [*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs, tree.args.vararg, tree.args.kwarg]
        all_args = [a for a in all_args if a is not None]
        parameters = [a.arg for a in all_args]
        self.parameters, self.first_parameter = set(parameters), (parameters or [None])[0]
        self.survey = Survey(tree)
        targets = self.survey.names(tree.body)
        self.variables = self.parameters | set(targets)
        self.local = self.variables | self.survey.comprehended
        self.boxed = self._passed_on(set(targets)) | self.survey.named  # these may be bound in a thunk
        self.changed = set(targets) | self._updated()
        self.declared = [set(parameters)]
        body = [self._start(name, tree) for name in dict.fromkeys(targets) if name not in self.parameters]
        changed = [n for n in parameters if n not in self.templates and self._is_changed(n, targets)]
        body += [self._own(name, tree) for name in changed]
        body += self.block(tree.body)
        made = ast.FunctionDef(BODY, tree.args, body or [ast.Pass()], [], None)
        made.args.defaults, made.args.kw_defaults = [], [None] * len(made.args.kwonlyargs)
        for arg in all_args:
            arg.annotation = None
        return self._code(_located(made, tree))

    def _passed_on(self, assigned):
        """Returns the variables passed to a func or an atomic by reference, which may change them."""
        found = set()
        for node in self.survey.calls:
            callee = self.object_of(node.func)
            by_name = [(0 if k.arg in _PLACES_BY_NAME else 1, k.value) for k in node.keywords]
            for i, arg in [*enumerate(node.args), *by_name]:
                if not isinstance(arg, ast.Name) or not self._may_change(callee, i):
                    continue
                if arg.id in assigned or (arg.id in self.parameters and not self.is_kernel):
                    found.add(arg.id)
        return found

    def _updated(self):
        """Returns the variables that an atomic changes."""
        found = set()
        for node in self.survey.calls:
            callee = self.object_of(node.func)
            if kind_word(callee) != "builtin" or not callee._qd_name_.startswith("atomic_"):
                continue
            place = node.args[0] if node.args else next((k.value for k in node.keywords if k.arg in _PLACES_BY_NAME), None)
            if isinstance(place, ast.Name):
                found.add(place.id)
        return found

    def _may_change(self, callee, position):
        kind = kind_word(callee)
        if kind == "builtin":
            name = callee._qd_name_
            return name == "external" or (position == 0 and (name.startswith("atomic_") or name in _PLACES_FIRST))
        return kind == "func" or (kind is None and not isinstance(callee, (type, _types.BuiltinFunctionType, _types.ModuleType)))

    def _start(self, name, at):
        value = "new_box" if name in self.boxed else "unset"
        made = self.call(value, self.text(name), at=at)
        return _placed(ast.Assign([ast.Name(name, _STORE)], made), at)

    def _box(self, name, at):
        made = self.call("boxed", ast.Name(name, _LOAD), at=at)
        return _placed(ast.Assign([ast.Name(name, _STORE)], made), at)

    def _is_changed(self, name, targets):
        return name in self.boxed or name in targets

    def _own(self, name, at):
        """Initialises a parameter that the func changes: a variable with the value of the argument."""
        if name in self.boxed and name in self.changed:
            return self._box(name, at)
        if name in self.boxed:  # constants remain constants, unless the callee changes them
            made = self.call("lent", ast.Name(name, _LOAD), at=at)
            return _placed(ast.Assign([ast.Name(name, _STORE)], made), at)
        made = self.call("fresh", ast.Name(name, _LOAD), at=at)
        return _placed(ast.Assign([ast.Name(name, _STORE)], made), at)

    def _code(self, function):
        """Compiles the function as an inner function, so that it can refer to the variables of enclosing functions."""
        free = [*self.fn.__code__.co_freevars]
        outer = ast.FunctionDef(
            "__outer", ast.arguments([], [ast.arg(n) for n in [HELPER, *free]], None, [], [], None, []),
            [function, ast.Return(ast.Name(function.name, _LOAD))], [], None,
        )  # fmt: skip
        module = ast.Module([_located(outer, function)], [])
        with _source.levels(_locate_all(outer, outer)):
            return compile(module, self.fn.__code__.co_filename, "exec", dont_inherit=True)

    # statements
    def block(self, statements):
        made = []
        for statement in statements:
            result = self.visit(statement)
            made.extend(result if isinstance(result, list) else [result])
        return made

    def scope(self, statements, before=()):
        """Rewrites a body with a scope of its own, whose names are initially undefined. Returns (statements, its names)."""
        known = set().union(*self.declared)
        self.declared.append(set(before))
        body = self.block(statements)
        self.declared.pop()
        own = [n for n in dict.fromkeys(self.survey.names(statements)) if n not in known and n not in before]
        return body, own

    def forget(self, names, at):
        return [self._start(n, at) for n in names]

    def visit_Assign(self, node):
        value = node.value
        if isinstance(value, ast.Call) and _is_builtin(self.object_of(value.func), "static"):
            return self._bind_static(node)
        value = self.visit(value)
        if len(node.targets) == 1 and isinstance(node.targets[0], (ast.Name, ast.Subscript, ast.Attribute)):
            return self.assign(node.targets[0], value, node)
        self.temporaries += 1
        name = f"__value{self.temporaries}"
        made = [_placed(ast.Assign([ast.Name(name, _STORE)], value), node)]
        for target in node.targets:
            made += self.assign(target, ast.Name(name, _LOAD), node)
        return [_located(m, node) for m in made]

    def _bind_static(self, node):
        if any(isinstance(t, (ast.Subscript, ast.Attribute)) for t in node.targets):
            raise _exceptions.QuadrantsSyntaxError("Static assign cannot be used on elements in arrays")
        for target in node.targets:
            for n in ast.walk(target):
                if isinstance(n, ast.Name):
                    self.declared[-1].add(n.id)
                    self.boxed.discard(n.id)
        node.value = self.visit(node.value)
        return node

    def assign(self, target, value, at):
        if isinstance(target, ast.Name):
            return [self._assign_name(target.id, value, at)]
        if isinstance(target, ast.Subscript):
            made = self.call("store", value, self.visit(target.value), self.index(target.slice), at=target)
        elif isinstance(target, ast.Attribute):
            made = self.call("store_attribute", value, self.visit(target.value), self.text(target.attr), at=target)
        elif isinstance(target, ast.Tuple):
            return self._unpack(target, value, at)
        else:
            raise _exceptions.QuadrantsSyntaxError("Unpacking works with tuples on the left side, not lists")
        return [_placed(ast.Expr(made), at)]

    def _unpack(self, target, value, at):
        self.temporaries += 1
        name = f"__items{self.temporaries}"
        items = self.call("unpacked", value, self.text(len(target.elts)), at=at)
        made = [_located(ast.Assign([ast.Name(name, _STORE)], items), at)]
        for k, part in enumerate(target.elts):
            item = ast.Subscript(ast.Name(name, _LOAD), ast.Constant(k), _LOAD)
            made += self.assign(part, _located(item, at), at)
        return made

    def _assign_name(self, name, value, at):
        if name in self.parameters and self.is_kernel:
            raise _exceptions.QuadrantsSyntaxError(f'Kernel argument "{name}" is immutable in the kernel')
        if not any(name in scope for scope in self.declared):
            self.declared[-1].add(name)
        if name in self.boxed or name in self.templates:
            changed = self.call("assign_box", ast.Name(name, _LOAD), value, at=at)
        else:
            changed = self.call("assign", ast.Name(name, _LOAD), value, at=at)
        return _located(ast.Assign([ast.Name(name, _STORE)], changed), at)

    def visit_AnnAssign(self, node):
        if node.value is None:
            raise _exceptions.QuadrantsSyntaxError("A declaration needs a value")
        value = self.call("annotated", self.visit(node.annotation), self.visit(node.value), at=node)
        if not isinstance(node.target, ast.Name):
            return self.assign(node.target, value, node)
        name = node.target.id
        start = [] if any(name in scope for scope in self.declared) else [self._start(name, node)]
        return [*start, self._assign_name(name, value, node)]

    def visit_AugAssign(self, node):
        op, target, amount = self.text(_SYMBOLS[type(node.op)]), node.target, self.visit(node.value)
        if isinstance(target, ast.Name):
            if target.id not in self.local:
                raise _exceptions.QuadrantsTypeError("Cannot assign to non-lvalue")
            changed = self.call("updated", op, self._read(target.id), amount, at=node)
            return [self._assign_name(target.id, changed, node)]
        if isinstance(target, ast.Subscript):
            place = self.call("reached", self.visit(target.value), self.index(target.slice), at=target)
            made = self.call("update", op, place, amount, at=node)
        else:
            made = self.call("update_attribute", op, self.visit(target.value), self.text(target.attr), amount, at=node)
        return [_placed(ast.Expr(made), node)]

    def _read(self, name):
        return ast.Name(name, _LOAD)

    def visit_Return(self, node):
        if node.value is None:
            return node
        return _placed(ast.Return(self.visit(node.value)), node)

    def visit_Expr(self, node):
        if isinstance(node.value, ast.Constant):
            return _placed(ast.Pass(), node)
        return _placed(ast.Expr(self.visit(node.value)), node)

    def visit_If(self, node):
        chain = []  # an `if` with its `elif`s, each in the else block of the previous one
        while node is not None:
            self.temporaries += 1
            test = self.call("branch", self.visit(node.test), at=node.test)
            body, own = self._branch(node.body)
            known = set().union(*self.declared)
            chain.append((node, f"__branch{self.temporaries}", test, body, own, known))
            last, node = node, elif_of(node)
        made = self.block(last.orelse)
        for node, flag, test, body, own, known in reversed(chain):
            own_no = [n for n in dict.fromkeys(self.survey.names(node.orelse)) if n not in known]
            branch = ast.If(ast.Attribute(ast.Name(flag, _LOAD), "taken", _LOAD), body or [ast.Pass()], made)
            made = [ast.Assign([ast.Name(flag, _STORE)], test), branch]
            ended = self.forget(dict.fromkeys([*own, *own_no]), node)
            if ended:
                made.append(ast.If(ast.Attribute(ast.Name(flag, _LOAD), "dynamic", _LOAD), ended, []))
            made = [_located(m, node) for m in made]
        return made

    def _branch(self, statements):
        """Rewrites a branch. Its names remain defined after it if the condition is known at compile time, which is only determined during
        execution."""
        known = set().union(*self.declared)
        body = self.block(statements)
        return body, [n for n in dict.fromkeys(self.survey.names(statements)) if n not in known]

    def visit_While(self, node):
        if node.orelse:
            raise _exceptions.QuadrantsSyntaxError("'else' clause for 'while' not supported in Quadrants kernels")
        if isinstance(node.test, ast.Call) and _is_builtin(self.object_of(node.test.func), "graph.do_while"):
            return self._level(node)
        test = self.call("again", self.visit(node.test), at=node.test)
        body, own = self.scope(node.body)
        made = _placed(ast.While(test, [*self.forget(own, node), *body], []), node)
        return [made, *self.forget(own, node)]

    def _level(self, node):
        """Rewrites a level of a graph: its flag is tested after the body."""
        body, own = self.scope(node.body)
        ends = ast.UnaryOp(ast.Not(), self.call("goes_on", self.visit(node.test.args[0]), at=node.test))
        leave = _placed(ast.If(_placed(ends, node.test), [_placed(ast.Break(), node)], []), node)
        made = _placed(ast.While(_placed(ast.Constant(True), node), [*self.forget(own, node), *body, leave], []), node)
        return [made, *self.forget(own, node)]

    def visit_For(self, node):
        if node.orelse:
            raise _exceptions.QuadrantsSyntaxError("'else' clause for 'for' not supported in Quadrants kernels")
        targets = [n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)]
        over = self.call("loop", self.visit(node.iter), self.text(self._extent(node.target)), at=node.iter)
        unrolled = self.boxed.intersection(targets if self._is_static(node.iter) else ())
        self.boxed -= unrolled  # they are constants, which a func cannot change
        self.indices += targets
        body, own = self.scope(node.body, targets)
        del self.indices[len(self.indices) - len(targets) :]
        boxed = [self._box(n, node) for n in targets if n in self.boxed]
        self.boxed |= unrolled
        made = _placed(ast.For(node.target, over, [*self.forget(own, node), *boxed, *body], []), node)
        return [made, *self.forget([*own, *targets], node)]

    def _is_static(self, node):
        return isinstance(node, ast.Call) and _is_builtin(self.object_of(node.func), "static")

    def _extent(self, target):
        return len(target.elts) if isinstance(target, (ast.Tuple, ast.List)) else 0

    def visit_Assert(self, node):
        message = self.thunk(node.msg) if node.msg is not None else ast.Constant(ast.unparse(node.test))
        shown = self._values_to_show(node.test) if node.msg is None else []
        pairs = [_placed(ast.Tuple([self.text(words), self.thunk(part)], _LOAD), node) for words, part in shown]
        return _placed(ast.Expr(self.call("check", self.thunk(node.test), message, *pairs, at=node)), node)

    def _values_to_show(self, test):
        """Returns (words, node) for the values shown by a failed assertion: the indices of the enclosing loops, the operands of a
        comparison, or the variables of another condition."""
        found = [ast.Name(name, _LOAD) for name in self.indices]
        if isinstance(test, ast.Compare):
            repeatable = [n for n in (test.left, test.comparators[0]) if not isinstance(n, ast.Constant) and _can_be_repeated(n)]
            found += [*repeatable, *(n for n in test.comparators[1:] if isinstance(n, ast.Name) and n.id in self.variables)]
        else:
            names = [n for n in ast.walk(test) if isinstance(n, ast.Name) and n.id in self.variables]
            found += [ast.Name(n.id, _LOAD) for n in sorted(names, key=lambda n: (n.lineno, n.col_offset))]
        return {ast.unparse(n): _copied(n, test) for n in found}.items()

    def visit_With(self, node):
        """Rewrites blocks that may run in parallel; they run one after another."""
        item = node.items[0]
        callee = self.object_of(item.context_expr.func) if isinstance(item.context_expr, ast.Call) else None
        why_not = getattr(callee, "_qd_why_not_", None)
        mistake = (
            "'with' in Quadrants kernels only supports a single context manager" if len(node.items) > 1
            else "'with ... as ...' is not supported in Quadrants kernels" if item.optional_vars is not None
            else "'with' in Quadrants kernels requires a call expression" if callee is None
            else why_not if isinstance(why_not, str)
            else "'with' in Quadrants kernels only supports qd.stream_parallel(), qd.checkpoint(), "
            "qd.graph.parallel_context(), or qd.graph.parallel()"
            if not any(_is_builtin(callee, name) for name in ("stream_parallel", "graph.parallel", "graph.parallel_context"))
            else None
        )  # fmt: skip
        if _is_builtin(callee, "checkpoint"):
            raise _exceptions.QuadrantsRuntimeError("qd.checkpoint needs an arch that compiles kernels: qd.init(arch=qd.cpu)")
        if mistake:
            raise _exceptions.QuadrantsSyntaxError(mistake)
        body, own = self.scope(node.body)
        return [*body, *self.forget(own, node)]

    def visit_FunctionDef(self, node):
        kind = "qd.kernel" if self.is_kernel else "qd.func"
        raise _exceptions.QuadrantsSyntaxError(f"Function definition is not allowed in '{kind}'.")

    def generic_visit(self, node):
        if isinstance(node, ast.stmt) and not isinstance(node, (ast.Pass, ast.Break, ast.Continue)):
            raise _exceptions.QuadrantsSyntaxError(f'Unsupported node "{type(node).__name__}"')
        return super().generic_visit(node)

    # expressions
    def visit_Name(self, node):
        if self.static and isinstance(node.ctx, ast.Load) and node.id in self.local:
            return self.call("without_type", node, at=node)
        if node.id in self.boxed and isinstance(node.ctx, ast.Load) and node.id not in self.templates:
            return self.call("value", node, at=node)
        if node.id in self.templates:
            return self.call("value", node, at=node)
        if node.id in self.local or self.static:
            return node
        found = self.object_of(node)
        if found is None or type(found).__name__ in ("module", "function", "type", "builtin_function_or_method"):
            return node
        return self.call("value", node, at=node)

    def visit_Attribute(self, node):
        if self.object_of(node) is not None or (self.static and not self._starts_local(node)):
            return node
        return self.call("attribute", self.visit(node.value), self.text(node.attr), at=node)

    def _starts_local(self, node):
        while isinstance(node, ast.Attribute):
            node = node.value
        return not isinstance(node, ast.Name) or node.id in self.local

    def index(self, node):
        """Rewrites an index as a value, with slices as slice objects."""
        if isinstance(node, ast.Slice):
            parts = [self.visit(p) if p is not None else ast.Constant(None) for p in (node.lower, node.upper, node.step)]
            return self.call("slice", *parts, at=node)
        if isinstance(node, ast.Tuple):
            return _placed(ast.Tuple([self.index(item) for item in node.elts], _LOAD), node)
        return self.visit(node)

    def visit_Subscript(self, node):
        return self.call("load", self.visit(node.value), self.index(node.slice), at=node)

    def visit_Compare(self, node):
        if not self.static and len(node.ops) == 1 and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            found = self.call("contains", self.visit(node.comparators[0]), self.visit(node.left), at=node)
            return found if isinstance(node.ops[0], ast.In) else self.call("negation", found, at=node)
        if self.static or len(node.ops) == 1:
            return super().generic_visit(node)
        ops = ast.Tuple([self.text(_SYMBOLS[type(op)]) for op in node.ops], _LOAD)
        first, second, *others = node.left, *node.comparators
        return self.call("chain", ops, self.visit(first), self.visit(second), *map(self.thunk, others), at=node)

    def visit_BinOp(self, node):
        chain = [node]  # a sum of many terms is nested as deeply
        while isinstance(chain[-1].left, ast.BinOp):
            chain.append(chain[-1].left)
        made = self.visit(chain[-1].left)
        for operation in reversed(chain):
            made = self._operation(operation, made, self.visit(operation.right))
        return made

    def _operation(self, node, left, right):
        name = _CHECKED.get(type(node.op))
        if not self.static and isinstance(node.op, ast.Mod) and isinstance(node.left, (ast.Constant, ast.JoinedStr)):
            name = "percent"
        if not self.static and (self._has_operators(node.left) or self._has_operators(node.right)):
            return self.call("operation", self.text(_SYMBOLS[type(node.op)]), left, right, at=node)
        return self.call(name, left, right, at=node) if name else _placed(ast.BinOp(left, node.op, right), node)

    def _has_operators(self, node):
        """Returns whether it is, or is part of, an outer object of a class whose operators may be inlined."""
        while isinstance(node, ast.Attribute) and self.object_of(node) is None:
            node = node.value
        found = self.object_of(node) if isinstance(node, (ast.Name, ast.Attribute)) else None
        return found is not None and instances.makes(type(found)) is not None

    def visit_UnaryOp(self, node):
        if isinstance(node.op, ast.Not) and not self.static:
            return self.call("negation", self.visit(node.operand), at=node)
        return super().generic_visit(node)

    def visit_BoolOp(self, node):
        if self.static:
            return super().generic_visit(node)
        return self._operands("both" if isinstance(node.op, ast.And) else "either", node, node.values)

    def _operands(self, word, node, values):
        """Rewrites operands of `and` and `or`; long chains are halved to limit the nesting of calls."""
        if len(values) == 1:
            return self.visit(values[0])
        cut = len(values) // 2 if len(values) > _MOST_NESTED else 1
        binds = any(isinstance(n, ast.NamedExpr) for v in values[cut:] for n in ast.walk(v)) and not self._is_static(values[0])
        first = self._operands(word, node, values[:cut])
        rest = _thunk(self._operands(word, node, values[cut:]), node)
        return self.call(word, first, rest, *[self.text(True)] * binds, at=node)

    def visit_IfExp(self, node):
        if self.static:
            return super().generic_visit(node)
        sides = [self.thunk(n) for n in (node.body, node.orelse)]
        return self.call("static_choice" if self._is_static(node.test) else "choice", self.visit(node.test), *sides, at=node)

    def visit_NamedExpr(self, node):
        name = node.target.id
        made = self._assign_name(name, self.visit(node.value), node)
        if name in self.boxed and name not in self.templates:
            return self.call("bind", ast.Name(name, _LOAD), made.value.args[1], at=node)
        inner = _located(ast.NamedExpr(ast.Name(name, _STORE), made.value), node)
        return self.call("value", inner, at=node)

    def visit_Dict(self, node):
        super().generic_visit(node)
        node.keys = [key and self.call("key", key, at=node) for key in node.keys]
        return node

    def visit_Lambda(self, node):
        raise _exceptions.QuadrantsSyntaxError('Unsupported node "Lambda"')

    def _comprehension(self, node):
        for generator in node.generators:
            generator.iter = self.call("items", self.visit(generator.iter), at=node)
            generator.ifs = [self.visit(test) for test in generator.ifs]
        if isinstance(node, ast.DictComp):
            node.key, node.value = self.call("key", self.visit(node.key), at=node), self.visit(node.value)
        else:
            node.elt = self.visit(node.elt)
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_JoinedStr(self, node):
        if self.static:
            return super().generic_visit(node)
        pieces = []
        for part in node.values:
            if isinstance(part, ast.Constant):
                pieces.append(part)
                continue
            if part.conversion != -1:
                raise _exceptions.QuadrantsSyntaxError(f"conversion '{chr(part.conversion)}' is not supported.")
            spec = self.visit(part.format_spec) if part.format_spec is not None else ast.Constant("")
            pieces.append(_placed(ast.Tuple([self.visit(part.value), spec], _LOAD), node))
        return self.call("text", *pieces, at=node)

    def visit_Call(self, node):
        callee = self.object_of(node.func)
        if kind_word(callee) == "builtin" and callee._qd_name_ in ("static", "static_assert", "static_print"):
            return self._static_call(node, callee._qd_name_)
        if callee is super and not node.args and self.first_parameter:
            of_class, instance = (_placed(ast.Name(name, _LOAD), node) for name in ("__class__", self.first_parameter))
            return self.call("bare_super", of_class, instance, at=node)
        if callee is super and len(node.args) == 2 and not self.static:
            return self.call("bare_super", *map(self.visit, node.args), at=node)
        if callee is isinstance:
            return self.call("is_instance", *[self.visit(a) for a in node.args], at=node)
        if callee is range and not self.static:
            return self.call("range", *[self.visit(a) for a in node.args], at=node)
        if self.static and kind_word(callee) is None and callee is not None:
            return super().generic_visit(node)
        first_is_place = kind_word(callee) == "builtin" and self._may_change(callee, 0)
        to_func = self._may_change(callee, 1)
        args = []
        for i, arg in enumerate(node.args):
            if isinstance(arg, ast.Starred):
                args.append(_placed(ast.Starred(self.call("spread", self.visit(arg.value), at=arg), _LOAD), arg))
            elif to_func or (first_is_place and i == 0):
                args.append(self.place(arg))
            else:
                args.append(self.visit(arg))
        keywords = []
        for k in node.keywords:
            is_place = k.arg is not None and (to_func or (first_is_place and k.arg in _PLACES_BY_NAME))
            keywords.append(ast.keyword(k.arg, self.place(k.value) if is_place else self.visit(k.value)))
        made = self.call("call", self._callee(node.func), *args, at=node)
        made.keywords = keywords
        return _located(made, node)

    def _callee(self, node):
        if isinstance(node, ast.Attribute) and self.object_of(node) is None:
            return self.call("member", self.visit(node.value), self.text(node.attr), at=node)
        return node if isinstance(node, ast.Name) and node.id not in self.local else self.visit(node)

    def place(self, node):
        """Rewrites an argument that the callee may change."""
        if isinstance(node, ast.Name) and (node.id in self.boxed or node.id in self.templates):
            return node
        if isinstance(node, ast.Subscript) and not _has_slice(node.slice):
            return self.call("element", self.visit(node.value), self.index(node.slice), at=node)
        if isinstance(node, ast.Attribute) and self.object_of(node) is None:
            return self.call("attribute_place", self.visit(node.value), self.text(node.attr), at=node)
        return self.visit(node)

    def _static_call(self, node, name):
        if self.static:
            raise _exceptions.QuadrantsSyntaxError("'qd.static' cannot be nested")
        self.static += 1
        args = [self.visit(a) for a in node.args]
        keywords = [ast.keyword(k.arg, self.visit(k.value)) for k in node.keywords]
        self.static -= 1
        made = self.call(name, *args, at=node)
        made.keywords = keywords
        return _located(made, node)


_MOST_NESTED = 8  # maximum number of operands of `and` and `or` that are nested


def _can_be_repeated(node):
    """Returns whether evaluating the expression twice is equivalent to evaluating it once."""
    acting = (ast.Call, ast.NamedExpr, ast.ListComp, ast.DictComp, ast.GeneratorExp)
    return not any(isinstance(n, acting) for n in ast.walk(node))


def _copied(node, at):
    """Returns a copy, since rewriting modifies nodes."""
    made = copy.deepcopy(node)
    return _placed(made, at) if not hasattr(made, "lineno") else made


def _thunk(made, at):
    return _placed(ast.Lambda(ast.arguments([], [], None, [], [], None, []), made), at)


def _has_slice(index):
    return any(isinstance(n, ast.Slice) for n in (index.elts if isinstance(index, ast.Tuple) else [index]))


def _placed(node, at):
    """Returns the node with the location of `at`."""
    node.lineno, node.col_offset = at.lineno, at.col_offset
    node.end_lineno, node.end_col_offset = at.end_lineno, at.end_col_offset
    return node


def _located(node, at):
    """Returns the node with the location of `at` if it has none; nodes inside it get theirs at the end."""
    return node if hasattr(node, "lineno") else _placed(node, at)


_WITHOUT_NODES = {"ctx", "op", "ops", "id", "attr", "arg", "name", "names", "kind", "conversion", "type_comment"}


@_functools.cache
def _fields_with_nodes(kind):
    return () if kind is ast.Constant else tuple(f for f in kind._fields if f not in _WITHOUT_NODES)


def _locate_all(node, at):
    """Gives all nodes without a location that of their parent. Returns the nesting depth."""
    waiting, deepest = [(node, at, 1)], 1
    while waiting:
        node, at, depth = waiting.pop()
        deepest = max(deepest, depth)
        members = node.__dict__
        if "lineno" in members:
            at = node
        elif node._attributes:
            _placed(node, at)
        for field in _fields_with_nodes(type(node)):
            value = members.get(field)
            for item in value if type(value) is list else (value,):
                if isinstance(item, ast.AST):
                    waiting.append((item, at, depth + 1))
    return deepest


_CHECKED = {ast.Mult: "product", ast.Pow: "power", ast.LShift: "shifted"}  # operations whose results for constants may be too large
_SYMBOLS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitOr: "|", ast.BitXor: "^", ast.BitAnd: "&", ast.MatMult: "@", ast.Eq: "==",
    ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is", ast.IsNot: "is not", ast.In: "in",
    ast.NotIn: "not in",
}  # fmt: skip
