"""qd.init(arch=qd.python): kernels and funcs run as Python, one statement after another, for debuggers and as a reference for tests.

Nothing is compiled. At the first call with arguments of new types, the frontend lowers the kernel as for a compilation, so that it rejects
what compiled kernels must not do, with the same messages (bind/specialise.cpp, check); the result is discarded. The source of a kernel is
rewritten once (rewrite.py) so that its values have the types of the language: numbers.py contains scalars, values.py vectors and structs,
storage.py the elements of fields and arrays, table.py the functions by name (elementary.py, atomics.py, matrices.py, shading.py,
linear_algebra.py, operations.py), loops.py the iterables of `for` loops, actions.py the functions called by the rewritten source,
functions.py calls and arguments, places.py the current location in the kernel, for messages.
Fields and ndarrays are stored as on other architectures; trees are dense.

Differences from compiled kernels:
- The iterations of a loop run one after another. Indices are always checked against the bounds.
- `a if c else b`, `and`, `or` have the common type of their operands; an operand that calls a func is not evaluated to determine its type,
  and then the type is that of the operand taken.
- A name that is assigned in a func is local to all of it, as in Python.
- A local scalar that a template or ref parameter changes must be passed as a plain name.
- Python functions that a kernel calls, and names of modules, are looked up at each call: compiled kernels retain the values from their
  compilation.
- The gradient of an element is `x.grad[i]`; `v.x.grad` of an element `v` of a mesh is only available in compiled kernels.
- Random numbers are Python's.
"""


def run_kernel(info, args):
    """Runs a kernel with these arguments; the bindings call it instead of compiled code."""
    from quadrants._python_backend import actions, functions

    functions.actions = actions

    return functions.run_kernel(info, args)
