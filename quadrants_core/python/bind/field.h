#pragma once
// Fields: storage trees and the places (scalar members) in them. A tree lives as long as a Python object or a compiled kernel uses it;
// places are numbered, and the frontend refers to them by number.
#include "python/bind/state.h"

#include "layout/layout.h"

#include <memory>
#include <vector>

namespace qd::bind {

struct Plan;

/// A finished tree with its memory, which is freed with the last user or with the Program.
struct TreeMemory {
    uint64_t generation = 0;
    uint32_t slot = 0;
    qd::runtime::Buffer memory;
    uint64_t bytes = 0;
    ~TreeMemory();
    /// Registers a plan whose code uses places of the tree.
    void add_user(const std::shared_ptr<Plan> &plan);
    /// Invalidates the fields of the tree: plans that use its places are never used again.
    void destroy();

  private:
    std::vector<std::weak_ptr<Plan>> users_;
};

struct PlaceEntry {
    ir::Place place;
    std::weak_ptr<TreeMemory> memory;
    int gradient = -1, dual = -1, mark = -1; ///< ids of their places
    bool joined = false;                     ///< the ids are known
};

/// Returns the description of place `id`; throws UserError if its field has been destroyed.
const PlaceEntry &place_entry(int id);

/// Returns the id of the gradient, dual or mark of place `id`, or -1.
int companion_of(int id, autodiff::Mode mode);

/// Removes all places at the end of a Program.
void forget_places();

/// A tree that Python builds (class FieldTree of the module) and then turns into memory. Throws std::invalid_argument for an invalid
/// number.
class FieldTree {
  public:
    int add_node(int parent, int kind, const std::vector<std::pair<int, int>> &axes, uint32_t chunk);
    int add_member(int node, const std::string &name, int elem, const std::vector<int> &offset);
    void finish();
    void destroy();
    uint32_t slot() const;
    PyObject *place(int member);                                   ///< new reference to a Place
    PyObject *level(int node);                                     ///< a Place that names the cells of a level
    std::vector<std::pair<uint64_t, uint64_t>> node_bytes() const; ///< cell bytes, offset in the parent's cell

  private:
    PyObject *make_place(ir::Place place);
    layout::Tree tree_;
    std::shared_ptr<TreeMemory> memory_;
};

bool add_place_type(PyObject *module);

} // namespace qd::bind
