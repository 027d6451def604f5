#include "frontend/collect.h"

#include <Python.h>

namespace qd::frontend {

void collect_if_asked() {
    if (collects_garbage) PyGC_Collect();
}

} // namespace qd::frontend
