"""What qd.ad.check gives back."""

AGREES, KINK, WRONG, UNKNOWN = "agrees", "non-smooth here", "wrong", "not checked"


class Check:
    """What `qd.ad.check` found. It is true if the gradients agree.

    Attributes:
        verdict: "agrees", "non-smooth here", "wrong" or "not checked".
        reason: why.
        places: the (file, line) that a wrong gradient comes from, the likeliest first.
        backward, forward, differences: what each direction gave.
        elements: how many numbers derivatives were taken of.
        pair: of a wrong gradient, the element and what it is the gradient by; or None.
    """

    def __init__(self, name):
        self.name, self.verdict, self.reason = name, UNKNOWN, ""
        self.places, self.pair = [], None
        self.backward, self.forward, self.differences = [], [], []
        self.elements = 0

    def __bool__(self):
        return self.verdict == AGREES

    @property
    def line(self):
        """The likeliest line of a wrong gradient, or None."""
        return self.places[0][1] if self.places else None

    def _size(self):
        n = len(self.backward)
        return f"{n} direction{'' if n == 1 else 's'}, {self.elements:,} number{'' if self.elements == 1 else 's'}" if n else ""

    def _where(self):
        from quadrants import _exceptions, _source

        return [(f"{_source.shown_name(file)}, line {line}", _exceptions._source_line(file, line).strip()) for file, line in self.places]

    def __repr__(self):
        parts = [f"{self.name}: {self.verdict}" + (f" ({self._size()})" if self.verdict == AGREES else "")]
        if self.reason:
            parts.append(f"  {self.reason}")
        parts += [f"  {place}: {text}" for place, text in self._where()]
        return "\n".join(parts)

    def _repr_html_(self):
        from quadrants._display import verdict

        return verdict.html(self.name, self.verdict, self._size(), self.reason, self._where())
