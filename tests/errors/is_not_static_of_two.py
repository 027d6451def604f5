import quadrants as qd

qd.init()


@qd.kernel
def wrong(a: qd.template(), b: qd.template()):
    if qd.static(a is not b):
        pass


wrong(1, 1)
