#include "linalg/solver.h"

#include "linalg/eigen_matrix.h"

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>

#include <limits>
#include <vector>

namespace qd::linalg {
namespace {

/// The sparsity pattern of a matrix. Eigen assumes, without checking, that it does not change between analysis and factorization.
struct Pattern {
    int64_t size = -1;
    std::vector<int32_t> outer, inner;

    template <class T> void keep(const Eigens<T> &m) {
        size = m.cols();
        outer.assign(m.outerIndexPtr(), m.outerIndexPtr() + size + 1);
        inner.assign(m.innerIndexPtr(), m.innerIndexPtr() + m.nonZeros());
    }
    template <class T> bool fits(const Eigens<T> &m) const {
        return size == m.cols() && int64_t(inner.size()) == m.nonZeros() &&
               std::equal(outer.begin(), outer.end(), m.outerIndexPtr()) &&
               std::equal(inner.begin(), inner.end(), m.innerIndexPtr());
    }
};

template <class T, class Decomposition> class EigenSolver final : public Solver {
  public:
    void analyze(const SparseMatrix &matrix) override {
        const Eigens<T> &m = EigenMatrix<T>::of(matrix);
        succeeded_ = false;
        pattern_.keep(m);
        decomposition_.analyzePattern(m);
    }
    bool factorize(const SparseMatrix &matrix) override {
        const Eigens<T> &m = EigenMatrix<T>::of(matrix);
        succeeded_ = false;
        if (!pattern_.fits(m)) return false;
        decomposition_.factorize(m);
        succeeded_ = decomposition_.info() == Eigen::Success;
        return true;
    }
    bool succeeded() const override { return succeeded_; }
    void solve(const void *b, void *x, int64_t columns) const override {
        Eigen::Map<Dense<T>> out(static_cast<T *>(x), pattern_.size, columns);
        if (!succeeded_) {
            out.setConstant(std::numeric_limits<T>::quiet_NaN());
            return;
        }
        using ByColumns = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
        const ByColumns in = Eigen::Map<const Dense<T>>(static_cast<const T *>(b), pattern_.size, columns);
        const ByColumns found = decomposition_.solve(in);
        out = found;
    }

  private:
    Decomposition decomposition_;
    Pattern pattern_;
    bool succeeded_ = false;
};

template <class T, class Order> std::unique_ptr<Solver> make_ordered(Factorization factorization) {
    using M = Eigens<T>;
    switch (factorization) {
    case Factorization::llt: return std::make_unique<EigenSolver<T, Eigen::SimplicialLLT<M, Eigen::Lower, Order>>>();
    case Factorization::ldlt: return std::make_unique<EigenSolver<T, Eigen::SimplicialLDLT<M, Eigen::Lower, Order>>>();
    case Factorization::lu: return std::make_unique<EigenSolver<T, Eigen::SparseLU<M, Order>>>();
    }
    return nullptr;
}

template <class T> std::unique_ptr<Solver> make(Factorization factorization, Ordering ordering) {
    switch (ordering) {
    case Ordering::amd: return make_ordered<T, Eigen::AMDOrdering<int>>(factorization);
    case Ordering::colamd: return make_ordered<T, Eigen::COLAMDOrdering<int>>(factorization);
    }
    return nullptr;
}

template <class T>
bool conjugate_gradients_as(const SparseMatrix &matrix, const void *b, void *x, int64_t max_steps, double tolerance) {
    using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
    const Eigens<T> &m = EigenMatrix<T>::of(matrix);
    const Eigen::Map<const Vector> right(static_cast<const T *>(b), m.rows());
    Eigen::Map<Vector> out(static_cast<T *>(x), m.cols());
    Eigen::ConjugateGradient<Eigens<T>, Eigen::Lower | Eigen::Upper> solver;
    solver.setMaxIterations(max_steps);
    solver.setTolerance(T(tolerance));
    solver.compute(m);
    const Vector guess = out;
    const Vector found = solver.solveWithGuess(right, guess);
    out = found;
    return solver.info() == Eigen::Success;
}

} // namespace

std::unique_ptr<Solver> make_solver(Number number, Factorization factorization, Ordering ordering) {
    return number == Number::f32 ? make<float>(factorization, ordering) : make<double>(factorization, ordering);
}

bool conjugate_gradients(const SparseMatrix &matrix, const void *b, void *x, int64_t max_steps, double tolerance) {
    const auto run = matrix.number() == Number::f32 ? conjugate_gradients_as<float> : conjugate_gradients_as<double>;
    return run(matrix, b, x, max_steps, tolerance);
}

} // namespace qd::linalg
