#pragma once
// A set of optional features, which a device has and code asks for.
#include <cstdint>
#include <string>
#include <string_view>

namespace qd::codegen::spirv {

enum class Capability : uint8_t {
#define CAPABILITY(name, extension) name,
#include "codegen/spirv/capabilities.def"
    /// A device keeps NaN, infinities and the sign of zeros of these floats if a module asks for it (an execution mode).
    KeepsSpecialFloat32,
    KeepsSpecialFloat64,
    /// Some threads of a block may execute a fence, or an atomic with an order, without the others. Drivers must allow it; lavapipe of Mesa
    /// 22 waits there as at a barrier, and loses threads. Its atomics order all accesses anyway.
    FencesInBranches,
    count
};

class Capabilities {
  public:
    bool has(Capability c) const { return bits_ >> unsigned(c) & 1; }
    void add(Capability c) { bits_ |= 1u << unsigned(c); }
    void remove(Capability c) { bits_ &= ~(1u << unsigned(c)); }

    static Capabilities all();
    /// Reads names separated by spaces. Throws UserError for an unknown name.
    static Capabilities read(std::string_view names);
    std::string text() const;

  private:
    uint32_t bits_ = 0;
};

const char *name_of(Capability c);

} // namespace qd::codegen::spirv
