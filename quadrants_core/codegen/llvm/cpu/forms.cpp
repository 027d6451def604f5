#include "codegen/llvm/cpu/forms.h"

#include "codegen/llvm/cpu/interleaved.h"
#include "codegen/llvm/cpu/large_blocks.h"

namespace qd::codegen {

namespace {

class CpuForms final : public OwnForms {
  public:
    explicit CpuForms(TaskCode &code) : is_plain_(code.target.plain), interleaved_(code), large_(code) {}
    bool access(Value v) override { return interleaved_.access(v); }
    bool block(Emitter &emitter, ir::BlockId id) override { return is_plain_ && large_.emit(emitter, id); }
    void after_function(Emitter &emitter) override { large_.emit_parts(emitter); }

  private:
    const bool is_plain_;
    Interleaved interleaved_;
    LargeBlocks large_;
};

} // namespace

std::unique_ptr<OwnForms> make_cpu_forms(TaskCode &code) { return std::make_unique<CpuForms>(code); }

} // namespace qd::codegen
