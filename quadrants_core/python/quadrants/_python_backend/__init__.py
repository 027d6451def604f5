"""qd.init(arch=qd.python): kernels and funcs run as Python, one statement after the other, for debuggers and as an oracle.

Nothing is compiled. At the first call with arguments of new types the frontend walks the kernel as if it were to be
compiled, so that it refuses what compiled kernels may not do, with the same words (bind/specialise.cpp, check); what it
makes is dropped. The source of a kernel is rewritten once (rewrite.py) so that its values have the types of the language:
numbers.py holds scalars, values.py vectors and structs, storage.py the elements of fields and arrays, table.py the functions
by name (elementary.py, atomics.py, matrices.py, shading.py, linear_algebra.py, operations.py), loops.py what `for` runs
over, actions.py what the rewritten source calls, functions.py calls and arguments, places.py where the kernel is, for
messages.
Fields and ndarrays are stored as on other archs; trees are dense.

What differs from compiled kernels:
- Every iteration of a loop runs after the one before. Elements are checked against the bounds always.
- `a if c else b`, `and`, `or` have the common type of their sides; a side with a call of a func in it is not evaluated for
  its type, then the type is that of the side taken.
- A name that is assigned in a func is local to all of it, as in Python.
- A local scalar that a template or ref parameter changes must be passed as a plain name.
- Functions of Python that a kernel calls, and names of modules, are those of each call: compiled kernels keep what they were
  compiled with.
- The gradient of an element is `x.grad[i]`; `v.x.grad` of an element `v` of a mesh is for compiled kernels.
- Random numbers are Python's.
"""


def run_kernel(info, args):
    """Runs a kernel on these arguments: what the bindings call instead of compiled code."""
    from quadrants._python_backend import actions, functions

    functions.actions = actions

    return functions.run_kernel(info, args)
