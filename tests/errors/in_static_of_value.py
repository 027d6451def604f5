import quadrants as qd

qd.init()


@qd.kernel
def wrong(a: qd.i32):
    if qd.static(a in (1, 2)):
        pass


wrong(1)
