#include "codegen/llvm/lines.h"

#include "codegen/llvm/compat.h"

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

namespace qd::codegen {

Lines::Lines(llvm::Module &module) : builder_(std::make_unique<llvm::DIBuilder>(module)) {
    module.addModuleFlag(llvm::Module::Max, "Dwarf Version", 4);
    module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
    file_ = builder_->createFile("task", "");
    unit_ = compat::make_line_unit(*builder_, file_);
}

Lines::~Lines() { builder_->finalize(); }

void Lines::enter(llvm::Function &function) {
    llvm::DISubroutineType *type = builder_->createSubroutineType(builder_->getOrCreateTypeArray({}));
    scope_ = builder_->createFunction(unit_, function.getName(), "", file_, 0, type, 0, llvm::DINode::FlagZero,
                                      llvm::DISubprogram::SPFlagDefinition);
    function.setSubprogram(scope_);
}

llvm::DebugLoc Lines::at(SpanId span) const {
    if (span == no_span) return {};
    return llvm::DILocation::get(scope_->getContext(), span, 0, scope_);
}

} // namespace qd::codegen
