#pragma once
// What becomes of a kernel, as text: for people. Nothing is cached, loaded or run.
#include "engine/program.h"

#include <string>

namespace qd::engine {

enum class Form : uint8_t { ir, llvm, assembly };

/// The tasks of `kernel` as this program would compile them.
std::string show(const Program &program, ir::Function kernel, Form form);

} // namespace qd::engine
