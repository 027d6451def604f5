"""The base of objects that `pickle` finds by name, as it does functions."""

from quadrants._factories import make as _make


class _Reference:
    """The attribute `_reference`, which is made when it is first read."""

    def __get__(self, instance, _):
        if instance is None:
            return self
        made = instance.__dict__["_reference"] = _make("reference", instance)
        return made


class ByName:
    """Base of funcs and struct types; see pickling.py."""

    _reference = _Reference()

    def __reduce_ex__(self, protocol):
        return _make("pickle", self, protocol)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


class Method(ByName):
    """Base of funcs, which may be methods. Kernels, whose class is the core's, have the same attributes."""

    def __set_name__(self, owner, _):
        import weakref

        self.__dict__["_class"] = weakref.ref(owner)


class Bound:
    """Methods of bound kernels, whose class is the core's. (That a method is named, as bound functions are, does not find private ones and
    gradients.)"""

    def __reduce__(self):
        return bound_to, (self.__func__, self.__self__)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        import copy

        return bound_to(self.__func__, copy.deepcopy(self.__self__, memo))


def bound_to(kernel, instance):
    """Returns a kernel as a method of an instance."""
    return kernel.__get__(instance)
