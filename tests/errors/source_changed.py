import linecache

import quadrants as qd

qd.init()
TEXT = """
@qd.kernel
def wrong() -> qd.i32:
    return 1
"""
linecache.cache["<cell>"] = (0, None, ("a = 1\nb = 2\n" + TEXT).splitlines(keepends=True), "<cell>")
exec(compile(TEXT, "<cell>", "exec"))
wrong()  # noqa: F821
