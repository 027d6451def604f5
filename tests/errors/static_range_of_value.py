import quadrants as qd


@qd.kernel
def wrong(a: qd.i32):
    for i in qd.static(range(a)):
        pass


wrong(1)
