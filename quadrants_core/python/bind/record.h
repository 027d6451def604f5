#pragma once
// Records on disk: what one specialisation of a kernel read from the Python world, and what it became. A process that
// finds the same world again loads the kernel without parsing or lowering it. A file holds the records that share a
// name; the name is made of all that can be told without walking the kernel.
#include "python/bind/plan.h"
#include "python/bind/record_name.h"

#include <span>

namespace qd::bind {

struct Warning {
    std::string category, message;
    Location at;
};

/// What a plan needs beside the compiled kernel.
struct Recorded {
    std::vector<bool> written; ///< by parameter of the plan
    std::vector<int> leaves;   ///< as the frontend gave them
    bool brief = false;
    std::vector<Warning> warnings;
    PlanGraph graph;
    std::span<const uint8_t> image;
};

class Record {
  public:
    /// For this kernel, called with these parameters under these options. Sets a Python error and throws PythonError if
    /// the source cannot be found.
    Record(const KernelObject *kernel, const frontend::Request &request);

    bool has_name() const { return !name_.bytes.empty(); }
    size_t size() const { return records_.size(); }
    /// Record number `which`, if its reads all find today what they found then. Members of arguments are asked for on
    /// the way, as the walk did. The spans in it live as long as this object.
    bool recall(size_t which, const frontend::Request &request, Recorded *out) const;
    /// Keeps what was just compiled, if it may be kept. `reads` as the frontend gave them.
    bool keep(const std::vector<frontend::Read> &reads, const Recorded &made);
    /// Has the plan know what the disk has of it.
    void tell(Plan *plan) const {
        plan->record = name_.bytes;
        plan->fast_record = fast_;
    }

    struct Entry {
        std::span<const uint8_t> reads, made; ///< in the file
    };
    /// Takes a file apart; false if it is none of records.
    static bool entries_of(std::span<const uint8_t> file, std::vector<Entry> *entries,
                           std::span<const uint8_t> *name = nullptr);

  private:
    void list_reads(const std::vector<frontend::Read> &reads) const;

    const KernelObject *kernel_;
    const std::shared_ptr<engine::Program> program_; ///< which may end meanwhile
    bool fast_;                                      ///< the kernel asked for it
    RecordName name_;
    std::vector<uint8_t> file_;
    std::vector<Entry> records_;
};

/// Of a file: {"name": as describe_name gives it, "entries": what was read, of each record}, or None; null with an error
/// set.
PyObject *describe_record(std::span<const uint8_t> file);

} // namespace qd::bind
