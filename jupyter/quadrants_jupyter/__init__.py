"""Quadrants in notebooks: `%load_ext quadrants_jupyter` in any IPython kernel. The Quadrants kernel loads it automatically."""


def load_ipython_extension(shell):
    from quadrants import _installation

    if _installation.is_mixed():
        raise ImportError(_installation.REMEDY)
    from quadrants_jupyter import errors, magics

    magics.register(shell)
    errors.register(shell)


def unload_ipython_extension(shell):
    from quadrants_jupyter import errors, magics

    errors.unregister(shell)
    magics.unregister(shell)
