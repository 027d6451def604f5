"""Names of the native module that programs access in quadrants._lib.core. Each is an object that the package itself uses."""

from quadrants import _arch, _dtypes, _exceptions, _native, _options, _settings, _version
from quadrants._trees import snode as _snode
from quadrants._arch import Arch, Extension, is_extension_supported
from quadrants._device import DeviceCapability, Format
from quadrants._trees.layout import Layout
from quadrants._trees.snode import Axis
from quadrants.types.enums import AutodiffMode, BoundaryMode, SNodeGradType

CompileConfig = _options.CompileConfig


def arch_from_name(name):
    """Returns the Arch with that name."""
    return _arch.from_name(name)


def arch_name(arch):
    return Arch(arch).name


def host_arch():
    return _arch.cpu


def with_cuda():
    return _arch.is_arch_supported(Arch.cuda)


def with_metal():
    return _arch.is_arch_supported(Arch.metal)


def with_vulkan():
    return _arch.is_arch_supported(Arch.vulkan)


def with_amdgpu():
    return _arch.is_arch_supported(Arch.amdgpu)


def default_compile_config():
    """Returns the options that qd.init starts from."""
    return _settings.defaults


def get_max_num_indices():
    """Returns the maximum number of indices of a field."""
    return _snode._MAX_INDICES


def data_type_size(dtype):
    """Returns the size of a number of that type in bytes."""
    return _dtypes.numpy_dtype(dtype).itemsize


def get_version_major():
    return _version.version[0]


def get_version_minor():
    return _version.version[1]


def get_version_patch():
    return _version.version[2]


def get_version_string():
    return _version.version_str


def get_commit_hash():
    """Returns the commit that the package was built from."""
    from quadrants._lib import _build_info

    return _build_info.commit


def get_repo_dir():
    """Returns the folder of the cache on disk: below $XDG_CACHE_HOME, else ~/.cache. The variables are read from the C library, since
    os.putenv() does not change os.environ."""
    known = {name: _native.core().environment(name) for name in ("XDG_CACHE_HOME", "HOME")}
    return _options.repo_dir({name: text for name, text in known.items() if text is not None})


def test_threading():
    """Runs threads that wait for each other; returns whether all of them finished."""
    import threading

    done, meeting = [], threading.Barrier(4)

    def work(number):
        meeting.wait()
        done.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(meeting.parties)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(done) == list(range(meeting.parties))


def find(name):
    """Returns an object by its name in quadrants._lib.core; the text of the AttributeError states an alternative."""
    if name.startswith("Quadrants") and hasattr(_exceptions, name):
        return getattr(_exceptions, name)
    if name in globals() and not name.startswith("_") and name != "find":
        return globals()[name]
    if name in _dtypes.names:
        return _dtypes.names[name]
    raise AttributeError(f"module 'quadrants._lib.core' has no attribute {name!r}; the language itself is in quadrants (qd.*)")
