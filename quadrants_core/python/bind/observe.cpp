#define PY_SSIZE_T_CLEAN
#include "python/bind/observe.h"

#include "base/fork.h"
#include "python/bind/interrupt.h"
#include "python/bind/state.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace qd::bind {

std::atomic<bool> output_waits{false};

namespace {

constexpr auto flush_interval = std::chrono::milliseconds(20);
constexpr auto longest_wait = std::chrono::seconds(10);
constexpr size_t kept_reports = 1024;

/// The value of last_compile_was_cached().
thread_local bool was_cached = false;

/// Calls of flush_output in progress: they may hold the lock of sys.stdout while they wait without the GIL. The GIL guards both counters.
int writing = 0;
thread_local int writing_here = 0;

struct Writing {
    Writing() { writing++, writing_here++; }
    ~Writing() { writing--, writing_here--; }
};

/// Sums over compilations, in the order in which phases first occurred.
class PhaseSums {
  public:
    struct Sum {
        std::string_view scope;
        std::string phase;
        uint64_t count = 0;
        double microseconds = 0;
    };
    std::vector<Sum> all;

    void add(const engine::CompileReport &report) {
        add("kernels", {"", report.microseconds});
        for (const engine::PhaseTime &phase : report.phases) add("kernels", phase);
        for (const engine::TaskReport &task : report.tasks) {
            engine::PhaseTime whole;
            for (const engine::PhaseTime &phase : task.phases) whole.microseconds += phase.microseconds;
            add("tasks", whole);
            for (const engine::PhaseTime &phase : task.phases) add("tasks", phase);
        }
    }

  private:
    void add(std::string_view scope, const engine::PhaseTime &time) {
        auto at = std::find_if(all.begin(), all.end(),
                               [&](const Sum &s) { return s.scope == scope && s.phase == time.phase; });
        if (at == all.end()) at = all.insert(all.end(), {scope, time.phase});
        at->count++;
        at->microseconds += time.microseconds;
    }
};

class Collector final : public engine::Observer {
  public:
    void compiled(const engine::CompileReport &report) override {
        was_cached = std::ranges::none_of(
            report.tasks, [](const engine::TaskReport &t) { return t.origin == engine::TaskOrigin::compiled; });
        std::lock_guard lock(mutex_);
        phases_.add(report);
        if (reports_.size() == kept_reports) reports_.pop_front();
        reports_.push_back(report);
        made_++;
    }

    void output(std::string_view text) override {
        std::lock_guard lock(mutex_);
        text_ += text;
        output_waits.store(true, std::memory_order_relaxed);
        if (!may_lock) return;
        if (!writer_.joinable()) writer_ = std::thread([this] { write_while_running(); });
        wake_.notify_one();
    }

    void warning(std::string_view text) override {
        std::lock_guard lock(mutex_);
        warnings_.emplace_back(text);
        output_waits.store(true, std::memory_order_relaxed);
    }

    void stack_budget_exceeded() override {
        std::lock_guard lock(mutex_);
        kept_much_ = true;
        output_waits.store(true, std::memory_order_relaxed);
    }

    bool take_kept_much() {
        std::lock_guard lock(mutex_);
        return std::exchange(kept_much_, false);
    }

    std::string take_text() {
        std::lock_guard lock(mutex_);
        output_waits.store(false, std::memory_order_relaxed);
        return std::move(text_);
    }

    std::vector<std::string> take_warnings() {
        std::lock_guard lock(mutex_);
        return std::move(warnings_);
    }

    std::deque<engine::CompileReport> take_all() {
        std::lock_guard lock(mutex_);
        return std::move(reports_);
    }

    std::pair<uint64_t, std::vector<engine::CompileReport>> since(uint64_t known) {
        std::lock_guard lock(mutex_);
        const size_t fresh = size_t(std::min<uint64_t>(made_ - std::min(known, made_), reports_.size()));
        return {made_, {reports_.end() - std::ptrdiff_t(fresh), reports_.end()}};
    }

    PhaseSums phases() {
        std::lock_guard lock(mutex_);
        return phases_;
    }

    void clear_phases() {
        std::lock_guard lock(mutex_);
        phases_.all.clear();
    }

    void let_write(bool may) {
        std::lock_guard lock(mutex_);
        may_lock = may;
    }

    void stop() {
        {
            std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        wake_.notify_one();
        if (writer_.joinable()) writer_.join();
    }

    /// In a forked child: pending text and the thread belong to the parent.
    void reset_in_child() {
        new (&wake_) std::condition_variable;
        new (&writer_) std::thread;
        may_lock = stopping_ = kept_much_ = false;
        text_.clear();
        warnings_.clear();
        output_waits = false;
    }

  private:
    /// The engine publishes text while it holds a lock, where waiting for the GIL is not allowed: a thread of our own forwards the text of
    /// a running kernel to Python.
    void write_while_running() {
        std::unique_lock lock(mutex_.plain());
        while (!stopping_) {
            wake_.wait(lock, [this] { return stopping_ || !text_.empty(); });
            wake_.wait_for(lock, flush_interval, [this] { return stopping_; });
            if (stopping_ || text_.empty()) continue;
            lock.unlock();
            PyGILState_STATE state = PyGILState_Ensure();
            flush_output();
            PyGILState_Release(state);
            lock.lock();
        }
    }

    ForkLockedMutex mutex_;
    std::condition_variable wake_;
    std::thread writer_;
    bool may_lock = false, stopping_ = false;
    bool kept_much_ = false; ///< Python is to report which kernels exceed their budget
    std::string text_;
    std::vector<std::string> warnings_;
    std::deque<engine::CompileReport> reports_;
    uint64_t made_ = 0; ///< reports so far
    PhaseSums phases_;
};

/// Never destroyed, because worker threads may still print while the process ends.
Collector &the_collector = *new Collector;
Collector &collector() { return the_collector; }

PyObject *listener = nullptr; // guarded by the GIL

void notify_listener(const char *what, PyObject *text) {
    PyObject *to = Py_XNewRef(listener);
    PyObject *done = to ? PyObject_CallFunction(to, "sO", what, text) : nullptr;
    Py_XDECREF(done);
    Py_XDECREF(to);
    if (to && !done) PyErr_Clear();
}

const ForkHooks hooks(nullptr, nullptr, [] {
    listener = nullptr;
    collector().reset_in_child();
    runtime.active_launches = 0;
    writing = writing_here;
});

PyObject *phases_of(const std::vector<engine::PhaseTime> &phases) {
    PyObject *list = PyList_New(0);
    for (const engine::PhaseTime &p : phases) {
        PyObject *entry = Py_BuildValue("(sd)", p.phase.c_str(), p.microseconds);
        PyList_Append(list, entry);
        Py_XDECREF(entry);
    }
    return list;
}

const char *origin_name(engine::TaskOrigin origin) {
    switch (origin) {
    case engine::TaskOrigin::compiled: return "compiled";
    case engine::TaskOrigin::memory: return "memory";
    case engine::TaskOrigin::disk: return "disk";
    }
    return "";
}

PyObject *report_dict(const engine::CompileReport &report) {
    PyObject *tasks = PyList_New(0);
    for (const engine::TaskReport &t : report.tasks) {
        PyObject *entry = Py_BuildValue("{s:s,s:s,s:I,s:N}", "name", t.name.c_str(), "origin", origin_name(t.origin),
                                        "line", t.line, "phases", phases_of(t.phases));
        PyList_Append(tasks, entry);
        Py_XDECREF(entry);
    }
    return Py_BuildValue("{s:s,s:s,s:I,s:d,s:N,s:N}", "kernel", report.kernel.c_str(), "file", report.file.c_str(),
                         "line", report.line, "microseconds", report.microseconds, "phases", phases_of(report.phases),
                         "tasks", tasks);
}

} // namespace

engine::Observer *observer() { return &collector(); }

bool last_compile_was_cached() { return was_cached; }

void set_output_may_lock(bool may) { collector().let_write(may); }

void flush_output() {
    if (!output_waiting()) return;
    const Writing at_work;
    std::string text = collector().take_text();
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    for (const std::string &warning : collector().take_warnings()) {
        // With `-W error` the warning is an exception, which the launch cannot raise, since it has already run.
        if (PyErr_WarnEx(PyExc_RuntimeWarning, warning.c_str(), 1) != 0) PyErr_WriteUnraisable(nullptr);
        if (!listener) continue;
        PyObject *said = PyUnicode_DecodeUTF8(warning.data(), Py_ssize_t(warning.size()), "replace");
        if (said) notify_listener("warning", said);
        Py_XDECREF(said);
    }
    if (collector().take_kept_much()) {
        PyObject *memory = PyImport_ImportModule("quadrants._gradients.memory");
        PyObject *reported = memory ? PyObject_CallMethod(memory, "report_budgets", nullptr) : nullptr;
        Py_XDECREF(reported);
        Py_XDECREF(memory);
        PyErr_Clear();
    }
    PyObject *out = Py_XNewRef(PySys_GetObject("stdout")); // writing may replace sys.stdout
    if (!text.empty() && out && out != Py_None) {
        PyObject *piece = PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), "replace");
        PyObject *done = piece ? PyObject_CallMethod(out, "write", "O", piece) : nullptr;
        if (done && listener) notify_listener("print", piece);
        Py_XDECREF(piece);
        Py_XDECREF(done);
        PyObject *flushed = PyObject_CallMethod(out, "flush", nullptr);
        Py_XDECREF(flushed);
        if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) note_interrupt();
        PyErr_Clear();
    }
    Py_XDECREF(out);
    PyErr_Restore(type, value, traceback);
}

void stop_output() { collector().stop(); }

void await_output() {
    const auto until = std::chrono::steady_clock::now() + longest_wait;
    while (writing > writing_here && std::chrono::steady_clock::now() < until) {
        Py_BEGIN_ALLOW_THREADS;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        Py_END_ALLOW_THREADS;
    }
}

PyObject *phase_times() {
    PyObject *list = PyList_New(0);
    for (const PhaseSums::Sum &sum : collector().phases().all) {
        PyObject *entry = Py_BuildValue("(s#sKd)", sum.scope.data(), Py_ssize_t(sum.scope.size()), sum.phase.c_str(),
                                        static_cast<unsigned long long>(sum.count), sum.microseconds);
        if (entry) PyList_Append(list, entry);
        Py_XDECREF(entry);
    }
    return list;
}

void clear_phase_times() { collector().clear_phases(); }

PyObject *take_reports() {
    PyObject *list = PyList_New(0);
    for (const engine::CompileReport &report : collector().take_all()) {
        PyObject *entry = report_dict(report);
        if (entry) PyList_Append(list, entry);
        Py_XDECREF(entry);
    }
    return list;
}

PyObject *reports_since(uint64_t known) {
    const auto [made, fresh] = collector().since(known);
    PyObject *list = PyList_New(0);
    for (const engine::CompileReport &report : fresh) {
        PyObject *entry = report_dict(report);
        if (entry) PyList_Append(list, entry);
        Py_XDECREF(entry);
    }
    return Py_BuildValue("(KN)", static_cast<unsigned long long>(made), list);
}

void listen_to_output(PyObject *to) {
    PyObject *before = listener;
    listener = to == Py_None ? nullptr : Py_NewRef(to);
    Py_XDECREF(before);
}

} // namespace qd::bind
