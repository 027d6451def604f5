import quadrants as qd

twice = qd.func(lambda x: x * 2)
