"""qd.init(arch=qd.python): kernels and funcs run as Python, one statement after the other, for debuggers and as an oracle.

Nothing is compiled. The source of a kernel is rewritten once (rewrite.py) so that its values have the types of the language:
numbers.py holds scalars, values.py vectors and structs, storage.py the elements of fields and arrays, operations.py the
functions, loops.py what `for` runs over, actions.py what the rewritten source calls, functions.py calls and arguments.
Fields and ndarrays are stored as on other archs; trees are dense.

What differs from compiled kernels:
- Every iteration of a loop runs after the one before. Elements are checked against the bounds always.
- Mistakes show when the statement is reached. A branch that is not taken is not looked at.
- `a if c else b`, `and`, `or` have the common type of their sides; a side with a call of a func in it is not evaluated for
  its type, then the type is that of the side taken.
- A name that is assigned in a func is local to all of it, as in Python.
- A local scalar that a template or ref parameter changes must be passed as a plain name.
- Random numbers are Python's.
"""


def run_kernel(info, args):
    """Runs a kernel on these arguments: what the bindings call instead of compiled code."""
    from quadrants._python_backend import functions

    return functions.run_kernel(info, args)
