"""For names that have no meaning here: the AttributeError says what to use instead."""


def absent(module, instead):
    """A module's __getattr__. `instead`: name -> what serves the purpose here, "" -> the same for all other names."""

    def __getattr__(name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(f"{module}.{name} does not exist here; {instead.get(name, instead[''])}")

    return __getattr__
