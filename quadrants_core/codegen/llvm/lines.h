#pragma once
// Line tables, so that a fault can be reported with its source line: the spans of IR instructions become the line numbers of a
// DWARF table. A table costs some tenths of the time of code generation, so only tasks that had a fault get one.
#include "base/span.h"

#include <memory>
#include <span>

#include <llvm/IR/DebugLoc.h>

namespace llvm {
class DIBuilder;
class DICompileUnit;
class DIFile;
class DISubprogram;
class Function;
class Module;
} // namespace llvm

namespace qd::codegen {

class Lines {
  public:
    explicit Lines(llvm::Module &module);
    ~Lines();
    Lines(const Lines &) = delete;

    void enter(llvm::Function &function);
    llvm::DebugLoc at(SpanId span) const; ///< in the function entered last; none for no_span

  private:
    std::unique_ptr<llvm::DIBuilder> builder_;
    llvm::DIFile *file_ = nullptr;
    llvm::DICompileUnit *unit_ = nullptr;
    llvm::DISubprogram *scope_ = nullptr;
};

/// Returns the span of the instruction at `offset` of the code of an object with a line table; no_span if it has none.
SpanId span_at(std::span<const uint8_t> object, uint64_t offset);

} // namespace qd::codegen
