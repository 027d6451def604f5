import quadrants as qd

qd.init()
x = qd.field(qd.i32, shape=3)


x[0:2]
