#pragma once
// Elements of meshes and the elements adjacent to them.
#include "frontend/walk.h"

namespace qd::frontend {

class Meshes : public Part {
  public:
    explicit Meshes(Walk &walk) : Part(walk) {}

    PyRef known_attribute(const Node *node, PyObject *object, PyObject *name);
    ir::Value number_in(const Node *node, PyObject *field, ir::Value at);
    Val element_attribute(const Node *node, const Val &given, PyObject *name);
    Val gradient_element(const Node *node, const Ref &ref);
    Val relation_size(const Node *node, const Val &relation);
    Val relation_attribute(const Node *node, const Val &relation, PyObject *name);
    Val subscript_relation(const Node *node, const Val &relation, const std::vector<Val> &indices);
    Flow for_elements(const Node *node, const Val &over);
    void bind_element(const Node *node, const Val &over, ir::Value index);
    /// The element of the innermost loop over all elements of a kind; none outside such loops.
    const Val &loop_element() const { return mesh_loop_; }

  private:
    std::pair<ir::Value, ir::Value> relation_bounds(const Node *node, const Val &relation);
    Val adjacent(const Node *node, const Val &relation, ir::Value at);
    Val mesh_loop_;
};

} // namespace qd::frontend
