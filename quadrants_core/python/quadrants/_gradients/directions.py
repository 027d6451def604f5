"""Directions in which derivatives are taken: numbers for each element of each variable."""


class Directions:
    """Numbers for each element of each variable."""

    def __init__(self, variables):
        self.variables = variables

    def random(self, rng, scales=None):
        """Of about these sizes, one for each variable."""
        import numpy as np

        return [np.array(rng.standard_normal(v.shape) * scale, _numpy(v))
                for v, scale in zip(self.variables, scales or [1.0] * len(self.variables))]  # fmt: skip

    def kept(self, direction, low, high):
        """Zero but for the elements low to high, all variables in a row."""
        import numpy as np

        out, at = [], 0
        for values in direction:
            made = np.zeros_like(values)
            first, last = max(low - at, 0), min(high - at, values.size)
            if first < last:
                made.reshape(-1)[first:last] = values.reshape(-1)[first:last]
            at += values.size
            out.append(made)
        return out

    def at(self, number):
        """(variable, index) of an element."""
        import numpy as np

        for v in self.variables:
            size = int(np.prod(v.shape, dtype=np.int64))
            if number < size:
                return v, tuple(int(i) for i in np.unravel_index(number, v.shape)) if v.shape else ()
            number -= size
        return None


def _numpy(variable):
    from quadrants import _dtypes

    return _dtypes.numpy_dtype(variable.dtype)


def _terms(a, b):
    import numpy as np

    return [x.astype(np.float64) * y.astype(np.float64) for x, y in zip(a, b)]


def dot(a, b):
    return float(sum(t.sum() for t in _terms(a, b)))


def size(a, b):
    return float(sum(abs(t).sum() for t in _terms(a, b)))
