#pragma once
// The state machine for real funcs that call themselves.
#include "frontend/machine.h"
#include "frontend/loops.h"

namespace qd::frontend {

class Recursion : public Part {
  public:
    explicit Recursion(Walk &walk) : Part(walk) {}

    ir::Value make_local(ir::Scalar elem);
    Val recursive_call(const Node *node, FuncInfo &info, const std::vector<Val> &args);
    void lower_calls(const Node *tree);
    std::vector<Val> stored_items(const Node *node, std::vector<Val> items);
    bool can_recur(const FuncInfo &info, const std::vector<Val> &args);
    Val lower_choice(const Node *node, ir::Value test, const std::function<Val()> &yes, const std::function<Val()> &no);
    /// The block in which variables are made.
    ir::BlockId block_of_variables() const { return machine_ ? machine_->entry : b_.block; }
    /// The value of a node that ran in an earlier state; null if it did not.
    const Val *value_of(const Node *node) const {
        if (!machine_) return nullptr;
        const auto known = machine_->values.find(node);
        return known == machine_->values.end() ? nullptr : &known->second;
    }
    /// Keeps the value of a node live while the following ones are computed.
    void keep_value(const Node *node, const Val &value) { machine_->values[node] = value; }

  private:
    int new_state();
    void begin_state(int k);
    void jump(int k);
    void branch_to(ir::Value condition, int yes, int no);
    ir::Value stack_place(ir::Scalar elem, int slot);

    std::vector<ir::Value> live_variables();
    bool outlives_state(const Val &v) const;
    bool is_reference(const FuncInfo &info, size_t i);
    const Node *reference_node(const Node *node, const FuncInfo &info, size_t i, bool is_method);
    void copy_back(const Node *node, const FuncInfo &info, const std::vector<Val> &finals, bool is_method);
    std::vector<Val> final_references(const MachineFunction &f);
    Val owner_of_method(const Node *node);
    void lower_call(const Node *node, FuncInfo &info, bool is_method);
    void lower_inline(const Node *node, FuncInfo &info, bool is_method);
    MachineFunction &machine_function(const Node *node, FuncInfo &info, const std::vector<Val> &args);
    void machine_body(MachineFunction &f);
    MachineFunction &start_machine(const Node *node, FuncInfo &info, const std::vector<Val> &args, ir::Value loop);
    Val choice_place(const Node *node, const Val &like);
    void store_choice(const Node *node, const Val &place, const Val &v);
    Val stored(const Node *node, const Val &v);
    bool needs_states(const Node *statement);
    bool lower_block(Items list);
    bool lower_statement(const Node *node);
    void lower_return(const Node *source);
    bool lower_if(const Node *node);
    void lower_while(const Node *node);
    bool lower_for(const Node *node);
    void lower_nest(const Node *node, const Nest &nest, const std::vector<LoopAxis> &axes, size_t depth, int out,
                    int after);
    bool is_template(const FuncInfo &info, size_t i);
    bool is_own_struct(const FuncInfo &info, size_t i, const Val &arg);
    bool same_instance(const MachineFunction &f, const std::vector<Val> &args);
    Machine *machine_ = nullptr; ///< the machine under construction
};

} // namespace qd::frontend
