import quadrants as qd


@qd.kernel
def wrong(A: qd.types.sparse_matrix_builder()):
    A[0, 1] += qd.Vector([1.0, 2.0])


wrong(qd.linalg.SparseMatrixBuilder(3, 3, max_num_triplets=9))
