#pragma once
// Sparse matrices on the host, compressed by columns. Eigen does the work, behind this header and solver.h: its own headers are included
// only in this folder. The caller checks sizes; both operands have the same number type.
#include <cstdint>
#include <memory>
#include <string>

namespace qd::linalg {

enum class Number : uint8_t { f32, f64 };

/// Entries in any order; those at the same position are summed.
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
    /// Computes y = A x with `columns` columns, row-major.
    virtual void apply(const void *x, void *y, int64_t columns) const = 0;
    /// Prints all numbers, zeros included, one row per line: "[  1,   0]\n[  0, 2.5]".
    virtual std::string text() const = 0;
    /// Formats the matrix as a file in the coordinate format of Matrix Market.
    virtual std::string market() const = 0;
};

/// Builds the matrix of these triplets, bit for bit the same in any order. Throws std::out_of_range naming a triplet that lies outside.
std::unique_ptr<SparseMatrix> assemble(Number number, int64_t rows, int64_t cols, const Triplets &triplets);

} // namespace qd::linalg
