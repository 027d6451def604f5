#pragma once
// The targets that are linked into a library: QD_LLVM_TARGETS, by CMakeLists.txt.
#include <llvm/Support/TargetSelect.h>

namespace qd::codegen {

inline void initialize_linked_targets() {
#define QD_TARGET(name)                                                                                                \
    LLVMInitialize##name##TargetInfo();                                                                                \
    LLVMInitialize##name##Target();                                                                                    \
    LLVMInitialize##name##TargetMC();                                                                                  \
    LLVMInitialize##name##AsmPrinter();
    QD_LLVM_TARGETS
#undef QD_TARGET
}

} // namespace qd::codegen
