#pragma once
// Fields: trees of storage and the places (scalar members) in them. A tree lives while a Python object or a compiled
// kernel uses it; places are numbered for the frontend, which names them by that number.
#include "python/bind/state.h"

#include "layout/layout.h"

#include <memory>
#include <vector>

namespace qd::bind {

struct Plan;

/// A finished tree with its memory, given back with the last user or with the Program.
struct TreeMemory {
    uint64_t generation = 0;
    uint32_t slot = 0;
    qd::runtime::Buffer memory;
    uint64_t bytes = 0;
    ~TreeMemory();
    /// Notes that the code of a plan has places of the tree.
    void add_user(const std::shared_ptr<Plan> &plan);
    /// The fields of the tree are dead from now on: the plans that have places of it are never used again.
    void destroy();

  private:
    std::vector<std::weak_ptr<Plan>> users_;
};

struct PlaceEntry {
    ir::Place place;
    std::weak_ptr<TreeMemory> memory;
    int gradient = -1, dual = -1, mark = -1; ///< places of them
    bool joined = false;                     ///< these are known
};

/// Description of place `id`; UserError if its field is gone.
const PlaceEntry &place_entry(int id);

/// The gradient, dual or mark of place `id`, or -1.
int companion_of(int id, autodiff::Mode mode);

/// On the end of a Program: all places are gone.
void forget_places();

/// A tree that Python builds (class FieldTree of the module) and then turns into memory. std::invalid_argument where a
/// number means nothing.
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
