#pragma once
// Structs: their types, values and members.
#include "frontend/walk.h"

#include <unordered_map>

namespace qd::frontend {

class Records : public Part {
  public:
    explicit Records(Walk &walk) : Part(walk) {}

    const RecordType *record_type(const Node *node, PyObject *struct_type);
    Val anonymous_record(const Node *node, const std::vector<std::pair<PyRef, Val>> &members);
    Val call_struct_type(const Call &call, PyObject *struct_type);
    Val zero_member(const Node *node, PyObject *type);
    Val host_struct(const Node *node, PyObject *object);
    Val convert_record(const Node *node, PyObject *struct_type, const Val &v, const std::string &what);
    void check_returned(const Node *node, PyObject *struct_type, const Val &v);
    Val record_attribute(const Node *node, const Val &record, PyObject *name);
    void store_record(const Node *node, const Val &place, const Val &v);
    Val struct_field_element(const Node *node, PyObject *field, const std::vector<Val> &indices);
    PyRef leaf_field(PyObject *struct_field);

    /// The member of a record under a name, null if it has none.
    const Val *member(const Node *node, const Val &record, PyObject *name);
    /// Instances that are being made; their members belong to the type.
    bool is_being_made(const RecordType *type) const { return find_made(type) != nullptr; }
    void add_member(const RecordType *type, PyObject *name, Val v);
    Val made(const RecordType *type);

  private:
    Val record_from(const Node *node, const RecordType *type, const std::vector<std::pair<PyObject *, Val>> &given);
    Val member_value(const Node *node, PyObject *type, const Val &v, const std::string &what);
    bool has_members(const Node *node, const RecordType &type, const Val &v);

    friend struct Making;
    struct Unfinished {
        RecordType *type;
        std::vector<Val> members;
    };
    const Unfinished *find_made(const RecordType *type) const {
        for (const Unfinished &one : unfinished_)
            if (one.type == type) return &one;
        return nullptr;
    }
    std::deque<Unfinished> unfinished_; ///< instances that are being made, innermost last

    std::unordered_map<PyObject *, const RecordType *> struct_types_;
    std::deque<RecordType> record_types_;
};

/// An instance of a class that is being made.
struct Making {
    Records &records;
    const RecordType *type;
    Making(Walk &walk, PyObject *cls);
    Making(const Making &) = delete;
    ~Making() { records.unfinished_.pop_back(); }
};

Val make_record(const RecordType *type, std::vector<Val> members);
std::optional<Val> record_method(const RecordType *type, const Val &self, PyObject *name);

} // namespace qd::frontend
