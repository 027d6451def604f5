#pragma once
// Levels and checkpoints of a specialisation as people know them: names of flags, labels.
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
        bool labelled = false;           ///< else it stands for a loop alone
        frontend::PyRef label;           ///< the object that was written in the kernel
        std::string module, type, value; ///< of the label; an int has neither module nor type
        std::string flag;                ///< empty: none
    };
    std::vector<std::string> levels; ///< their flags
    std::vector<Checkpoint> checkpoints;

    PlanGraph() = default;
    explicit PlanGraph(const frontend::GraphNames &names);
    /// Finds the labels of the function's checkpoints that were read from disk: members of enumerations, if they are still there, else ints.
    void restore_labels(PyObject *function);
    /// Launches may yield, and give a GraphStatus.
    bool has_labels() const;
    /// Number of the checkpoint with an equal label; -1 with an error set.
    int32_t find(PyObject *info, PyObject *label) const;
    /// The GraphStatus of a launch; null with an error set.
    PyObject *status(const abi::GraphWords &words) const;
};

void write(Writer &w, const PlanGraph &graph);
PlanGraph read_graph(Reader &r);

/// Whether the decorator of a kernel says so.
bool has_graph(const KernelObject *kernel);
/// Whether `label` may name a checkpoint of the kernel; false with an error set.
bool may_resume(const KernelObject *kernel, PyObject *label);
/// The specialisation that was used last, or else made last; null if there is none.
const Plan *newest_plan(const KernelObject *kernel);
/// _graph() -> ([(flag, parent, number of the parameter)] of the levels, [(label or None, flag or None, number or -1)] of the
/// checkpoints) of newest_plan()
PyObject *describe_graph(PyObject *kernel, PyObject *);
/// The same of a specialisation.
PyObject *describe_graph(const Plan &plan);

} // namespace qd::bind
