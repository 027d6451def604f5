import quadrants as qd


names = {1: 2}


@qd.kernel
def wrong(n: qd.i32):
    y = names[n]


wrong(1)
