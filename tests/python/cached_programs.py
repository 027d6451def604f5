"""A folder of cached kernels and programs that use it, for tests of the cache on disk."""

import itertools
import textwrap
import types

import quadrants as qd
from quadrants import _native

HEAD = "import quadrants as qd\nimport numpy as np\nimport math\nimport types\nimport enum\n"


class CachedPrograms:
    """Programs that share a cache on disk."""

    def __init__(self, arch, folder):
        self.arch, self.folder = arch, folder
        self.serial = itertools.count()

    def run(self, text, name="module.py", cache="cache", **options):
        """Returns the result of go() of the module and whether its kernels were all "loaded", all "made" or "both"."""
        qd.reset()
        qd.init(arch=self.arch, offline_cache=True, offline_cache_file_path=str(self.folder / cache), **options)
        path = self.folder / name
        text = HEAD + textwrap.dedent(text)
        path.write_text(text)
        module = types.ModuleType("module")
        exec(compile(text, str(path), "exec"), module.__dict__)
        self.module = module
        _native.core().take_reports()
        result = module.go()
        hows = {"loaded" if r["phases"][0][0] == "cache entry" else "made" for r in _native.core().take_reports()}
        return result, hows.pop() if len(hows) == 1 else "both"

    def fresh(self, text, **options):
        return self.run(text, cache=f"empty{next(self.serial)}", **options)[0]
