#pragma once
// Sparse matrices of the host, kept compressed by columns. Eigen does the work, behind this header and solver.h: its
// own headers are included in this folder alone. Sizes are the caller's to check; both operands have one type of
// numbers.
#include <cstdint>
#include <memory>
#include <string>

namespace qd::linalg {

enum class Number : uint8_t { f32, f64 };

/// Entries in any order; those of one place are summed.
struct Triplets {
    const int32_t *rows = nullptr, *cols = nullptr;
    const void *values = nullptr; ///< of the matrix's type
    int64_t count = 0;
};

class SparseMatrix {
  public:
    enum class Op : uint8_t { plus, minus, elementwise, product };

    virtual ~SparseMatrix() = default;
    virtual Number number() const = 0;
    virtual int64_t rows() const = 0;
    virtual int64_t cols() const = 0;
    virtual int64_t entries() const = 0;
    virtual double get(int64_t i, int64_t j) const = 0;
    virtual void set(int64_t i, int64_t j, double value) = 0;
    virtual std::unique_ptr<SparseMatrix> clone() const = 0;
    virtual std::unique_ptr<SparseMatrix> combined(Op op, const SparseMatrix &other) const = 0;
    virtual std::unique_ptr<SparseMatrix> scaled(double factor) const = 0;
    virtual std::unique_ptr<SparseMatrix> transposed() const = 0;
    /// y = A x, of `columns` columns each, row-major.
    virtual void apply(const void *x, void *y, int64_t columns) const = 0;
    /// All numbers, zeros included, a row a line: "[  1,   0]\n[  0, 2.5]".
    virtual std::string text() const = 0;
    /// As a file in the coordinate format of Matrix Market.
    virtual std::string market() const = 0;
};

/// The matrix of these triplets, the same bit for bit in whatever order they come. std::out_of_range names one that
/// lies outside.
std::unique_ptr<SparseMatrix> assemble(Number number, int64_t rows, int64_t cols, const Triplets &triplets);

} // namespace qd::linalg
