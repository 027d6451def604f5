import quadrants as qd


@qd.kernel
def wrong(A: qd.types.sparse_matrix_builder()) -> qd.f32:
    return A[0, 1]


wrong(qd.linalg.SparseMatrixBuilder(3, 3, max_num_triplets=9))
