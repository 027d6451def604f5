"""Trees of field storage: qd.root.dense(...).place(...), FieldsBuilder, and when they become memory."""

from quadrants import _exceptions, _runtime

_DENSE = 0  # ir::LevelKind


class Axis:
    """One index of a field; qd.i is axis 0."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return f"Axis({self.value})"


def axes(*numbers):
    """Axes by number: qd.axes(0, 1) is qd.ij."""
    return [Axis(n) for n in numbers]


def _named_axes():
    names = "i j k l ij ik il jk jl kl ijk ijl ikl jkl ijkl"
    return {name: axes(*("ijkl".index(c) for c in name)) for name in names.split()}


named_axes = _named_axes()


class _Later:
    """A kind of level that this version does not have."""

    def __init__(self, name):
        self.name = name

    def __call__(self, *args, **keywords):
        raise _exceptions.QuadrantsRuntimeError(f"{self.name} SNode is not supported on this backend.")


class SNode:
    """A level of a tree: cells that hold further levels and field members."""

    def __init__(self, builder, parent, levels):
        self._builder = builder
        self._parent = parent
        self._levels = levels  # [(axis, extent)], in storage order
        self._children = []  # SNodes and members, in order
        self._number = builder._new_node(self) if builder is not None else 0

    def dense(self, axes, dimensions):
        """A level of a fixed number of cells along `axes`."""
        if not isinstance(axes, (list, tuple)):
            axes = [axes]
        if isinstance(dimensions, int) or hasattr(dimensions, "__index__"):
            dimensions = [int(dimensions)] * len(axes)
        if len(dimensions) != len(axes):
            raise _exceptions.QuadrantsCompilationError(f"{len(axes)} axes, but {len(dimensions)} dimensions")
        self._check_open()
        for n in dimensions:
            if int(n) <= 0:
                raise _exceptions.QuadrantsRuntimeError("Every dimension of a Quadrants field should be positive")
        made = SNode(self._builder, self, [(a.value, int(n)) for a, n in zip(axes, dimensions)])
        self._children.append(made)
        return made

    pointer = _Later("Pointer")
    bitmasked = _Later("Bitmasked")
    dynamic = _Later("Dynamic")

    def quant_array(self, axes, dimensions, max_num_bits):
        """A level whose cells, numbers of a quant type, share one word."""
        from quadrants import _quant

        if not isinstance(axes, (list, tuple)):
            axes = [axes]
        if isinstance(dimensions, int):
            dimensions = [dimensions] * len(axes)
        self._check_open()
        return _quant.QuantArray(self, axes, dimensions, max_num_bits)

    def place(self, *fields, offset=None):
        """Puts the members of `fields` into the cells of this level."""
        self._check_open()
        if isinstance(offset, int):
            offset = (offset,)
        for field in fields:
            for part in field if isinstance(field, (list, tuple)) else [field]:
                for member in part._members():
                    self._place_member(part, member, offset)
        return self

    def _place_member(self, field, member, offset):
        if not isinstance(member, Member):
            raise _exceptions.QuadrantsRuntimeError("A field of a quant type is placed in BitpackedFields or a quant_array")
        if member.node is not None:
            raise _exceptions.QuadrantsCompilationError("This field has been placed already")
        rank = len(self._axes_up())
        if offset is not None and len(offset) != rank:
            raise _exceptions.QuadrantsCompilationError(
                f"The dimensionality of shape and offset must be the same ({rank} != {len(offset)})"
            )
        member.node = self
        member.offset = tuple(offset) if offset is not None else (0,) * rank
        member.field = field
        self._children.append(member)
        self._builder._members.append(member)

    def lazy_grad(self):
        raise _exceptions.not_available("lazy_grad")

    def lazy_dual(self):
        raise _exceptions.not_available("lazy_dual")

    def deactivate_all(self):
        raise _exceptions.not_available("deactivate_all")

    def parent(self, n=1):
        node = self
        for _ in range(n):
            node = node._parent
        return node

    @property
    def shape(self):
        up = self._axes_up()
        extents = dict.fromkeys(sorted({a for a, _ in up}), 1)
        for axis, extent in up:
            extents[axis] *= extent
        return tuple(extents.values())

    def _axes_up(self):
        """(axis, extent) of this level and those above, each axis once with its product."""
        products = {}
        node = self
        while node is not None:
            for axis, extent in node._levels:
                products[axis] = products.get(axis, 1) * extent
            node = node._parent
        return sorted(products.items())

    def _check_open(self):
        if self._builder._memory is not None:
            raise _exceptions.QuadrantsRuntimeError("The tree has its memory already: levels and fields cannot be added")

    _snode_tree_id = property(lambda self: id(self._builder))
    _cell_size_bytes = property(lambda self: self._builder._bytes()[self._number][0])
    _offset_bytes_in_parent_cell = property(lambda self: self._builder._bytes()[self._number][1])

    def _get_children(self):
        return list(self._children)

    def __repr__(self):
        return f"qd.root{'' if self._parent is None else f' level {self._levels}'}"


class Member:
    """One scalar member of a field, placed or not."""

    __slots__ = ("name", "scalar", "node", "offset", "field", "place", "generation")

    def __init__(self, name, scalar):
        self.name = name
        self.scalar = scalar
        self.node = None
        self.offset = ()
        self.field = None
        self.place = None
        self.generation = 0

    def packing_of(self, parts):
        return None

    def read(self, view):
        return view

    def write(self, view, value):
        view[...] = value.reshape(view.shape) if getattr(value, "ndim", 0) else value


class Builder:
    """One tree: levels and members, then memory."""

    def __init__(self):
        self._nodes = []
        self._members = []
        self._memory = None
        self._generation = None
        self._root = SNode(self, None, [])

    def _new_node(self, node):
        self._nodes.append(node)
        return len(self._nodes) - 1

    def _materialise(self):
        """Gives the tree its memory."""
        if self._memory is not None:
            return
        _runtime.require_program()
        for member in self._members:
            member.field._check_complete()
        core = _runtime.core()
        tree = core.FieldTree()
        # The order of children decides the layout, so nodes and members are added by a walk, parents first.
        numbers = {id(self._root): 0}
        members = []
        queue = [self._root]
        while queue:
            node = queue.pop(0)
            for child in node._children:
                if isinstance(child, SNode):
                    numbers[id(child)] = tree.add_node(numbers[id(node)], _DENSE, child._levels)
                    queue.append(child)
                else:
                    tree.add_member(numbers[id(node)], child.name, child.scalar, list(child.offset))
                    members.append(child)
        for node in self._nodes:
            node._number = numbers[id(node)]
        tree.finish()
        self._memory = tree
        self._generation = core.generation()
        for i, member in enumerate(members):
            member.place = tree.place(i)

    def _bytes(self):
        self._materialise()
        return self._memory.node_bytes()


class FieldsBuilder:
    """A tree of its own beside qd.root."""

    def __init__(self):
        self._builder = Builder()

    def dense(self, indices, dimensions):
        return self._builder._root.dense(indices, dimensions)

    def place(self, *args, offset=None):
        self._builder._root.place(*args, offset=offset)

    def pointer(self, *args, **keywords):
        return self._builder._root.pointer(*args, **keywords)

    def bitmasked(self, *args, **keywords):
        return self._builder._root.bitmasked(*args, **keywords)

    def dynamic(self, *args, **keywords):
        return self._builder._root.dynamic(*args, **keywords)

    def quant_array(self, *args, **keywords):
        return self._builder._root.quant_array(*args, **keywords)

    def lazy_grad(self):
        self._builder._root.lazy_grad()

    def lazy_dual(self):
        self._builder._root.lazy_dual()

    def deactivate_all(self):
        self._builder._root.deactivate_all()

    def finalize(self, raise_warning=True):
        """Gives the tree its memory; the result can `destroy()` it."""
        self._builder._materialise()
        return SNodeTree(self._builder)


class SNodeTree:
    """A tree with memory."""

    def __init__(self, builder):
        self._builder = builder

    def destroy(self):
        """Frees the memory; the fields of the tree are dead afterwards."""
        for member in self._builder._members:
            member.place = None
            member.generation = -1
        self._builder._members.clear()
        self._builder._memory = None
        self._builder._generation = -1


class _Root:
    """qd.root: the tree that collects levels until fields are used, then the next one."""

    _current = None

    def _node(self):
        if self._current is None or self._current._memory is not None:
            type(self)._current = Builder()
        return self._current._root

    def _forget(self):
        type(self)._current = None

    def __getattr__(self, name):
        return getattr(self._node(), name)

    def __repr__(self):
        return "qd.root"


root = _Root()
_runtime.after_reset.append(root._forget)
