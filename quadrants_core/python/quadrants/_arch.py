"""Architectures. Their numbers are part of the interface: qd.x64 is 0 and therefore falsy."""

import enum as _enum
import os as _os


class Arch(_enum.IntEnum):
    x64 = 0
    arm64 = 1
    js = 2
    python = 3
    cuda = 4
    metal = 5
    opencl = 6
    amdgpu = 7
    vulkan = 8
    interp = 9  # walks the IR: slow and exact, for checking compilers
    # The next two are undocumented and exist for the tests of this project: qd.init(arch="far").
    far = 10  # the interpreter with memory that the host cannot touch
    null = 11  # executes nothing, but counts the requests it receives

    def __str__(self):
        return f"Arch.{self.name}"


class Extension(_enum.IntEnum):
    sparse = 0
    quant = 1
    mesh = 2
    quant_basic = 3
    data64 = 4
    adstack = 5
    bls = 6
    assertion = 7
    extfunc = 8


x64, arm64, python, cuda, metal, amdgpu, vulkan = (
    Arch.x64, Arch.arm64, Arch.python, Arch.cuda, Arch.metal, Arch.amdgpu, Arch.vulkan,
)  # fmt: skip
cpu = arm64 if _os.uname().machine.lower() in ("arm64", "aarch64") else x64
gpu = [cuda, metal, vulkan, amdgpu]

_FOR_TESTS = (Arch.far, Arch.null)

# The extensions that each architecture supports. The interpreter supports all that it serves to check.
_ALL_BUT_BLS = set(Extension) - {Extension.bls}
_OFFERED = {
    Arch.x64: _ALL_BUT_BLS,
    Arch.arm64: _ALL_BUT_BLS - {Extension.extfunc},
    Arch.interp: _ALL_BUT_BLS,
    Arch.far: _ALL_BUT_BLS,
    Arch.null: _ALL_BUT_BLS - {Extension.sparse},
    Arch.cuda: set(Extension) - {Extension.extfunc},
    Arch.amdgpu: {Extension.quant, Extension.quant_basic, Extension.data64, Extension.adstack, Extension.assertion},
    Arch.metal: {Extension.adstack},
    Arch.vulkan: {Extension.adstack},
    Arch.python: {Extension.data64, Extension.assertion},
}


def backend_name(arch):
    """Returns the name of the core's backend for `arch`, or None if this build has none."""
    if arch in (Arch.x64, Arch.arm64):
        return "cpu" if arch == cpu else None
    if arch == Arch.python:
        return "interp"  # for storage only
    return arch.name if arch in (Arch.interp, Arch.far, Arch.null) else None


def from_name(name, where=""):
    if name == "cpu":
        return cpu
    try:
        return Arch[name]
    except KeyError:
        known = ", ".join(["cpu", "gpu", *(a.name for a in Arch if a not in _FOR_TESTS)])
        raise ValueError(f"unknown arch {name!r}{where}; known: {known}") from None


def meant(value, where=""):
    """Returns the architectures that a value of the option `arch` denotes. `where` says in errors where the value was found."""
    if isinstance(value, str):
        name = value.strip().lower()
        return gpu if name == "gpu" else [from_name(name, where)]
    if isinstance(value, Arch):
        return [value]
    raise ValueError(f"arch must be an architecture such as qd.cpu, qd.gpu or qd.python, a name, or a list of these, not {value!r}")


def is_extension_supported(arch, extension):
    return extension in _OFFERED.get(arch, ())


def is_arch_supported(arch, use_gles=False):
    """Returns whether this build runs programs on an architecture, given as a member of `Arch` or by name."""
    try:
        return backend_name(from_name(arch) if isinstance(arch, str) else Arch(arch)) is not None
    except (TypeError, ValueError):
        return False


def host_archs():
    """Returns the architectures on which Python and the kernels share memory."""
    return [cpu]
