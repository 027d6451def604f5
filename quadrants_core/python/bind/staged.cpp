#include "python/bind/staged.h"

#include "engine/device_memory.h"
#include "engine/queues.h"
#include "python/bind/memory.h"

#include <algorithm>

namespace qd::bind {

Staged::Staged(const Arrays &arrays, uint64_t *slots) : program_(runtime.program) {
    for (const BoundParam *p : arrays.aside->staged)
        stretches_.push_back({slots[p->slot], slots[p->slot] + array_bytes(*p, slots), p->written, {}});
    std::sort(stretches_.begin(), stretches_.end(),
              [](const Stretch &a, const Stretch &b) { return a.begin < b.begin; });
    size_t count = 0;
    for (const Stretch &s : stretches_) {
        if (count > 0 && s.begin < stretches_[count - 1].end) {
            stretches_[count - 1].end = std::max(stretches_[count - 1].end, s.end);
            stretches_[count - 1].written |= s.written;
        } else {
            stretches_[count++] = s;
        }
    }
    stretches_.resize(count);
    PyObject *done = done_unlocked([&](engine::Program &program) {
        for (Stretch &s : stretches_) {
            s.memory = program.memory().allocate(s.end - s.begin);
            if (s.end > s.begin)
                program.memory().upload(s.memory, 0, reinterpret_cast<const void *>(s.begin), s.end - s.begin);
        }
    });
    failed_ = done == nullptr;
    Py_XDECREF(done);
    for (const BoundParam *p : arrays.aside->staged) {
        uint64_t &address = slots[p->slot];
        const auto after = std::upper_bound(stretches_.begin(), stretches_.end(), address,
                                            [](uint64_t at, const Stretch &s) { return at < s.begin; });
        const Stretch &home = *(after - 1);
        address = home.memory.address + (address - home.begin);
    }
}

Staged::~Staged() {
    for (const Stretch &s : stretches_) program_->memory().free(s.memory.address);
}

bool Staged::settled() const {
    if (std::ranges::none_of(stretches_, [](const Stretch &s) { return s.written; })) return true;
    PyObject *done = done_unlocked([](engine::Program &program) { program.queues().wait(); });
    Py_XDECREF(done);
    return done != nullptr;
}

bool Staged::bring_back() const {
    PyObject *done = done_unlocked([&](engine::Program &program) {
        for (const Stretch &s : stretches_)
            if (s.written && s.end > s.begin)
                program.memory().download(reinterpret_cast<void *>(s.begin), s.memory, 0, s.end - s.begin);
    });
    Py_XDECREF(done);
    return done != nullptr;
}

} // namespace qd::bind
