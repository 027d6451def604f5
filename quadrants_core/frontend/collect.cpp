#include "frontend/collect.h"

#include "base/knobs.h"

#include <Python.h>

namespace qd::frontend {

void collect_if_asked() {
    static const bool asked = read_knobs().collect;
    if (asked) PyGC_Collect();
}

} // namespace qd::frontend
