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


_REAL = "number, vector or matrix; integers are converted to `default_fp`."
_ANY = "number, vector or matrix."
_SHAPE = "The type and shape of the argument; elementwise."
_BOTH = "Elementwise; a number beside a vector or matrix stands for one of its shape, types are promoted."


def _real(summary, call, x=_REAL):
    return _text(summary, call, _SHAPE, x=x)


def _in_kernel(result, *lines, before=(), call="f()", shown=None):
    """Returns an example: the statements of `before`, a kernel with these lines, and the result of calling it."""
    rows = [f">>> {row}" if not row.startswith((" ", "...")) else f"... {row[3:]}" for row in before]
    rows += [">>> @qd.kernel", f"... def f(){' -> ' + result if result else ''}:", *(f"...     {line}" for line in lines), f">>> {call}"]
    return "\n".join(rows) + (f"\n{shown}" if shown is not None else "")


def _atomic(verb, sign, lines, shown, reals=True):
    return _text(
        f"{verb} in one step that no other thread comes between. `x {sign} y` in a parallel loop does the same." if sign
        else f"{verb} in one step that no other thread comes between.",
        _in_kernel("qd.i32", *lines, before=["x = qd.field(qd.i32, shape=())", "x[None] = 6"], call="(f(), x[None])", shown=shown),
        "What `x` held before.",
        "QuadrantsSyntaxError: outside of kernels and funcs." + ("" if reals else " QuadrantsTypeError: `x` or `y` is not an integer."),
        x="an element of a field or array, or a variable of the kernel; vectors and matrices element by element.",
        y="the other operand, converted to the type of `x`" + ("." if reals else "; integers."),
    )


_NODE = "a level of a sparse tree, such as `x.parent()`."
_INDICES = "as many integers as the level has axes, as a list, tuple or vector."
_SPARSE = ["level = qd.root.pointer(qd.i, 4)", "x = qd.field(qd.f32)", "_ = level.place(x)"]
_ONLY = "QuadrantsSyntaxError: outside of kernels and funcs."
_FIELD = "x = qd.field(qd.f32, shape=8)"
_HINT = "A hint of the language that GPUs can use; on the CPU it changes nothing."
_BIT = "an integer, or a vector or matrix of integers, elementwise."

TEXTS = {
    "sin": _real("Sine of an angle in radians.", ">>> qd.sin(0.5)\n0.479425538604203"),
    "cos": _real("Cosine of an angle in radians.", ">>> qd.cos(0.0)\n1.0"),
    "tan": _real("Tangent of an angle in radians.", ">>> qd.tan(0.0)\n0.0"),
    "asin": _real("Arc sine in radians, from -pi/2 to pi/2; nan outside of [-1, 1].", ">>> qd.asin(1.0)\n1.5707963267948966"),
    "acos": _real("Arc cosine in radians, from 0 to pi; nan outside of [-1, 1].", ">>> qd.acos(1.0)\n0.0"),
    "tanh": _real("Hyperbolic tangent.", ">>> qd.tanh(0.0)\n0.0"),
    "exp": _real("e to the power of x.", ">>> qd.exp(0.0)\n1.0"),
    "log": _real("Natural logarithm; -inf of 0, nan of negative numbers in kernels.", ">>> qd.log(1.0)\n0.0"),
    "sqrt": _real("Square root; nan of negative numbers in kernels.", ">>> qd.sqrt(qd.Vector([4.0, 9.0]))\n[2. 3.]"),
    "rsqrt": _real("1 / sqrt(x).", ">>> qd.rsqrt(4.0)\n0.5"),
    "abs": _real("Absolute value.", ">>> qd.abs(qd.Vector([-1, 2]))\n[1 2]", _ANY),
    "atan2": _text("Angle in radians of the point (x2, x1), from -pi to pi.", ">>> qd.atan2(1.0, 1.0)\n0.7853981633974483", _BOTH,
                   x1="the ordinate.", x2="the abscissa."),
    "pow": _text("`base ** exponent`.", ">>> qd.pow(2, 10)\n1024", _BOTH,
                 "QuadrantsTypeError: both are integers and the exponent is negative, in debug mode or as a constant.",
                 base=_ANY, exponent=_ANY),
    "raw_div": _text("Division as the C language has it: of integers it drops the fraction, towards zero.",
                     ">>> qd.raw_div(-7, 2), qd.raw_div(7.0, 2.0)\n(-3, 3.5)", _BOTH, x1="the dividend.", x2="the divisor."),
    "raw_mod": _text("Remainder as the C language has it: with the sign of the dividend.",
                     ">>> qd.raw_mod(-7, 2)\n-1", _BOTH, x1="the dividend.", x2="the divisor."),
    "bit_shr": _text("Shift to the right that fills with zeros, of signed integers too.", ">>> qd.bit_shr(-1, 28)\n15",
                     "The type of x1.", x1=_BIT, x2="how many bits."),
    "select": _text("`x1` where `cond` holds, else `x2`; both are evaluated.",
                    ">>> qd.select(qd.Vector([1, 0]), qd.Vector([1, 2]), qd.Vector([3, 4]))\n[1 4]",
                    "Elementwise; the type that both are promoted to.",
                    cond="an integer or truth value, or a vector or matrix of such.", x1="number, vector or matrix.", x2="likewise."),
    "frexp": _text("Fraction and exponent: x = fraction * 2 ** exponent, with a fraction in [0.5, 1).", ">>> qd.frexp(6.0)\n(0.75, 3)",
                   "(fraction, exponent), a float and an i32.", x="a float."),
    "floor": _text("The greatest whole number that is not above x.", ">>> qd.floor(2.7), qd.floor(2.7, int)\n(2.0, 2)",
                   "The type of x, or `dtype`; elementwise.", x=_REAL, dtype="a number type to convert the result to, or None."),
    "ceil": _text("The least whole number that is not below x.", ">>> qd.ceil(2.2), qd.ceil(2.2, int)\n(3.0, 3)",
                  "The type of x, or `dtype`; elementwise.", x=_REAL, dtype="a number type to convert the result to, or None."),
    "round": _text("The nearest whole number; halves go away from zero.", ">>> qd.round(2.5), qd.round(-2.5, int)\n(3.0, -3)",
                   "The type of x, or `dtype`; elementwise.", x=_REAL, dtype="a number type to convert the result to, or None."),
    "max": _text("The greatest of its arguments, elementwise.", ">>> qd.max(1, qd.Vector([0, 2]), 1)\n[1 2]", _BOTH,
                 star_args="at least one number, vector or matrix."),
    "min": _text("The least of its arguments, elementwise.", ">>> qd.min(1, 2.5)\n1", _BOTH,
                 star_args="at least one number, vector or matrix."),
    "atomic_add": _atomic("x = x + y", "+=", ["return qd.atomic_add(x[None], 2)"], "(6, 8)"),
    "atomic_sub": _atomic("x = x - y", "-=", ["return qd.atomic_sub(x[None], 2)"], "(6, 4)"),
    "atomic_mul": _atomic("x = x * y", "", ["return qd.atomic_mul(x[None], 2)"], "(6, 12)"),
    "atomic_min": _atomic("x = the lesser of x and y", "", ["return qd.atomic_min(x[None], 2)"], "(6, 2)"),
    "atomic_max": _atomic("x = the greater of x and y", "", ["return qd.atomic_max(x[None], 9)"], "(6, 9)"),
    "atomic_and": _atomic("x = x & y", "&=", ["return qd.atomic_and(x[None], 3)"], "(6, 2)", False),
    "atomic_or": _atomic("x = x | y", "|=", ["return qd.atomic_or(x[None], 1)"], "(6, 7)", False),
    "atomic_xor": _atomic("x = x ^ y", "^=", ["return qd.atomic_xor(x[None], 2)"], "(6, 4)", False),
    "atomic_exchange": _atomic("x = y", "", ["return qd.atomic_exchange(x[None], 2)"], "(6, 2)"),
    "atomic_cas": _text("Compare and swap: x becomes `desired` if it is `expected`, in one step.",
                        _in_kernel("qd.i32", "return qd.atomic_cas(x[None], 6, 1)", before=["x = qd.field(qd.i32, shape=())", "x[None] = 6"],
                                   call="(f(), x[None])", shown="(6, 1)"),
                        "What `x` held before: `expected` if it was changed.", _ONLY + " QuadrantsTypeError: `x` is no integer.",
                        x="an element of integers.", expected="what it must hold.", desired="what it becomes."),
    "volatile_load": _text("Reads an element from memory, and not what the compiler knows of it: for flags that other threads set.",
                           _in_kernel("qd.i32", "return qd.volatile_load(x[None])", before=["x = qd.field(qd.i32, shape=())"], shown="0"),
                           "The value of the element.", _ONLY + " QuadrantsTypeError: `target` is no element of a field or array.",
                           target="an element of a field or array."),
    "assume_in_range": _text("Tells the compiler that `base + low <= val < base + high`. Where that is false, anything may come.",
                             _in_kernel("qd.i32", "i = 3", "return qd.assume_in_range(i, 2, 0, 4)", shown="3"), "`val`.", _ONLY,
                             val="an integer.", base="an integer.", low="a constant.", high="a constant over `low`."),
    "loop_unique": _text("Tells the compiler that `val` differs from one iteration of the parallel loop to the next.", "See `qd.assume_in_range`.",
                         "`val`.", _ONLY, val="an integer.", covers="fields whose elements are then touched once, or None."),
    "block_local": _text("Asks that the part of these fields that a block of the next loop touches be kept near it. " + _HINT,
                         _in_kernel("", "qd.block_local(x)", "for i in x:", "    x[i] += 1.0", before=[_FIELD]), None, _ONLY,
                         star_args="fields."),
    "cache_read_only": _text("Promises that the next loop only reads these fields. " + _HINT,
                             _in_kernel("", "qd.cache_read_only(x)", "for i in range(8):", "    y[i] = x[i]", before=[_FIELD, "y = qd.field(qd.f32, shape=8)"]),
                             None, _ONLY, star_args="fields."),
    "mesh_local": _text("Asks that attributes of the mesh of the next loop be kept near its patch. " + _HINT,
                        _in_kernel("", "qd.mesh_local(x)", "for i in x:", "    x[i] += 1.0", before=[_FIELD]), None, _ONLY,
                        star_args="fields that are attributes of a mesh."),
    "loop_config": _text(
        "Says how the next loop at the top of the kernel, or of a func's body there, is to run.",
        _in_kernel("qd.i32", "last = 0", "qd.loop_config(serialize=True)", "for i in range(4):", "    last = i", "return last", shown="3"),
        None, _ONLY + " It goes before a loop, with names of the list above.",
        block_dim="iterations that one thread takes at once on the CPU, threads of a block on a GPU; None: chosen.",
        serialize="True: in order, on one thread.", parallelize="most threads that run it; None: as many as the program has.",
        block_dim_adaptive="False: `block_dim` holds for short loops too.",
        bit_vectorize="of loops over quant arrays: several elements of a word at once.", name="how reports and profiles call the task.",
        deterministic="True: the same bits in every run and with any number of threads; False: as qd.init has it."),
    "static_print": _text("Prints while the kernel is compiled: constants, types and shapes.",
                          ">>> @qd.kernel\n... def f():\n...     qd.static_print(\"n is\", n)\n>>> n = 3\n>>> f()\nn is 3",
                          None, _ONLY, star_args="what print() takes.", **{"**kwargs": "`sep` and `end`, as of print()."}),
    "activate": _text("Makes a cell of a sparse level active: it has memory, full of zeros, and loops go over it.",
                      _in_kernel("", "qd.activate(level, [2])", before=_SPARSE, call="f(); x.to_numpy()", shown="array([0., 0., 0., 0.], dtype=float32)"),
                      None, _ONLY, node=_NODE, indices=_INDICES),
    "deactivate": _text("Makes a cell of a sparse level, and what lies below, inactive: it reads as zeros.",
                        _in_kernel("", "x[2] = 1.0", "qd.deactivate(level, [2])", before=_SPARSE, call="f(); x[2]", shown="0.0"),
                        None, _ONLY, node=_NODE, indices=_INDICES),
    "is_active": _text("Whether a cell of a sparse level is active.",
                       _in_kernel("qd.i32", "x[2] = 1.0", "return qd.is_active(level, [2])", before=_SPARSE, shown="1"),
                       "A truth value.", _ONLY, node=_NODE, indices=_INDICES),
    "append": _text("Puts a value behind the last one of a dynamic level.",
                    _in_kernel("qd.i32", "qd.append(x.parent(), [], 7)", "return qd.length(x.parent(), [])",
                               before=["x = qd.field(qd.i32)", "_ = qd.root.dynamic(qd.i, 8).place(x)"], shown="1"),
                    "The place where it is now, an i32.", _ONLY, node="a dynamic level.", indices="those of the levels above it.",
                    val="a value of the type of the field; of levels with several fields, an element of each."),
    "length": _text("How many values a dynamic level holds.",
                    _in_kernel("qd.i32", "x.append(3)", "x.append(4)", "return qd.length(x.parent(), [])",
                               before=["x = qd.field(qd.i32)", "_ = qd.root.dynamic(qd.i, 8).place(x)"], shown="2"),
                    "An i32.", _ONLY, node="a dynamic level.", indices="those of the levels above it."),
    "get_addr": _text("The address of an element of a field.",
                      _in_kernel("qd.u64", "return qd.get_addr(x, [1]) - qd.get_addr(x, [0])", before=[_FIELD], shown="4"),
                      "A u64.", _ONLY, f="a field of scalars.", indices="as many integers as the field has axes."),
    "rescale_index": _text("The index of `a` at the place of index `I` of `b`, where one level is a coarser grid of the other.",
                           _in_kernel("qd.i32", "return qd.rescale_index(x, y, [6])[0]", before=[_FIELD, "y = qd.field(qd.f32, shape=2)"], shown="1"),
                           "A vector of integers.", _ONLY, a="a field or level that `I` indexes.", b="another one.", I="indices of `a`."),
    "no_activate": _text("In the loops that follow, writing to these levels activates no cells: what is written to inactive ones is lost.",
                         _in_kernel("", "qd.no_activate(level)", "x[2] = 1.0", before=_SPARSE), None, _ONLY, star_args="levels of sparse trees."),
    "stop_grad": _text("Derivatives of the block that it stands in do not go through this field.",
                       _in_kernel("", "qd.stop_grad(x)", "for i in x:", "    x[i] = 2.0 * i", before=["x = qd.field(qd.f32, shape=8, needs_grad=True)"]),
                       None, _ONLY, x="a field."),
    "mesh_patch_idx": _text("The number of the patch that the iteration of a loop over mesh elements belongs to; for kernels and funcs.",
                            ">>> qd.mesh_patch_idx()\nTraceback (most recent call last):\nquadrants.QuadrantsSyntaxError: qd.mesh_patch_idx can only be used in kernels and funcs.",
                            "An i32.", _ONLY + " QuadrantsSyntaxError: outside of a loop over mesh elements."),
    "clock_counter": _text("A counter of the processor that goes on all the time; `qd.clock_freq_hz()` steps a second.",
                           _in_kernel("qd.i32", "before = qd.clock_counter()", "return qd.clock_counter() >= before", shown="1"),
                           "An i64.", _ONLY),
    "global_thread_idx": _text("The number of the thread of the pool that runs the iteration.",
                               _in_kernel("qd.i32", "return qd.global_thread_idx() >= 0", shown="1"), "An i32, from 0 on.", _ONLY),
    "svd": _text("Singular values of a matrix: A = U S V^T with orthogonal U and V.",
                 ">>> @qd.kernel\n... def f() -> qd.types.vector(2, qd.f32):\n...     U, S, V = qd.svd(qd.Matrix([[0.0, 2.0], [1.0, 0.0]]))\n"
                 "...     return qd.Vector([S[0, 0], S[1, 1]])\n>>> f()\n[2. 1.]",
                 "(U, S, V), three matrices; S is diagonal, its numbers descend.", _ONLY + " QuadrantsTypeError: A is not 2x2 or 3x3.",
                 A="a 2x2 or 3x3 matrix.", dt="f32 or f64; None: `default_fp`."),
    "sym_eig": _text("Eigenvalues and eigenvectors of a symmetric matrix.",
                     ">>> @qd.kernel\n... def f() -> qd.types.vector(2, qd.f32):\n...     values, vectors = qd.sym_eig(qd.Matrix([[2.0, 0.0], [0.0, 1.0]]))\n"
                     "...     return values\n>>> f()\n[1. 2.]",
                     "(a vector of the eigenvalues, ascending; a matrix with the eigenvectors as columns).",
                     _ONLY + " QuadrantsTypeError: the size is another one.", A="a symmetric matrix of 2 to 6 rows.", dt="f32 or f64; None: `default_fp`."),
    "eig": _text("Eigenvalues and eigenvectors of a 2x2 matrix, as complex numbers.",
                 ">>> @qd.kernel\n... def f() -> qd.f32:\n...     values, vectors = qd.eig(qd.Matrix([[0.0, -1.0], [1.0, 0.0]]))\n"
                 "...     return qd.abs(values[0, 1])\n>>> f()\n1.0",
                 "(a 2x2 matrix with an eigenvalue (real, imaginary) a row; a 4x2 matrix with the eigenvectors as columns of such pairs).",
                 _ONLY, A="a 2x2 matrix.", dt="f32 or f64; None: `default_fp`."),
    "polar_decompose": _text("A = U P with an orthogonal U and a symmetric P.",
                             ">>> @qd.kernel\n... def f() -> qd.f32:\n...     U, P = qd.polar_decompose(qd.Matrix([[0.0, -2.0], [2.0, 0.0]]))\n"
                             "...     return P[0, 0]\n>>> f()\n2.0",
                             "(U, P), two matrices.", _ONLY + " QuadrantsTypeError: A is not 2x2 or 3x3.",
                             A="a 2x2 or 3x3 matrix.", dt="f32 or f64; None: `default_fp`."),
    "make_spd": _text("The nearest positive semidefinite matrix: negative eigenvalues become 0.",
                      ">>> @qd.kernel\n... def f() -> qd.f32:\n...     return qd.make_spd(qd.Matrix([[-1.0, 0.0], [0.0, 3.0]])).trace()\n>>> f()\n3.0",
                      "A matrix of the shape of A.", _ONLY, A="a symmetric matrix of 2 to 6 rows.", dt="f32 or f64; None: `default_fp`."),
    "math.sign": _real("-1, 0 or 1, by the sign of x.", ">>> qd.math.sign(-2.5)\n-1", _ANY),
    "math.fract": _real("x - floor(x), in [0, 1).", ">>> qd.math.fract(2.75)\n0.75"),
    "math.clamp": _text("x, but not below `xmin` nor above `xmax`.", ">>> qd.math.clamp(7, 0, 5)\n5", _BOTH, x=_ANY, xmin="the lower bound.", xmax="the upper bound, which wins where they cross."),
    "math.mix": _text("x * (1 - a) + y * a.", ">>> qd.math.mix(2.0, 4.0, 0.25)\n2.5", _BOTH, x="the value at a = 0.", y="the value at a = 1.", a="the weight of y."),
    "math.step": _text("0 where x < edge, else 1.", ">>> qd.math.step(1.0, 0.5)\n0.0", _BOTH, edge="where the step is.", x=_ANY),
    "math.smoothstep": _text("0 up to `edge0`, 1 from `edge1` on, and 3t^2 - 2t^3 between them.", ">>> qd.math.smoothstep(0.0, 1.0, 0.5)\n0.5", _BOTH,
                             edge0="where it begins to rise.", edge1="where it has risen.", x=_ANY),
    "math.mod": _text("x % y of reals: has the sign of y.", ">>> qd.math.mod(-1.0, 3.0)\n2.0", _BOTH, x="the dividend.", y="the divisor."),
    "math.radians": _real("Degrees to radians.", ">>> qd.math.radians(180.0)\n3.141592653589793"),
    "math.degrees": _real("Radians to degrees.", ">>> qd.math.degrees(qd.math.pi)\n180.0"),
    "math.log2": _real("Logarithm to the base 2.", ">>> qd.math.log2(8.0)\n3.0"),
    "math.isnan": _text("Whether x is not a number.", ">>> qd.math.isnan(qd.math.nan)\nTrue", "A truth value; elementwise.", x=_REAL),
    "math.isinf": _text("Whether x is infinite.", ">>> qd.math.isinf(1.0)\nFalse", "A truth value; elementwise.", x=_REAL),
    "math.clz": _text("Leading zero bits of an integer.", _in_kernel("qd.i32", "return qd.math.clz(1)", shown="31"), "An i32.", _ONLY, x="an integer of 32 or 64 bits."),
    "math.ffs": _text("The place of the lowest bit that is set, from 1 on; 0 if none is.", _in_kernel("qd.i32", "return qd.math.ffs(12)", shown="3"), "An i32.", _ONLY,
                      x="an integer of 32 or 64 bits."),
    "math.popcnt": _text("How many bits of an integer are set.", _in_kernel("qd.i32", "return qd.math.popcnt(7)", shown="3"), "An i32.", _ONLY,
                         x="an integer of 32 or 64 bits."),
}  # fmt: skip
