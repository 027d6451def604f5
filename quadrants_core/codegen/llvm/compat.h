#pragma once
// The few places where LLVM 19 and 22 differ.
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/TargetParser/Triple.h>
#if LLVM_VERSION_MAJOR >= 20
#include <llvm/Analysis/LastRunTrackingAnalysis.h>
#endif

#include <memory>

namespace qd::codegen::compat {

inline void set_triple(llvm::Module &module, const llvm::Triple &triple) {
#if LLVM_VERSION_MAJOR >= 21
    module.setTargetTriple(triple);
#else
    module.setTargetTriple(triple.str());
#endif
}

inline const llvm::Target *lookup_target(const llvm::Triple &triple, std::string &error) {
#if LLVM_VERSION_MAJOR >= 22
    return llvm::TargetRegistry::lookupTarget(triple, error);
#else
    return llvm::TargetRegistry::lookupTarget(triple.str(), error);
#endif
}

inline llvm::TargetMachine *make_machine(const llvm::Target &target, const llvm::Triple &triple, llvm::StringRef cpu,
                                         llvm::StringRef features, const llvm::TargetOptions &options,
                                         llvm::CodeGenOptLevel level) {
#if LLVM_VERSION_MAJOR >= 21
    return target.createTargetMachine(triple, cpu, features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small, level);
#else
    return target.createTargetMachine(triple.str(), cpu, features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
                                      level);
#endif
}

/// Registers the analysis that lets newer passes skip work that they have done before.
inline void register_last_runs([[maybe_unused]] llvm::FunctionAnalysisManager &analyses) {
#if LLVM_VERSION_MAJOR >= 20
    analyses.registerPass([] { return llvm::LastRunTrackingAnalysis(); });
#endif
}

inline std::unique_ptr<llvm::MCSubtargetInfo> make_subtarget(const llvm::Target &target, const llvm::Triple &triple,
                                                             llvm::StringRef cpu, llvm::StringRef features) {
#if LLVM_VERSION_MAJOR >= 22
    return std::unique_ptr<llvm::MCSubtargetInfo>(target.createMCSubtargetInfo(triple, cpu, features));
#else
    return std::unique_ptr<llvm::MCSubtargetInfo>(target.createMCSubtargetInfo(triple.str(), cpu, features));
#endif
}

/// Creates a compile unit that only gets a line table.
inline llvm::DICompileUnit *make_line_unit(llvm::DIBuilder &builder, llvm::DIFile *file) {
    const auto kind = llvm::DICompileUnit::DebugDirectivesOnly;
#if LLVM_VERSION_MAJOR >= 22
    const llvm::DISourceLanguageName language(llvm::dwarf::DW_LANG_C);
#else
    const unsigned language = llvm::dwarf::DW_LANG_C;
#endif
    return builder.createCompileUnit(language, file, "", false, "", 0, "", kind);
}

} // namespace qd::codegen::compat
