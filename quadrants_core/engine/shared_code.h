#pragma once
// Code of tasks for threads that update the same memory, compiled when a launch first needs it.
#include "abi/abi.h"
#include "ir/function.h"

#include <cstdint>
#include <vector>

namespace qd::engine {

/// True if the function updates memory atomically.
bool may_need_locks(const ir::Function &fn);
/// The kernel's serialised IR, from which such code is compiled; empty if no task can need it.
std::vector<uint8_t> source_of_locks(const ir::Function &kernel);
/// Implements runtime::DeviceOptions::need_locks. Does not throw.
void need_locks(const abi::Launch &launch);

} // namespace qd::engine
