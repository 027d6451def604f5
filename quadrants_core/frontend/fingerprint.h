#pragma once
// Fingerprints: a description of an object, as far as one is possible, in bytes that can be compared with those of another process.
#include "frontend/builtins.h"
#include "frontend/objects.h"

#include "base/bytes.h"

namespace qd::frontend {

/// The part of an object that its fingerprint covers.
enum class FingerprintExtent : uint8_t {
    plain,   ///< everything, and equal objects are interchangeable
    whole,   ///< everything
    parts,   ///< its parts, which are dependencies of their own
    outline, ///< only its kind and name
};

constexpr int deepest = 16; ///< nesting of tuples, lists and dicts

/// True for types whose objects consist of their value alone, or whose items the walk uses one by one.
bool is_transparent(PyObject *o);

class Fingerprinter {
  public:
    explicit Fingerprinter(const Request &request) : request_(request) {}
    FingerprintExtent fingerprint(PyObject *o, int depth = 0);
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

    FingerprintExtent tagged(char tag, FingerprintExtent extent = FingerprintExtent::plain) {
        out_.number(tag);
        return extent;
    }
    bool covers_attribute(PyObject *o, const char *name);
    FingerprintExtent number(PyObject *o);
    FingerprintExtent items(PyObject *o, int depth);
    FingerprintExtent special(PyObject *o, Kind kind);
    FingerprintExtent field(PyObject *o, bool is_matrix);
    FingerprintExtent snode(PyObject *o);
    bool places(PyObject *owned, bool *sparse = nullptr);
    void companion(int place);
    FingerprintExtent outline(PyObject *o, Kind kind);
    bool is_plain_enum(PyObject *o);
};

} // namespace qd::frontend
