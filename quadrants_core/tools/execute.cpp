#include "tools/execute.h"

#include "abi/record.h"
#include "analysis/lanes.h"
#include "backends/interp/walk.h"
#include "base/error.h"
#include "device_lib/random.h"
#include "engine/shared_code.h"
#include "engine/tree_data.h"
#include "ir/builder.h"
#include "ir/print.h"
#include "layout/containers.h"
#include "layout/layout.h"
#include "runtime/launcher.h"
#include "runtime/sparse.h"
#include "runtime/thread_heap.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>

namespace qd::tools {

using namespace ir;

Array make_array(const Type &type, std::vector<int64_t> extents) {
    Array array{type, std::move(extents), {}};
    int64_t n = int64_t(type.rows) * type.cols * size_of(type.elem);
    for (int64_t e : array.extents) n *= e;
    array.bytes.resize(size_t(n));
    return array;
}

namespace {

/// Receives the messages of a running function. `fn` is the function before the passes, from which the types of message values are taken.
struct Record {
    const Function *fn = nullptr;
    Outputs *outputs = nullptr;
    std::mutex *lock = nullptr;
};

/// Returns the types of the values of message `index`: those of the first instruction that names it.
std::vector<Scalar> value_types(const Function &fn, uint32_t index) {
    for (uint32_t i = 1; i < fn.insts.size(); ++i) {
        const Inst &in = fn.insts[i];
        if (info(in.op).imm != Imm::message || in.imm != index) continue;
        std::vector<Scalar> types;
        for (Value a : fn.args(Value{i}).subspan(in.op == Op::assert_ ? 1 : 0)) types.push_back(fn.type(a).elem);
        return types;
    }
    return {};
}

std::string text_of(const Function &fn, uint32_t index, const uint64_t *values) {
    std::vector<Scalar> types = value_types(fn, index);
    std::string text;
    for (const Message::Piece &piece : fn.messages[index].pieces) {
        if (piece.value < 0) {
            text += piece.text;
            continue;
        }
        Scalar t = types[size_t(piece.value)];
        uint64_t bits = values[piece.value];
        text += to_text(is_float(t) ? from_double(t, to_double({Scalar::f64, bits})) : from_int(t, int64_t(bits)));
    }
    return text;
}

void report(const abi::Launch *launch, uint32_t message, const uint64_t *values, std::string Outputs::*where) {
    const Record &record = *static_cast<const Record *>(launch->task);
    std::scoped_lock guard(*record.lock);
    (record.outputs->*where) += text_of(*record.fn, message, values);
}

void on_print(const abi::Launch *launch, const abi::Thread *, uint32_t message, const uint64_t *values) {
    report(launch, message, values, &Outputs::printed);
}

void on_fail(const abi::Launch *launch, const abi::Thread *, uint32_t message, const uint64_t *values) {
    report(launch, message, values, &Outputs::failed);
    __atomic_store_n(launch->stream.failed, 1u, __ATOMIC_RELAXED);
}

char *on_reserve(const abi::Launch *launch, abi::Thread *thread, uint64_t bytes, uint32_t) {
    char *found = runtime::ThreadHeap::reserve(*thread, bytes);
    if (!found) __atomic_store_n(launch->stream.failed, 1u, __ATOMIC_RELAXED);
    return found;
}

uint64_t tree_bytes(const Place &place) {
    uint64_t bytes = place.byte_offset + uint64_t(size_of(place.elem));
    if (is_sparse(place)) bytes = 0;
    for (const PlaceLevel &level : place.levels) {
        if (level.kind != LevelKind::dense) // the rest lies in the container, or elsewhere
            return bytes + level.start +
                   layout::container_bytes(level.kind, layout::cells_of(level), level.cell_bytes, level.chunk);
        uint64_t last = 0;
        for (const PlaceAxis &a : level.axes) last += uint64_t(a.extent - 1) * a.stride;
        bytes += level.start + last * level.cell_bytes;
    }
    return bytes;
}

/// Gives tasks access to memory of the host: in place, or as a copy on the device if the host cannot access the memory of the device.
class Mirror {
  public:
    Mirror(runtime::Device *device, runtime::Stream *stream)
        : device_(device && !device->info().host_visible ? device : nullptr), stream_(stream) {}
    ~Mirror() {
        for (const Copy &copy : copies_) device_->free(copy.there);
        for (const runtime::Buffer &buffer : buffers_) device_->free(buffer);
    }
    Mirror(const Mirror &) = delete;

    /// `lower_atomics` accesses the word around a small number, so memory is accessible up to a multiple of 4 bytes.
    static uint64_t whole_words(uint64_t bytes) { return (bytes + 3) / 4 * 4; }

    /// Returns the address at which tasks find the `bytes` at `here`, which must stay in place until the mirror is destroyed.
    template <class T> T *show(T *here, uint64_t bytes) {
        if (!device_ || !here) return here;
        for (const Copy &copy : copies_)
            if (copy.here == here) return reinterpret_cast<T *>(copy.there.address);
        copies_.push_back(
            {here, std::max<uint64_t>(bytes, 1), device_->alloc(whole_words(std::max<uint64_t>(bytes, 1)))});
        if (bytes) stream_->upload(copies_.back().there.address, here, bytes);
        return reinterpret_cast<T *>(copies_.back().there.address);
    }
    template <class T> T *show(std::vector<T> &here) {
        if constexpr (sizeof(T) == 1) here.reserve(whole_words(here.size()));
        return show(here.data(), here.size() * sizeof(T));
    }
    /// Downloads the bytes after tasks have changed them.
    void fetch() {
        for (const Copy &copy : copies_) stream_->download(copy.here, copy.there.address, copy.bytes);
        if (device_) stream_->wait();
    }
    /// Returns zeroed memory of the device.
    void *alloc(uint64_t bytes) {
        if (!device_) return std::calloc(bytes, 1);
        buffers_.push_back(device_->alloc(bytes));
        return reinterpret_cast<void *>(buffers_.back().address);
    }
    void free(void *p) {
        if (!device_) return std::free(p);
        if (!p) return;
        const auto at = std::ranges::find(buffers_, reinterpret_cast<uint64_t>(p), &runtime::Buffer::address);
        device_->free(*at);
        buffers_.erase(at);
    }
    /// While the result lives, the host may dereference addresses of the device.
    std::unique_ptr<runtime::HostAccess> access() const {
        return device_ ? std::make_unique<runtime::HostAccess>(*device_) : nullptr;
    }

  private:
    struct Copy {
        void *here;
        uint64_t bytes;
        runtime::Buffer there;
    };
    runtime::Device *device_;
    runtime::Stream *stream_;
    std::vector<Copy> copies_;
    std::vector<runtime::Buffer> buffers_;
};

/// The memory of one run of a kernel, and the launches of its tasks on that memory.
class Memory {
  public:
    /// Without a device, tasks run in memory of the host.
    Memory(const Function &fn, const Inputs &inputs, runtime::Device *device = nullptr,
           runtime::Stream *stream = nullptr)
        : mirror_(device, stream), returns_(fn.returns), places_(fn.places) {
        outputs.arrays = inputs.arrays;
        size_t scalar = 0, array = 0;
        for (Value p : fn.params) {
            if (!fn.type(p).is_array()) {
                QD_CHECK(scalar < inputs.scalars.size(), "a scalar argument is missing for " + fn.name);
                args_.push_back(inputs.scalars[scalar++].bits);
                continue;
            }
            QD_CHECK(array < inputs.arrays.size(), "an array argument is missing for " + fn.name);
            Array &a = outputs.arrays[array++];
            a.bytes.reserve(1); // an empty array has an address, too
            args_.push_back(uint64_t(reinterpret_cast<uintptr_t>(mirror_.show(a.bytes))));
            for (int64_t e : a.extents) args_.push_back(uint64_t(e));
        }
        for (const Place &place : fn.places) {
            if (trees_.size() <= place.tree) trees_.resize(place.tree + 1);
            std::vector<uint8_t> &tree = trees_[place.tree];
            tree.resize(std::max(tree.size(), size_t(tree_bytes(place))));
        }
        for (std::vector<uint8_t> &tree : trees_) roots_.push_back(reinterpret_cast<char *>(mirror_.show(tree)));
        if (std::any_of(places_.begin(), places_.end(), is_sparse)) add_sparse_trees();
        outputs.counters.resize(fn.counters.size());
        ret_.resize(fn.returns.size() + size_t(fn.ret_bytes / 8) + 1);
    }

    Outputs outputs;

    /// Returns a launch of `fn`, which was `source` before passes; both must outlive it, as must `counters`. All tasks of a
    /// kernel share the tmp buffer.
    abi::LaunchRecord launch(const Function &fn, const Function &source, Record &record,
                             std::vector<uint64_t> &counters) {
        record = {&source, &outputs, &lock_};
        if (tmp_.empty()) tmp_.resize(size_t(fn.tmp_bytes / 8 + 1));
        QD_CHECK(tmp_.size() > fn.tmp_bytes / 8, "the tmp buffer of a task is larger than that of another");
        abi::LaunchRecord made(args_.size());
        std::ranges::copy(args_, made.args());
        abi::Launch &c = made.head();
        c.stream.tmp = reinterpret_cast<char *>(mirror_.show(tmp_));
        c.ret = reinterpret_cast<char *>(mirror_.show(ret_));
        c.stream.trees = mirror_.show(roots_);
        c.counters = mirror_.show(counters);
        c.stream.stop = &stop_;
        c.stream.failed = mirror_.show(&failed_, sizeof failed_);
        c.stream.counts_requested = mirror_.show(&counts_requested_, sizeof counts_requested_);
        static constexpr abi::HostServices services{on_print, on_fail, nullptr, on_reserve};
        c.stream.host = &services;
        c.task = &record;
        c.stream.sparse = sparse_.get();
        c.stream.sparse_calls = &runtime::SparseTrees::calls;
        return made;
    }
    bool failed() const { return failed_ != 0; }
    /// Makes the results of a task visible to the host.
    void fetch() { mirror_.fetch(); }

    /// Reads the fields from their trees.
    void gather_fields() {
        const auto access = sparse_ ? mirror_.access() : nullptr;
        for (const Place &place : places_) {
            std::vector<Constant> &field = outputs.fields.emplace_back();
            if (place.level) continue;
            std::vector<int32_t> index = place.index_offset;
            for (bool more = true; more;) {
                Constant c{place.elem, 0};
                std::memcpy(&c.bits, element(place, index.data()), size_t(size_of(c.type)));
                field.push_back(c);
                more = false;
                for (size_t a = index.size(); a-- > 0 && !more;) {
                    more = ++index[a] < place.index_offset[a] + place.shape[a];
                    if (!more) index[a] = place.index_offset[a];
                }
            }
        }
    }

    /// Reads the returned values from the return buffer.
    Outputs finish() {
        gather_fields();
        for (size_t i = 0; i < returns_.size(); ++i) {
            Constant c{returns_[i].elem, 0};
            std::memcpy(&c.bits, &ret_[i], size_t(size_of(c.type)));
            if (c.type == Scalar::u1) c.bits &= 1;
            outputs.values.push_back(c);
        }
        return std::move(outputs);
    }

  private:
    Mirror mirror_; ///< destroyed last
    void add_sparse_trees() {
        sparse_ = std::make_unique<runtime::SparseTrees>(
            runtime::BlockSource{[this](uint64_t bytes) { return mirror_.alloc(bytes); },
                                 [this](void *p) { mirror_.free(p); }},
            1);
        const auto access = mirror_.access();
        for (uint32_t tree = 0; tree < trees_.size(); ++tree) {
            std::vector<Place> own;
            for (const Place &place : places_)
                if (place.tree == tree) own.push_back(place);
            sparse_->add(tree, engine::describe_tree(own), roots_[tree]);
        }
    }
    const char *element(const Place &place, const int32_t *indices) const {
        const std::vector<uint8_t> &tree = trees_[place.tree];
        if (!is_sparse(place)) // where the mirror has downloaded it
            return layout::address(place, indices, reinterpret_cast<char *>(const_cast<uint8_t *>(tree.data())),
                                   [](const PlaceLevel &, char *container, uint64_t) { return container; });
        return layout::address(place, indices, roots_[place.tree],
                               [&](const PlaceLevel &level, char *container, uint64_t cell) {
                                   return sparse_->find(place.tree, level.node, container, int64_t(cell));
                               });
    }

    std::unique_ptr<runtime::SparseTrees> sparse_;
    std::vector<Type> returns_;
    std::vector<Place> places_;
    std::vector<std::vector<uint8_t>> trees_;
    std::vector<uint64_t> args_, tmp_, ret_;
    std::vector<char *> roots_;
    uint32_t stop_ = 0, failed_ = 0;
    uint32_t counts_requested_ = 1; ///< the first loop with a safepoint reports its counts so far
    std::mutex lock_;
};

double now_us() {
    auto t = std::chrono::steady_clock::now().time_since_epoch();
    return double(std::chrono::duration_cast<std::chrono::nanoseconds>(t).count()) * 1e-3;
}

bool has_parallel(const Function &fn) {
    const std::vector<Value> &list = fn[fn.body].insts;
    return std::any_of(list.begin(), list.end(), [&](Value v) { return fn[v].op == Op::parallel; });
}

struct Compiled {
    Function source, fn; ///< before and after the passes
    abi::Task info;
    std::shared_ptr<runtime::LoadedTask> code, locked;
};

Compiled compile(const BackendRun &how, runtime::Device &device, const engine::Lowering &lowering, Function fn) {
    Compiled task;
    task.source = fn;
    lowering.lower(fn);
    task.info.name = fn.name;
    task.info.weight = how.weight;
    task.info.kind = fn.role == Role::range_task ? abi::TaskKind::range : abi::TaskKind::serial;
    task.info.range_at = fn.range_at;
    task.info.slots = backends::interpreter::argument_slots(fn);
    task.info.block_dim = analysis::block_dim(task.source);
    const abi::Binary binary = lowering.emit(fn, how.tier);
    task.info.range = binary.range;
    task.code = device.load(task.info, binary);
    if (how.threads > 1 && engine::may_need_locks(fn)) {
        fn.set_flag(CompileFlag::locked);
        task.locked = device.load(task.info, lowering.emit(fn, how.tier));
        task.code->set_locked_code(*task.locked);
    }
    task.fn = std::move(fn);
    return task;
}

/// Stores the number of each counter as its source line, which identifies the counter after the kernel is split into tasks.
Function label_counters(const Function &kernel) {
    Function fn = kernel;
    for (size_t i = 0; i < fn.counters.size(); ++i) {
        Span span;
        span.line = uint32_t(i + 1);
        fn.spans.push_back(span);
        fn.counters[i].span = SpanId(fn.spans.size() - 1);
    }
    return fn;
}

void add_counters(const Function &task, const std::vector<uint64_t> &counts, std::vector<uint64_t> &sums) {
    for (size_t i = 0; i < counts.size(); ++i) {
        const Counter &counter = task.counters[i];
        size_t number = task.spans[counter.span].line - 1u;
        if (number < sums.size()) sums[number] += counts[counter.shares() ? counter.count_of : i];
    }
}

} // namespace

std::string why_not(const backends::Backend &backend) {
    const std::string why = backend.missing();
    return why.empty() ? backend.missing_compiler() : why;
}

Outputs interpret(const Function &fn, const Inputs &inputs, const Function *source) {
    const runtime::FloatMode mode(fn.fast_math ? runtime::Subnormals::flushed : runtime::Subnormals::kept);
    Memory memory(fn, inputs);
    Record record;
    abi::Thread thread{};
    runtime::ThreadHeap heap(thread, runtime::host_chunks());
    device_lib::seed_random(thread.random, 0, 0);
    abi::LaunchRecord launch = memory.launch(fn, source ? *source : fn, record, memory.outputs.counters);
    backends::interpreter::Outcome outcome =
        backends::interpreter::run(fn, launch.head(), thread, {}, {uint32_t(inputs.lanes)});
    memory.gather_fields();
    Outputs outputs = std::move(memory.outputs);
    for (size_t i = 0; i < fn.counters.size(); ++i)
        if (fn.counters[i].shares()) outputs.counters[i] = outputs.counters[fn.counters[i].count_of];
    outputs.values = std::move(outcome.values);
    if (outputs.values.empty()) // left by exit: the return buffer was never written
        for (Type t : fn.returns) outputs.values.push_back({t.elem, 0});
    return outputs;
}

std::vector<Function> to_tasks(const Function &kernel, const passes::Config &config) {
    if (kernel.role != Role::kernel) return {kernel};
    if (has_parallel(kernel) || kernel.returns.empty()) return passes::offload(kernel, config);
    Function task = kernel;
    task.role = Role::serial_task;
    task.returns.clear();
    task.ret_bytes = 8 * kernel.returns.size();
    std::vector<Value> &list = task[task.body].insts;
    Value last = list.back();
    if (task[last].op != Op::ret) return {task};
    std::vector<Value> values(task.args(last).begin(), task.args(last).end());
    list.pop_back();
    Builder b(task, task.body);
    for (size_t i = 0; i < values.size(); ++i) {
        Value slot = b.emit(Op::ret_slot, {}, Type::pointer(task.type(values[i]).elem), 8 * i);
        b.store(slot, values[i]);
    }
    b.ret();
    return {task};
}

Outputs run_on(const BackendRun &how, const Function &fn, const Inputs &inputs, Timing *timing) {
    double start = now_us();
    backends::Caps caps = how.backend->caps(0);
    caps.threads = how.threads;
    caps.vector_bytes = how.vector_bytes.value_or(caps.vector_bytes);
    caps.bounds_from_tasks |= how.bounds_from_tasks;
    caps.grid |= how.grid;
    caps.covers |= how.covers;
    caps.elements |= how.elements;
    if (how.atomics) caps.atomics = *how.atomics;
    if (caps.lanes) caps.lanes = inputs.lanes ? inputs.lanes : how.lanes;
    const engine::Lowering lowering(*how.backend, caps, how.verify, how.stages);
    runtime::DeviceOptions options;
    options.threads = how.threads;
    if (how.lanes) options.block_dim = uint32_t(2 * how.lanes); // small, so that ranges have several
    std::unique_ptr<runtime::Device> device = how.backend->open(options);
    Function kernel = label_counters(fn);
    lowering.simplify(kernel);
    const std::unique_ptr<runtime::Stream> stream = device->open_stream();
    std::vector<Compiled> tasks;
    for (Function &task : to_tasks(kernel, lowering.config()))
        tasks.push_back(compile(how, *device, lowering, std::move(task)));
    if (timing) timing->compile_us = now_us() - start;
    Outputs outputs;
    for (int round = 0; round < how.repeat; ++round) {
        Memory memory(fn, inputs, device.get(), stream.get());
        double begin = now_us();
        std::deque<std::vector<uint64_t>> counts;
        for (Compiled &task : tasks) {
            Record record;
            std::vector<uint64_t> &counters = counts.emplace_back(task.fn.counters.size());
            abi::LaunchRecord launch = memory.launch(task.fn, task.source, record, counters);
            stream->launch(*task.code, task.info, launch.head());
            stream->wait();
            memory.fetch();
            add_counters(task.fn, counters, memory.outputs.counters);
            if (memory.failed()) break;
        }
        double took = now_us() - begin;
        if (timing && (round == 0 || took < timing->launch_us)) timing->launch_us = took;
        outputs = memory.finish();
    }
    return outputs;
}

namespace {

/// True for zero and subnormal numbers.
bool is_zero_or_subnormal(Constant c) {
    switch (c.type) {
    case Scalar::f32: return (c.bits & 0x7f800000) == 0;
    case Scalar::f64: return (c.bits & 0x7ff0000000000000u) == 0;
    default: return (c.bits & 0x7fff) == 0;
    }
}

bool alike(Constant a, Constant b, double tolerance) {
    if (a.type != b.type) return false;
    if (a.bits == b.bits) return true;
    if (!is_float(a.type)) return false;
    double x = to_double(a), y = to_double(b);
    if (x != x && y != y) return true;
    if (a.type != Scalar::f16 && is_zero_or_subnormal(a) && is_zero_or_subnormal(b)) return true;
    double gap = x > y ? x - y : y - x, size = std::max(x < 0 ? -x : x, y < 0 ? -y : y);
    return tolerance > 0 && gap <= tolerance * std::max(size, 1.0);
}

std::string compare_bytes(const char *what, size_t index, Scalar elem, const std::vector<uint8_t> &a,
                          const std::vector<uint8_t> &b, double tolerance) {
    size_t step = size_t(size_of(elem));
    for (size_t at = 0; at + step <= a.size(); at += step) {
        Constant x{elem, 0}, y{elem, 0};
        std::memcpy(&x.bits, &a[at], step);
        std::memcpy(&y.bits, &b[at], step);
        if (!alike(x, y, tolerance))
            return std::string(what) + " " + std::to_string(index) + ", element " + std::to_string(at / step) + ": " +
                   to_text(x) + " expected, " + to_text(y) + " found";
    }
    return "";
}

} // namespace

std::string difference(const Outputs &expected, const Outputs &got, double tolerance) {
    for (size_t i = 0; i < expected.values.size(); ++i) {
        Constant x = expected.values[i], y = i < got.values.size() ? got.values[i] : Constant{};
        if (!alike(x, y, tolerance))
            return "value " + std::to_string(i) + ": " + to_text(x) + " expected, " + to_text(y) + " found";
    }
    for (size_t i = 0; i < expected.arrays.size(); ++i) {
        const Array &a = expected.arrays[i], &b = got.arrays[i];
        if (std::string text = compare_bytes("array", i, a.type.elem, a.bytes, b.bytes, tolerance); !text.empty())
            return text;
    }
    for (size_t i = 0; i < expected.fields.size(); ++i)
        for (size_t k = 0; k < expected.fields[i].size(); ++k)
            if (Constant x = expected.fields[i][k], y = got.fields[i][k]; !alike(x, y, tolerance))
                return "place " + std::to_string(i) + ", element " + std::to_string(k) + ": " + to_text(x) +
                       " expected, " + to_text(y) + " found";
    if (expected.printed != got.printed)
        return "printed " + quote(expected.printed) + " expected, " + quote(got.printed) + " found";
    if (expected.failed != got.failed)
        return "failed with " + quote(expected.failed) + " expected, " + quote(got.failed) + " found";
    if (expected.counters != got.counters) {
        for (size_t i = 0; i < expected.counters.size(); ++i)
            if (expected.counters[i] != got.counters[i])
                return "counter " + std::to_string(i) + ": " + std::to_string(expected.counters[i]) + " expected, " +
                       std::to_string(got.counters[i]) + " found";
    }
    return "";
}

} // namespace qd::tools
