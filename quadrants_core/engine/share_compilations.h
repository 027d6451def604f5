#pragma once

namespace qd::engine {

/// Makes this process claim the kernels that it compiles, and wait for the code of those that others have claimed (claims.h). Off by
/// default: a program that waits gets optimised code, which may take longer than the quick code that it would compile itself.
void share_compilations(bool wanted);

} // namespace qd::engine
