#pragma once
// Which class of `ast` a node has: one look into a small table keyed by the address of its type.
#include "frontend/py.h"

#include <cstdint>

namespace qd::frontend {

enum class Node : uint8_t {
    unknown,
#define NODE(name) name,
#include "frontend/nodes.def"
};

Node node_kind(PyObject *node);
const char *node_name(Node kind);

} // namespace qd::frontend
