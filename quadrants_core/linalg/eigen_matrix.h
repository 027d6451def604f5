#pragma once
// The implementation of SparseMatrix that the files of this folder share.
#include "linalg/sparse_matrix.h"

#include <Eigen/SparseCore>

namespace qd::linalg {

template <class T> constexpr Number number_of = sizeof(T) == 4 ? Number::f32 : Number::f64;

template <class T> using Eigens = Eigen::SparseMatrix<T>; ///< column-major, indices of 32 bits
template <class T> using Dense = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T> class EigenMatrix final : public SparseMatrix {
  public:
    explicit EigenMatrix(Eigens<T> m) : m_(std::move(m)) { m_.makeCompressed(); }

    static const Eigens<T> &of(const SparseMatrix &matrix) { return static_cast<const EigenMatrix &>(matrix).m_; }

    Number number() const override { return number_of<T>; }
    int64_t rows() const override { return m_.rows(); }
    int64_t cols() const override { return m_.cols(); }
    int64_t entries() const override { return m_.nonZeros(); }
    double get(int64_t i, int64_t j) const override { return double(m_.coeff(i, j)); }
    void set(int64_t i, int64_t j, double value) override;
    std::unique_ptr<SparseMatrix> clone() const override { return std::make_unique<EigenMatrix>(m_); }
    std::unique_ptr<SparseMatrix> combined(Op op, const SparseMatrix &other) const override;
    std::unique_ptr<SparseMatrix> scaled(double factor) const override;
    std::unique_ptr<SparseMatrix> transposed() const override;
    void apply(const void *x, void *y, int64_t columns) const override;
    std::string text() const override;
    std::string market() const override;

  private:
    Eigens<T> m_;
};

} // namespace qd::linalg
