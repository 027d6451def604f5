"""What recorded calls found in objects: until their gradients are worked out, these may be given other numbers and arrays."""


class Held:
    """In its block the objects that a launch looked into hold what they held then."""

    def __init__(self, fetched):
        self.fetched = fetched  # [(object, attribute or item, whether it is an item, what it was)]
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
        return  # tuples cannot change
    if is_item:
        owner[key] = value
    else:
        object.__setattr__(owner, key, value)  # of frozen dataclasses, too


def of_launch(kernel, args):
    """What the last launch of a kernel found in its arguments, or None if it looked into none."""
    fetched = kernel._fetched(args)
    return Held(fetched) if fetched else None
