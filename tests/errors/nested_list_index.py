import quadrants as qd


T = [[1, 2], [3, 4]]


@qd.kernel
def wrong(n: qd.i32):
    y = T[n]


wrong(1)
