"""Docstrings of the functions that are generated from tables: `ops`, `qd.math`. tests/docs/test_reference.py runs the examples."""


def _text(summary, example, returns=None, raises=None, **parameters):
    parts = [summary]
    if parameters:
        parts.append("Args:\n" + "\n".join(f"    {name.replace('star_', '*')}: {said}" for name, said in parameters.items()))
    if returns:
        parts.append(f"Returns:\n    {returns}")
    if raises:
        parts.append(f"Raises:\n    {raises}")
    parts.append("Example:\n" + "\n".join("    " + line for line in example.strip().split("\n")))
    return "\n\n".join(parts)


_REAL = "a number, vector or matrix; integers are converted to `default_fp`."
_ANY = "a number, vector or matrix."
_SHAPE = "The result, elementwise, with the type and shape of the argument."
_BOTH = "The result, elementwise; numbers are broadcast to the shape of vectors and matrices, and types are promoted."


def _real(summary, call, x=_REAL):
    return _text(summary, call, _SHAPE, x=x)


def _in_kernel(result, *lines, before=(), call="f()", shown=None):
    """Returns an example: the statements of `before`, a kernel with these lines, and the result of calling it."""
    rows = [f">>> {row}" if not row.startswith((" ", "...")) else f"... {row[3:]}" for row in before]
    rows += [">>> @qd.kernel", f"... def f(){' -> ' + result if result else ''}:", *(f"...     {line}" for line in lines), f">>> {call}"]
    return "\n".join(rows) + (f"\n{shown}" if shown is not None else "")


def _atomic(verb, sign, lines, shown, reals=True):
    return _text(
        f"Performs {verb} atomically. `x {sign} y` in a parallel loop does the same." if sign
        else f"Performs {verb} atomically.",
        _in_kernel("qd.i32", *lines, before=["x = qd.field(qd.i32, shape=())", "x[None] = 6"], call="(f(), x[None])", shown=shown),
        "The previous value of `x`.",
        "QuadrantsSyntaxError: called outside kernels and funcs." + ("" if reals else " QuadrantsTypeError: `x` or `y` is not an integer."),
        x="an element of a field or array, or a variable of the kernel; vectors and matrices are updated element by element.",
        y="the other operand, converted to the type of `x`" + ("." if reals else "; an integer."),
    )


_NODE = "an SNode of a sparse tree, such as `x.parent()`."
_INDICES = "the indices of the cell, one integer per axis, as a list, tuple or vector."
_SPARSE = ["level = qd.root.pointer(qd.i, 4)", "x = qd.field(qd.f32)", "_ = level.place(x)"]
_ONLY = "QuadrantsSyntaxError: called outside kernels and funcs."
_FIELD = "x = qd.field(qd.f32, shape=8)"
_HINT = "A hint for GPUs; it has no effect on the CPU."
_BIT = "an integer, or a vector or matrix of integers."

TEXTS = {
    "sin": _real("Returns the sine of an angle in radians.", ">>> qd.sin(0.5)\n0.479425538604203"),
    "cos": _real("Returns the cosine of an angle in radians.", ">>> qd.cos(0.0)\n1.0"),
    "tan": _real("Returns the tangent of an angle in radians.", ">>> qd.tan(0.0)\n0.0"),
    "asin": _real("Returns the inverse sine in radians, from -pi/2 to pi/2; nan outside [-1, 1].", ">>> qd.asin(1.0)\n1.5707963267948966"),
    "acos": _real("Returns the inverse cosine in radians, from 0 to pi; nan outside [-1, 1].", ">>> qd.acos(1.0)\n0.0"),
    "tanh": _real("Returns the hyperbolic tangent.", ">>> qd.tanh(0.0)\n0.0"),
    "exp": _real("Returns the exponential e ** x.", ">>> qd.exp(0.0)\n1.0"),
    "log": _real("Returns the natural logarithm; in kernels, -inf for 0 and nan for negative numbers.", ">>> qd.log(1.0)\n0.0"),
    "sqrt": _real("Returns the square root; in kernels, nan for negative numbers.", ">>> qd.sqrt(qd.Vector([4.0, 9.0]))\n[2. 3.]"),
    "rsqrt": _real("Returns 1 / sqrt(x).", ">>> qd.rsqrt(4.0)\n0.5"),
    "abs": _real("Returns the absolute value.", ">>> qd.abs(qd.Vector([-1, 2]))\n[1 2]", _ANY),
    "atan2": _text("Returns the angle of the point (x2, x1) in radians, from -pi to pi.", ">>> qd.atan2(1.0, 1.0)\n0.7853981633974483",
                         _BOTH,
                   x1="the y coordinate.", x2="the x coordinate."),
    "pow": _text("Returns `base ** exponent`.", ">>> qd.pow(2, 10)\n1024", _BOTH,
                 "QuadrantsTypeError: both arguments are integers and the exponent is negative; checked for constants, and in debug mode.",
                 base=_ANY, exponent=_ANY),
    "raw_div": _text("Divides as in C: the quotient of integers is truncated towards zero.",
                     ">>> qd.raw_div(-7, 2), qd.raw_div(7.0, 2.0)\n(-3, 3.5)", _BOTH, x1="the dividend.", x2="the divisor."),
    "raw_mod": _text("Returns the remainder as in C, with the sign of the dividend.",
                     ">>> qd.raw_mod(-7, 2)\n-1", _BOTH, x1="the dividend.", x2="the divisor."),
    "bit_shr": _text("Shifts to the right and fills with zeros, also for signed integers.", ">>> qd.bit_shr(-1, 28)\n15",
                     "The shifted value, of the type of x1; elementwise.", x1=_BIT, x2="the number of bits."),
    "select": _text("Returns `x1` where `cond` is true, else `x2`. Both are evaluated.",
                    ">>> qd.select(qd.Vector([1, 0]), qd.Vector([1, 2]), qd.Vector([3, 4]))\n[1 4]",
                    "The selected values, elementwise, of the common type of `x1` and `x2`.",
                    cond="an integer or boolean, or a vector or matrix of these.", x1=_ANY, x2=_ANY),
    "frexp": _text("Decomposes x into a fraction in [0.5, 1) and an exponent: x = fraction * 2 ** exponent.",
                         ">>> qd.frexp(6.0)\n(0.75, 3)",
                   "The pair (fraction, exponent), a float and an i32.", x="a float."),
    "floor": _text("Returns the largest integer not greater than x.", ">>> qd.floor(2.7), qd.floor(2.7, int)\n(2.0, 2)",
                   "The result with the type of x, or `dtype`; elementwise.", x=_REAL,
                   dtype="the number type of the result; None: the type of x."),
    "ceil": _text("Returns the smallest integer not less than x.", ">>> qd.ceil(2.2), qd.ceil(2.2, int)\n(3.0, 3)",
                  "The result with the type of x, or `dtype`; elementwise.", x=_REAL,
                  dtype="the number type of the result; None: the type of x."),
    "round": _text("Rounds to the nearest integer; halves are rounded away from zero.", ">>> qd.round(2.5), qd.round(-2.5, int)\n(3.0, -3)",
                   "The result with the type of x, or `dtype`; elementwise.", x=_REAL,
                   dtype="the number type of the result; None: the type of x."),
    "max": _text("Returns the maximum of the arguments, elementwise.", ">>> qd.max(1, qd.Vector([0, 2]), 1)\n[1 2]", _BOTH,
                 star_args="one or more numbers, vectors or matrices."),
    "min": _text("Returns the minimum of the arguments, elementwise.", ">>> qd.min(1, 2.5)\n1", _BOTH,
                 star_args="one or more numbers, vectors or matrices."),
    "atomic_add": _atomic("x = x + y", "+=", ["return qd.atomic_add(x[None], 2)"], "(6, 8)"),
    "atomic_sub": _atomic("x = x - y", "-=", ["return qd.atomic_sub(x[None], 2)"], "(6, 4)"),
    "atomic_mul": _atomic("x = x * y", "", ["return qd.atomic_mul(x[None], 2)"], "(6, 12)"),
    "atomic_min": _atomic("x = min(x, y)", "", ["return qd.atomic_min(x[None], 2)"], "(6, 2)"),
    "atomic_max": _atomic("x = max(x, y)", "", ["return qd.atomic_max(x[None], 9)"], "(6, 9)"),
    "atomic_and": _atomic("x = x & y", "&=", ["return qd.atomic_and(x[None], 3)"], "(6, 2)", False),
    "atomic_or": _atomic("x = x | y", "|=", ["return qd.atomic_or(x[None], 1)"], "(6, 7)", False),
    "atomic_xor": _atomic("x = x ^ y", "^=", ["return qd.atomic_xor(x[None], 2)"], "(6, 4)", False),
    "atomic_exchange": _atomic("x = y", "", ["return qd.atomic_exchange(x[None], 2)"], "(6, 2)"),
    "atomic_cas": _text("Atomic compare-and-swap: sets x to `desired` if it equals `expected`.",
                        _in_kernel("qd.i32", "return qd.atomic_cas(x[None], 6, 1)", before=["x = qd.field(qd.i32, shape=())",
                        "x[None] = 6"],
                                   call="(f(), x[None])", shown="(6, 1)"),
                        "The previous value of `x`; it equals `expected` if `x` was changed.",
                        _ONLY + " QuadrantsTypeError: `x` is not an integer.",
                        x="an integer element.", expected="the value to compare with.", desired="the new value."),
    "volatile_load": _text("Reads an element from memory on every call, without optimisation; for flags that other threads set.",
                           _in_kernel("qd.i32", "return qd.volatile_load(x[None])", before=["x = qd.field(qd.i32, shape=())"], shown="0"),
                           "The value of the element.", _ONLY + " QuadrantsTypeError: `target` is not an element of a field or array.",
                           target="an element of a field or array."),
    "assume_in_range": _text("Tells the compiler to assume `base + low <= val < base + high`. The behaviour is undefined if this is false.",
                             _in_kernel("qd.i32", "i = 3", "return qd.assume_in_range(i, 2, 0, 4)", shown="3"), "`val`.", _ONLY,
                             val="an integer.", base="an integer.", low="a constant.", high="a constant greater than `low`."),
    "loop_unique": _text("Tells the compiler to assume that `val` is different in each iteration of the parallel loop.",
                         "See `qd.assume_in_range`.",
                         "`val`.", _ONLY, val="an integer.",
                         covers="fields of which each element is therefore accessed in one iteration only, or None."),
    "block_local": _text("Requests that each block of the next loop cache the part of these fields that it accesses. " + _HINT,
                         _in_kernel("", "qd.block_local(x)", "for i in x:", "    x[i] += 1.0", before=[_FIELD]), None, _ONLY,
                         star_args="fields."),
    "cache_read_only": _text("Promises that the next loop only reads these fields. " + _HINT,
                             _in_kernel("", "qd.cache_read_only(x)", "for i in range(8):", "    y[i] = x[i]", before=[_FIELD,
                             "y = qd.field(qd.f32, shape=8)"]),
                             None, _ONLY, star_args="fields."),
    "mesh_local": _text("Requests that the next loop cache these mesh attributes patch by patch. " + _HINT,
                        _in_kernel("", "qd.mesh_local(x)", "for i in x:", "    x[i] += 1.0", before=[_FIELD]), None, _ONLY,
                        star_args="fields that are attributes of a mesh."),
    "loop_config": _text(
        "Configures the next loop at the top level of the kernel, or of a func inlined there.",
        _in_kernel("qd.i32", "last = 0", "qd.loop_config(serialize=True)", "for i in range(4):", "    last = i", "return last", shown="3"),
        None, "QuadrantsSyntaxError: called outside kernels and funcs, not before a loop, or with an unknown argument.",
        block_dim="iterations per chunk on the CPU, threads per block on a GPU; None: chosen automatically.",
        serialize="if True, run the iterations in order on one thread.",
        parallelize="maximum number of threads; None: all threads of the program.",
        block_dim_adaptive="if False, `block_dim` also applies to short loops.",
        bit_vectorize="in loops over quant arrays, whether to process several elements of a word at once.",
        name="the name of the task in reports and profiles.",
        deterministic="if True, results are bitwise identical in every run and with any number of threads; if False, follow `qd.init`."),
    "static_print": _text("Prints constants, types and shapes at compile time.",
                          ">>> @qd.kernel\n... def f():\n...     qd.static_print(\"n is\", n)\n>>> n = 3\n>>> f()\nn is 3",
                          None, _ONLY, star_args="arguments as for print().", **{"**kwargs": "`sep` and `end`, as for print()."}),
    "activate": _text("Activates a cell of a sparse SNode: it gets memory filled with zeros, and loops visit it.",
                      _in_kernel("", "qd.activate(level, [2])", before=_SPARSE, call="f(); x.to_numpy()",
                      shown="array([0., 0., 0., 0.], dtype=float32)"),
                      None, _ONLY, node=_NODE, indices=_INDICES),
    "deactivate": _text("Deactivates a cell of a sparse SNode and the cells below it; they then read as zeros.",
                        _in_kernel("", "x[2] = 1.0", "qd.deactivate(level, [2])", before=_SPARSE, call="f(); x[2]", shown="0.0"),
                        None, _ONLY, node=_NODE, indices=_INDICES),
    "is_active": _text("Returns whether a cell of a sparse SNode is active.",
                       _in_kernel("qd.i32", "x[2] = 1.0", "return qd.is_active(level, [2])", before=_SPARSE, shown="1"),
                       "True or False.", _ONLY, node=_NODE, indices=_INDICES),
    "append": _text("Appends a value to a dynamic SNode.",
                    _in_kernel("qd.i32", "qd.append(x.parent(), [], 7)", "return qd.length(x.parent(), [])",
                               before=["x = qd.field(qd.i32)", "_ = qd.root.dynamic(qd.i, 8).place(x)"], shown="1"),
                    "The index of the new value, an i32.", _ONLY, node="a dynamic SNode.", indices="the indices of the SNodes above it.",
                    val="a value of the type of the field; for an SNode with several fields, one value for each."),
    "length": _text("Returns the number of values in a dynamic SNode.",
                    _in_kernel("qd.i32", "x.append(3)", "x.append(4)", "return qd.length(x.parent(), [])",
                               before=["x = qd.field(qd.i32)", "_ = qd.root.dynamic(qd.i, 8).place(x)"], shown="2"),
                    "An i32.", _ONLY, node="a dynamic SNode.", indices="the indices of the SNodes above it."),
    "get_addr": _text("Returns the address of an element of a field.",
                      _in_kernel("qd.u64", "return qd.get_addr(x, [1]) - qd.get_addr(x, [0])", before=[_FIELD], shown="4"),
                      "A u64.", _ONLY, f="a field of scalars.", indices="the indices of the element, one integer per axis."),
    "rescale_index": _text("Converts indices of `a` to the corresponding indices of `b`, where one is a coarser grid of the other.",
                           _in_kernel("qd.i32", "return qd.rescale_index(x, y, [6])[0]", before=[_FIELD, "y = qd.field(qd.f32, shape=2)"],
                           shown="1"),
                           "A vector of integers.", _ONLY, a="a field or SNode.", b="a field or SNode.", I="the indices in `a`."),
    "no_activate": _text("In the following loops, writes to these SNodes do not activate cells; values written to inactive cells are lost.",
                         _in_kernel("", "qd.no_activate(level)", "x[2] = 1.0", before=_SPARSE), None, _ONLY,
                         star_args="SNodes of sparse trees."),
    "stop_grad": _text("Stops the propagation of derivatives through this field in the enclosing block.",
                       _in_kernel("", "qd.stop_grad(x)", "for i in x:", "    x[i] = 2.0 * i",
                       before=["x = qd.field(qd.f32, shape=8, needs_grad=True)"]),
                       None, _ONLY, x="a field."),
    "mesh_patch_idx": _text("In a loop over mesh elements, returns the number of the patch of the current iteration.",
                            ">>> qd.mesh_patch_idx()\nTraceback (most recent call last):\nquadrants.QuadrantsSyntaxError: qd.mesh_patch_idx can only be used in kernels and funcs.",
                            "An i32.", _ONLY + " QuadrantsSyntaxError: called outside a loop over mesh elements."),
    "clock_counter": _text("Returns a monotonic counter of the processor, with `qd.clock_freq_hz()` ticks per second.",
                           _in_kernel("qd.i32", "before = qd.clock_counter()", "return qd.clock_counter() >= before", shown="1"),
                           "An i64.", _ONLY),
    "global_thread_idx": _text("Returns the number of the thread that executes the current iteration.",
                               _in_kernel("qd.i32", "return qd.global_thread_idx() >= 0", shown="1"), "An i32, starting at 0.", _ONLY),
    "svd": _text("Computes the singular value decomposition A = U S V^T with orthogonal U and V.",
                 ">>> @qd.kernel\n... def f() -> qd.types.vector(2, qd.f32):\n...     U, S, V = qd.svd(qd.Matrix([[0.0, 2.0], [1.0, 0.0]]))\n"
                 "...     return qd.Vector([S[0, 0], S[1, 1]])\n>>> f()\n[2. 1.]",
                 "The matrices (U, S, V); S is diagonal, with the singular values in descending order.",
                 _ONLY + " QuadrantsTypeError: A is not 2x2 or 3x3.",
                 A="a 2x2 or 3x3 matrix.", dt="f32 or f64; None: `default_fp`."),
    "sym_eig": _text("Computes the eigenvalues and eigenvectors of a symmetric matrix.",
                     ">>> @qd.kernel\n... def f() -> qd.types.vector(2, qd.f32):\n...     values, vectors = qd.sym_eig(qd.Matrix([[2.0, 0.0], [0.0, 1.0]]))\n"
                     "...     return values\n>>> f()\n[1. 2.]",
                     "The pair (vector of the eigenvalues in ascending order, matrix with the eigenvectors as columns).",
                     _ONLY + " QuadrantsTypeError: the size is not supported.", A="a symmetric matrix with 2 to 6 rows.",
                     dt="f32 or f64; None: `default_fp`."),
    "eig": _text("Computes the complex eigenvalues and eigenvectors of a 2x2 matrix.",
                 ">>> @qd.kernel\n... def f() -> qd.f32:\n...     values, vectors = qd.eig(qd.Matrix([[0.0, -1.0], [1.0, 0.0]]))\n"
                 "...     return qd.abs(values[0, 1])\n>>> f()\n1.0",
                 "The pair (2x2 matrix with one eigenvalue (real, imaginary) per row, 4x2 matrix with the eigenvectors as columns of pairs).",
                 _ONLY, A="a 2x2 matrix.", dt="f32 or f64; None: `default_fp`."),
    "polar_decompose": _text("Computes the polar decomposition A = U P with an orthogonal U and a symmetric P.",
                             ">>> @qd.kernel\n... def f() -> qd.f32:\n...     U, P = qd.polar_decompose(qd.Matrix([[0.0, -2.0], [2.0, 0.0]]))\n"
                             "...     return P[0, 0]\n>>> f()\n2.0",
                             "The matrices (U, P).", _ONLY + " QuadrantsTypeError: A is not 2x2 or 3x3.",
                             A="a 2x2 or 3x3 matrix.", dt="f32 or f64; None: `default_fp`."),
    "make_spd": _text("Returns the nearest positive semidefinite matrix, by setting negative eigenvalues to 0.",
                      ">>> @qd.kernel\n... def f() -> qd.f32:\n...     return qd.make_spd(qd.Matrix([[-1.0, 0.0], [0.0, 3.0]])).trace()\n>>> f()\n3.0",
                      "A matrix with the shape of A.", _ONLY, A="a symmetric matrix with 2 to 6 rows.",
                      dt="f32 or f64; None: `default_fp`."),
    "math.sign": _real("Returns the sign of x: -1, 0 or 1.", ">>> qd.math.sign(-2.5)\n-1", _ANY),
    "math.fract": _real("Returns the fractional part x - floor(x), in [0, 1).", ">>> qd.math.fract(2.75)\n0.75"),
    "math.clamp": _text("Limits x to the range from `xmin` to `xmax`.", ">>> qd.math.clamp(7, 0, 5)\n5", _BOTH, x=_ANY,
                         xmin="the lower bound.", xmax="the upper bound, which takes precedence if it is less than `xmin`."),
    "math.mix": _text("Interpolates linearly: returns x * (1 - a) + y * a.", ">>> qd.math.mix(2.0, 4.0, 0.25)\n2.5", _BOTH,
                         x="the value at a = 0.", y="the value at a = 1.", a="the weight of y."),
    "math.step": _text("Returns 0 where x < edge, else 1.", ">>> qd.math.step(1.0, 0.5)\n0.0", _BOTH, edge="the position of the step.",
                         x=_ANY),
    "math.smoothstep": _text("Interpolates smoothly: returns 0 up to `edge0`, 1 from `edge1` on, and 3t^2 - 2t^3 between them.",
                            ">>> qd.math.smoothstep(0.0, 1.0, 0.5)\n0.5", _BOTH,
                             edge0="the lower edge.", edge1="the upper edge.", x=_ANY),
    "math.mod": _text("Returns x % y for floating-point numbers; the result has the sign of y.", ">>> qd.math.mod(-1.0, 3.0)\n2.0", _BOTH,
                         x="the dividend.", y="the divisor."),
    "math.radians": _real("Converts degrees to radians.", ">>> qd.math.radians(180.0)\n3.141592653589793"),
    "math.degrees": _real("Converts radians to degrees.", ">>> qd.math.degrees(qd.math.pi)\n180.0"),
    "math.log2": _real("Returns the logarithm to the base 2.", ">>> qd.math.log2(8.0)\n3.0"),
    "math.isnan": _text("Returns whether x is nan.", ">>> qd.math.isnan(qd.math.nan)\nTrue", "True or False; elementwise.", x=_REAL),
    "math.isinf": _text("Returns whether x is infinite.", ">>> qd.math.isinf(1.0)\nFalse", "True or False; elementwise.", x=_REAL),
    "math.clz": _text("Returns the number of leading zero bits of an integer.", _in_kernel("qd.i32", "return qd.math.clz(1)", shown="31"),
                         "An i32.", _ONLY, x="an integer with 32 or 64 bits."),
    "math.ffs": _text("Returns the position of the lowest set bit, counted from 1; 0 if no bit is set.", _in_kernel("qd.i32",
                         "return qd.math.ffs(12)", shown="3"), "An i32.", _ONLY,
                      x="an integer with 32 or 64 bits."),
    "math.popcnt": _text("Returns the number of set bits of an integer.", _in_kernel("qd.i32", "return qd.math.popcnt(7)", shown="3"),
                         "An i32.", _ONLY,
                         x="an integer with 32 or 64 bits."),
}  # fmt: skip
