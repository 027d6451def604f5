"""Registry of constructors for values and storage. Types are in a lower layer than the objects made from them, so the constructors register
themselves here."""

_known = {}  # name -> function


def makes(name):
    """Registers a function under a name."""

    def register(function):
        _known[name] = function
        return function

    return register


def make(name, /, *args, **keywords):
    """Calls the function registered under a name."""
    return _known[name](*args, **keywords)
