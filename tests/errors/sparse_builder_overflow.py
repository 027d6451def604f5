import quadrants as qd


@qd.kernel
def fill(A: qd.types.sparse_matrix_builder()):
    for i in range(30):
        A[i, i] += 1.0


builder = qd.linalg.SparseMatrixBuilder(30, 30, max_num_triplets=9)
fill(builder)
builder.build()
