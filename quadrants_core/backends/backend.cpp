#include "backends/backend.h"

namespace qd::backends {

std::span<const Backend *const> all() {
    static const Backend *const list[] = {
#define BACKEND(id) &id,
#define TEST_BACKEND(id)
#include "backends/backends.def"
    };
    return list;
}

passes::Config config_of(const Caps &caps) {
    passes::Config config;
    config.vector_bytes = caps.vector_bytes;
    config.bounds_from_tasks = caps.bounds_from_tasks;
    config.lanes = caps.lanes;
    config.grid = caps.grid;
    config.covers = caps.covers;
    config.atomics = caps.atomics;
    config.elements = caps.elements;
    return config;
}

const Backend *find(std::string_view name) {
    static const Backend *const list[] = {
#define BACKEND(id) &id,
#include "backends/backends.def"
    };
    for (const Backend *b : list)
        if (b->name == name) return b;
    return nullptr;
}

} // namespace qd::backends
