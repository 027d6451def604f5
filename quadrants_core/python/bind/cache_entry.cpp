#define PY_SSIZE_T_CLEAN
#include "python/bind/cache_entry.h"

#include "engine/compiler.h"
#include "engine/kept_code.h"
#include "python/bind/lines.h"

#include "base/bytes.h"
#include "frontend/dependencies.h"

#include <algorithm>

namespace qd::bind {
namespace {

using frontend::PyRef;

constexpr size_t max_records = 8; ///< maximum in one file; the oldest is dropped first

/// The location of the text of a kernel or func, as quadrants._source.Source.lines gives it.
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

/// Returns the text that the frontend walks if the function ends before line `end`.
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
        return frontend::fingerprint_of(source_until(lines, lines.start + count), &found);
    } catch (const frontend::PythonError &) {
        return {};
    }
}

void write(Writer &w, const CachedPlan &made) {
    w.number(uint64_t(made.written.size()));
    for (bool written : made.written) w.number(written);
    w.array(made.leaves);
    w.number(made.short_running);
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

bool read(Reader &r, CachedPlan *out) {
    out->written.resize(r.count());
    for (size_t i = 0; i < out->written.size(); i++) out->written[i] = r.number<bool>();
    out->leaves = r.array<int>();
    out->short_running = r.number<bool>();
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

/// Returns the dependencies of each entry: [(how, parent, index, key, print)].
PyObject *describe_entries(const std::vector<CacheEntries::Entry> &entries) {
    PyObject *all = PyList_New(0);
    for (const CacheEntries::Entry &entry : entries) {
        Reader bytes(entry.dependencies);
        PyObject *dependencies = PyList_New(0);
        for (const frontend::Dependency &read : frontend::read_dependencies(bytes)) {
            PyObject *one = Py_BuildValue("(iILs#y#)", int(read.how), read.parent, (long long)(read.index),
                                          read.key.data(), Py_ssize_t(read.key.size()), read.fingerprint.data(),
                                          Py_ssize_t(read.fingerprint.size()));
            if (one) PyList_Append(dependencies, one);
            Py_XDECREF(one);
        }
        PyList_Append(all, dependencies);
        Py_DECREF(dependencies);
    }
    return all;
}

} // namespace

CacheEntries::CacheEntries(const KernelObject *kernel, const frontend::Request &request)
    : kernel_(kernel), program_(runtime.program), fast_(request.options.pure) {
    if (!runtime.options.src_ll_cache || !program_->kept_code().caches_entries(fast_)) return;
    const SourceLines lines = lines_of(kernel->info);
    name_ = entry_name(source_until(lines, first_end(lines)), request, program_->compiler().code_options());
    file_ = program_->kept_code().load_entry(name_.bytes, fast_);
    entries_of(file_, &records_);
}

bool CacheEntries::entries_of(std::span<const uint8_t> file, std::vector<Entry> *entries,
                              std::span<const uint8_t> *name) {
    if (file.empty()) return false;
    Reader all(file);
    const auto own = all.blob();
    if (name) *name = own;
    for (size_t count = all.count(); count > 0; count--) {
        const auto dependencies = all.blob(), made = all.blob();
        if (all.ok) entries->push_back({dependencies, made});
    }
    return all.at_end();
}

bool CacheEntries::recall(size_t which, const frontend::Request &request, CachedPlan *out) const {
    frontend::World world{request, kernel_->info, source_print};
    Reader dependencies(records_[which].dependencies), made(records_[which].made);
    const std::vector<frontend::Dependency> list = frontend::read_dependencies(dependencies);
    if (!dependencies.at_end() || !frontend::unchanged(list, world) || !read(made, out)) return false;
    if (fast_) list_reads(list);
    return true;
}

bool CacheEntries::keep(const std::vector<frontend::Dependency> &dependencies, const CachedPlan &made) {
    if (!has_name() || dependencies.empty()) return false;
    Writer own_reads, own;
    frontend::write(own_reads, dependencies);
    write(own, made);
    std::vector<Entry> entries = {{own_reads.bytes, own.bytes}};
    for (const Entry &other : records_)
        if (entries.size() < max_records && !std::ranges::equal(other.dependencies, own_reads.bytes))
            entries.push_back(other);
    Writer all;
    all.blob(name_.bytes);
    all.number(uint64_t(entries.size()));
    for (const Entry &entry : entries) {
        all.blob(entry.dependencies);
        all.blob(entry.made);
    }
    program_->kept_code().store_entry(name_.bytes, all.bytes, fast_);
    if (fast_) list_reads(dependencies);
    return true;
}

/// For users: stores a list of the values that a kernel with this source reads with these options, for any arguments, unless it exists.
void CacheEntries::list_reads(const std::vector<frontend::Dependency> &dependencies) const {
    const std::span name = std::span(name_.bytes).first(name_.of_source);
    if (program_->kept_code().has_entry(name, true)) return;
    std::string text = "what the kernel " + name_.kernel + " of " + name_.file + " reads:\n";
    for (const frontend::Dependency &read : dependencies)
        if (!read.key.empty() && read.how != frontend::Dependency::How::function) text += read.key + '\n';
    program_->kept_code().store_entry(name, as_bytes(text), true);
}

PyObject *describe_cache_file(std::span<const uint8_t> file) {
    std::vector<CacheEntries::Entry> found;
    std::span<const uint8_t> bytes;
    if (!CacheEntries::entries_of(file, &found, &bytes)) Py_RETURN_NONE;
    PyObject *entries = describe_entries(found), *name = describe_name(bytes);
    return entries && name ? Py_BuildValue("{s:N,s:N}", "name", name, "entries", entries) : nullptr;
}

PyObject *describe_cache_files(const KernelObject *kernel) {
    const std::shared_ptr<engine::Program> program = runtime.program;
    PyObject *all = PyList_New(0);
    for (const std::shared_ptr<Plan> &plan : plans_of(kernel)) {
        if (!all || plan->generation != runtime.generation || plan->entry_name.empty()) continue;
        PyObject *entry = describe_cache_file(program->kept_code().load_entry(plan->entry_name, plan->in_fast_cache));
        PyObject *one = entry ? Py_BuildValue("(IN)", plan->number, entry) : nullptr;
        if (!one || PyList_Append(all, one) < 0) Py_CLEAR(all);
        Py_XDECREF(one);
    }
    return all;
}

} // namespace qd::bind
