import quadrants as qd

qd.init()


@qd.kernel
def wrong(a: qd.i32) -> qd.i32:
	return a +	undefined_name


wrong(1)
