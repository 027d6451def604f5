#pragma once
// Python objects that the walk meets: their kinds, and references to those that must live as long as the walk.
#include "frontend/walk.h"

#include <unordered_map>

namespace qd::frontend {

struct BuiltinRow;

/// The values of `_qd_kind_`.
enum class Kind : uint8_t {
    foreign,
    dtype,
    matrix_type,
    struct_type,
    builtin,
    func,
    kernel,
    field,
    matrix_field,
    struct_field,
    struct_,
    matrix,
    ndarray,
    data_oriented,
    template_,
    ndarray_type,
    ndrange,
    buffer_view_type,
    ref,
    tensor,
    snode,
    mesh_elements,
    mesh_relation,
    sparse_matrix_builder,
    sparse_matrix_builder_type,
};

Kind kind_of_object(PyObject *object);
inline bool is_field(Kind kind) {
    return kind == Kind::field || kind == Kind::matrix_field || kind == Kind::struct_field;
}

class Objects : public Part {
  public:
    explicit Objects(Walk &walk) : Part(walk) {}

    PyObject *intern(const std::string &name);
    Kind kind_of(PyObject *object);
    const BuiltinRow *builtin_of(PyObject *object);
    /// Holds a reference to an object whose address is a key, or whose memory is read, until the walk ends.
    void keep(PyRef object) { kept_.push_back(std::move(object)); }
    /// The object that a name outside the kernel, or a name in a module, denotes if it is known; null otherwise.
    const PyRef *outside(const Node *node) const {
        const auto found = outside_.find(node);
        return found == outside_.end() ? nullptr : &found->second;
    }
    void note_outside(const Node *node, PyRef object) { outside_[node] = std::move(object); }
    /// Called when Python code runs, which may rebind any of these names.
    void forget_outside() { outside_.clear(); }
    /// The func that stands for a plain function; empty until it is made.
    PyRef &stand_in(PyObject *function) { return stand_ins_[function]; }

  private:
    struct Met {
        PyRef object;
        Kind kind;
    };
    std::unordered_map<PyObject *, Met> kinds_; ///< kinds of all objects met, which live as long as the walk
    std::unordered_map<PyObject *, const BuiltinRow *> rows_;
    std::unordered_map<const Node *, PyRef> outside_;
    std::unordered_map<PyObject *, PyRef> stand_ins_;
    std::vector<PyRef> kept_;
};

} // namespace qd::frontend
