#pragma once
// Systems of equations with sparse matrices: factorizations, and conjugate gradients. Matrices are square, which the
// caller checks.
#include "linalg/sparse_matrix.h"

namespace qd::linalg {

enum class Factorization : uint8_t { llt, ldlt, lu };
enum class Ordering : uint8_t { amd, colamd };

class Solver {
  public:
    virtual ~Solver() = default;
    /// Orders the unknowns for matrices with the entries of this one.
    virtual void analyze(const SparseMatrix &matrix) = 0;
    /// False if the pattern is not the one that was analyzed last: nothing is done then.
    virtual bool factorize(const SparseMatrix &matrix) = 0;
    /// Whether the last factorization was one.
    virtual bool succeeded() const = 0;
    /// A x = b, of `columns` columns each, row-major; x is not a number if the factorization failed.
    virtual void solve(const void *b, void *x, int64_t columns) const = 0;
};

std::unique_ptr<Solver> make_solver(Number number, Factorization factorization, Ordering ordering);

/// Solves A x = b for a symmetric positive definite matrix, from the x that is there, until the residual is `tolerance`
/// times b; false if that took more steps.
bool conjugate_gradients(const SparseMatrix &matrix, const void *b, void *x, int64_t max_steps, double tolerance);

} // namespace qd::linalg
