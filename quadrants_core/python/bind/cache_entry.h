#pragma once
// Cache entries on disk: the values that one specialisation of a kernel read from Python, its dependencies, and the compiled result. A
// process in which these values are the same loads the kernel without parsing or lowering it. A file holds the entries that share a
// name; the name consists of everything known about a specialisation without walking the kernel.
#include "python/bind/plan.h"
#include "python/bind/entry_name.h"

#include <span>

namespace qd::bind {

struct Warning {
    std::string category, message;
    Location at;
};

/// Data that a plan needs in addition to the compiled kernel.
struct CachedPlan {
    std::vector<bool> written; ///< for each parameter of the plan
    std::vector<int> leaves;   ///< as the frontend returned them
    bool short_running = false;
    std::vector<Warning> warnings;
    PlanGraph graph;
    std::span<const uint8_t> image;
};

class CacheEntries {
  public:
    /// Opens the file for this kernel, called with these parameters and options. Sets a Python error and throws PythonError if the source
    /// cannot be found.
    CacheEntries(const KernelObject *kernel, const frontend::Request &request);

    bool has_name() const { return !name_.bytes.empty(); }
    size_t size() const { return records_.size(); }
    /// Loads entry number `which` if all its dependencies still have the recorded values. The check fetches members of arguments, as the
    /// walk did. The spans in `out` are valid as long as this object.
    bool recall(size_t which, const frontend::Request &request, CachedPlan *out) const;
    /// Stores the kernel just compiled, if it may be stored. `reads` are the dependencies that the frontend returned.
    bool keep(const std::vector<frontend::Dependency> &dependencies, const CachedPlan &made);
    /// Records in the plan under which name its cache entry is stored.
    void note_in(Plan *plan) const {
        plan->entry_name = name_.bytes;
        plan->in_fast_cache = fast_;
    }

    struct Entry {
        std::span<const uint8_t> dependencies, made; ///< parts of the file
    };
    /// Splits a file into entries; returns false if it is not a file of cache entries.
    static bool entries_of(std::span<const uint8_t> file, std::vector<Entry> *entries,
                           std::span<const uint8_t> *name = nullptr);

  private:
    void list_reads(const std::vector<frontend::Dependency> &dependencies) const;

    const KernelObject *kernel_;
    const std::shared_ptr<engine::Program> program_; ///< kept alive, since it may end meanwhile
    bool fast_;                                      ///< the kernel has fastcache=True
    EntryName name_;
    std::vector<uint8_t> file_;
    std::vector<Entry> records_;
};

/// Returns {"name": as describe_name gives it, "entries": the dependencies of each entry} for a file, or None; null with an error set.
PyObject *describe_cache_file(std::span<const uint8_t> file);

} // namespace qd::bind
