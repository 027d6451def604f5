"""Functions called by rewritten kernels and funcs: see rewrite.py."""

import functools as _functools
import math as _math
import operator as _operator
import types as _types

from quadrants import _exceptions, _settings
from quadrants._language import annotations as _annotations, func as _func, instances as _classes, matrix as _matrix
from quadrants._storage import buffer_view as _buffer_view, ndarray as _ndarray, struct as _struct
from quadrants._language.annotations import kind_word
from quadrants._python_backend import (
    atomics, constants, functions, instances, loops, matrices, meshes, numbers, operations, output, storage, table, triplets,
)  # fmt: skip
from quadrants._python_backend.numbers import DryRun, Scalar, as_kind, fail_type, kind_of, promote, typed
from quadrants._python_backend.values import (
    Mat, Place, Record, Unset, Var, assigned, broadcast, converted, each, fresh, is_number, is_swizzle, make,
    record_from, to_mat, type_name, value_of,
)  # fmt: skip

value = value_of


def without_type(x):
    """Returns a variable for use inside qd.static, where numbers are Python numbers."""
    x = value_of(x)
    return type(x)(map(without_type, x)) if type(x) in (tuple, list, loops.StaticIndex) else constants.without_type(x)


loop, range = loops.loop, loops.range_
check = output.check
load = storage.load
slice = slice  # noqa: PLW0127  the builtin, under the name that rewritten code calls

# Variables


_unset = {}


def unset(name):
    if name not in _unset:
        _unset[name] = Unset(name)
    return _unset[name]


def new_box(name):
    return Var(unset(name))


def boxed(x):
    return Var(fresh(x))


def lent(x):
    return Var(value_of(x))


def assign(old, new):
    return assigned(old, new)


def assign_box(old, new):
    if isinstance(old, (Var, Place)):
        old.set(new)
        return old
    return assigned(old, new)


def bind(variable, x):
    """Implements (name := x)."""
    x = value_of(x)
    variable.set(x)
    return x


def annotated(annotation, x):
    return fresh(converted(annotation, x, "Variable"))


def unpacked(x, count):
    x = value_of(x)
    if is_number(x):
        raise _exceptions.QuadrantsSyntaxError(f"Cannot unpack type: {type_name(x)}")
    if isinstance(x, Mat) and x.ndim == 2 and x.m > 1:
        raise _exceptions.QuadrantsSyntaxError("Matrices with more than one columns cannot be unpacked")
    items = x.components() if isinstance(x, Mat) else [value_of(i) for i in x]
    if len(items) != count:
        raise _exceptions.QuadrantsSyntaxError(f"The number of targets is not equal to value length: {count} targets, {len(items)} values")
    return [fresh(i) if isinstance(i, (Mat, Record)) else i for i in items]


def items(x):
    """Returns the items of a comprehension or of `*x`."""
    return [value_of(i) for i in loops.bounded(loops.unrolled(value_of(x)))]


def spread(x):
    """Returns the arguments of `*x`; places remain places."""
    x = value_of(x)
    return x if isinstance(x, (tuple, list)) else items(x)


def key(x):
    """Returns a key of a dict; a key known only at run time is distinct from all others."""
    x = value_of(x)
    return Var(x) if isinstance(x, Scalar) else x


# Updates

_PLAIN = ("/", "//", "%", "**", "<<", ">>", "@")


def updated(op, old, amount):
    old, amount = value_of(old), value_of(amount)
    if isinstance(old, instances.Instance):
        return instances.updated(op, old, amount)
    if is_number(old):
        old = typed(old)  # a template parameter may be a number known at compile time
    elif not isinstance(old, Mat):
        fail_type(f"unsupported operand type(s) for '{op}=': '{type_name(old)}' and '{type_name(amount)}'")
    return _updated(op, old, amount)


def _updated(op, old, amount):
    plain = op in _PLAIN
    if op == "*" and not numbers.is_real(old.kind):
        plain = numbers.is_real(kind_of(amount) if is_number(amount) else to_mat(amount).kind)
    if plain:
        return _binary(op, old, amount)
    return atomics.updated(op, old, amount)


def _binary(op, a, b):
    if op == "@":
        return a @ b
    return broadcast(op, a, b, lambda x, y: numbers.binary(op, x, y))


def store(x, base, index):
    storage.store(base, index, x)


def reached(base, index):
    """Returns the place base[index], after checking the index."""
    base = value_of(base)
    found = storage.storage_of(base)
    if found is not None and not isinstance(index, slice):
        found.index(index)
    return base, index


def update(op, place, amount):
    base, index = place
    if triplets.is_builder(base):
        triplets.add(op, base, index, value_of(amount))
        return
    old = load(base, index)
    if isinstance(old, Record):
        updated(op, old, amount)
    storage.store(base, index, _updated(op, old, value_of(amount)))


def update_attribute(op, base, name, amount):
    store_attribute(updated(op, attribute(base, name), amount), base, name)


def store_attribute(x, base, name):
    base = value_of(base)
    if isinstance(base, Mat) and is_swizzle(name):
        base.set_swizzle(name, x)
    elif isinstance(base, Record):
        base.set(name, x)
    elif isinstance(base, meshes.Element):
        base.store(name, x)
    elif isinstance(base, functions.Bundle):
        raise _exceptions.QuadrantsSyntaxError(f'Kernel argument "{name}" is immutable in the kernel')
    else:
        fail_type("Cannot assign to non-lvalue: this expression is not a place that can be stored to")


# Attributes


def attribute(base, name):
    base = value_of(base)
    if isinstance(base, Mat):
        if name in ("n", "m", "ndim"):
            return getattr(base, name)
        if name == "shape":
            return base.shape()
        if is_swizzle(name):
            return base.swizzle(name)
        raise _exceptions.QuadrantsCompilationError(f"'{type_name(base)}' has no attribute '{name}'")
    if isinstance(base, Record):
        if name in ("keys", "items") and name not in base.names():
            return base.names() if name == "keys" else [(n, base.get(n)) for n in base.names()]
        return base.get(name)
    if isinstance(base, loops.StaticIndex):
        return attribute(to_mat(tuple(base)), name)
    if isinstance(base, (functions.Bundle, instances.Super)):
        return base.member(name)
    if isinstance(base, (meshes.Element, meshes.Touching)):
        return base.attribute(name)
    found = storage.storage_of(base)
    if name in ("shape", "size", "offset") and found is not None and not isinstance(found, storage.FieldStorage):
        values = found.describe().get(name)
        if values is not None:
            return values
    if isinstance(base, Scalar) and name == "grad":
        raise _exceptions.QuadrantsCompilationError("An element has no gradient on qd.python; write x.grad[i], not x[i].grad")
    if isinstance(base, (Scalar, int, float)):
        raise _exceptions.QuadrantsCompilationError(f"'{type_name(base)}' has no attribute '{name}' in a kernel")
    return functions.member_of(base, name)


def member(base, name):
    """Returns base.name for a call."""
    base = value_of(base)
    if isinstance(base, loops.StaticIndex):
        base = to_mat(tuple(base))
    if isinstance(base, Mat):
        if name not in matrices.METHODS:
            raise _exceptions.QuadrantsCompilationError(f"'{type_name(base)}' has no attribute '{name}'")
        return _functools.partial(matrices.METHODS[name], base)
    if isinstance(base, _annotations.StructType) and name in base.methods:
        return lambda of, *args, **keywords: functions.run(base.methods[name], value_of(of), *args, **keywords)
    if isinstance(base, Record) and base.type is not None and name in base.type.methods:
        return _functools.partial(functions.run, base.type.methods[name], base)
    if name == "subview" and isinstance(found := storage.storage_of(base), storage.ViewStorage):
        return found.subview
    if isinstance(base, str) and name == "format":
        return lambda *args, **keywords: output.fill_in(base, args, keywords)
    if isinstance(base, list) and name == "append":
        return lambda x: base.append(fresh(x))
    return attribute(base, name)


def element(base, index):
    base = value_of(base)
    if isinstance(base, Mat) or storage.storage_of(base) is not None:
        found = load(base, index)
        if isinstance(found, Mat):
            return found
        return Place(lambda: load(base, index), lambda x: storage.store(base, index, x))
    return load(base, index)


bare_super = instances.bare_super
contains = instances.contains
operation = instances.operation


def attribute_place(base, name):
    base = value_of(base)
    is_place = isinstance(base, Mat) and is_swizzle(name) or isinstance(base, Record) and name in base.names()
    if is_place or isinstance(base, meshes.Element) and name != "id":
        found = attribute(base, name)
        if isinstance(found, (Record, meshes.Touching)):
            return found
        return Place(lambda: attribute(base, name), lambda x: store_attribute(x, base, name))
    return attribute(base, name)


# Operators


def chain(ops, first, second, *others):
    """Implements first ops[0] second ops[1] others[0]() ...: an operand is evaluated only if the preceding comparisons are true."""
    op = ops[0]
    if numbers.is_constant(first) and numbers.is_constant(second):
        link = numbers._COMPARE[op](first, second)  # compares Python numbers or Knowns
    else:
        link = broadcast(op, first, second, lambda a, b: numbers.compare(op, a, b))

    def following():
        return chain(ops[1:], second, others[0](), *others[1:])

    if not others:
        return link
    if numbers.is_constant(link):
        return following() if link else link
    if isinstance(link, Scalar) and _settings.special.short_circuit_operators:
        return _unified(following, lambda: link) if link.value else _unified(lambda: link, following)
    return broadcast("&", link, following(), lambda a, b: numbers.binary("&", a, b))


def percent(pattern, args):
    if isinstance(pattern, str):
        return output.percent(pattern, args)
    return pattern % args


def product(a, b):
    """Implements a * b; a list can only be repeated by a Python number."""
    for x, y in ((a, b), (b, a)):
        if isinstance(x, (list, tuple)) and isinstance(y, (Scalar, float)):
            return _binary("*", a, b)
        if isinstance(x, (list, tuple)) and isinstance(y, int) and y * len(x) > loops.MOST_ITEMS:
            loops.too_long()
    return a * b


def _are_pythons(a, b):
    """Returns whether both are integers without a type, whose results are unbounded."""
    return all(isinstance(x, int) and not isinstance(x, numbers.Known) for x in (a, b))


def power(a, b):
    """Implements a ** b; results of Python integers are limited as in a compiled kernel."""
    if _are_pythons(a, b) and abs(a) > 1 and b * _math.log2(abs(a)) > 1 << 20:
        fail_type("The result of '**' of these constants exceeded the range of integers")
    return a**b


def shifted(a, b):
    """Implements a << b; results of Python integers are limited as in a compiled kernel."""
    if _are_pythons(a, b) and a and b > 1 << 20:
        fail_type("The result of '<<' of these constants exceeded the range of integers")
    return a << b


def negation(x):
    x = instances.tested(x)
    if isinstance(x, numbers.Known):
        return constants.known(negation(typed(x)))
    if is_number(x) and not isinstance(x, Scalar) or not (is_number(x) or isinstance(x, Mat)):
        return not x

    def one(c):
        numbers.need_integral("logical_not", c.kind)
        return Scalar(numbers.u1, int(c.value == 0))

    return one(x) if isinstance(x, Scalar) else each(x, one)


def _integral(word, x):
    if is_number(x) and numbers.is_real(kind_of(x)):
        fail_type(f"unsupported operand type(s) for '{word}': '{kind_of(x)}' is not an integer")
    return x


def both(first, rest, binds=False):
    return _fold("and", first, rest, binds)


def either(first, rest, binds=False):
    return _fold("or", first, rest, binds)


def _fold(word, first, rest, binds):
    """Returns `first and rest` or `first or rest`. If `rest` `binds` names, they get their types even where `first` decides the result."""
    first = value_of(first)
    if not isinstance(first, (Scalar, Mat)):
        if bool(first) != (word == "and"):
            if binds and is_number(first):
                _bind_types(rest)
            return first
        following = value_of(rest())
        if not isinstance(following, Scalar) or not is_number(first):
            return following
        return as_kind(_integral(word, following), promote(kind_of(_integral(word, first)), following.kind))
    if isinstance(first, Mat):
        op = "&" if word == "and" else "|"
        return broadcast(
            word, first, rest(), lambda a, b: numbers.binary(op, as_kind(_integral(word, a), numbers.u1), as_kind(_integral(word, b), numbers.u1))
        )  # fmt: skip
    _integral(word, first)
    if not _settings.special.short_circuit_operators:
        op = "&" if word == "and" else "|"
        return broadcast(word, first, rest(), lambda a, b: numbers.binary(op, a, _integral(word, b)))

    def more():
        return _integral(word, value_of(rest()))

    return _unified(more, lambda: first) if (first.value != 0) == (word == "and") else _unified(lambda: first, more)


class _Branch:
    __slots__ = ("taken", "dynamic")

    def __init__(self, taken, dynamic):
        self.taken = taken
        self.dynamic = dynamic


def branch(test):
    test = instances.tested(test)
    if isinstance(test, Scalar):
        if numbers.is_real(test.kind):
            fail_type(f"`if` conditions must be an integer; found {test.kind}")
        return _Branch(test.value != 0, True)
    return _Branch(bool(test), False)


def again(test):
    loops.Work.step()
    return branch(test).taken and not DryRun.active


def goes_on(flag):
    """Returns whether another iteration of a level of a graph runs."""
    loops.Work.step()
    elements = storage.storage_of(flag)
    return not DryRun.active and elements.read((0,) * len(elements.shape), 0) != 0


def choice(test, yes, no):
    test = value_of(test)
    if isinstance(test, (Mat, list, tuple)):
        raise _exceptions.QuadrantsSyntaxError(
            "Using conditional expression for element-wise select operation on Quadrants vectors/matrices is deprecated and "
            'removed starting from Quadrants v1.5.0. Please use "qd.select" instead.'
        )
    found = branch(test)
    taken, other = (yes, no) if found.taken else (no, yes)
    if not found.dynamic and not is_number(test):
        return taken()
    return _unified(taken, other, known=not found.dynamic)


def static_choice(test, yes, no):
    """Implements a if qd.static(c) else b: the other operand is not evaluated."""
    return yes() if branch(test).taken else no()


class _Arm:
    """Context for an arm of a conditional expression. `made`: variables that get their first value in it, with their previous state."""

    def __enter__(self):
        self.made, self._outer = {}, Var.made
        Var.made = self.made
        return self

    def __exit__(self, *_):
        Var.made = self._outer

    def undo(self):
        """Restores the variables to their previous state; returns their values at the end of the arm."""
        made = {variable: variable.value for variable in self.made}
        for variable, before in self.made.items():
            variable.value = before
        return made


def _bind_types(operand):
    """Evaluates an operand that is not reached, for the types of the names that it binds."""
    DryRun.active += 1
    try:
        with _Arm() as arm:
            try:
                operand()
            except (_exceptions.QuadrantsCompilationError, _exceptions.QuadrantsRuntimeError):
                pass
            finally:
                made = arm.undo()
    finally:
        DryRun.active -= 1
    for variable, value in made.items():
        variable.value = Unset(variable.value.name, value)


def _unified(taken, other, known=False):
    """Returns the value of the arm that is `taken`, in the common type of both; the other arm is only evaluated for its type. If the
    condition is `known`, two Python values remain unchanged."""
    with _Arm() as arm:
        x = value_of(taken())
    made, made_by_other = arm.undo(), {}
    DryRun.active += 1
    try:
        with _Arm() as other_arm:
            try:
                y = value_of(other())
            finally:
                made_by_other = other_arm.undo()
        x = x if known and _is_known(x) and _is_known(y) else _in_type_of(x, y)
    except (_exceptions.QuadrantsCompilationError, _exceptions.QuadrantsRuntimeError):
        x = typed(x) if numbers.is_constant(x) and not known else x
    finally:
        DryRun.active -= 1
    for variable, value in made_by_other.items():
        variable.value = Unset(variable.value.name, value)
    for variable, value in made.items():
        if Var.made is not None:
            Var.made[variable] = arm.made[variable]
        of_both = variable in made_by_other and not known
        variable.value = _in_type_of(value, made_by_other[variable]) if of_both else value
    return x


def _is_known(x):
    return all(map(_is_known, x)) if isinstance(x, (list, tuple)) else not isinstance(x, (Scalar, Mat, Record))


def _in_type_of(x, y):
    """Converts x to the common type of x and y."""
    if isinstance(x, (list, tuple)) and isinstance(y, (list, tuple)) and len(x) == len(y):
        return type(x)([_in_type_of(value_of(a), value_of(b)) for a, b in zip(x, y)])
    x = typed(x) if numbers.is_constant(x) else to_mat(x) if isinstance(x, _matrix.Matrix) else x
    if not isinstance(x, (Scalar, Mat)):
        return x
    if not is_number(y):
        y = to_mat(y)
    kind = promote(x.kind, kind_of(y) if is_number(y) else y.kind)
    if isinstance(x, Scalar) and not is_number(y):  # a number is broadcast to all components
        return make([as_kind(x, kind)] * (y.n * y.m), y.n, y.m, y.ndim)
    return x.cast(kind) if isinstance(x, Mat) else as_kind(x, kind)


def text(*pieces):
    return output.joined(pieces)


# Compile time


def static(*args):
    if len(args) == 1:
        x = args[0]
        if isinstance(value_of(x), Scalar):
            raise _exceptions.QuadrantsCompilationError(
                f"Input to qd.static must be compile-time constants or global pointers, instead of {type_name(value_of(x))}"
            )
        return loops.unrolled(x)
    return args


_NDARRAYS = ("ScalarNdarray", "VectorNdarray", "MatrixNdarray")  # by the number of axes of an element


_CLASSES = {"u1": bool, "int": int, "uint": int, "float": float}


def is_instance(x, classes):
    """Implements isinstance: a vector is a qd.Vector and a qd.Matrix, a struct a qd.Struct, an array a qd.Ndarray, a number a bool, an int or
    a float."""
    x = value_of(x)
    if isinstance(x, Scalar):
        if isinstance(classes, tuple):
            return any(is_instance(x, one) for one in classes)
        if kind_word(classes) not in (None, "dtype"):  # such as that of qd.Vector or of a struct type
            return False
        x = _CLASSES[x.kind.kind](1)
    if isinstance(x, Mat):
        kinds = (_matrix.Matrix, _matrix.Vector) if x.ndim == 1 else (_matrix.Matrix,)
    elif isinstance(x, instances.Instance):
        return issubclass(x.cls, classes)
    elif isinstance(x, Record):
        kinds = (_struct.Struct, x.type)
    elif isinstance(x, (storage.NumpyArray, storage.ClampedArray)):
        kinds = [_ndarray.class_named(n) for n in ("Ndarray", _NDARRAYS[len(x.element)])]
    else:
        try:
            return isinstance(x, classes)
        except TypeError:
            fail_type("isinstance() arg 2 must be a class or a tuple of classes")
    return any(one in kinds for one in (classes if isinstance(classes, tuple) else (classes,)))


def static_assert(cond, msg="Static assertion failed"):
    if isinstance(cond, (Scalar, Mat)):
        fail_type("Static assert with non-static condition")
    if not cond:
        raise _exceptions.QuadrantsStaticAssertionError(msg)


def static_print(*args, **keywords):
    if _settings.checks_python:
        return  # it was printed when the kernel was checked
    print(*(f"<{type_name(value_of(a))}>" if isinstance(value_of(a), (Scalar, Mat)) else a for a in args), **keywords)


# Calls


def call(callee, *args, **keywords):
    if isinstance(callee, instances.Instance):
        return callee(*args, **keywords)
    if isinstance(callee, _types.MethodType) and isinstance(callee.__func__, _func.Func):
        return functions.run(callee.__func__, callee.__self__, *args, **keywords)
    if isinstance(callee, _types.MethodType) and (name := getattr(callee, "_qd_in_kernels_", None)):
        from quadrants._language import in_kernels as _in_kernels

        return functions.run(getattr(_in_kernels, name), callee.__self__, *args, **keywords)
    callee = getattr(callee, "_qd_instead_", callee)
    kind = kind_word(callee)
    if kind == "func":
        return functions.run(callee, *args, **keywords)
    if kind == "builtin":
        if hasattr(callee, "_qd_why_not_"):
            raise _exceptions.QuadrantsSyntaxError(callee._qd_why_not_)
        if callee._qd_name_ == "external":
            return operations.external(callee, *args)
        return _builtin(callee._qd_name_, args, keywords)
    if callee is _buffer_view.BufferView:
        return table.call("BufferView", args, keywords)
    if kind == "dtype":
        return _literal(callee, args)
    if kind == "matrix_type":
        return matrices.of_type(callee, args)
    if kind == "struct_type":
        return _struct_value(callee, args, keywords)
    if (of_class := _METHODS_OF_CLASS.get(id(callee))) is not None:
        return of_class(to_mat(args[0]), *args[1:], **keywords)
    if callee in (_matrix.Vector, _matrix.Matrix):
        return table.table["Vector"](*args, **keywords)
    if callee is _struct.Struct:
        return table.table["Struct"](*args, **keywords)
    if isinstance(callee, _functools.partial) and callee.func in _OWN:
        return callee(*args, **keywords)
    if kind == "kernel" or type(callee).__name__ == "Kernel":
        raise _exceptions.QuadrantsSyntaxError("Kernels cannot call other kernels. I.e., nested kernels are not allowed.")
    if isinstance(callee, functions.Bundle):
        return call(callee.member("__call__"), *args, **keywords)
    if (inner := _inner(callee)) is not None:
        return call(inner[0], *inner[1], *args, **{**inner[2], **keywords})
    if isinstance(callee, type) and (made := instances.make(callee, args, keywords)) is not NotImplemented:
        return made
    if isinstance(callee, _types.FunctionType) and args and hasattr(callee, "registry") and hasattr(callee, "dispatch"):
        return call(callee.dispatch(instances.class_of(args[0])), *args, **keywords)  # functools.singledispatch
    places, args = args, [value_of(a) for a in args]
    known = operations.PYTHON.get(callee) if callee.__hash__ else None
    if known and len(args) == 1 and isinstance(args[0], instances.Instance) and args[0].has(f"__{known}__"):
        return args[0].get(f"__{known}__")()
    if known and (known in ("print", "len") or not all(numbers.is_untyped(a) or isinstance(a, complex) for a in args)):
        return table.table[known](*args, **keywords)
    at_run_time = any(isinstance(a, (Scalar, Mat, Record)) for a in (*args, *map(value_of, keywords.values())))
    if at_run_time and isinstance(callee, _types.MethodType):
        return call(callee.__func__, callee.__self__, *args, **keywords)
    if at_run_time and isinstance(callee, _types.FunctionType) and callee.__module__.split(".")[0] != "quadrants":
        return functions.run(_func.ForeignFunc(callee), *places, **keywords)
    if at_run_time and getattr(callee, "__module__", "") == "_operator":
        return negation(args[0]) if callee.__name__ == "not_" else callee(*args, **keywords)
    if any(callee is other for other in _CALL_OTHERS) or isinstance(callee, _GETTERS):
        return _call_others(callee, args, keywords)
    if any(isinstance(a, (Scalar, Mat, Record)) for a in args) and getattr(callee, "__module__", "").split(".")[0] != "quadrants":
        name = getattr(callee, "__name__", callee)
        if getattr(callee, "__self__", None) is None or isinstance(callee.__self__, _types.ModuleType):
            fail_type(f"must be real number, not a run-time value. Did you mean to use `qd.{name}` instead of `{name}`?")
    if isinstance(callee, (_types.FunctionType, _types.MethodType)) and (callee.__module__ or "").split(".")[0] != "quadrants":
        return _call_function(callee, args, places, keywords)
    return callee(*args, **keywords)


def _call_function(callee, args, places, keywords):
    """Calls a Python function with values known at compile time. One that calls a func is executed like a func, as compilers inline it."""
    runs_in_kernel, _func.runs_in_kernel = _func.runs_in_kernel, None
    try:
        return callee(*args, **keywords)
    except _exceptions.QuadrantsSyntaxError as error:
        if not hasattr(error, "_qd_called_func_"):
            raise
    finally:
        _func.runs_in_kernel = runs_in_kernel
    function, first = (callee.__func__, (callee.__self__,)) if isinstance(callee, _types.MethodType) else (callee, ())
    return functions.run(_func.ForeignFunc(function), *first, *places, **keywords)


_CALL_OTHERS = (map, filter, _functools.reduce, _functools.partial)
_GETTERS = (_operator.methodcaller, _operator.attrgetter, _operator.itemgetter)


def _call_others(callee, args, keywords):
    """Calls a Python function that calls its first argument, for which `call` is substituted."""
    if isinstance(callee, _GETTERS) or callee is _functools.partial:
        return callee(*args, **keywords)
    function = args[0] if args[0] is None else _functools.partial(call, args[0])
    made = callee(function, *map(items, args[1:2] if callee is _functools.reduce else args[1:]), *args[2:][: callee is _functools.reduce])
    return made if callee is _functools.reduce else list(made)


def _inner(callee):
    """Returns (callee, first arguments, keywords) of an object that forwards its arguments; None for other objects."""
    if isinstance(callee, _functools.partial):
        return callee.func, callee.args, callee.keywords
    if isinstance(callee, _functools._lru_cache_wrapper):
        return callee.__wrapped__, (), {}
    if isinstance(callee, (type, _types.FunctionType, _types.MethodType, _types.BuiltinFunctionType)):
        return None
    found = _classes.in_table(type(callee), "__call__")
    return (found, (callee,), {}) if isinstance(found, (_types.FunctionType, _func.Func)) else None


_OWN = {functions.run, functions.run_method, *matrices.METHODS.values()}  # functions that `member` binds to an object
_METHODS_OF_CLASS = {id(vars(_matrix.Matrix)[name]): f for name, f in matrices.METHODS.items() if name in vars(_matrix.Matrix)}


def _builtin(name, args, keywords):
    if name == "ndrange":
        return loops.ndrange(*args, **keywords)
    if name == "grouped":
        return loops.grouped(*args)
    if name == "static":
        return static(*args)
    return table.call(name, args, keywords)


def _literal(dtype, args):
    if len(args) != 1:
        raise _exceptions.QuadrantsSyntaxError("A primitive type can only decorate a single expression.")
    x = value_of(args[0])
    if isinstance(x, Scalar):
        return as_kind(x, dtype)
    if not is_number(x):
        raise _exceptions.QuadrantsSyntaxError("A primitive type cannot decorate an expression with a compound type.")
    has_own = isinstance(x, numbers.Known) and (isinstance(x, float) or numbers.fits(x, x.kind))
    if has_own or isinstance(x, bool):
        return as_kind(x, dtype)
    if isinstance(x, int) and numbers.is_real(dtype):
        fail_type("Integer literals must be annotated with a integer type. For type casting, use `qd.cast`.")
    if isinstance(x, float) and not numbers.is_real(dtype):
        fail_type("Floating-point literals must be annotated with a floating-point type. For type casting, use `qd.cast`.")
    return Scalar(dtype, numbers.literal(x, dtype))


def _struct_value(struct_type, args, keywords):
    names = list(struct_type.members)
    args = [value_of(a) for a in args]
    if len(args) == 1 and not keywords:
        nested = names and isinstance(struct_type.members[names[0]], _annotations.StructType)
        if isinstance(args[0], dict) or isinstance(args[0], Record) and not nested:
            return converted(struct_type, args[0], "Argument")
    if len(args) > len(names):
        fail_type(f"{struct_type!r} has {len(names)} members, {len(args)} are given")
    return record_from(struct_type, {**dict(zip(names, args)), **keywords})
