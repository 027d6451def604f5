#include "python/bind/samples.h"

#include "ir/eval.h"
#include "ir/types.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace qd::bind {
namespace {

constexpr Py_ssize_t block = 16; // number of columns read together

struct Half {
    uint16_t bits;
};

struct Axis {
    Py_ssize_t samples, first, extent, stride;

    bool fits() const { return samples > 0 && extent > 0; }
    bool takes_all() const { return samples == extent; }
    std::vector<ptrdiff_t> offsets() const {
        std::vector<ptrdiff_t> all;
        all.reserve(size_t(samples));
        const Py_ssize_t step = extent / samples, more = extent % samples;
        Py_ssize_t element = first, rest = 0;
        for (Py_ssize_t k = 0; k < samples; k++) { // k * extent / samples without a division for each
            all.push_back(element * stride);
            element += step;
            if ((rest += more) >= samples) {
                rest -= samples;
                element++;
            }
        }
        return all;
    }
};

struct Array {
    const char *data;
    Axis x, y;
    Py_ssize_t parts, part_stride;
};

template <class T> float number_at(const char *p) {
    T value;
    std::memcpy(&value, p, sizeof value);
    if constexpr (std::is_same_v<T, Half>)
        return ir::f16_to_f32(value.bits);
    else
        return float(value);
}

template <class T> float magnitude_at(const char *p, Py_ssize_t parts, Py_ssize_t stride) {
    float sum = 0;
    for (Py_ssize_t k = 0; k < parts; k++) {
        const float part = number_at<T>(p + k * stride);
        sum += part * part;
    }
    return std::sqrt(sum);
}

/// Takes the samples of one column, four at a time: a third faster than one after the other.
template <class T> void take_column(const char *column, const std::vector<ptrdiff_t> &rows, float *__restrict out) {
    const ptrdiff_t *at = rows.data();
    const size_t height = rows.size();
    size_t j = 0;
    for (; j + 4 <= height; j += 4) {
        const float a = number_at<T>(column + at[j]), b = number_at<T>(column + at[j + 1]),
                    c = number_at<T>(column + at[j + 2]), d = number_at<T>(column + at[j + 3]);
        out[j] = a;
        out[j + 1] = b;
        out[j + 2] = c;
        out[j + 3] = d;
    }
    for (; j < height; j++) out[j] = number_at<T>(column + at[j]);
}

template <class T> void take(const Array &array, float *out) {
    const std::vector<ptrdiff_t> columns = array.x.offsets(), rows = array.y.offsets();
    const size_t width = columns.size(), height = rows.size();
    if (array.parts > 0) {
        for (size_t i = 0; i < width; i++)
            for (size_t j = 0; j < height; j++)
                out[i * height + j] =
                    magnitude_at<T>(array.data + columns[i] + rows[j], array.parts, array.part_stride);
    } else if (std::abs(array.x.stride) < std::abs(array.y.stride)) {
        for (size_t from = 0; from < width; from += block)
            for (size_t j = 0; j < height; j++)
                for (size_t i = from; i < std::min(width, from + block); i++)
                    out[i * height + j] = number_at<T>(array.data + columns[i] + rows[j]);
    } else if (array.y.takes_all() && array.y.stride == Py_ssize_t(sizeof(T))) {
        for (size_t i = 0; i < width; i++) {
            const char *column = array.data + columns[i] + rows[0];
            for (size_t j = 0; j < height; j++) out[i * height + j] = number_at<T>(column + j * sizeof(T));
        }
    } else {
        for (size_t i = 0; i < width; i++) take_column<T>(array.data + columns[i], rows, out + i * height);
    }
}

void take(const Array &array, ir::Scalar scalar, float *out) {
    switch (scalar) {
    case ir::Scalar::none: break;
    case ir::Scalar::u1:
    case ir::Scalar::u8: return take<uint8_t>(array, out);
    case ir::Scalar::i8: return take<int8_t>(array, out);
    case ir::Scalar::i16: return take<int16_t>(array, out);
    case ir::Scalar::u16: return take<uint16_t>(array, out);
    case ir::Scalar::i32: return take<int32_t>(array, out);
    case ir::Scalar::u32: return take<uint32_t>(array, out);
    case ir::Scalar::i64: return take<int64_t>(array, out);
    case ir::Scalar::u64: return take<uint64_t>(array, out);
    case ir::Scalar::f16: return take<Half>(array, out);
    case ir::Scalar::f32: return take<float>(array, out);
    case ir::Scalar::f64: return take<double>(array, out);
    }
}

struct Buffer {
    Py_buffer view = {};
    ~Buffer() { PyBuffer_Release(&view); }
};

} // namespace

PyObject *sample(PyObject *, PyObject *args) {
    Buffer out, before;
    PyObject *other;
    unsigned long long address;
    int scalar;
    Array array;
    Axis &x = array.x, &y = array.y;
    if (!PyArg_ParseTuple(args, "w*OKi(nnnn)(nnnn)nn", &out.view, &other, &address, &scalar, &x.samples, &x.first,
                          &x.extent, &x.stride, &y.samples, &y.first, &y.extent, &y.stride, &array.parts,
                          &array.part_stride))
        return nullptr;
    if (other != Py_None && PyObject_GetBuffer(other, &before.view, PyBUF_SIMPLE) != 0) return nullptr;
    if (scalar < int(ir::Scalar::u1) || scalar > int(ir::Scalar::f64) || !x.fits() || !y.fits() ||
        out.view.len / Py_ssize_t(sizeof(float)) / x.samples < y.samples) {
        PyErr_SetString(PyExc_ValueError, "samples that do not fit");
        return nullptr;
    }
    array.data = reinterpret_cast<const char *>(address);
    const Py_ssize_t bytes = x.samples * y.samples * Py_ssize_t(sizeof(float));
    if (address != 0)
        take(array, ir::Scalar(scalar), static_cast<float *>(out.view.buf));
    else
        std::memset(out.view.buf, 0, size_t(bytes));
    return PyBool_FromLong(before.view.len >= bytes && std::memcmp(out.view.buf, before.view.buf, size_t(bytes)) == 0);
}

} // namespace qd::bind
