#pragma once
// Parameters of the kernel, and members of its arguments.
#include "frontend/walk.h"

#include <map>
#include <unordered_map>

namespace qd::frontend {

struct Binding;

class Parameters : public Part {
  public:
    explicit Parameters(Walk &walk) : Part(walk) {}

    void declare_parameters();
    const Val &member(const Node *node, const Val &owner, PyObject *key, bool item);
    Val bundle_attribute(const Node *node, const Val &bundle, PyObject *name);
    ir::Value extent(const Val &array, int axis); ///< along one of the user's indices
    std::vector<ir::Value> storage_indices(const Val &array, std::vector<ir::Value> indices) const;
    const ArrayInfo &array(ir::Value parameter) const { return arrays_.at(parameter.id); }
    /// True if a parameter is an attribute that is read at every launch.
    bool is_runtime_number(ir::Value parameter) const { return runtime_numbers_.count(parameter.id) > 0; }
    /// Adds the gradients or duals (`name`) of all arrays. Returns for each parameter its companion, or 0.
    std::vector<ir::Value> add_companions(const Node *node, PyObject *name);
    /// Leaves of the arguments that became parameters, in order.
    std::vector<int> take_leaves() { return std::move(leaves_); }

  private:
    bool changes_struct(const Binding &argument);
    Val declare(const Param &param);
    Val declare_value(PyObject *type);
    ir::Value add_parameter(ir::Type type);

    std::unordered_map<uint32_t, ArrayInfo> arrays_;     ///< by parameter value
    std::map<std::pair<int, std::string>, Val> members_; ///< by owner and key
    std::unordered_set<uint32_t> runtime_numbers_;
    std::vector<Val> in_order_; ///< arrays whose members may be requested
    std::vector<int> leaves_;
};

} // namespace qd::frontend
