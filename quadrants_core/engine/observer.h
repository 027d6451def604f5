#pragma once
// All events that a person may want to follow, published by the core as plain data. Calls may come from any thread, also without Python's
// GIL; they must return quickly.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace qd::engine {

class Program;

struct PhaseTime {
    std::string phase; ///< "frontend", a pass, "codegen", "load"
    double microseconds = 0;
};
enum class TaskOrigin : uint8_t {
    compiled,
    memory,
    disk
}; ///< compiled now; unchanged in this process; from the cache on disk
struct TaskReport {
    std::string name;
    TaskOrigin origin = TaskOrigin::compiled;
    std::vector<PhaseTime> phases;
    uint32_t line = 0;
};
struct CompileReport {
    std::string kernel, file;
    uint32_t line = 0;
    std::vector<PhaseTime> phases; ///< of the whole kernel
    std::vector<TaskReport> tasks;
    double microseconds = 0; ///< wall time from the call to code ready to run
};

struct Observer {
    virtual ~Observer() = default;
    virtual void compiled(const CompileReport &) {}
    virtual void output(std::string_view text) { (void)text; } ///< print in a kernel, in order per thread
    virtual bool wants_output() const { return true; }         ///< prints go to the C stdout if no observer takes them
    virtual void launched(std::string_view kernel) { (void)kernel; } ///< only for observers that ask for launches
    virtual bool wants_launches() const { return false; }
    virtual void warning(std::string_view text) {
        (void)text;
    } ///< something works less well than it should; reported once per cause
    virtual void stack_budget_exceeded() {
    } ///< adstacks of a launch exceeded their budget on a thread, which may run several iterations concurrently
    virtual void closing(Program &) {} ///< the program is about to end: the last chance to read its coverage
};

} // namespace qd::engine
