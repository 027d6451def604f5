#pragma once
// A function as bytes, complete: includes spans, files and scopes, which the text form omits.
#include "base/bytes.h"
#include "ir/function.h"

namespace qd::ir {

void write(Writer &out, const Function &fn);
/// Reads the output of `write`; if the bytes run out, `in.ok` is false and the function must not be used.
Function read(Reader &in);

void write(Writer &out, const Place &place);

} // namespace qd::ir
