#pragma once
// Levels and checkpoints of a specialisation under the names that users gave them: names of flags, labels.
#include "abi/plan.h"
#include "base/bytes.h"
#include "frontend/frontend.h"

#include <string>
#include <vector>

namespace qd::bind {

struct KernelObject;
struct Plan;

struct PlanGraph {
    struct Checkpoint {
        bool labelled = false;           ///< false: it represents a loop only
        frontend::PyRef label;           ///< the object written in the kernel
        std::string module, type, value; ///< parts of the label; an int has neither module nor type
        std::string flag;                ///< empty: none
    };
    std::vector<std::string> levels; ///< their flag names
    std::vector<Checkpoint> checkpoints;

    PlanGraph() = default;
    explicit PlanGraph(const frontend::GraphNames &names);
    /// Restores the labels of the function's checkpoints after reading them from disk: members of enumerations if these still exist,
    /// otherwise ints.
    void restore_labels(PyObject *function);
    /// True if launches may yield, and so return a GraphStatus.
    bool has_labels() const;
    /// Returns the number of the checkpoint with an equal label; -1 with an error set.
    int32_t find(PyObject *info, PyObject *label) const;
    /// Returns the GraphStatus of a launch; null with an error set.
    PyObject *status(const abi::GraphWords &words) const;
};

void write(Writer &w, const PlanGraph &graph);
PlanGraph read_graph(Reader &r);

/// True if the decorator of the kernel has graph=True.
bool has_graph(const KernelObject *kernel);
/// True if `label` may name a checkpoint of the kernel; otherwise false with an error set.
bool may_resume(const KernelObject *kernel, PyObject *label);
/// Returns the specialisation used last, or otherwise the one made last; null if there is none.
const Plan *newest_plan(const KernelObject *kernel);
/// _graph() -> ([(flag, parent, number of the parameter)] of the levels, [(label or None, flag or None, number or -1)] of the
/// checkpoints) of newest_plan()
PyObject *describe_graph(PyObject *kernel, PyObject *);
/// The same for a specialisation.
PyObject *describe_graph(const Plan &plan);

} // namespace qd::bind
