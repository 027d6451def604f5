import quadrants as qd


@qd.func
def fill(A: qd.types.sparse_matrix_builder()):
    A[0, 1] += 2.0


@qd.kernel
def wrong(a: qd.types.ndarray(qd.f32, 2)):
    fill(a)


wrong(qd.ndarray(qd.f32, (3, 3)))
