import quadrants as qd

qd.init()


@qd.kernel
def wrong(x: qd.i32):
    print("%.2e" % x)


wrong(1)
