import quadrants as qd


@qd.kernel
def wrong(A: qd.types.sparse_matrix_builder()):
    for i in range(3):
        A[i, i] = 1.0


wrong(qd.linalg.SparseMatrixBuilder(3, 3, max_num_triplets=9))
