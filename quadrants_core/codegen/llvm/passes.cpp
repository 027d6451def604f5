// Runs LLVM's optimisation and code generation. Folding, CSE, loop-invariant code motion and vectorisation happened on our own
// IR. LLVM only does local clean-up, so the list of passes is short, and empty in the fast tier. Measured: for 5,000 operations
// these passes take a third of the time of -O3 and give the same speed; SLP, GVN and unrolling cost time, and here even speed.
#include "codegen/llvm/passes.h"

#include "codegen/llvm/compat.h"
#include "codegen/llvm/lines.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/BasicAliasAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/MemorySSA.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ProfileSummaryInfo.h>
#include <llvm/Analysis/ScopedNoAliasAA.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <array>
#include <atomic>

namespace qd::codegen {

namespace {

Targets linked; ///< by start_llvm

/// LLVM failed midway: none of its objects that were in use may be touched again.
struct Fatal : Refused {
    using Refused::Refused;
};

/// Throws, because LLVM ends the process if this returns.
void on_fatal_error(void *, const char *reason, bool) { throw Fatal(std::string("LLVM: ") + reason); }

} // namespace

void start_llvm(const Targets &targets) {
    llvm::cl::ParseCommandLineOptions(int(targets.switches.size()), targets.switches.data(), "", &llvm::nulls());
    llvm::install_fatal_error_handler(on_fatal_error);
    targets.initialize();
    linked = targets;
}

namespace {

/// A target machine, kept between compilations.
struct Machine {
    std::string triple, cpu, features;
    bool optimize = false;
    std::unique_ptr<llvm::TargetMachine> target;
    TargetFacts facts;
    /// The passes that write objects, built once: setting up a hundred passes takes as long as compiling a small loop.
    struct Writer {
        llvm::SmallVector<char, 0> bytes;
        llvm::raw_svector_ostream stream{bytes};
        llvm::legacy::PassManager passes;
    };
    std::unique_ptr<Writer> writer;
};
struct CompilerState {
    std::unique_ptr<llvm::LLVMContext> context;
    int uses = 0;
    std::vector<Machine> machines;
    std::string first_error; ///< reported by LLVM through its context
};
/// Idle states. A compilation takes one on any thread: setting one up takes as long as compiling a small loop. The table has
/// no lock, so that a child forked meanwhile can compile.
std::array<std::atomic<CompilerState *>, 64> idle_states;

/// The state of one compilation, leased from the idle ones.
class Lease {
  public:
    Lease() {
        for (std::atomic<CompilerState *> &place : idle_states)
            if (place.load(std::memory_order_relaxed) && (state_ = place.exchange(nullptr))) return;
        state_ = new CompilerState;
    }
    ~Lease() {
        for (std::atomic<CompilerState *> &place : idle_states) {
            CompilerState *none = nullptr;
            if (place.compare_exchange_strong(none, state_)) return;
        }
        delete state_;
    }
    Lease(const Lease &) = delete;
    CompilerState &operator*() const { return *state_; }

  private:
    CompilerState *state_;
};

void on_diagnostic(const llvm::DiagnosticInfo *info, void *where) {
    auto &first_error = static_cast<CompilerState *>(where)->first_error;
    if (info->getSeverity() != llvm::DS_Error || !first_error.empty()) return;
    llvm::raw_string_ostream stream(first_error);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info->print(printer);
}

/// Renews the context now and then: a context never frees its types, constants and metadata.
void prepare(CompilerState &state) {
    if (!state.context || ++state.uses > 64) {
        state.uses = 0;
        state.context = std::make_unique<llvm::LLVMContext>();
        state.context->setDiagnosticHandlerCallBack(
            [](const llvm::DiagnosticInfo *info, void *where) { on_diagnostic(info, where); }, &state);
        state.context->setDiscardValueNames(true);
    }
    state.first_error.clear();
}

void add_codegen(llvm::legacy::PassManager &passes, llvm::TargetMachine &target, llvm::raw_pwrite_stream &stream,
                 llvm::CodeGenFileType kind) {
    passes.add(new llvm::TargetLibraryInfoWrapperPass(llvm::TargetLibraryInfoImpl(target.getTargetTriple())));
    if (target.addPassesToEmitFile(passes, stream, nullptr, kind, /*DisableVerify=*/true))
        throw Refused("LLVM cannot write this kind of file");
}

/// Returns the features by which the processor differs from LLVM's model of it. Few of the two hundred names differ, and each
/// name costs a walk over all of them, in three places. Returns all features if the differences do not suffice.
std::string least_features(const llvm::Target &target, const llvm::Triple &triple, const std::string &cpu,
                           const std::string &all) {
    const auto known = compat::make_subtarget(target, triple, cpu, "");
    const auto table = known->getAllProcessorFeatures();
    llvm::SmallVector<llvm::StringRef, 256> wanted, differ;
    llvm::StringRef(all).split(wanted, ',', -1, /*KeepEmpty=*/false);
    const auto is_so = [&](const llvm::MCSubtargetInfo &subtarget, llvm::StringRef feature) {
        const llvm::StringRef name = feature.drop_front();
        const auto *found = llvm::lower_bound(table, name);
        return found != table.end() && name == found->Key && subtarget.hasFeature(found->Value) == (feature[0] == '+');
    };
    for (llvm::StringRef feature : wanted)
        if (!is_so(*known, feature)) differ.push_back(feature);
    const std::string least = llvm::join(differ, ",");
    const auto made = compat::make_subtarget(target, triple, cpu, least);
    return llvm::all_of(wanted, [&](llvm::StringRef feature) { return is_so(*made, feature); }) ? least : all;
}

Machine &machine(CompilerState &own, const llvm_library::Request &request) {
    for (Machine &m : own.machines)
        if (m.triple == request.triple && m.cpu == request.cpu && m.features == request.features &&
            m.optimize == request.optimize)
            return m;
    llvm::Triple triple(request.triple.empty() ? llvm::sys::getProcessTriple() : request.triple);
    std::string cpu = request.cpu, features = request.features, error;
    if (cpu.empty() && !linked.host) throw Refused("code for " + triple.str() + " needs the name of a processor");
    if (cpu.empty()) linked.host(&cpu, &features);
    const llvm::Target *target = compat::lookup_target(triple, error);
    if (!target) throw Refused("LLVM has no target for " + triple.str() + ": " + error);
    llvm::TargetOptions options;
    options.EnableFastISel = !request.optimize;
    auto level = request.optimize ? llvm::CodeGenOptLevel::Less : llvm::CodeGenOptLevel::None;
    std::unique_ptr<llvm::TargetMachine> made(
        compat::make_machine(*target, triple, cpu, least_features(*target, triple, cpu, features), options, level));
    if (!made) throw Refused("LLVM cannot generate code for " + triple.str() + " " + cpu);
    own.machines.push_back({request.triple, request.cpu, request.features, request.optimize, std::move(made),
                            linked.facts(triple, features, request.optimize), nullptr});
    return own.machines.back();
}

void optimize(llvm::Module &module, llvm::TargetMachine &target) {
    llvm::FunctionAnalysisManager analyses;
    llvm::TargetLibraryInfoImpl library{target.getTargetTriple()};
    analyses.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
    analyses.registerPass([&] { return target.getTargetIRAnalysis(); });
    analyses.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
    analyses.registerPass([] { return llvm::DominatorTreeAnalysis(); });
    analyses.registerPass([] { return llvm::AssumptionAnalysis(); });
    analyses.registerPass([] { return llvm::LoopAnalysis(); });
    analyses.registerPass([] { return llvm::MemorySSAAnalysis(); });
    analyses.registerPass([] { return llvm::OptimizationRemarkEmitterAnalysis(); });
    compat::register_last_runs(analyses);
    analyses.registerPass([] { return llvm::BasicAA(); });
    analyses.registerPass([] { return llvm::ScopedNoAliasAA(); });
    llvm::ModuleAnalysisManager module_analyses;
    module_analyses.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
    module_analyses.registerPass([] { return llvm::ProfileSummaryAnalysis(); });
    analyses.registerPass([&] { return llvm::ModuleAnalysisManagerFunctionProxy(module_analyses); });
    analyses.registerPass([] {
        llvm::AAManager aliasing;
        aliasing.registerFunctionAnalysis<llvm::BasicAA>();
        aliasing.registerFunctionAnalysis<llvm::ScopedNoAliasAA>();
        return aliasing;
    });

    llvm::FunctionPassManager passes;
    passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
    passes.addPass(llvm::InstCombinePass(llvm::InstCombineOptions().setMaxIterations(1)));
    passes.addPass(llvm::SimplifyCFGPass());
    for (llvm::Function &function : module)
        if (!function.isDeclaration()) passes.run(function, analyses);
}

std::vector<uint8_t> generate(llvm::Module &module, Machine &machine, llvm_library::Output output) {
    if (output == llvm_library::Output::object) {
        if (!machine.writer) {
            machine.writer = std::make_unique<Machine::Writer>();
            add_codegen(machine.writer->passes, *machine.target, machine.writer->stream,
                        llvm::CodeGenFileType::ObjectFile);
        }
        machine.writer->bytes.clear();
        machine.writer->passes.run(module);
        return {machine.writer->bytes.begin(), machine.writer->bytes.end()};
    }
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream stream(bytes);
    if (output == llvm_library::Output::ir_text || output == llvm_library::Output::given_text) {
        module.print(stream, nullptr);
    } else {
        llvm::legacy::PassManager passes;
        add_codegen(passes, *machine.target, stream, llvm::CodeGenFileType::AssemblyFile);
        passes.run(module);
    }
    return {bytes.begin(), bytes.end()};
}

} // namespace

std::vector<uint8_t> compile(const llvm_library::Request &request) {
    const Lease lease;
    CompilerState &own = *lease;
    prepare(own);
    try {
        Machine &chosen = machine(own, request);
        llvm::TargetMachine &target = *chosen.target;
        const auto module = std::make_unique<llvm::Module>("qd", *own.context);
        compat::set_triple(*module, target.getTargetTriple());
        module->setDataLayout(target.createDataLayout()); // before emission, which asks for the space of locals
        emit(*request.task, *module, chosen.facts, request.query != nullptr);
        if (request.task->debug || request.output != llvm_library::Output::object) {
            std::string problems;
            llvm::raw_string_ostream stream(problems);
            if (llvm::verifyModule(*module, &stream)) throw Refused("the LLVM module is malformed: " + problems);
        }
        if (request.optimize && request.output != llvm_library::Output::given_text) optimize(*module, target);
        std::vector<uint8_t> code = generate(*module, chosen, request.output);
        if (!own.first_error.empty()) throw Refused("LLVM: " + own.first_error);
        if (request.query) request.query->span = span_at(code, request.query->offset);
        return code;
    } catch (const Fatal &) {
        (void)own.context.release();
        for (Machine &m : own.machines) (void)m.writer.release(), (void)m.target.release();
        own.machines.clear();
        throw;
    }
}

bool compile_request(const llvm_library::Request &request, std::vector<uint8_t> *out, std::string *error) {
    try {
        *out = compile(request);
        return true;
    } catch (const std::exception &problem) {
        *error = problem.what();
        return false;
    }
}

} // namespace qd::codegen
