#pragma once
// Coverage probes.
#include "frontend/walk.h"

#include <array>
#include <map>

namespace qd::frontend {

class Coverage : public Part {
  public:
    explicit Coverage(Walk &walk) : Part(walk) {}

    bool counts() const { return w_.request.options.coverage && w_.frames.back().source->counted; }
    /// Kernels that compute gradients count only lines.
    bool counts(ir::Counter::What what) const {
        return counts() && (what == ir::Counter::What::line || w_.request.mode != autodiff::Mode::reverse);
    }
    void count_trips(const Node *node, std::span<const ir::Value> lower, std::span<const ir::Value> upper);
    void cover_line(const Node *statement);
    void cover(ir::Counter::What what, const Node *node, ir::Value amount = {});
    void cover_one_line(const Node *loop);
    /// Sets the last counted line, 0 at the start of a function; returns the previous one.
    long set_line(long line) { return std::exchange(covered_line_, line); }

  private:
    long covered_line_ = 0; ///< line whose counter was emitted last; 0 at the start of a function

    std::map<std::array<uint32_t, 4>, uint32_t> copies_; ///< number of counters so far, by kind, file, line and column
};

} // namespace qd::frontend
