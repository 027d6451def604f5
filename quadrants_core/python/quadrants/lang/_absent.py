"""Names that have no equivalent here: the text of the AttributeError states an alternative."""


def absent(module, instead):
    """Returns a __getattr__ for a module. `instead`: name -> the alternative, "" -> the alternative for all other names."""

    def __getattr__(name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(f"{module}.{name} does not exist here; {instead.get(name, instead[''])}")

    return __getattr__
