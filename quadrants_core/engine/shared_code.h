#pragma once
// Code of tasks for threads that update the same memory, made when a launch first needs it.
#include "abi/abi.h"
#include "ir/function.h"

#include <cstdint>
#include <vector>

namespace qd::engine {

/// It updates memory atomically.
bool may_need_locks(const ir::Function &fn);
/// The kernel's IR, which such code is made of; empty if no task can need it.
std::vector<uint8_t> source_of_locks(const ir::Function &kernel);
/// runtime::DeviceOptions::need_locks. Throws nothing.
void need_locks(const abi::Launch &launch);

} // namespace qd::engine
