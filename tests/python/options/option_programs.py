"""Helpers of the tests of options."""

import quadrants as qd


def begin(arch, **options):
    qd.init(**{"arch": arch, "offline_cache": False, "print_full_traceback": True, "log_level": "warn", **options})


def small(arch, **options):
    begin(arch, **options)
    x = qd.field(qd.i32, 4)

    @qd.kernel
    def k(n: qd.i32):
        for i in x:
            x[i] += n * 3

    return k, x
