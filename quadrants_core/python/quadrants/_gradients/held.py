"""The contents of objects at recorded calls, since the objects may get other numbers and arrays before the gradients are computed."""


class Held:
    """Context in which the objects read by a launch have their contents at that launch."""

    def __init__(self, fetched):
        self.fetched = fetched  # [(object, attribute or item, whether it is an item, its value)]
        self._now = []

    def __enter__(self):
        for owner, key, is_item, then in self.fetched:
            self._now.append((owner, key, is_item, owner[key] if is_item else getattr(owner, key)))
            put(owner, key, is_item, then)

    def __exit__(self, *_):
        while self._now:
            put(*self._now.pop())


def put(owner, key, is_item, value):
    if (owner[key] if is_item else getattr(owner, key)) is value:
        return  # tuples are immutable
    if is_item:
        owner[key] = value
    else:
        object.__setattr__(owner, key, value)  # works for frozen dataclasses, too


def of_launch(kernel, args):
    """Returns what the last launch of a kernel read in its arguments, or None if it read no object."""
    fetched = kernel._fetched(args)
    return Held(fetched) if fetched else None
