#pragma once
// Targets whose code no driver executes: it is text, for tests of code generation. A program cannot choose them (backends.def).
#include "backends/backend.h"

namespace qd::backends {

extern const Backend nvptx;  ///< PTX for sm_75
extern const Backend amdgcn; ///< assembly for gfx942

} // namespace qd::backends
