#include "python/bind/plan.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace qd::bind {

void bury(std::vector<std::shared_ptr<Plan>> dead) {
    static auto &waiting = *new std::vector<std::shared_ptr<Plan>>;
    for (std::shared_ptr<Plan> &plan : dead) waiting.push_back(std::move(plan));
    const auto in_use = [](const std::shared_ptr<Plan> &plan) { return plan->users != 0; };
    const auto first_free = std::stable_partition(waiting.begin(), waiting.end(), in_use);
    dead.assign(std::make_move_iterator(first_free), std::make_move_iterator(waiting.end()));
    waiting.erase(first_free, waiting.end());
}

Plan::~Plan() {
    for (PyObject *o : kept) Py_DECREF(o);
    for (const Member &m : members) Py_DECREF(m.key);
    for (const FrozenSlots &entry : recent)
        for (PyObject *weak : entry.instances) Py_DECREF(weak);
    for (BoundParam &p : params) {
        if (p.weak) {
            Py_DECREF(p.weak);
        } else {
            Py_XDECREF(p.value);
        }
    }
}

} // namespace qd::bind
