#pragma once
// Solvers of sparse linear systems: factorizations, and conjugate gradients. Matrices must be square, which the caller checks.
#include "linalg/sparse_matrix.h"

namespace qd::linalg {

enum class Factorization : uint8_t { llt, ldlt, lu };
enum class Ordering : uint8_t { amd, colamd };

class Solver {
  public:
    virtual ~Solver() = default;
    /// Orders the unknowns for matrices with the entries of this one.
    virtual void analyze(const SparseMatrix &matrix) = 0;
    /// Returns false and does nothing if the pattern differs from the one analyzed last.
    virtual bool factorize(const SparseMatrix &matrix) = 0;
    /// True if the last factorization succeeded.
    virtual bool succeeded() const = 0;
    /// Solves A x = b with `columns` columns, row-major; x is NaN if the factorization failed.
    virtual void solve(const void *b, void *x, int64_t columns) const = 0;
};

std::unique_ptr<Solver> make_solver(Number number, Factorization factorization, Ordering ordering);

/// Solves A x = b for a symmetric positive definite matrix, starting from the given x, until the residual is `tolerance` times b. Returns
/// false if that took more steps.
bool conjugate_gradients(const SparseMatrix &matrix, const void *b, void *x, int64_t max_steps, double tolerance);

} // namespace qd::linalg
