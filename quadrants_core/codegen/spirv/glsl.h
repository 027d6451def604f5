#pragma once
// The instructions of the extended set GLSL.std.450 that code uses.
#include <cstdint>

namespace qd::codegen::spirv::glsl {

inline constexpr uint32_t Trunc = 3, FAbs = 4, Floor = 8, Ceil = 9, Sqrt = 31, FindUMsb = 75;
inline constexpr uint32_t Sin = 13, Cos = 14, Tan = 15, Asin = 16, Acos = 17, Atan = 18, Tanh = 21, Atan2 = 25;
inline constexpr uint32_t Exp = 27, Log = 28, Log2 = 30;

} // namespace qd::codegen::spirv::glsl
