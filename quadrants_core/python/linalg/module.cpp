// The extension module quadrants._lib.quadrants_linalg: sparse matrices and solvers, for quadrants._sparse.matrix and
// quadrants._sparse.solver, which check the arguments. It is a separate file, so that programs that do not use it do not load it. Long
// operations run without the GIL, on snapshots: data shared by two handles is never modified.
#include "base/fork.h"
#include "linalg/solver.h"

#include <pybind11/pybind11.h>

#include <stdexcept>

namespace py = pybind11;
using namespace qd;
using linalg::Number;

namespace {

Number number_named(const std::string &dtype) { return dtype == "f32" ? Number::f32 : Number::f64; }

struct Matrix {
    std::shared_ptr<linalg::SparseMatrix> data;
};

void check_count(const py::buffer_info &info, int64_t count) {
    if (info.size == count) return;
    throw std::invalid_argument(std::to_string(count) + " numbers are needed, not " + std::to_string(info.size));
}

/// Returns a contiguous buffer of `count` numbers; -1: of any number of them.
py::buffer_info view(const py::buffer &buffer, int64_t count, py::ssize_t itemsize, bool writable = false) {
    py::buffer_info info = buffer.request(writable);
    if (info.itemsize != itemsize || PyBuffer_IsContiguous(info.view(), 'C') == 0)
        throw std::invalid_argument("a contiguous array of the matrix's type is needed");
    if (count >= 0) check_count(info, count);
    return info;
}

py::ssize_t size_of(Number number) { return number == Number::f32 ? 4 : 8; }

Matrix assemble(const std::string &dtype, int64_t rows, int64_t cols, const py::buffer &at_rows,
                const py::buffer &at_cols, const py::buffer &values) {
    const Number number = number_named(dtype);
    const py::buffer_info i = view(at_rows, -1, 4), j = view(at_cols, i.size, 4);
    const py::buffer_info v = view(values, i.size, size_of(number));
    const linalg::Triplets triplets{static_cast<const int32_t *>(i.ptr), static_cast<const int32_t *>(j.ptr), v.ptr,
                                    i.size};
    py::gil_scoped_release release;
    return {linalg::assemble(number, rows, cols, triplets)};
}

template <linalg::SparseMatrix::Op op> Matrix combine(const Matrix &a, const Matrix &b) {
    const std::shared_ptr<const linalg::SparseMatrix> left = a.data, right = b.data;
    py::gil_scoped_release release;
    return {left->combined(op, *right)};
}

void set_element(Matrix &m, int64_t i, int64_t j, double value) {
    if (m.data.use_count() > 1) m.data = m.data->clone();
    m.data->set(i, j, value);
}

void apply(const Matrix &m, const py::buffer &x, const py::buffer &y, int64_t columns) {
    const std::shared_ptr<const linalg::SparseMatrix> matrix = m.data;
    const py::ssize_t size = size_of(matrix->number());
    const py::buffer_info in = view(x, matrix->cols() * columns, size);
    const py::buffer_info out = view(y, matrix->rows() * columns, size, true);
    py::gil_scoped_release release;
    matrix->apply(in.ptr, out.ptr, columns);
}

/// A solver, and the lock of the thread that is using it.
struct Solver {
    std::unique_ptr<linalg::Solver> solver;
    Number number;
    int64_t size = -1; ///< of the matrix analysed last
    ForkResetMutex busy;

    Solver(const std::string &dtype, const std::string &factorization, const std::string &ordering)
        : number(number_named(dtype)) {
        using linalg::Factorization, linalg::Ordering;
        const Factorization f = factorization == "LLT"    ? Factorization::llt
                                : factorization == "LDLT" ? Factorization::ldlt
                                                          : Factorization::lu;
        solver = linalg::make_solver(number, f, ordering == "AMD" ? Ordering::amd : Ordering::colamd);
    }
    void check_whole() const {
        if (busy.was_held_at_fork())
            throw std::runtime_error("this process was forked while another thread used the solver; make a new one");
    }
    void analyze(const Matrix &m) {
        const std::shared_ptr<const linalg::SparseMatrix> matrix = m.data;
        py::gil_scoped_release release;
        const std::lock_guard lock(busy);
        check_whole();
        size = matrix->cols();
        solver->analyze(*matrix);
    }
    bool factorize(const Matrix &m) {
        const std::shared_ptr<const linalg::SparseMatrix> matrix = m.data;
        py::gil_scoped_release release;
        const std::lock_guard lock(busy);
        check_whole();
        return solver->factorize(*matrix);
    }
    bool succeeded() {
        py::gil_scoped_release release;
        const std::lock_guard lock(busy);
        check_whole();
        return solver->succeeded();
    }
    void solve(const py::buffer &b, const py::buffer &x, int64_t columns) {
        const py::buffer_info in = view(b, -1, size_of(number)), out = view(x, -1, size_of(number), true);
        py::gil_scoped_release release;
        const std::lock_guard lock(busy);
        check_whole();
        check_count(in, size * columns);
        check_count(out, size * columns);
        solver->solve(in.ptr, out.ptr, columns);
    }
};

bool conjugate_gradients(const Matrix &m, const py::buffer &b, const py::buffer &x, int64_t max_steps,
                         double tolerance) {
    const std::shared_ptr<const linalg::SparseMatrix> matrix = m.data;
    const py::ssize_t size = size_of(matrix->number());
    const py::buffer_info in = view(b, matrix->rows(), size), out = view(x, matrix->cols(), size, true);
    py::gil_scoped_release release;
    return linalg::conjugate_gradients(*matrix, in.ptr, out.ptr, max_steps, tolerance);
}

} // namespace

PYBIND11_MODULE(quadrants_linalg, m) {
    using Op = linalg::SparseMatrix::Op;
    py::class_<Matrix>(m, "Matrix", py::module_local())
        .def_property_readonly("entries", [](const Matrix &m) { return m.data->entries(); })
        .def("get", [](const Matrix &m, int64_t i, int64_t j) { return m.data->get(i, j); })
        .def("set", set_element)
        .def("plus", combine<Op::plus>)
        .def("minus", combine<Op::minus>)
        .def("elementwise", combine<Op::elementwise>)
        .def("product", combine<Op::product>)
        .def("scaled", [](const Matrix &m, double factor) { return Matrix{m.data->scaled(factor)}; })
        .def("transposed", [](const Matrix &m) { return Matrix{m.data->transposed()}; })
        .def("apply", apply)
        .def("text", [](const Matrix &m) { return m.data->text(); })
        .def("market", [](const Matrix &m) { return m.data->market(); });
    m.def("assemble", assemble);
    py::class_<Solver>(m, "Solver", py::module_local())
        .def(py::init<const std::string &, const std::string &, const std::string &>())
        .def("analyze", &Solver::analyze)
        .def("factorize", &Solver::factorize)
        .def("succeeded", &Solver::succeeded)
        .def("solve", &Solver::solve);
    m.def("conjugate_gradients", conjugate_gradients);
}
