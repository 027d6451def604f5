#pragma once
// Types of IR values. A value is a scalar, a short SIMD vector of scalars (created by `vectorize` only), a pointer to a scalar, or an array
// parameter. Matrices, vectors and structs of the language are scalarised by the frontend; a matrix that is indexed at run time is stored
// in a `local`.
#include <cstdint>
#include <string>
#include <string_view>

namespace qd::ir {

enum class Scalar : uint8_t { none, u1, i8, u8, i16, u16, i32, u32, i64, u64, f16, f32, f64 };

constexpr bool is_float(Scalar s) { return s >= Scalar::f16; }
constexpr bool is_int(Scalar s) { return s >= Scalar::u1 && s <= Scalar::u64; }
constexpr bool is_signed(Scalar s) {
    return s == Scalar::i8 || s == Scalar::i16 || s == Scalar::i32 || s == Scalar::i64 || is_float(s);
}
/// Bytes in memory. u1 takes one byte.
constexpr int size_of(Scalar s) {
    constexpr int bytes[] = {0, 1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};
    return bytes[int(s)];
}
constexpr int bits_of(Scalar s) { return s == Scalar::u1 ? 1 : 8 * size_of(s); }

enum class Kind : uint8_t { none, scalar, pointer, array };

/// Address spaces. Memory of different spaces never aliases.
enum class Space : uint8_t {
    global,   ///< device memory, visible to all threads
    shared,   ///< shared by a block of threads
    private_, ///< private to one thread
    constant  ///< read-only
};

struct Type {
    Kind kind = Kind::none;
    Scalar elem = Scalar::none;  ///< the scalar, the pointee, or the array's element
    uint8_t lanes = 1;           ///< >1: SIMD vector (scalars only)
    uint8_t ndim = 0;            ///< arrays: number of indices
    uint8_t rows = 1, cols = 1;  ///< arrays: shape of one element; components are stored together (AOS), row-major
    Space space = Space::global; ///< pointers

    constexpr Type() = default;
    constexpr Type(Scalar s, int n = 1)
        : kind(s == Scalar::none ? Kind::none : Kind::scalar), elem(s), lanes(uint8_t(n)) {}
    static constexpr Type pointer(Scalar s, Space space = Space::global) {
        Type t;
        t.kind = Kind::pointer;
        t.elem = s;
        t.space = space;
        return t;
    }
    static constexpr Type array(Scalar s, int ndim, int rows = 1, int cols = 1) {
        Type t;
        t.kind = Kind::array;
        t.elem = s;
        t.ndim = uint8_t(ndim);
        t.rows = uint8_t(rows);
        t.cols = uint8_t(cols);
        return t;
    }
    constexpr bool is_scalar() const { return kind == Kind::scalar; }
    constexpr bool is_pointer() const { return kind == Kind::pointer; }
    constexpr bool is_array() const { return kind == Kind::array; }
    constexpr bool is_float() const { return kind == Kind::scalar && ir::is_float(elem); }
    constexpr bool is_int() const { return kind == Kind::scalar && ir::is_int(elem); }
    constexpr bool is_bool() const { return kind == Kind::scalar && elem == Scalar::u1; }
    constexpr Type with_lanes(int n) const {
        Type t = *this;
        t.lanes = uint8_t(n);
        return t;
    }
    friend constexpr bool operator==(const Type &, const Type &) = default;
};

std::string to_string(Scalar s);     ///< "f32"
std::string_view to_string(Space s); ///< "private"
/// "f32", "f32x8", "ptr<f32>", "ptr<f32, private>", "array<f32, 2>", "array<f32, 2, 3x1>"
std::string to_string(const Type &t);

} // namespace qd::ir
