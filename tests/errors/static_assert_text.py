import quadrants as qd

qd.init()


@qd.kernel
def wrong(a: qd.template()):
    qd.static_assert(a > 3, f"a is {a}")


wrong(1)
