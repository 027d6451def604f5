"""Quant types: numbers of few bits, packed with others in one word. Kernels unpack them (the formats are specified at Packing in
ir/function.h); this module declares and places them, and accesses them from Python."""

from quadrants import _dtypes, _exceptions
from quadrants._trees import snode as _snode

_INTEGER, _FIXED, _FLOATING, _SHARED = 0, 1, 2, 3  # ir::Packing::Kind
_WORDS = {8: _dtypes.u8, 16: _dtypes.u16, 32: _dtypes.u32, 64: _dtypes.u64}


def _checked_bits(bits):
    """Returns `bits` after validation, since 2**bits of a large number would exhaust the memory."""
    if not hasattr(bits, "__index__") or not 0 < bits <= 64:
        raise _exceptions.QuadrantsTypeError(f"a quant type must have 1 to 64 bits, not {bits!r}")
    return bits.__index__()


class QuantType:
    """qd.types.quant.int, fixed or float: the storage format of a field's numbers; kernels compute with the type `compute`."""

    _qd_kind_ = "quant_type"

    def __init__(self, kind, bits, exponent_bits, signed, compute, scale):
        self.kind = kind
        self.bits = _checked_bits(bits)
        self.exponent_bits = exponent_bits
        self.signed = signed
        self.compute = compute
        self.scale = scale

    def _key(self):
        return (self.kind, self.bits, self.exponent_bits, self.signed, self.compute, self.scale)

    def __eq__(self, other):
        return isinstance(other, QuantType) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def to_string(self):
        sign = "i" if self.signed else "u"
        if self.kind == _INTEGER:
            return f"q{sign}{self.bits}"
        if self.kind == _FIXED:
            return f"qfx(d=q{sign}{self.bits} c={self.compute} s={self.scale})"
        return f"qfl(d=q{sign}{self.bits - self.exponent_bits} e=qu{self.exponent_bits} c={self.compute})"

    __repr__ = to_string
    name = property(to_string)

    # conversion between numbers and bit patterns, as NumPy arrays
    def decode(self, bits):
        """Returns the numbers of uint64 bit patterns."""
        import numpy as np

        one = np.uint64(1)
        if self.kind == _FLOATING:
            fraction = self.bits - self.exponent_bits
            digits = fraction - self.signed
            exponent = (bits >> np.uint64(fraction)).astype(np.int64)
            size = 1.0 + (bits & ((one << np.uint64(digits)) - one)) / 2.0**digits
            with np.errstate(over="ignore"):
                value = np.where(exponent == 0, 0.0, np.ldexp(size, exponent - self._bias()))
            if self._bias() == self._compute_bias():  # the largest exponent has the same meaning as in the compute type
                endless = np.where(size == 1.0, np.inf, np.nan)
                value = np.where(exponent == 2**self.exponent_bits - 1, endless, value)
            negative = (bits >> np.uint64(digits)) & one if self.signed else 0
            return np.where(negative, -value, value)
        room = np.uint64(64 - self.bits)
        lifted = bits << room
        value = lifted.view(np.int64) >> room.astype(np.int64) if self.signed else lifted >> room
        return value * self.scale if self.kind == _FIXED else value

    def encode(self, value):
        """Returns the uint64 bit patterns of numbers."""
        import numpy as np

        value = np.asarray(value)
        mask = np.uint64(2**self.bits - 1)
        if self.kind == _INTEGER:
            return value.astype(np.int64 if value.dtype != np.uint64 else np.uint64).astype(np.uint64) & mask
        if self.kind == _FIXED:
            least = -(2 ** (self.bits - 1)) if self.signed else 0
            most = 2 ** (self.bits - self.signed) - 1
            exact = value.astype(np.float64) / self.scale
            steps = np.clip(np.copysign(np.floor(np.abs(exact) + 0.5), exact), least, most)
            steps = np.where(np.isnan(exact), least, steps)
            return steps.astype(np.int64).astype(np.uint64) & mask
        return self._encode_float(value.astype(np.float64))

    def is_stepped(self):
        """Returns whether its numbers are equally spaced, as for int and fixed."""
        return self.kind != _FLOATING

    def _bias(self):
        return 2 ** (self.exponent_bits - 1) - 1

    def _compute_bias(self):
        return 1023 if self.compute == _dtypes.f64 else 127

    def _encode_float(self, value):
        import numpy as np

        fraction = self.bits - self.exponent_bits
        digits = fraction - self.signed
        size, power = np.frexp(np.abs(value))
        power = np.where(np.isfinite(value), power, self._compute_bias() + 2)
        size = np.where(np.isinf(value), 0.5, np.where(np.isnan(value), 0.75, size))
        steps = np.floor(np.ldexp(size, digits + 1) + 0.5).astype(np.int64)  # including the leading 1
        joined = ((power.astype(np.int64) - 1 + self._bias()) << digits) + steps - (1 << digits)
        joined = np.clip(joined, 0, 2 ** (self.exponent_bits + digits) - 1)
        joined = np.where((joined < (1 << digits)) | (value == 0), 0, joined)
        negative = np.signbit(value) & ~np.isnan(value)  # a NaN has a sign bit, but its value is not specified
        if not self.signed:
            return np.where(negative, 0, joined).astype(np.uint64)
        sign = negative.astype(np.int64) << digits
        return (((joined >> digits) << fraction) | sign | (joined & ((1 << digits) - 1))).astype(np.uint64)


def int(bits, signed=True, compute=None):
    """Makes an integer type.

    Args:
        bits: number of bits.
        signed: whether values can be negative.
        compute: the type that kernels compute with; None: `default_ip`.
    """
    compute = _dtypes.dtype(compute) if compute is not None else _dtypes.i32 if signed else _dtypes.u32
    if compute.kind == "float":
        raise _exceptions.QuadrantsTypeError("a quant integer computes in an integer type")
    return QuantType(_INTEGER, bits, 0, signed, compute, 1.0)


def _real(compute):
    compute = _dtypes.dtype(float if compute is None else compute)
    if compute not in (_dtypes.f32, _dtypes.f64):
        raise _exceptions.QuadrantsTypeError("a quant real computes in f32 or f64")
    return compute


def fixed(bits, signed=True, max_value=1.0, compute=None, scale=None):
    """Makes a fixed-point type with the range [-max_value, max_value) or [0, max_value).

    Args:
        bits: number of bits, including the sign.
        signed: whether values can be negative.
        max_value: the upper bound.
        compute: the type that kernels compute with; None: `default_fp`.
        scale: the distance between consecutive values, used instead of `max_value`.
    """
    if scale is None:
        scale = max_value / 2 ** (_checked_bits(bits) - bool(signed))
    if not 0 < abs(scale) < float("inf"):
        raise _exceptions.QuadrantsTypeError(f"numbers of a fixed-point type cannot be multiples of {scale!r}")
    return QuantType(_FIXED, bits, 0, signed, _real(compute), scale)


def float_(exp, frac, signed=True, compute=None):
    """Makes a floating-point type.

    Args:
        exp: number of exponent bits.
        frac: number of fraction bits, including the sign.
        signed: whether values can be negative.
        compute: the type that kernels compute with; None: `default_fp`.
    """
    compute = _real(compute)
    digits = 52 if compute == _dtypes.f64 else 23
    if not 1 < exp <= (11 if compute == _dtypes.f64 else 8) or not signed < frac <= digits + signed:
        raise _exceptions.QuadrantsTypeError(f"quant.float(exp={exp}, frac={frac}) does not fit its compute type {compute}")
    return QuantType(_FLOATING, exp + frac, exp, signed, compute, 1.0)


class Member:
    """A member with a quant type; it is stored in a shared word."""

    def __init__(self, name, quant):
        self.name = name
        self.quant = quant
        self.scalar = quant.compute._qd_scalar_
        self.word = None  # _snode.Member
        self.shift = 0
        self.field = None
        self.array = None  # the QuantArray, for an element of a quant array
        self.exponent = None  # _SharedExponent

    node = property(lambda self: self.array or (self.word and self.word.node))
    generation = property(lambda self: self.word.generation if self.word else 0)

    @property
    def place(self):
        place = self.word and self.word.place
        return None if place is None else _Element(self, place)

    def snode(self):
        return self.word.snode()

    def put(self, word, shift):
        if self.word is not None:
            raise _exceptions.QuadrantsCompilationError("This field has been placed already")
        self.word, self.shift = word, shift

    @property
    def bits(self):
        """The number of bits that it does not share."""
        return self.quant.bits - (self.quant.exponent_bits if self.exponent else 0)

    def packing(self):
        """Returns the description that PackedNumbers::components (frontend/packed.cpp) reads."""
        q, array, shared = self.quant, self.array, self.exponent
        cells, outer, shape = ([], [], []) if array is None else (array.cells, array.outer, list(array.shape))
        return (
            _SHARED if shared else q.kind, self.bits, q.exponent_bits, q.signed, q.scale,
            q.compute._qd_scalar_, self.shift, cells, outer, shape, shared.shift if shared else 0,
            [(m.shift, m.bits - m.quant.signed) for m in shared.members if m is not self] if shared else [],
        )  # fmt: skip

    # whole fields
    def _shifts(self):
        import numpy as np

        if self.array is None:
            return np.uint64(self.shift)
        cells = self.array.cells
        return (np.arange(np.prod(cells)).reshape(cells) * self.quant.bits).astype(np.uint64)

    def _spread(self, view):
        """Returns the words, with axes of length 1 for the elements in each word."""
        if self.array is None:
            return view[...]
        shape, extents = iter(self.array.node.shape), []
        for outer in self.array.outer:
            extents += [next(shape) if outer else 1, 1]
        return view.reshape(extents)

    def _inner(self, shifts):
        """Returns the shifts of the elements of a word, along the axes added by _spread."""
        return shifts if self.array is None else shifts.reshape([x for n in self.array.cells for x in (1, n)])

    def read(self, view):
        import numpy as np

        words = self._spread(view).astype(np.uint64)
        if self.exponent:
            return self.exponent.read(self, words)
        mask = np.uint64(2**self.quant.bits - 1)
        return self.quant.decode((words >> self._inner(self._shifts())) & mask)

    def write(self, view, value):
        import numpy as np

        if self.exponent:
            value = np.asarray(value)
            made = self.exponent.write(self, view.astype(np.uint64), value.reshape(view.shape) if value.ndim else value)
            view[...] = made.astype(view.dtype)
            return
        shifts = self._inner(self._shifts())
        words = self._spread(view)
        shape = np.broadcast_shapes(words.shape, shifts.shape)
        value = np.asarray(value)
        bits = self.quant.encode(value if value.ndim == 0 else value.reshape(shape))
        mask = np.uint64(2**self.quant.bits - 1)
        placed = np.broadcast_to(bits << shifts, shape)
        inner = tuple(range(1, len(shape), 2)) if self.array is not None else ()
        added = np.bitwise_or.reduce(placed, axis=inner, keepdims=True) if inner else placed
        hole = np.bitwise_or.reduce((mask << shifts).ravel())
        view[...] = ((words.astype(np.uint64) & ~hole) | added).astype(view.dtype).reshape(view.shape)


class _Element:
    """Reads and writes elements of one member from Python."""

    def __init__(self, member, place):
        self._member = member
        self._place = place

    def __getattr__(self, name):  # all attributes except element access are those of the word
        return getattr(self._place, name)

    def _at(self, key):
        """Returns (index of the word, lowest bit)."""
        member = self._member
        if member.array is None:
            return key, member.shift
        if key is None:
            key = ()
        return member.array.locate(key if isinstance(key, tuple) else (key,), member.quant.bits)

    def __getitem__(self, key):
        import numpy as np

        index, shift = self._at(key)
        if self._member.exponent:
            return self._member.exponent.read(self._member, np.uint64(self._place[index])).item()
        mask = 2**self._member.quant.bits - 1
        number = self._member.quant.decode(np.uint64(self._place[index] >> shift & mask))
        return number.item()

    def __setitem__(self, key, value):
        import numpy as np

        index, shift = self._at(key)
        if self._member.exponent:
            self._place[index] = self._member.exponent.write(self._member, np.uint64(self._place[index]), value).item()
            return
        mask = 2**self._member.quant.bits - 1
        bits = self._member.quant.encode(np.asarray(value)).item()
        self._place[index] = self._place[index] & ~(mask << shift) | bits << shift


class _SharedExponent:
    """The exponent shared by several floating-point members of one word (the format is specified at Packing in ir/function.h)."""

    def __init__(self, shift, quant):
        self.shift = shift
        self.bits = quant.exponent_bits
        self.compute = quant.compute
        self.bias = 2 ** (self.bits - 1) - 1
        self.members = []

    def read(self, member, words):
        import numpy as np

        digits = member.bits - member.quant.signed
        exponent = (words >> np.uint64(self.shift) & np.uint64(2**self.bits - 1)).astype(np.int64)
        size = (words >> np.uint64(member.shift) & np.uint64(2**digits - 1)).astype(np.float64)
        value = np.where(exponent == 0, 0.0, np.ldexp(size, exponent - self.bias - (digits - 1)))
        negative = words >> np.uint64(member.shift + digits) & np.uint64(member.quant.signed)
        return np.where(negative, -value, value)

    def write(self, member, words, value):
        """Returns the words after replacing the numbers of a member by `value`."""
        import numpy as np

        values = [value if m is member else self.read(m, words) for m in self.members]
        values = [np.asarray(v, np.float64) if m.quant.signed else np.maximum(v, 0) for m, v in zip(self.members, values)]
        exponents = [self._needed(m, v, m is member) for m, v in zip(self.members, values)]
        most = min(2**self.bits - 1, self.bias + (1023 if self.compute == _dtypes.f64 else 127))
        exponent = np.minimum(np.maximum.reduce(np.broadcast_arrays(*exponents)), most)
        made = self._placed(words, self.shift, self.bits, exponent.astype(np.uint64))
        for m, v in zip(self.members, values):
            digits = m.bits - m.quant.signed
            size = np.floor(np.ldexp(self._magnitude(v), digits - 1 - (exponent - self.bias)) + 0.5)
            size = np.where(exponent == 0, 0, np.clip(size, 0, 2**digits - 1)).astype(np.uint64)
            sign = (np.signbit(v) & ~np.isnan(v) & m.quant.signed).astype(np.uint64) << np.uint64(digits)
            made = self._placed(made, m.shift, m.bits, size | sign)
        return made

    def _needed(self, member, value, is_new):
        import numpy as np

        digits = member.bits - member.quant.signed
        size, power = np.frexp(self._magnitude(value))
        carried = np.floor(np.ldexp(size, digits) + 0.5) >= 2**digits
        # larger than any number, so the largest exponent is used
        power = np.where(np.isfinite(value), power, 2**self.bits).astype(np.int64)
        exponent = np.maximum(power - 1 + carried + self.bias, 0 if is_new else 1)
        return np.where(value == 0, 0, exponent)

    @staticmethod
    def _magnitude(value):
        import numpy as np

        return np.where(np.isnan(value), np.inf, np.abs(value))

    @staticmethod
    def _placed(words, shift, bits, value):
        import numpy as np

        mask = np.uint64(2**bits - 1)
        return words & ~(mask << np.uint64(shift)) | (value & mask) << np.uint64(shift)


class BitpackedFields:
    """Fields of quant types that share the bits of one word; placed in an SNode like a field.

    Args:
        max_num_bits: size of the word in bits: 8, 16, 32 or 64.

    Example:
        >>> x, y = qd.field(qd.types.quant.int(5)), qd.field(qd.types.quant.int(11))
        >>> pack = qd.BitpackedFields(max_num_bits=16)
        >>> pack.place(x, y)
        >>> _ = qd.root.dense(qd.i, 4).place(pack)
        >>> x[0] = 7
        >>> x[0]
        7
    """

    def __init__(self, max_num_bits):
        if max_num_bits not in _WORDS:
            raise _exceptions.QuadrantsCompilationError(f"max_num_bits must be 8, 16, 32 or 64, not {max_num_bits}")
        self._bits = max_num_bits
        self._used = 0
        self._word = _snode.Member("bits", _WORDS[max_num_bits]._qd_scalar_)
        self._name = "BitpackedFields"

    def place(self, *args, shared_exponent=False):
        """Assigns the next bits of the word to these fields.

        Args:
            *args: fields of quant types.
            shared_exponent: whether all fields share one exponent.
        """
        members = [member for field in args for member in field._members()]
        if any(not isinstance(member, Member) for member in members):
            raise _exceptions.QuadrantsRuntimeError("Only a QuantType can be a member of a BitStructType.")
        exponent = self._shared_exponent(members) if shared_exponent else None
        for member in members:
            member.exponent = exponent
            member.put(self._word, self._take(member.bits))
        if exponent:
            exponent.members.extend(members)

    def _shared_exponent(self, members):
        if len(members) < 2:
            raise _exceptions.QuadrantsSyntaxError("At least 2 fields need to be placed when shared_exponent=True")
        kinds = {(m.quant.kind, m.quant.exponent_bits, m.quant.compute) for m in members}
        if len(kinds) > 1 or members[0].quant.kind != _FLOATING:
            raise _exceptions.QuadrantsRuntimeError(
                "Fields with shared_exponent=True are of quant.float types with the same exponent and compute type"
            )
        return _SharedExponent(self._take(members[0].quant.exponent_bits), members[0].quant)

    def _take(self, bits):
        """Reserves the next `bits` bits and returns the first of them."""
        first, self._used = self._used, self._used + bits
        if self._used > self._bits:
            raise _exceptions.QuadrantsRuntimeError(f"BitStructType overflows: {self._used} bits used out of {self._bits}.")
        return first

    def _members(self):
        return [self._word]

    def _check_complete(self):
        pass


class QuantArray:
    """An SNode whose cells are numbers of one quant type packed in one word."""

    def __init__(self, parent, axes, dimensions, max_num_bits):
        if max_num_bits not in _WORDS:
            raise _exceptions.QuadrantsCompilationError(f"max_num_bits must be 8, 16, 32 or 64, not {max_num_bits}")
        self._parent = self.node = parent
        self._builder = parent._builder
        self._bits = max_num_bits
        self._name = "quant_array"
        own = {a.value: n for a, n in zip(axes, dimensions)}
        above = dict(parent._axes_up())
        numbers = sorted({*own, *above})
        self.cells = [own.get(a, 1) for a in numbers]
        self.outer = [a in above for a in numbers]
        self.shape = tuple(own.get(a, 1) * above.get(a, 1) for a in numbers)

    def place(self, field, offset=None):
        """Places the field whose numbers are the cells."""
        if offset is not None:
            raise _exceptions.not_available("quant_array(...).place(offset=...)", "shift the indices in the kernel")
        (member,) = field._members()
        if not isinstance(member, Member) or member.quant.kind == _FLOATING:
            raise _exceptions.QuadrantsRuntimeError("Only a quant integer or fixed-point field can be placed in a quant_array")
        total = member.quant.bits
        for n in self.cells:
            total *= n
        if total > self._bits:
            raise _exceptions.QuadrantsRuntimeError(f"QuantArrayType overflows: {total} bits used out of {self._bits}.")
        member.put(_snode.Member("bits", _WORDS[self._bits]._qd_scalar_), 0)
        member.array = self
        self._parent._place_member(self, member.word, None)
        return self

    def _check_complete(self):
        pass

    def parent(self, n=1):
        return self if n == 0 else self._parent.parent(n - 1)

    def locate(self, key, bits):
        """Returns (index of the word, lowest bit of the element) for an index of the field."""
        if len(key) != len(self.cells):
            raise _exceptions.QuadrantsIndexError(f"Field with dim {len(self.cells)} accessed with indices of dim {len(key)}")
        position, index = 0, []
        for k, cells, outer, extent in zip(key, self.cells, self.outer, self.shape):
            if not 0 <= k < extent:
                raise _exceptions.QuadrantsAssertionError(f"Accessing a field of size {self.shape} with indices {key}")
            position = position * cells + k % cells
            if outer:
                index.append(k // cells)
        return tuple(index) or None, position * bits
