# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""qd.cache: what is kept on disk so that the next program need not compile.

`why(kernel)` says whether a kernel was found there, and if not, what had changed; `info()` what there is; `verify()` what of it
is damaged or not to be trusted; `clear()` empties it; `export(path)` and `import_(path)` carry it elsewhere. The same from a
shell: `quadrants cache info`, or `python -m quadrants.cache info`."""
import enum
from collections.abc import Iterator
from typing import Any, Self

class Damage:
    """What `qd.cache.verify` found; true if there is any damage. Prints as text.
    
    Args:
        checked: as the attribute.
        problems: as the attribute.
    
    Attributes:
        checked: how many files there are.
        problems: {path: why it is not used}.
    
    Example:
        See `qd.cache.verify`."""

    def __init__(self, checked: Any, problems: Any) -> None: ...

class Info:
    """What `qd.cache.info` gives. Prints as text.
    
    Args:
        path: the folder.
        files: what lies there.
        config: the options.
        distrusted: as the attribute.
    
    Attributes:
        path: the folder.
        kernels, kernel_bytes: how many files with code there are, and how large they are together.
        unpublished: how many of them are of programs that run still, or were killed.
        records, fast_records: files that say what kernels read, and those of kernels with fastcache=True.
        damaged: files that are not used.
        distrusted: {folder: why nothing in it is used}.
        limit, policy, enabled, signed: as the running program was told.
    
    Example:
        See `qd.cache.info`."""

    def __init__(self, path: Any, files: Any, config: Any, distrusted: Any=...) -> None: ...

class Specialisation:
    """How one specialisation of a kernel came about.
    
    Args:
        number: its place among those of the kernel.
        arguments: as the attribute.
        outcome: likewise.
        layer: likewise.
        reasons: likewise.
        key: likewise.
    
    Attributes:
        number: its place among those of the kernel.
        arguments: their types, as text.
        outcome: "loaded" (neither parsed nor compiled), "found" (parsed, its code was at hand), "compiled" or "not kept" (nothing is kept on disk).
        layer: where the search ended: "record", "code" or "".
        reasons: what differs from what was kept before, a text each.
        key: of its code, as text.
    
    Example:
        See `qd.cache.why`."""

    def __init__(self, number: Any, arguments: Any, outcome: Any, layer: Any, reasons: Any, key: Any) -> None: ...

class Why:
    """What `qd.cache.why` gives. Prints as text.
    
    Args:
        kernel: as the attribute.
        specialisations: likewise.
        remarks: likewise.
    
    Attributes:
        kernel: its name.
        specialisations: a `qd.cache.Specialisation` for each, in the order in which they were made.
        remarks: lines about the kernel as a whole.
    
    Example:
        See `qd.cache.why`."""

    def __init__(self, kernel: Any, specialisations: Any, remarks: Any) -> None: ...

def clear() -> Any:
    """Removes every kernel and record; what this program has stays in use.
    
    Returns:
        How many files they were.
    
    Example:
        >>> removed = qd.cache.clear()
        >>> qd.cache.info().kernels
        0"""

def export(path: Any, all: Any=False) -> Any:
    """Packs kernels and records into one file, with which another machine of the same kind of processor, or a container, begins warm.
    
    Args:
        path: the file.
        all: all that there is; False: what this program used.
    
    Returns:
        How many files it holds.
    
    Raises:
        OSError: it cannot be written there.
    
    Example:
        >>> import os, tempfile
        >>> packed = os.path.join(tempfile.mkdtemp(), "kernels.zip")
        >>> qd.cache.export(packed) >= 0
        True
        >>> qd.cache.import_(packed)
        0"""

def import_(path: Any) -> Any:
    """Adds what `qd.cache.export` packed to the cache. The code in it will be run: import what you would run. Files that no program would
    use, such as unsigned ones where QD_CACHE_KEY is set, are not kept.
    
    Args:
        path: the file.
    
    Returns:
        How many files are new.
    
    Raises:
        ValueError: it is no such file, or damaged; nothing was added. OSError: it cannot be read.
    
    Example:
        See `qd.cache.export`."""

def info() -> Any:
    """What the cache holds.
    
    Example:
        >>> qd.cache.info().damaged
        0"""

def path() -> Any:
    """The folder of the running program's cache.
    
    Example:
        >>> qd.cache.path().startswith("/")
        True"""

def publish() -> Any:
    """Makes what was compiled so far a part of the folder that programs share, as the end of the program does.
    
    Example:
        >>> qd.cache.publish()
        >>> qd.cache.info().unpublished
        0"""

def verify(remove: Any=False) -> Any:
    """Reads every file as a program would, and looks who may write the folders.
    
    Args:
        remove: takes away files that are not used.
    
    Returns:
        A `qd.cache.Damage`.
    
    Example:
        >>> qd.cache.verify().problems
        {}"""

def why(kernel: Any) -> Any:
    """For each specialisation of a kernel in this program: whether it was loaded from disk, and if not, what differed from what
    was there: a line of the source, an option, a type, a captured value.
    
    Args:
        kernel: a kernel.
    
    Returns:
        A `qd.cache.Why`, which prints as text.
    
    Raises:
        TypeError: it is no kernel.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return 1
        >>> f()
        1
        >>> len(qd.cache.why(f).specialisations)
        1"""
