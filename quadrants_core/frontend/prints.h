#pragma once
// Prints: what an object is, as far as it can be told, in bytes that can be compared with those of another process.
#include "frontend/builtins.h"
#include "frontend/objects.h"

#include "base/bytes.h"

namespace qd::frontend {

/// How much of an object its print says.
enum class Told : uint8_t {
    plain,   ///< all, and equal ones are the same
    whole,   ///< all
    parts,   ///< what it is made of are reads of their own
    outline, ///< what it is, no more
};

constexpr int deepest = 16; ///< nesting of tuples, lists and dicts

/// Types of which a value is all there is, or whose items the walk uses one by one.
bool is_transparent(PyObject *o);

class Printer {
  public:
    explicit Printer(const Request &request) : request_(request) {}
    Told print(PyObject *o, int depth = 0);
    std::string take() {
        constexpr size_t longest = 96;
        const std::vector<uint8_t> &all = out_.bytes;
        std::string text(all.begin(), all.end());
        if (text.size() <= longest) return text;
        Writer hashed;
        hashed.number('#');
        hashed.number(hash_bytes(all, 5));
        hashed.number(hash_bytes(all, 6));
        return {hashed.bytes.begin(), hashed.bytes.end()};
    }

  private:
    const Request &request_;
    Writer out_;

    Told tagged(char tag, Told told = Told::plain) {
        out_.number(tag);
        return told;
    }
    bool attribute_is_told(PyObject *o, const char *name);
    Told number(PyObject *o);
    Told items(PyObject *o, int depth);
    Told special(PyObject *o, Kind kind);
    Told field(PyObject *o, bool is_matrix);
    Told snode(PyObject *o);
    bool places(PyObject *owned, bool *sparse = nullptr);
    void companion(int place);
    Told outline(PyObject *o, Kind kind);
    bool is_plain_enum(PyObject *o);
};

} // namespace qd::frontend
