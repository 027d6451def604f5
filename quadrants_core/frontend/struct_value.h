#pragma once
// Structs: their types, values and members.
#include "frontend/walk.h"

#include <unordered_map>

namespace qd::frontend {

class Structs : public Part {
  public:
    explicit Structs(Walk &walk) : Part(walk) {}

    const StructLayout *layout_of(const Node *node, PyObject *struct_type);
    Val anonymous_struct(const Node *node, const std::vector<std::pair<PyRef, Val>> &members);
    Val call_struct_type(const Call &call, PyObject *struct_type);
    Val zero_member(const Node *node, PyObject *type);
    Val host_struct(const Node *node, PyObject *object);
    Val convert_struct(const Node *node, PyObject *struct_type, const Val &v, const std::string &what);
    void check_returned(const Node *node, PyObject *struct_type, const Val &v);
    Val struct_attribute(const Node *node, const Val &structure, PyObject *name);
    void store_struct(const Node *node, const Val &place, const Val &v);
    Val struct_field_element(const Node *node, PyObject *field, const std::vector<Val> &indices);
    PyRef leaf_field(PyObject *struct_field);

    /// The member of a struct value under a name; null if it has none.
    const Val *member(const Node *node, const Val &structure, PyObject *name);
    /// Instances under construction: their members are looked up by type.
    bool is_under_construction(const StructLayout *type) const { return find_made(type) != nullptr; }
    void add_member(const StructLayout *type, PyObject *name, Val v);
    Val made(const StructLayout *type);

  private:
    Val struct_from(const Node *node, const StructLayout *type, const std::vector<std::pair<PyObject *, Val>> &given);
    Val member_value(const Node *node, PyObject *type, const Val &v, const std::string &what);
    bool has_members(const Node *node, const StructLayout &type, const Val &v);

    friend struct UnderConstruction;
    struct Unfinished {
        StructLayout *type;
        std::vector<Val> members;
    };
    const Unfinished *find_made(const StructLayout *type) const {
        for (const Unfinished &one : unfinished_)
            if (one.type == type) return &one;
        return nullptr;
    }
    std::deque<Unfinished> unfinished_; ///< instances under construction, innermost last

    std::unordered_map<PyObject *, const StructLayout *> struct_types_;
    std::deque<StructLayout> layouts_;
};

/// Marks an instance of a class as under construction.
struct UnderConstruction {
    Structs &structs;
    const StructLayout *type;
    UnderConstruction(Walk &walk, PyObject *cls);
    UnderConstruction(const UnderConstruction &) = delete;
    ~UnderConstruction() { structs.unfinished_.pop_back(); }
};

Val make_struct(const StructLayout *type, std::vector<Val> members);
std::optional<Val> struct_method(const StructLayout *type, const Val &self, PyObject *name);

} // namespace qd::frontend
