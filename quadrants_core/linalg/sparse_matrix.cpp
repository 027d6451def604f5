#include "linalg/eigen_matrix.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace qd::linalg {
namespace {

/// Appends the shortest text from which `value` can be read back exactly.
template <class T> void append_number(std::string &out, T value) {
    char digits[40];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

template <class T> struct Entry {
    int32_t row;
    T value;
    /// Entries at the same position are ordered by their bits, so that their sum does not depend on the order of the input.
    bool operator<(const Entry &other) const {
        using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
        if (row != other.row) return row < other.row;
        return std::bit_cast<Bits>(value) < std::bit_cast<Bits>(other.value);
    }
};

void check_positions(int64_t rows, int64_t cols, const Triplets &t) {
    if (t.count > std::numeric_limits<int32_t>::max())
        throw std::out_of_range(std::to_string(t.count) + " triplets are more than a matrix can hold");
    for (int64_t k = 0; k < t.count; k++) {
        if (t.rows[k] >= 0 && t.rows[k] < rows && t.cols[k] >= 0 && t.cols[k] < cols) continue;
        throw std::out_of_range("the entry (" + std::to_string(t.rows[k]) + ", " + std::to_string(t.cols[k]) +
                                ") is outside the shape (" + std::to_string(rows) + ", " + std::to_string(cols) + ")");
    }
}

/// Returns the entries sorted by column; `start[j]` is the index of the first entry of column j.
template <class T> std::vector<Entry<T>> by_column(int64_t cols, const Triplets &t, std::vector<int32_t> *start) {
    start->assign(size_t(cols) + 1, 0);
    for (int64_t k = 0; k < t.count; k++) ++(*start)[size_t(t.cols[k]) + 1];
    for (int64_t j = 0; j < cols; j++) (*start)[size_t(j) + 1] += (*start)[size_t(j)];
    std::vector<int32_t> next(start->begin(), start->end() - 1);
    std::vector<Entry<T>> entries(size_t(t.count));
    for (int64_t k = 0; k < t.count; k++)
        entries[size_t(next[size_t(t.cols[k])]++)] = {t.rows[k], static_cast<const T *>(t.values)[k]};
    return entries;
}

template <class T> std::unique_ptr<SparseMatrix> assemble_as(int64_t rows, int64_t cols, const Triplets &t) {
    check_positions(rows, cols, t);
    std::vector<int32_t> start;
    std::vector<Entry<T>> entries = by_column<T>(cols, t, &start);
    size_t kept = 0; // entries before this one are distinct and final
    for (int64_t j = 0; j < cols; j++) {
        const size_t begin = size_t(start[size_t(j)]), end = size_t(start[size_t(j) + 1]);
        std::sort(entries.begin() + ptrdiff_t(begin), entries.begin() + ptrdiff_t(end));
        const size_t first = kept;
        start[size_t(j)] = int32_t(first);
        for (size_t k = begin; k < end; k++) {
            if (kept > first && entries[kept - 1].row == entries[k].row)
                entries[kept - 1].value += entries[k].value;
            else
                entries[kept++] = entries[k];
        }
    }
    Eigens<T> m(rows, cols);
    m.resizeNonZeros(Eigen::Index(kept));
    start[size_t(cols)] = int32_t(kept);
    std::copy(start.begin(), start.end(), m.outerIndexPtr());
    for (size_t k = 0; k < kept; k++) {
        m.innerIndexPtr()[k] = entries[k].row;
        m.valuePtr()[k] = entries[k].value;
    }
    return std::make_unique<EigenMatrix<T>>(std::move(m));
}

} // namespace

std::unique_ptr<SparseMatrix> assemble(Number number, int64_t rows, int64_t cols, const Triplets &triplets) {
    return number == Number::f32 ? assemble_as<float>(rows, cols, triplets) : assemble_as<double>(rows, cols, triplets);
}

template <class T> void EigenMatrix<T>::set(int64_t i, int64_t j, double value) {
    m_.coeffRef(i, j) = T(value);
    m_.makeCompressed();
}

template <class T> std::unique_ptr<SparseMatrix> EigenMatrix<T>::combined(Op op, const SparseMatrix &other) const {
    const Eigens<T> &b = of(other);
    switch (op) {
    case Op::plus: return std::make_unique<EigenMatrix>(Eigens<T>(m_ + b));
    case Op::minus: return std::make_unique<EigenMatrix>(Eigens<T>(m_ - b));
    case Op::elementwise: return std::make_unique<EigenMatrix>(Eigens<T>(m_.cwiseProduct(b)));
    case Op::product: return std::make_unique<EigenMatrix>(Eigens<T>(m_ * b));
    }
    return nullptr;
}

template <class T> std::unique_ptr<SparseMatrix> EigenMatrix<T>::scaled(double factor) const {
    return std::make_unique<EigenMatrix>(Eigens<T>(m_ * T(factor)));
}

template <class T> std::unique_ptr<SparseMatrix> EigenMatrix<T>::transposed() const {
    return std::make_unique<EigenMatrix>(Eigens<T>(m_.transpose()));
}

template <class T> void EigenMatrix<T>::apply(const void *x, void *y, int64_t columns) const {
    const Eigen::Map<const Dense<T>> in(static_cast<const T *>(x), m_.cols(), columns);
    Eigen::Map<Dense<T>> out(static_cast<T *>(y), m_.rows(), columns);
    out.noalias() = m_ * in;
}

template <class T> std::string EigenMatrix<T>::text() const {
    const Eigen::IOFormat aligned(4, 0, ", ", "\n", "[", "]");
    std::ostringstream out;
    out << Dense<T>(m_).format(aligned);
    return out.str();
}

template <class T> std::string EigenMatrix<T>::market() const {
    std::string out = "%%MatrixMarket matrix coordinate real general\n" + std::to_string(m_.rows()) + " " +
                      std::to_string(m_.cols()) + " " + std::to_string(m_.nonZeros()) + "\n";
    for (int64_t j = 0; j < m_.outerSize(); j++) {
        for (typename Eigens<T>::InnerIterator entry(m_, j); entry; ++entry) {
            out += std::to_string(entry.row() + 1) + " " + std::to_string(j + 1) + " ";
            append_number(out, entry.value());
            out += "\n";
        }
    }
    return out;
}

template class EigenMatrix<float>;
template class EigenMatrix<double>;

} // namespace qd::linalg
