#pragma once
// The identifiers of one source text, created and interned at their first occurrence.
#include "syntax/tree.h"

namespace qd::syntax {

class NameTable {
  public:
    explicit NameTable(Tree &tree) : tree_(tree) {}

    /// The name as CPython stores it: normalised if it is not ASCII. Null if it is not an identifier.
    PyObject *intern(std::string_view name);

  private:
    struct Entry {
        std::string_view name;
        PyObject *word = nullptr;
    };
    static size_t hash(std::string_view name);
    void grow();
    PyObject *make(std::string_view name);

    Tree &tree_;
    std::vector<Entry> entries_; ///< open addressing; the size is a power of two
    size_t used_ = 0;
};

} // namespace qd::syntax
