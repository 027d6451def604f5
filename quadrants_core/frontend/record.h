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
    Val call_struct_type(const Node *node, PyObject *struct_type);
    Val zero_member(const Node *node, PyObject *type);
    Val host_struct(const Node *node, PyObject *object);
    Val convert_record(const Node *node, PyObject *struct_type, const Val &v, const std::string &what);
    void check_returned(const Node *node, PyObject *struct_type, const Val &v);
    Val record_attribute(const Node *node, const Val &record, PyObject *name);
    void store_record(const Node *node, const Val &place, const Val &v);
    Val struct_field_element(const Node *node, PyObject *field, const std::vector<Val> &indices);
    PyRef leaf_field(PyObject *struct_field);

  private:
    Val record_from(const Node *node, const RecordType *type, const std::vector<std::pair<PyObject *, Val>> &given);
    Val member_value(const Node *node, PyObject *type, const Val &v, const std::string &what);
    bool has_members(const Node *node, const RecordType &type, const Val &v);

    std::unordered_map<PyObject *, const RecordType *> struct_types_;
    std::deque<RecordType> record_types_;
};

Val make_record(const RecordType *type, std::vector<Val> members);
std::optional<Val> record_method(const RecordType *type, const Val &self, PyObject *name);

} // namespace qd::frontend
