"""Kernel.launch_kernel and Kernel.materialize: programs replace them on the class to be told of launches and compilations.
As long as nobody has, kernels are launched without them."""

from quadrants._language import kernel as _kernel
from quadrants._language.kernel import KernelInfo


def materialize(self, *args):
    """Compiles the kernel for these arguments."""
    self.kernel()._specialise(args)


def launch_kernel(self, key, t_kernel, compiled_kernel_data, *args, qd_stream=None):
    """Launches a specialisation; `compiled_kernel_data` is it if it came from disk, else None."""
    return t_kernel._launch(*args, **({} if qd_stream is None else {"qd_stream": qd_stream}))


def _call_replaced(self, *args, qd_stream=None, **keywords):
    from quadrants.lang import _primal

    kernel = self.kernel()
    args = kernel._bind(*args, **keywords)
    like = tuple(map(_in_c_order, args))
    found = kernel._find(like)
    if found is None:
        self.materialize(*like)
        found = kernel._find(like)
    if found is None:  # what stands there now compiles nothing, or the arguments have changed meanwhile
        return self.launch_kernel(None, kernel, None, *args, qd_stream=qd_stream)
    number, recalled = found
    key = _primal._key(kernel, number)
    made = _primal._compiled(kernel).get(key) if recalled else None
    return self.launch_kernel(key, kernel, made, *args, qd_stream=qd_stream)


def _in_c_order(arg):
    """A launch copies arrays of numpy in Fortran's order; so does what looks for its specialisation."""
    flags = getattr(arg, "flags", None)
    in_fortrans = flags is not None and hasattr(arg, "__array_interface__") and flags.f_contiguous and not flags.c_contiguous
    return arg.copy("C") if in_fortrans else arg


def _told(cls, name):
    if name not in _OWN:
        return
    KernelInfo.calls_in_python = any(getattr(KernelInfo, n) is not own for n, own in _OWN.items())
    _kernel.tell_calls()


_OWN = {"materialize": materialize, "launch_kernel": launch_kernel}
KernelInfo._call_replaced = _call_replaced
for _name, _method in _OWN.items():
    setattr(KernelInfo, _name, _method)
_kernel._Replaceable.told = _told
