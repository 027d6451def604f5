import quadrants as qd


@qd.kernel
def wrong(n: qd.i32):
    l = [1]
    while n > 3:
        l.append(2)


wrong(1)
