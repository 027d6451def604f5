import quadrants as qd


@qd.kernel
def wrong(c: qd.i32):
    for i in qd.static(range(3)):
        if c > i:
            break


wrong(1)
