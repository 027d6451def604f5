#include "codegen/llvm/lines.h"

#include "codegen/llvm/compat.h"

#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/DebugInfo/DWARF/DWARFDebugLine.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>
#include <llvm/Object/ObjectFile.h>

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

SpanId span_at(std::span<const uint8_t> object, uint64_t offset) {
    const llvm::StringRef bytes(reinterpret_cast<const char *>(object.data()), object.size());
    const auto file = llvm::cantFail(llvm::object::ObjectFile::createELFObjectFile({bytes, "task"}));
    const auto context = llvm::DWARFContext::create(*file);
    const llvm::DWARFObject &sections = context->getDWARFObj();
    llvm::DWARFDataExtractor section(sections, sections.getLineSection(), context->isLittleEndian(), 0);
    llvm::DWARFDebugLine lines;
    const auto table =
        llvm::expectedToOptional(lines.getOrParseLineTable(section, 0, *context, nullptr, llvm::consumeError));
    if (!table) return no_span; // no instruction has a span
    for (const llvm::object::SectionRef &code : file->sections()) {
        if (!code.isText() || code.getSize() <= offset) continue; // the code is all in one section
        const uint32_t row = (*table)->lookupAddress({offset, code.getIndex()});
        return row == (*table)->UnknownRowIndex ? no_span : (*table)->Rows[row].Line;
    }
    return no_span;
}

} // namespace qd::codegen
