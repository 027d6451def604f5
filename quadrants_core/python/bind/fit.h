#pragma once
// Whether the arguments of a call suit a plan; if they do, they are written into its slots. Runs at every launch.
#include "python/bind/plan.h"

namespace qd::bind {

/// The objects that a plan's parameters are read from: the arguments, then what is found inside of them. Holds the
/// latter until the launch is over.
class Objects {
  public:
    Objects() = default;
    Objects(const Objects &) = delete;
    ~Objects() { drop(); }
    /// False, without an error, if something is not where it was.
    bool fetch(const Plan &plan, size_t count, PyObject *const *args);
    PyObject *const *all() const { return all_; }

  private:
    void drop();
    static constexpr size_t near_room = 160;
    PyObject *near_[near_room];
    std::unique_ptr<PyObject *[]> far_;
    PyObject **all_ = near_;
    size_t room_ = near_room, owned_ = 0, end_ = 0;
};

/// Of the parameters [first, last): all by default. `objects` begins with the arguments; `arrays` grows by
/// those that are found.
Fit fit(const Plan &plan, PyObject *const *objects, uint64_t *slots, Arrays *arrays, size_t first = 0,
        size_t last = size_t(-1));

/// Slots of the members from an earlier call with the same frozen objects; false if there is none.
bool recall(const Plan &plan, PyObject *const *args, uint64_t *slots, Arrays *arrays);
/// Keeps slots for `recall`. `bytes`: of the arrays among the members.
void remember(Plan &plan, PyObject *const *objects, const uint64_t *slots, uint64_t bytes);

} // namespace qd::bind
