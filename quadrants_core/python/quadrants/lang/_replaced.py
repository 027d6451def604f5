"""Kernel.launch_kernel and Kernel.materialize: programs replace them on the class to observe launches and compilations. Unless they are
replaced, launches do not use them."""

from quadrants._language import kernel as _kernel
from quadrants._language.kernel import KernelInfo


def materialize(self, *args):
    """Compiles the kernel for these arguments."""
    self.kernel()._specialise(args)


def launch_kernel(self, key, t_kernel, compiled_kernel_data, *args, qd_stream=None):
    """Launches a specialisation; `compiled_kernel_data` is the specialisation if it was loaded from the cache, else None."""
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
    if found is None:  # the replacement does not compile, or the arguments have changed meanwhile
        return self.launch_kernel(None, kernel, None, *args, qd_stream=qd_stream)
    number, recalled = found
    key = _primal._key(kernel, number)
    made = _primal._compiled(kernel).get(key) if recalled else None
    return self.launch_kernel(key, kernel, made, *args, qd_stream=qd_stream)


def _in_c_order(arg):
    """Copies a NumPy array in Fortran order to C order, as a launch does, to find the same specialisation."""
    flags = getattr(arg, "flags", None)
    in_fortrans = flags is not None and hasattr(arg, "__array_interface__") and flags.f_contiguous and not flags.c_contiguous
    return arg.copy("C") if in_fortrans else arg


def _note_replaced(cls, name):
    if name not in _OWN:
        return
    KernelInfo.calls_in_python = any(getattr(KernelInfo, n) is not own for n, own in _OWN.items())
    _kernel.update_call_recording()


_OWN = {"materialize": materialize, "launch_kernel": launch_kernel}
KernelInfo._call_replaced = _call_replaced
for _name, _method in _OWN.items():
    setattr(KernelInfo, _name, _method)
_kernel._Replaceable.observer = _note_replaced
