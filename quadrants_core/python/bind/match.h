#pragma once
// Checks whether the arguments of a call match a plan, and writes them into its slots. Runs at every launch.
#include "python/bind/plan.h"

namespace qd::bind {

/// The objects that the parameters of a plan are read from: the arguments, then the members found inside them. Owns the members until the
/// launch is over.
class Objects {
  public:
    Objects() = default;
    Objects(const Objects &) = delete;
    ~Objects() { drop(); }
    /// Returns false, without setting an error, if a member no longer exists.
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

/// Matches the parameters [first, last), all by default. `objects` begins with the arguments; the arrays found are added to `arrays`.
Match match(const Plan &plan, PyObject *const *objects, uint64_t *slots, Arrays *arrays, size_t first = 0,
            size_t last = size_t(-1));

/// Copies the slots of the members from an earlier call with the same frozen objects; returns false if there was none.
bool recall(const Plan &plan, PyObject *const *args, uint64_t *slots, Arrays *arrays);
/// Saves slots for `recall`. `bytes`: the size of the arrays among the members.
void remember(Plan &plan, PyObject *const *objects, const uint64_t *slots, uint64_t bytes);

} // namespace qd::bind
