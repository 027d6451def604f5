"""The state of kernels: the memory of the fields and arrays that a program uses, to be saved, restored and modified."""

import copy

from quadrants import _dtypes, _native
from quadrants._gradients import held as _held
from quadrants._storage import field as _field, naming as _naming
from quadrants._trees import snode as _snode

_Role = _snode.SNodeGradType


def _members(value):
    """Returns (name, value) of the members that kernels may access in an object."""
    kind = type(value)
    if kind in (list, dict):
        return list(enumerate(value) if kind is list else value.items())
    if isinstance(value, type) or not (getattr(kind, "_qd_kind_", None) == "data_oriented" or hasattr(kind, "__dataclass_fields__")):
        return ()
    return list(vars(value).items()) if hasattr(value, "__dict__") else [
        (name, getattr(value, name)) for name in kind.__dataclass_fields__ if hasattr(value, name)]


class Refused(Exception):
    """The reason why a program cannot be checked."""


def _read(place):
    return _field._view(place).reshape(place.shape).copy() if place.in_place else _field._copy_of(place)


def _write(place, values):
    if place.in_place:
        view = _field._view(place)
        view[...] = values.reshape(view.shape)
    else:
        place.copy_in(values)


def _is_companion(member):
    return getattr(member, "role", None) in (_Role.ADJOINT, _Role.DUAL)


class Variable:
    """Numbers to differentiate with respect to: a component of a field, or an array."""

    def __init__(self, name, dtype, shape):
        self.name, self.dtype, self.shape = name, dtype, shape

    def whole(self):
        """Returns the name of the field or array in messages."""
        return f"`{self.name}`"

    def element(self, index):
        return f"{self.name}[{', '.join(map(str, index)) or None}]"


class FieldVariable(Variable):
    def __init__(self, member):
        self.title = _naming.named(member.field) if member.field is not None else ""
        own = getattr(member.field, "_name", "")
        name = self.title + member.name.removeprefix(own or member.name.partition("[")[0]) if self.title else "a field without a name, element "
        super().__init__(name, _dtypes.all_types[member.scalar - 1], tuple(member.place.shape))
        self.member = member

    def owner(self):
        return id(self.member if self.member.field is None else self.member.field)

    def companions(self):
        return self.member.grad, self.member.dual

    def whole(self):
        return f"`{self.title}`" if self.title else "a field without a name"

    def holds(self, value):
        """Returns whether this is (a component of) the field."""
        return isinstance(value, _field.Field) and self.member in value._parts

    def primal(self):
        return _read(self.member.place)

    def gradient(self):
        return _read(self.member.grad.place)

    def tangent(self):
        return _read(self.member.dual.place)

    def set_primal(self, values):
        _write(self.member.place, values)

    def set_gradient(self, values):
        _write(self.member.grad.place, values)

    def set_tangent(self, values):
        _write(self.member.dual.place, values)

    def element(self, index):
        return super().element(tuple(i + o for i, o in zip(index, self.member.offset)))


class ArrayVariable(Variable):
    def __init__(self, name, array):
        super().__init__(name, array.dtype, tuple(array.shape) + tuple(array.element_shape))
        self.array = array

    def owner(self):
        return id(self.array)

    def companions(self):
        return self.array.grad, self.array.dual

    def holds(self, value):
        return getattr(value, "_impl", value) is self.array

    def primal(self):
        return self.array._to_numpy()

    def gradient(self):
        return self.array.grad._to_numpy()

    def tangent(self):
        return self.array.dual._to_numpy()

    def set_primal(self, values):
        self.array._from_numpy(values)

    def set_gradient(self, values):
        self.array.grad._from_numpy(values)

    def set_tangent(self, values):
        self.array.dual._from_numpy(values)


class ForeignVariable(Variable):
    """An array of NumPy or another library, which has no gradient."""

    def __init__(self, name, array):
        super().__init__(name, array.dtype, array.shape)
        self.array = array

    def owner(self):
        return id(self.array)

    def holds(self, value):
        return value is self.array

    def primal(self):
        return self.array.copy()

    def set_primal(self, values):
        self.array[...] = values


class State:
    """The saved state; it grows while the program runs for the first time, since the state of each kernel is saved before its first
    launch."""

    def __init__(self, most_elements):
        self.most_elements, self.elements = most_elements, 0
        self.places = {}  # id(member) -> (member, its contents)
        self.arrays = {}  # id(array) -> (array, its contents)
        self.names = {}  # id(array) -> the parameter that it was passed to
        self.objects = {}  # (id(object), attribute or item) -> its first value, in the form of Held
        self.foreign = []  # (array of another library, its contents, the parameter that it was passed to)
        self.builders = {}
        self.added = []  # trees with duals added for the check
        self.with_dual = []  # arrays with duals added for the check

    # saved state
    def keep(self, info, args):
        """Saves the state used by a call of a kernel."""
        kernel = info.kernel()
        if not kernel._find(args):
            kernel._specialise(args)
        slots = kernel._trees()
        for builder in sorted(_snode.finished_builders(), key=lambda builder: builder._memory.slot):
            if builder._memory.slot in slots and id(builder) not in self.builders:
                self._keep_tree(builder)
        for name, arg in zip([p[0] for p in info.signature[0]], args):
            self._keep_arrays(name, arg, set())

    def keep_objects(self, held):
        """Saves what a launch read in objects, which the program may change while it runs."""
        for owner, key, is_item, value in held.fetched if held is not None else ():
            self.objects.setdefault((id(owner), key), (owner, key, is_item, value))

    def keep_target(self, target):
        """Saves a field or array that is changed from Python."""
        if getattr(type(target), "_qd_kind_", None) == "ndarray":
            return self._keep_arrays("an array", target, set())
        for member in target._members():
            if member.node is not None and id(member.node._builder) not in self.builders:
                member.node._builder._materialise()
                self._keep_tree(member.node._builder)

    def _count(self, elements):
        self.elements += elements
        if self.elements > self.most_elements:
            raise Refused(f"the fields and arrays have more than {self.most_elements:,} elements")

    def _keep_tree(self, builder):
        self.builders[id(builder)] = builder
        for member in builder._members:
            place = member.place
            if place is None:
                continue
            if place.sparse:
                raise Refused("sparse fields would get new cells")
            elements = 1
            for extent in place.shape:
                elements *= extent
            self._count(elements)
            self.places[id(member)] = member, _read(place)
        for member in list(builder._members):  # gradients may be in separate trees
            for companion in (getattr(member, "grad", None), getattr(member, "dual", None)):
                if _snode._is_placed(companion) and id(companion.node._builder) not in self.builders:
                    companion.node._builder._materialise()
                    self._keep_tree(companion.node._builder)

    def _keep_arrays(self, name, value, seen):
        value = getattr(value, "_impl", value)
        if id(value) in seen:
            return
        seen.add(id(value))
        if getattr(type(value), "_qd_kind_", None) == "ndarray":
            if id(value) not in self.arrays:
                self._count(value._get_nelement() * value._components)
                self.arrays[id(value)] = value, value._to_numpy()
                self.names[id(value)] = name
                if value.grad is not None:
                    self._keep_arrays(f"{name}.grad", value.grad, seen)
        elif hasattr(type(value), "__dlpack__") and not hasattr(type(value), "_qd_kind_"):
            self._keep_foreign(name, value)
        elif type(value) is tuple:
            for item in value:
                self._keep_arrays(name, item, seen)
        else:
            for key, inner in _members(value):
                self._keep_arrays(f"{name}.{key}", inner, seen)

    def _keep_foreign(self, name, value):
        import numpy as np

        if getattr(value, "requires_grad", False):
            raise Refused("tensors of other libraries have no tangents")
        plain = value if isinstance(value, np.ndarray) else np.from_dlpack(value)
        if not any(plain is known for known, _, _ in self.foreign):
            self._count(plain.size)
            self.foreign.append((plain, plain.copy(), name))

    def restore(self, companions=False):
        """Restores the state bit for bit, with gradients and duals if requested."""
        for owner, key, is_item, value in self.objects.values():
            _held.put(owner, key, is_item, value)
        for member, values in self.places.values():
            if member.place is not None and (companions or not _is_companion(member)):
                _write(member.place, values)
        for key, (array, values) in self.arrays.items():
            if companions or not self.names[key].endswith(".grad"):
                array._from_numpy(values)
        for array, values, _ in self.foreign:
            if array.flags.writeable:
                array[...] = values

    # variables
    def variables(self):
        found = []
        for member, _ in self.places.values():
            if getattr(member, "role", None) == _Role.PRIMAL and _snode._is_placed(member.grad):
                found.append(FieldVariable(member))
        for key, (array, _) in self.arrays.items():
            if array.grad is not None:
                found.append(ArrayVariable(self.names[key], array))
        return found

    def without_gradient(self):
        """Returns the real-valued variables that may be inputs but have no gradient."""
        found = [FieldVariable(member) for member, _ in self.places.values()
                 if getattr(member, "role", None) == _Role.PRIMAL and getattr(member, "dual", None) is not None and not _snode._is_placed(member.grad)]
        found += [ArrayVariable(self.names[key], array) for key, (array, _) in self.arrays.items()
                  if array.grad is None and _dtypes.is_real(array.dtype) and not self.names[key].endswith(".grad")]
        return found + [ForeignVariable(name, array) for array, _, name in self.foreign if array.dtype.kind == "f" and array.flags.writeable]

    def add_duals(self, without_gradient=False):
        """Adds memory for tangents where the program has none; on request, also for fields without a gradient."""
        missing = {}
        for member, _ in self.places.values():
            if getattr(member, "role", None) != _Role.PRIMAL or getattr(member, "dual", None) is None:
                continue
            if not without_gradient and not _snode._is_placed(member.grad):
                continue
            if not _snode._is_placed(member.dual):
                missing.setdefault((id(member.field), id(member.node)), []).append(member)
        for members in missing.values():
            builder = _snode.Builder()
            node = builder._root
            shape = members[0].node.shape
            if shape:
                node = node.dense([_snode.Axis(a) for a in range(len(shape))], list(shape))
            for member in members:
                _snode.unplaced_derivatives.pop(member.dual, None)
                node._place_member(member.field, member.dual, member.offset or None)
            builder._materialise()
            self.added.append((builder, [member.dual for member in members]))
        for key, (array, _) in list(self.arrays.items()):
            if array.dual is None and _dtypes.is_real(array.dtype) and not self.names[key].endswith(".grad"):
                array.dual = copy.deepcopy(array)
                array.dual.grad = None
                self.with_dual.append(array)
        _snode.join_companions()

    def dead_ends(self):
        """Returns the variables that currently have a nonzero tangent but no gradient, so that no gradient is propagated through them."""
        found = [FieldVariable(member) for member, _ in self.places.values()
                 if getattr(member, "role", None) == _Role.PRIMAL and _snode._is_placed(member.dual) and not _snode._is_placed(member.grad)]
        found += [ArrayVariable(self.names[id(array)], array) for array in self.with_dual if array.grad is None]
        return [variable for variable in found if variable.tangent().any()]

    def clear_companions(self, variables):
        """Clears the gradients and duals of everything except these variables, whose own will be overwritten."""
        written = {id(c) for v in variables for c in v.companions()}
        for member, _ in self.places.values():
            if _is_companion(member) and id(member) not in written:
                member.place.fill(0)
        for _, duals in self.added:
            for dual in duals:
                if id(dual) not in written:
                    dual.place.fill(0)
        for array, _ in self.arrays.values():
            for other in (array.grad, array.dual):
                if other is not None and id(other) not in written:
                    other._fill((0,) * other._components)

    def drop_duals(self):
        if self.added and _native.core().initialised():
            for builder, duals in self.added:
                builder._destroy()
                for dual in duals:
                    dual.node, dual.offset, dual.generation, dual.field = None, (), 0, None
            _snode.join_companions()
        for array in self.with_dual:
            array.dual = None
        self.added, self.with_dual = [], []

    def close(self):
        """Restores the complete state and removes everything added."""
        self.drop_duals()
        self.restore(companions=True)
