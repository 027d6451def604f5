#include "python/bind/record.h"

#include "python/bind/lines.h"

#include "base/bytes.h"
#include "frontend/reads.h"

#include "frontend_stamp.h"

#include <algorithm>

namespace qd::bind {
namespace {

using frontend::PyRef;

constexpr size_t most_records = 8; ///< in one file; the oldest goes first

/// Where the text of a kernel or func stands, as quadrants._source.Source.lines gives it.
struct SourceLines : Lines {
    PyRef owner;
    std::string file, name;
};

/// Throws PythonError if the source cannot be found.
SourceLines lines_of(PyObject *object) {
    PyRef source = PyRef::steal(PyObject_GetAttrString(object, "_qd_source_"));
    SourceLines lines;
    lines.owner = PyRef::steal(source ? PyObject_CallMethod(source.get(), "lines", nullptr) : nullptr);
    PyObject *file, *name;
    if (!lines.owner ||
        !PyArg_ParseTuple(lines.owner.get(), "O!nUU", &PyList_Type, &lines.list, &lines.start, &file, &name))
        throw frontend::PythonError{};
    lines.file = frontend::text(file);
    lines.name = frontend::text(name);
    return lines;
}

/// The text that the frontend walks if the function ends before line `end`.
frontend::Source source_until(const SourceLines &lines, Py_ssize_t end) {
    frontend::Source source;
    source.file = lines.file;
    source.name = lines.name;
    source.first_line = int(lines.start) + 1;
    for (Py_ssize_t i = lines.start; i < end; i++) source.text += lines[i];
    if (!source.text.ends_with('\n')) source.text += '\n';
    return source;
}

std::string source_print(PyObject *object, int64_t count) {
    try {
        const SourceLines lines = lines_of(object);
        if (count <= 0 || count > lines.size() - lines.start || !may_end(lines, lines.start + count)) return {};
        int64_t found;
        return frontend::print_of(source_until(lines, lines.start + count), &found);
    } catch (const frontend::PythonError &) {
        return {};
    }
}

// What is asked of the frontend, taken apart by name: a member that is added must be said here as well.

void write_options(Writer &w, const frontend::Options &options) {
    options.each([&](auto value) { w.number(value); });
    for (bool flag : {options.coverage, options.pure, options.graph, options.checkpoints}) w.number(flag);
}

void write_param(Writer &w, const frontend::Param &param) {
    frontend::write(w, param);
    if (param.kind == frontend::ParamKind::constant && frontend::is_plain(param.value))
        w.text(frontend::repr(param.value));
}

void write_request(Writer &w, const frontend::Request &request) {
    const auto &[source, function, params, returns, place, companion, source_of, member, warn, options, mode] = request;
    write_options(w, options);
    w.number(mode);
    w.number(uint64_t(params.size()));
    for (const frontend::Param &p : params) write_param(w, p);
    for (const auto &[elem, rows, cols, element_dim, structure] : returns) {
        w.number(elem);
        for (int n : {rows, cols, element_dim, int(structure != nullptr)}) w.number(n);
    }
}

void write(Writer &w, const Recorded &made) {
    w.number(uint64_t(made.written.size()));
    for (bool written : made.written) w.number(written);
    w.array(made.leaves);
    w.number(made.brief);
    w.number(uint64_t(made.warnings.size()));
    for (const Warning &warning : made.warnings) {
        w.text(warning.category);
        w.text(warning.message);
        w.text(warning.at.file);
        w.number(warning.at.line);
    }
    write(w, made.graph);
    w.blob(made.image);
}

bool read(Reader &r, Recorded *out) {
    out->written.resize(r.count());
    for (size_t i = 0; i < out->written.size(); i++) out->written[i] = r.number<bool>();
    out->leaves = r.array<int>();
    out->brief = r.number<bool>();
    out->warnings.resize(r.count());
    for (Warning &warning : out->warnings) {
        warning.category = r.text();
        warning.message = r.text();
        warning.at.file = r.text();
        warning.at.line = r.number<uint32_t>();
    }
    out->graph = read_graph(r);
    out->image = r.blob();
    return r.at_end();
}

} // namespace

Record::Record(const KernelObject *kernel, const frontend::Request &request) : kernel_(kernel) {
    if (!runtime.options.src_ll_cache || !runtime.program->keeps_records()) return;
    const SourceLines lines = lines_of(kernel->info);
    Writer w;
    w.text(QD_FRONTEND_STAMP);
    w.number(uint32_t(PY_VERSION_HEX));
    const frontend::Source source = source_until(lines, first_end(lines));
    w.text(source.file);
    w.text(source.name);
    w.number(source.first_line);
    w.text(source.text);
    write_request(w, request);
    // Kernels made by one factory differ in their closures.
    PyRef closure = PyRef::steal(PyObject_GetAttrString(request.function, "__closure__"));
    PyErr_Clear();
    for (Py_ssize_t i = 0; closure && PyTuple_Check(closure.get()) && i < PyTuple_GET_SIZE(closure.get()); i++) {
        PyObject *content = PyCell_GET(PyTuple_GET_ITEM(closure.get(), i));
        if (content && frontend::is_plain(content)) w.text(frontend::repr(content));
    }
    name_ = std::move(w.bytes);
    file_ = runtime.program->load_record(name_);
    Reader all(file_);
    for (size_t count = file_.empty() ? 0 : all.count(); count > 0; count--) {
        const auto reads = all.blob(), made = all.blob();
        if (all.ok) records_.push_back({reads, made});
    }
}

bool Record::recall(size_t which, const frontend::Request &request, Recorded *out) const {
    frontend::World world{request, kernel_->info, source_print};
    Reader reads(records_[which].reads), made(records_[which].made);
    const std::vector<frontend::Read> list = frontend::read_reads(reads);
    return reads.at_end() && frontend::unchanged(list, world) && read(made, out);
}

bool Record::keep(const std::vector<frontend::Read> &reads, const Recorded &made) {
    if (name_.empty() || reads.empty()) return false;
    Writer own_reads, own;
    frontend::write(own_reads, reads);
    write(own, made);
    std::vector<Entry> entries = {{own_reads.bytes, own.bytes}};
    for (const Entry &other : records_)
        if (entries.size() < most_records && !std::ranges::equal(other.reads, own_reads.bytes))
            entries.push_back(other);
    Writer all;
    all.number(uint64_t(entries.size()));
    for (const Entry &entry : entries) {
        all.blob(entry.reads);
        all.blob(entry.made);
    }
    runtime.program->store_record(name_, all.bytes);
    return true;
}

} // namespace qd::bind
