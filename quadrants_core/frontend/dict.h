#pragma once
// Dicts.
#include "frontend/walk.h"

namespace qd::frontend {

struct Call;

Val eval_dict(Walk &w, const Node *node);
Val key_of(Walk &w, const Val &dict, size_t i);
PyRef known_key(Walk &w, const Node *node, const Val &dict, size_t i);
std::optional<size_t> find_key(Walk &w, const Node *node, const Val &dict, const Val &key);
void put_in_dict(Walk &w, const Node *node, Val &dict, const Val &key, Val value);
bool is_dict_method(PyObject *name);
Val dict_method(Walk &w, const Val &bound, Call call);

} // namespace qd::frontend
