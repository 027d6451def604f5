#pragma once
// The facts that emission needs about a target. Each library of this printer fills it in: cpu/ for the processor of the host, gpu/ for devices.
#include "ir/function.h"

#include <functional>
#include <memory>
#include <vector>

#include <llvm/IR/IRBuilder.h>

namespace qd::codegen {

class OwnForms;
class TaskCode;
class TaskFrame;
class UpdatePlan;

/// LLVM's number for each space of the IR.
struct AddressSpaces {
    unsigned global = 0, shared = 0, private_ = 0, constant = 0;
    unsigned of(ir::Space space) const {
        switch (space) {
        case ir::Space::global: return global;
        case ir::Space::shared: return shared;
        case ir::Space::private_: return private_;
        case ir::Space::constant: return constant;
        }
        return global;
    }
};

/// Operations in the instructions that LLVM's fastest selector supports. Each returns null if the type has no such form.
class PlainForms {
  public:
    virtual ~PlainForms() = default;
    /// NaN loses; the sign of a zero matters only if `exact`.
    virtual llvm::Value *extreme(llvm::IRBuilder<> &b, bool greater, bool exact, llvm::Value *x,
                                 llvm::Value *y) const = 0;
    virtual llvm::Value *extreme_int(llvm::IRBuilder<> &b, bool greater, bool is_signed, llvm::Value *x,
                                     llvm::Value *y) const = 0;
    virtual llvm::Value *abs(llvm::IRBuilder<> &b, llvm::Value *x) const = 0;
    /// Saturates; NaN becomes 0.
    virtual llvm::Value *to_int(llvm::IRBuilder<> &b, ir::Scalar to, llvm::Value *x) const = 0;
};

struct TargetFacts {
    AddressSpaces spaces;
    const char *device_scope = "", *block_scope = "", *group_scope = ""; ///< sync scopes, by LLVM's names
    /// Emits an estimate of 1/sqrt(x), accurate to at least 11 bits, with the right limits at 0 and infinity. Returns null if
    /// the type has none.
    std::function<llvm::Value *(llvm::IRBuilder<> &, llvm::Value *x)> root_estimate;
    /// The counter of device_lib/clock.h is the cycle counter, which cannot be read on every target.
    bool clock_counts_cycles = false;
    /// Not null: LLVM's FastISel selects the instructions, and those that it supports are the cheapest to compile.
    const PlainForms *plain = nullptr;
    /// One instruction can combine any lanes of two registers.
    bool shuffles_any = false;
    /// Code may call the functions of libm and of device_lib.
    bool has_functions = true;
    /// The object file contains what the runtime of the host reads: bounds_symbol, and the order of updates.
    bool has_constants = true;

    /// Throws Refused if the target lacks an op of the task; null: the printer finds out.
    void (*check)(const ir::Function &task) = nullptr;
    std::unique_ptr<TaskFrame> (*make_frame)(TaskCode &) = nullptr;
    std::unique_ptr<OwnForms> (*make_forms)(TaskCode &) = nullptr;
    /// `uses`: by Value id.
    std::unique_ptr<UpdatePlan> (*make_updates)(TaskCode &, const std::vector<uint32_t> &uses) = nullptr;
};

} // namespace qd::codegen
