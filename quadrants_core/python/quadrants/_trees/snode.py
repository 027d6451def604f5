"""Trees of field storage: qd.root.dense(...).place(...), FieldsBuilder, and the allocation of their memory."""

import enum as _enum
import gc
import itertools
import warnings
import weakref

from quadrants import _arch, _dtypes, _exceptions, _native, _runtime, _settings
from quadrants._factories import make as _make
from quadrants._trees import helpers as _helpers
from quadrants._trees.layout import extents as _extents

_KINDS = ("dense", "pointer", "bitmasked", "dynamic")  # in the order of ir::LevelKind
_MAX_INDICES = 12


class SNodeGradType(_enum.IntEnum):
    """The relation of a field to its primal field.

    Example:
        >>> qd.types.enums.SNodeGradType.ADJOINT.name
        'ADJOINT'
    """

    PRIMAL = 0
    ADJOINT = 1
    DUAL = 2
    ADJOINT_CHECKBIT = 3


class Axis:
    """One index of a field; qd.i is axis 0."""

    __slots__ = ("value",)

    def __init__(self, value):
        if not 0 <= value < _MAX_INDICES:
            raise _exceptions.QuadrantsRuntimeError(f"axis {value}: fields have at most {_MAX_INDICES} indices")
        self.value = value

    def __repr__(self):
        return f"Axis({self.value})"


def axes(*numbers):
    """Makes axes from their numbers: `qd.axes(0, 1)` is `qd.ij`.

    Args:
        *numbers: distinct integers, starting at 0.

    Returns:
        A list of axes, for SNodes.

    Example:
        >>> x = qd.field(qd.f32)
        >>> _ = qd.root.dense(qd.axes(0, 1), (2, 3)).place(x)
        >>> x.shape
        (2, 3)
    """
    return [Axis(n) for n in numbers]


def _named_axes():
    names = "i j k l ij ik il jk jl kl ijk ijl ikl jkl ijkl"
    return {name: axes(*("ijkl".index(c) for c in name)) for name in names.split()}


named_axes = _named_axes()


class SNode:
    """A level of a tree: cells that contain further SNodes and field members. `qd.root` is the root of the first tree; each method adds an
    SNode below this one and returns it.

    Args:
        builder: the tree.
        parent: the SNode above.
        kind: the kind of SNode.
        levels: the extent along each axis.
        chunk: the chunk size of dynamic SNodes.

    Attributes:
        shape: number of cells along each axis, including the SNodes above.
        ptr: the core's handle.

    Example:
        >>> x = qd.field(qd.f32)
        >>> blocks = qd.root.pointer(qd.ij, 4)
        >>> _ = blocks.dense(qd.ij, 8).place(x)
        >>> x[3, 5] = 1.0
        >>> (x.shape, blocks.shape)
        ((32, 32), (4, 4))
    """

    _qd_kind_ = "snode"

    def __init__(self, builder, parent, kind, levels, chunk=0):
        self._builder = builder
        self._parent = parent
        self._kind = kind  # "root", one of _KINDS, or "place" for an element
        self._levels = levels  # [(axis, extent)], in storage order
        self._chunk = chunk
        self._children = []  # SNodes and members, in order
        self._number = builder._new_node(self) if kind != "place" else None
        self._place = None

    # construction
    def dense(self, axes, dimensions):
        """Adds a dense SNode: all its cells have memory.

        Args:
            axes: axes such as `qd.ij`.
            dimensions: number of cells along each axis, an integer or a tuple.
        """
        return self._add("dense", axes, dimensions)

    def pointer(self, axes, dimensions):
        """Adds a pointer SNode: a cell gets memory when it is written to or activated.

        Args:
            axes: axes such as `qd.ij`.
            dimensions: number of cells along each axis, an integer or a tuple.
        """
        self._need_sparse("Pointer")
        return self._add("pointer", axes, dimensions)

    def bitmasked(self, axes, dimensions):
        """Adds a bitmasked SNode: all its cells have memory, and each is marked as active or inactive.

        Args:
            axes: axes such as `qd.ij`.
            dimensions: number of cells along each axis, an integer or a tuple.
        """
        self._need_sparse("Bitmasked")
        return self._add("bitmasked", axes, dimensions)

    def dynamic(self, axis, dimension, chunk_size=None):
        """Adds a dynamic SNode: a list of variable length along one axis, with memory allocated in chunks. `qd.append` adds values at its
        end.

        Args:
            axis: an axis such as `qd.i`.
            dimension: maximum number of values.
            chunk_size: number of values in a chunk; None: chosen automatically.
        """
        self._need_sparse("Dynamic")
        if isinstance(axis, Axis):
            axis = [axis]
        if len(axis) != 1:
            raise AssertionError("a dynamic SNode has exactly one axis")
        for what, number in (("The maximum dimension of a dynamic SNode", dimension), ("Chunk size", chunk_size)):
            if number is not None and number >= 2**31:
                raise _exceptions.QuadrantsRuntimeError(
                    f"{what} cannot exceed the maximum value of a 32-bit signed integer: Got {number} > 2**31-1"
                )
        if chunk_size is not None and chunk_size <= 0:
            raise _exceptions.QuadrantsRuntimeError("Chunk size should be positive")
        return self._add("dynamic", axis, dimension, int(dimension if chunk_size is None else chunk_size))

    def _need_sparse(self, name):
        if not _arch.is_extension_supported(_settings.current().arch, _arch.Extension.sparse):
            raise _exceptions.QuadrantsRuntimeError(f"{name} SNode is not supported on this backend.")

    def _add(self, kind, axes, dimensions, chunk=0):
        if not isinstance(axes, (list, tuple)):
            axes = [axes]
        if not all(isinstance(a, Axis) for a in axes):
            raise TypeError(f"axes are qd.i, qd.ij, qd.axes(...), not {axes!r}")
        dimensions = _extents(dimensions)
        if len(dimensions) == 1:
            dimensions = [*dimensions] * len(axes)
        if len(dimensions) != len(axes):
            raise _exceptions.QuadrantsCompilationError(f"{len(axes)} axes, but {len(dimensions)} dimensions")
        self._check_open()
        for n in dimensions:
            if int(n) <= 0:
                raise _exceptions.QuadrantsRuntimeError("Every dimension of a Quadrants field should be positive")
            if int(n) > 0x7FFFFFFF:
                raise _exceptions.QuadrantsRuntimeError(f"A field has at most 2^31 - 1 elements along an axis, not {n}")
        made = SNode(self._builder, self, kind, [(a.value, int(n)) for a, n in zip(axes, dimensions)], chunk)
        self._children.append(made)
        return made

    def quant_array(self, axes, dimensions, max_num_bits):
        """Adds an SNode whose cells are numbers of a quant type packed in one word.

        Args:
            axes: axes such as `qd.i`.
            dimensions: number of cells along each axis.
            max_num_bits: size of the word in bits: 8, 16, 32 or 64.
        """
        if not isinstance(axes, (list, tuple)):
            axes = [axes]
        dimensions = _extents(dimensions)
        if len(dimensions) == 1:
            dimensions = dimensions * len(axes)
        self._check_open()
        return _make("quant array", self, axes, dimensions, max_num_bits)

    def place(self, *fields, offset=None):
        """Places fields in the cells of this SNode.

        Args:
            *fields: fields without a shape.
            offset: the first index of each axis.
        """
        self._check_open()
        if isinstance(offset, int):
            offset = (offset,)
        for field in fields:
            for part in field if isinstance(field, (list, tuple)) else [field]:
                if not hasattr(part, "_members"):
                    raise ValueError(f"{part} cannot be placed")
                for owner, member in owned(part):
                    self._place_member(owner, member, offset)
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
        unplaced.pop(member, None)
        unplaced_derivatives.pop(member, None)
        self._children.append(member)
        self._builder._members.append(member)

    def lazy_grad(self):
        """Places the gradients of all real-valued fields below this SNode next to them."""
        self._place_derivatives("grad")

    def lazy_dual(self):
        """Places the duals of all real-valued fields below this SNode next to them."""
        self._place_derivatives("dual")

    def _place_derivatives(self, which):
        for child in list(self._children):
            if isinstance(child, SNode):
                child._place_derivatives(which)
            elif getattr(child, which) is not None and getattr(child, which).node is None:
                self._place_member(child.field, getattr(child, which), child.offset)

    # inspection
    def parent(self, n=1):
        """Returns the SNode above; `qd.root` at the top, None beyond.

        Args:
            n: number of levels.
        """
        node = self
        for _ in range(n):
            node = node._parent
            if node is None:
                return None
        return root if node._kind == "root" and node._builder._of_root else node

    @property
    def shape(self):
        """The total number of cells along each index."""
        return tuple(extent for _, extent in self._axes_up())

    def _axes_up(self):
        """Returns (axis, extent) of this SNode and those above, with the product of the extents for each axis."""
        products = {}
        node = self
        while node is not None:
            for axis, extent in node._levels:
                products[axis] = products.get(axis, 1) * extent
            node = node._parent
        return sorted(products.items())

    def _check_open(self):
        self._builder._check_program()
        if self._builder._memory is not None:
            raise _exceptions.QuadrantsRuntimeError("The tree has its memory already: levels and fields cannot be added")

    def _get_children(self):
        return [c if isinstance(c, SNode) else c.snode() for c in self._children]

    def _path_from_root(self):
        path = [self]
        while path[-1]._parent is not None:
            path.append(path[-1]._parent)
        return [node.parent(0) for node in reversed(path)]

    def _physical_index_position(self):
        """Returns a dict: position among the indices of a field -> axis."""
        return dict(enumerate(axis for axis, _ in self._axes_up()))

    _snode = property(lambda self: self)
    _id = property(lambda self: self._number)
    _name = property(lambda self: f"S{self._number}{self._kind}")
    _snode_tree_id = property(lambda self: self._builder._tree_id())
    _cell_size_bytes = property(lambda self: self._builder._bytes()[self._number][0])
    _offset_bytes_in_parent_cell = property(lambda self: self._builder._bytes()[self._number][1])

    @property
    def _num_dynamically_allocated(self):
        return self._level().allocated

    # cells
    def deactivate_all(self):
        """Deactivates all cells of this SNode and of those below."""
        self._builder._materialise()
        if self._kind != "place":
            self._level().remove_cells()

    def _level(self):
        self._builder._materialise()
        if self._place is None:
            self._place = self._builder._memory.level(self._number)
        return self._place

    # used by the frontend
    def _qd_place_(self):
        return self._level().id

    def _qd_member_places_(self):
        self._builder._materialise()
        return [c.place.id for c in self._children if isinstance(c, Member)]

    def __iter__(self):
        raise NotImplementedError("Struct for is only available in Quadrants scope.")

    def __repr__(self):
        return f"<qd.SNode of type {self._kind}>"

    def __str__(self):
        if self._parent is None:
            return "qd.root"
        return f"{self._parent} => {self._kind} {list(self.shape)}"

    def __eq__(self, other):
        return self is other or (isinstance(other, _Root) and self._parent is None and self._builder._of_root)

    __hash__ = object.__hash__


class _Element(SNode):
    """The SNode of a field's element."""

    def __init__(self, member):
        super().__init__(member.node._builder, member.node, "place", [])
        self._member = member

    ptr = property(lambda self: self)

    def has_adjoint(self):
        return _is_placed(self._member.grad)

    def has_dual(self):
        return _is_placed(self._member.dual)

    def has_adjoint_checkbit(self):
        """Returns whether reads of the element can be recorded, see Tape(validation=True)."""
        return _settings.current().debug and self._member.role == SNodeGradType.PRIMAL and self.has_adjoint()

    def get_snode_grad_type(self):
        return self._member.role

    @property
    def _name(self):
        """The name of the field."""
        return getattr(self._member.field, "_name", self._member.name.partition("[")[0])

    @property
    def _dtype(self):
        return _dtypes.all_types[self._member.scalar - 1]

    @property
    def _cell_size_bytes(self):
        return _dtypes.numpy_dtype(self._dtype).itemsize

    @property
    def _offset_bytes_in_parent_cell(self):
        self._builder._materialise()
        return self._member.place.byte_offset

    def _qd_place_(self):
        self._builder._materialise()
        return self._member.place.id


_Element.__name__ = _Element.__qualname__ = "SNode"


def _is_placed(member):
    return member is not None and member.node is not None and member.node._builder._generation != -1


def join_companions():
    """Passes the locations of the gradients and duals of all allocated fields to the core."""
    for builder in finished_builders():
        for member in list(builder._members):
            if isinstance(member, Member):
                _check_companions(member)
                member.place._accompany(*(_place_of_companion(c) for c in (member.grad, member.dual, member.checkbit)))


def _check_companions(member):
    """Checks that the gradients and duals of a member, which may be in other SNodes, have an element for each of its own."""
    own = member.node.shape
    for what, companion in (("gradient", member.grad), ("dual", member.dual)):
        if _is_placed(companion):
            other = companion.node.shape
            if len(own) != len(other) or any(there < here for here, there in zip(own, other)):
                raise _exceptions.QuadrantsRuntimeError(
                    f"The field {member.name} has the shape {own}, its {what} {other}: place both over the same cells"
                )


def _place_of_companion(member):
    if not _is_placed(member):
        return None
    member.node._builder._materialise()
    return member.place


def finished_builders():
    """Returns the trees of the running program that have memory."""
    return [b for b in Builder.finished if b._generation == _native.core().generation()]


unplaced = weakref.WeakKeyDictionary()  # members of fields without a shape that are not placed yet -> (field, where it was made)
unplaced_derivatives = weakref.WeakKeyDictionary()  # requested gradients and duals that are not placed yet -> field
unchecked = weakref.WeakSet()  # fields whose members may have been placed separately
results_of_cells = None  # in a notebook: a function that returns the stored results of its cells
name_of = str  # returns the name of a field for errors; _storage/naming.py provides it


def _is_result_only(field, name):
    """Returns True if only a notebook's history of results may hold the field, since its cell ended with the call that made it."""
    return not name and results_of_cells is not None and any(result is field for result in results_of_cells())


def _list_unplaced():
    texts = set()
    for member, (ref, made) in list(unplaced.items()):
        field = ref()
        name = name_of(field) if field is not None else member.name
        if not _is_result_only(field, name):
            texts.add(f"`{name}`, made at {made}" if name else f"one made at {made}")
    return sorted(texts)


def check_all_placed():
    """Raises an error before a compilation if a field has not been placed."""
    if not unplaced and not unplaced_derivatives and not unchecked:
        return
    if unplaced or unplaced_derivatives:
        gc.collect()  # a field that only a reference cycle holds is not a mistake
    texts = _list_unplaced() if unplaced else []
    if texts:
        raise _exceptions.QuadrantsRuntimeError(
            f"These field(s) are not placed: {'; '.join(texts)}. Give each a shape, place it (`qd.root.dense(qd.i, n).place(x)`), or delete it "
            "(`del x`)"
        )
    for asked in ("needs_grad", "needs_dual"):
        fields = [(m, ref()) for m, ref in list(unplaced_derivatives.items()) if m.asked == asked]
        names = ", ".join(sorted({(name_of(field) if field is not None else "") or m.name for m, field in fields}))
        if names:
            raise _exceptions.QuadrantsRuntimeError(
                f"These field(s) requrie `{asked}=True`, however their {asked[6:]} field(s) are not placed: {names}. Place them where the "
                f"field is placed (`.place(x, x.{asked[6:]})`), or call `qd.root.lazy_{asked[6:]}()`"
            )
    for field in list(unchecked):
        if any(member in unplaced for member in field._members()):
            continue  # only a history of results holds it
        field._check_complete()
        unchecked.discard(field)


def _forget_unplaced():
    for each in (unplaced, unplaced_derivatives, unchecked):
        each.clear()


def owned(part):
    """Returns the members of a placed object, each with the field that owns it."""
    return part._owned() if hasattr(part, "_owned") else [(part, member) for member in part._members()]


class Member:
    """A scalar member of a field, placed or not."""

    __slots__ = (
        "name", "scalar", "node", "offset", "field", "place", "generation", "_snode", "grad", "dual", "checkbit", "asked", "role", "__weakref__",
    )  # fmt: skip

    def __init__(self, name, scalar):
        self.name = name
        self.scalar = scalar
        self.node = None
        self.offset = ()
        self.field = None
        self.place = None
        self.generation = 0
        self._snode = None
        self.grad = self.dual = self.checkbit = None
        self.asked = ""
        self.role = SNodeGradType.PRIMAL

    def snode(self):
        if self._snode is None:
            self._snode = _Element(self)
        return self._snode

    def packing(self):
        return None

    def read(self, view):
        return view

    def write(self, view, value):
        view[...] = value.reshape(view.shape) if getattr(value, "ndim", 0) else value


after_materialise = []  # called when a tree has been allocated


class Builder:
    """A tree: its SNodes and members, and later its memory."""

    _serials = itertools.count()
    finished = weakref.WeakSet()
    shaped = weakref.WeakSet()  # trees of fields made with a shape, until they have memory

    def __init__(self, of_root=False):
        self._nodes = []
        self._members = []
        self._memory = None
        self._generation = None
        self._program = _settings.programs_ended
        self._place_derivative = None  # for a field made with a shape: places one of its derivatives next to it
        self._of_root = of_root
        self._number = None
        self._serial = next(Builder._serials)
        self._root = SNode(self, None, "root", [])

    def _has_companions(self, role):
        return any(isinstance(member, Member) and member.role == role for member in self._members)

    def _new_node(self, node):
        self._nodes.append(node)
        return len(self._nodes) - 1

    def _materialise(self):
        """Allocates the memory of the tree."""
        if self._memory is not None:
            return
        if self._generation == -1:
            raise _exceptions.QuadrantsRuntimeError("SNode tree has been destroyed")
        _runtime.require_program()
        self._check_program()
        for field in {id(member.field): member.field for member in self._members}.values():
            field._check_complete()
        core = _native.core()
        tree = core.FieldTree()
        # The order of children determines the layout, so SNodes and members are added in breadth-first order, parents first.
        numbers = {id(self._root): 0}
        members = []
        queue = [self._root]
        while queue:
            node = queue.pop(0)
            for child in node._children:
                if isinstance(child, SNode):
                    kind = _KINDS.index(child._kind)
                    numbers[id(child)] = tree.add_node(numbers[id(node)], kind, child._levels, child._chunk)
                    queue.append(child)
                else:
                    tree.add_member(numbers[id(node)], child.name, child.scalar, list(child.offset))
                    members.append(child)
        for node in self._nodes:
            node._number = numbers[id(node)]
        tree.finish()
        self._memory = tree
        self._generation = core.generation()
        Builder.shaped.discard(self)
        for i, member in enumerate(members):
            member.place = tree.place(i)
        Builder.finished.add(self)
        for hook in after_materialise:
            core.outside_of_kernels(hook)

    def _check_program(self):
        """Raises an error if the program of the tree has ended, even if the tree has no memory yet."""
        if self._program != _settings.programs_ended:
            raise _exceptions.QuadrantsRuntimeError(
                "This field belongs to a runtime that qd.reset() or a later qd.init() has ended; create it again"
            )

    def _tree_id(self):
        self._materialise()
        return self._memory.slot

    def _bytes(self):
        self._materialise()
        return self._memory.node_bytes()

    def _destroy(self):
        for member in self._members:
            member.place = None
            member.generation = -1
        for node in self._nodes:
            node._place = None
        self._members.clear()
        self._memory.destroy()
        self._memory = None
        self._generation = -1
        Builder.finished.discard(self)


def clear_companions(role):
    """Sets the gradients or duals of all fields to 0. Trees without memory are allocated, in the order in which they were made."""
    waiting = [b for b in Builder.shaped if b._program == _settings.programs_ended and b._has_companions(role)]
    for builder in sorted(waiting, key=lambda b: b._serial):
        builder._materialise()
    for builder in sorted(finished_builders(), key=lambda b: b._serial):
        cleared = {}
        for member in builder._members:
            if isinstance(member, Member) and member.role == role:
                member.place.fill(0)
                alone = not member.node.shape  # fields without indices have a node of their own each
                cleared.setdefault((member.node, member if alone else None), []).append(member.place)
        for places in cleared.values():
            _helpers.use("clear_gradients", places)


def deactivate_all_snodes():
    """Deactivates all cells of all trees; sparse fields then read as zeros.

    Example:
        >>> qd.deactivate_all_snodes()
    """
    for builder in finished_builders():
        builder._root.deactivate_all()


class FieldsBuilder:
    """A tree separate from qd.root, which can be destroyed while the program is running. It has the methods of an SNode.

    Example:
        >>> tree = qd.FieldsBuilder()
        >>> x = qd.field(qd.f32)
        >>> _ = tree.dense(qd.i, 4).place(x)
        >>> memory = tree.finalize()
        >>> x.shape
        (4,)
        >>> memory.destroy()
    """

    def __init__(self):
        self._builder = Builder()
        self._finalized = False
        self._empty = True

    def _open(self):
        if self._finalized:
            raise _exceptions.QuadrantsRuntimeError("FieldsBuilder finalized")
        self._empty = False
        return self._builder._root

    def dense(self, indices, dimensions):
        """Adds a dense SNode below the root, see `SNode.dense`.

        Args:
            indices: axes such as `qd.ij`.
            dimensions: number of cells along each axis.
        """
        return self._open().dense(indices, dimensions)

    def place(self, *args, offset=None):
        """Places fields with one element in the root.

        Args:
            *args: fields without a shape.
            offset: the first index of each axis.
        """
        self._open().place(*args, offset=offset)

    def pointer(self, indices, dimensions):
        """Adds a pointer SNode below the root, see `SNode.pointer`.

        Args:
            indices: axes such as `qd.ij`.
            dimensions: number of cells along each axis.
        """
        return self._open().pointer(indices, dimensions)

    def bitmasked(self, indices, dimensions):
        """Adds a bitmasked SNode below the root, see `SNode.bitmasked`.

        Args:
            indices: axes such as `qd.ij`.
            dimensions: number of cells along each axis.
        """
        return self._open().bitmasked(indices, dimensions)

    def dynamic(self, index, dimension, chunk_size=None):
        """Adds a dynamic SNode below the root, see `SNode.dynamic`.

        Args:
            index: an axis such as `qd.i`.
            dimension: maximum number of values.
            chunk_size: number of values in a chunk; None: chosen automatically.
        """
        return self._open().dynamic(index, dimension, chunk_size)

    def quant_array(self, indices, dimensions, max_num_bits):
        """Adds an SNode whose cells are numbers of a quant type packed in one word.

        Args:
            indices: axes such as `qd.i`.
            dimensions: number of cells along each axis.
            max_num_bits: size of the word in bits: 8, 16, 32 or 64.
        """
        return self._open().quant_array(indices, dimensions, max_num_bits)

    def lazy_grad(self):
        """Places the gradients of all real-valued fields of the tree next to them."""
        self._open().lazy_grad()

    def lazy_dual(self):
        """Places the duals of all real-valued fields of the tree next to them."""
        self._open().lazy_dual()

    def deactivate_all(self):
        """Deactivates all cells of the tree."""
        if self._finalized:
            self._builder._root.deactivate_all()
        else:
            warnings.warn("'deactivate_all()' would do nothing if FieldsBuilder is not finalized", stacklevel=2)

    def finalize(self, raise_warning=True):
        """Allocates the memory of the tree.

        Args:
            raise_warning: whether to warn if the tree is empty.

        Returns:
            An object whose `destroy()` frees the memory.
        """
        if self._finalized:
            raise _exceptions.QuadrantsRuntimeError("FieldsBuilder finalized")
        if self._empty and raise_warning:
            warnings.warn("Finalizing an empty FieldsBuilder!", stacklevel=2)
        self._finalized = True
        self._builder._materialise()
        return SNodeTree(self._builder)

    @classmethod
    def _finalized_roots(cls):
        """Returns the roots of all trees that have memory."""
        _runtime.require_program()
        return [b._root for b in finished_builders()]


class SNodeTree:
    """A tree with memory."""

    def __init__(self, builder):
        self._builder = builder
        self._destroyed = False

    def destroy(self):
        """Frees the memory; the fields of the tree become invalid."""
        if self._destroyed:
            raise _exceptions.QuadrantsRuntimeError("SNode tree has been destroyed")
        self._builder._destroy()
        self._destroyed = True

    @property
    def id(self):
        if self._destroyed:
            raise _exceptions.QuadrantsRuntimeError("SNode tree has been destroyed")
        return self._builder._tree_id()


class _Root:
    """qd.root: the tree that collects SNodes until fields are used, then a new tree."""

    _current = None

    def _node(self):
        if self._current is None or self._current._memory is not None:
            type(self)._current = Builder(of_root=True)
        return self._current._root

    def _forget(self):
        type(self)._current = None

    def __getattr__(self, name):
        return getattr(self._node(), name)

    def lazy_grad(self):
        """Adds gradients to all real-valued fields that have no memory yet, both those placed below the root and those with a shape."""
        self._place_derivatives("grad")

    def lazy_dual(self):
        """Adds duals to all real-valued fields that have no memory yet, both those placed below the root and those with a shape."""
        self._place_derivatives("dual")

    def _place_derivatives(self, which):
        self._node()._place_derivatives(which)
        for builder in list(Builder.shaped):
            if builder._program == _settings.programs_ended:
                builder._place_derivative(which)

    @staticmethod
    def deactivate_all():
        """Deactivates all cells of all trees."""
        deactivate_all_snodes()

    @staticmethod
    def parent(n=1):
        return root if n == 0 else None

    def _path_from_root(self):
        return [self]

    def __eq__(self, other):
        return self is other or (isinstance(other, SNode) and other == self)

    __hash__ = object.__hash__

    def __str__(self):
        return "qd.root"

    __repr__ = __str__


root = _Root()
_settings.after_reset.append(root._forget)
_settings.after_reset.append(_forget_unplaced)
