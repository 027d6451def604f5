#pragma once
// The single path from a kernel to machine code: passes on the whole kernel, the split into tasks, passes on each task, legalisation,
// emission. All compilation takes it: for launches, in the background, for printed listings, for tests.
#include "backends/backend.h"
#include "engine/pipeline.h"

#include <string>
#include <vector>

namespace qd::engine {

/// The passes before legalisation.
struct Stages {
    std::span<const passes::Pass> kernel, scalar, lanes;
};
Stages all_stages();

class Lowering {
  public:
    /// `verify`: the IR is checked after every pass.
    Lowering(const backends::Backend &backend, backends::Caps caps, bool verify = false, Stages stages = all_stages());

    const backends::Backend &backend() const { return *backend_; }
    const backends::Caps &caps() const { return caps_; }
    const passes::Config &config() const { return config_; }

    /// Runs the passes that precede the split into tasks. Throws UserError if the kernel uses lanes and the target has none.
    void simplify(ir::Function &kernel, passes::Observer *observer = nullptr) const;
    /// Runs the passes that precede differentiation.
    void prepare(ir::Function &kernel) const;
    std::vector<ir::Function> cut(const ir::Function &kernel) const;
    /// Calls `simplify`, then `cut`.
    std::vector<ir::Function> tasks(ir::Function &kernel) const;

    /// The three steps on one task; the second leaves code without SIMD unchanged.
    void optimize(ir::Function &task, passes::Observer *observer = nullptr) const;
    void vectorize(ir::Function &task, passes::Observer *observer = nullptr) const;
    void legalize(ir::Function &task, passes::Observer *observer = nullptr) const;
    /// Runs all three steps.
    void lower(ir::Function &task, passes::Observer *observer = nullptr) const;

    // These take legal IR.
    abi::Binary emit(const ir::Function &task, backends::Tier tier, SpanQuery *query = nullptr) const;
    std::string disassemble(const ir::Function &task, backends::Tier tier, backends::Listing listing) const;

  private:
    void refuse_lanes(const ir::Function &kernel) const;
    void run(std::span<const passes::Pass> list, ir::Function &fn, passes::Observer *observer) const;

    const backends::Backend *backend_;
    backends::Caps caps_;
    passes::Config config_;
    bool verify_;
    Stages stages_;
};

} // namespace qd::engine
