"""Functions written in C or C++ for use in kernels: SourceBuilder compiles a source into a library and looks functions up in it."""

import ctypes
import os

from quadrants import _exceptions, _native

_COMPILERS = ("clang++", "g++", "c++")
_ID_BITS = 59


def _compiler():
    import shutil

    for name in (os.environ.get("CXX", ""), *_COMPILERS):
        if name and shutil.which(name):
            return shutil.which(name)
    raise _exceptions.QuadrantsRuntimeError(
        f"External functions need a C++ compiler: none of {', '.join(_COMPILERS)} is on the PATH; install one, or set CXX"
    )


def _library_of(source):
    """Returns the shared library made from a source file; it is kept in memory only."""
    import subprocess
    import tempfile

    compiler = _compiler()
    with tempfile.TemporaryDirectory(prefix="quadrants-") as folder:
        target = os.path.join(folder, "external.so")
        language = ["-x", "c"] if source.endswith(".c") else []
        flags = [*language, "-O3", "-shared", "-fPIC", "-o", target]
        done = subprocess.run([compiler, *flags, source], capture_output=True, text=True)
        if done.returncode:
            raise _exceptions.QuadrantsRuntimeError(f"{compiler} cannot compile {source}:\n{done.stderr.strip()}")
        return ctypes.CDLL(target)


class _Function:
    """An external function in a kernel. All arguments are passed by address, so the function can change them."""

    _qd_kind_ = "builtin"
    _qd_name_ = "external"

    def __init__(self, name, id, address=None):
        self.__name__ = self.__qualname__ = name
        self._qd_external_ = id
        self._address = address

    def __call__(self, *args):
        raise _exceptions.QuadrantsSyntaxError(f"The external function {self.__name__} can only be called in kernels and funcs.")

    def __repr__(self):
        return f"<external function {self.__name__}>"


class SourceBuilder:
    """A library of external functions: `sb.f(a, b, c)` in a kernel calls `extern "C" void f(float *a, int *b, ...)` with the addresses of
    the arguments. Changes that the function makes to variables and elements persist."""

    def __init__(self, library, origin):
        self._library = library
        self._origin = origin
        self._functions = {}

    @classmethod
    def from_file(cls, filename, compile_fn=None, _temp_dir=None):
        """Makes a SourceBuilder from a C or C++ source (.c, .cc, .cpp), or from a compiled library (.so, .dylib). If given, `compile_fn`
        compiles the source: it receives the file name and returns that of the library."""
        filename = os.path.abspath(os.fspath(filename))
        with open(filename, "rb") as file:
            content = file.read()
        if compile_fn is not None:
            return cls(ctypes.CDLL(os.path.abspath(compile_fn(filename))), content)
        ending = os.path.splitext(filename)[1]
        if ending in (".so", ".dylib"):
            return cls(ctypes.CDLL(filename), content)
        if ending not in (".c", ".cc", ".cpp", ".cxx"):
            raise _exceptions.QuadrantsRuntimeError(
                f"{os.path.basename(filename)}: an external source is C or C++ (.c, .cc, .cpp) or a library (.so)"
            )
        return cls(_library_of(filename), content)

    @classmethod
    def from_source(cls, source_code, compile_fn=None):
        """Makes a SourceBuilder from the text of a C++ source."""
        import tempfile

        with tempfile.TemporaryDirectory(prefix="quadrants-") as folder:
            filename = os.path.join(folder, "source.cpp")
            with open(filename, "w") as file:
                file.write(source_code)
            return cls.from_file(filename, compile_fn)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in self._functions:
            try:
                address = ctypes.cast(getattr(self._library, name), ctypes.c_void_p).value
            except AttributeError:
                raise AttributeError(f'the external source has no function {name}; is it declared extern "C"?') from None
            self._functions[name] = _Function(name, self._declare(name, address), address)
        return self._functions[name]

    def _declare(self, name, address):
        """Returns the number by which kernels call the function; it depends on the contents of the library."""
        import hashlib

        digest = hashlib.sha256(self._origin + b"\0" + name.encode()).digest()
        id = int.from_bytes(digest[:8], "little") >> (64 - _ID_BITS)
        _native.core().add_external(id, address)
        return id
