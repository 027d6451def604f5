"""Makers of values and storage. Types and levels are descriptions, which stand below what is made of them; what makes it
registers itself here."""

_known = {}  # name -> function


def makes(name):
    """Registers a function under this name."""

    def register(function):
        _known[name] = function
        return function

    return register


def make(name, /, *args, **keywords):
    """What the function of this name gives."""
    return _known[name](*args, **keywords)
