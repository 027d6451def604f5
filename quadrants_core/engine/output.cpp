// Output of running tasks: prints and failed assertions, formatted from abi::Message.
#include "engine/compiled_kernel.h"
#include "engine/program.h"
#include "engine/queues.h"
#include "ir/types.h"
#include "runtime/thread_heap.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <sstream>

namespace qd::engine {
namespace {

constexpr uint64_t max_limited_messages = 100; ///< from one place in one launch

enum class Family : uint8_t { real, integer, natural };

Family family(ir::Scalar s) {
    if (ir::is_float(s)) return Family::real;
    return ir::is_signed(s) ? Family::integer : Family::natural;
}

/// Returns a printf format for one value: flags, width and precision as the user wrote them, and the conversion of the value's family
/// unless the user gave one that fits. A spec that is not a printf format is treated as empty.
std::string conversion(std::string_view spec, Family f) {
    const size_t flags = std::min(spec.find_first_not_of("-+ #0123456789."), spec.size());
    std::string head(spec.substr(0, flags));
    const std::string_view letter = spec.substr(flags);
    const std::string_view allowed = f == Family::real ? "fFeEgGaA" : "diuxXoc";
    const bool fits = letter.size() == 1 && allowed.find(letter[0]) != allowed.npos;
    if (letter.size() > 1 || (letter.size() == 1 && !fits) || head.size() > 32) head.clear();
    const char fallback = f == Family::real ? 'f' : f == Family::integer ? 'd' : 'u';
    const char last = fits ? letter[0] : fallback;
    return "%" + head + (f == Family::real || last == 'c' ? "" : "ll") + last;
}

void append_value(std::string &out, std::string_view spec, ir::Scalar type, uint64_t bits) {
    char buffer[512];
    const Family f = family(type);
    const std::string format = conversion(spec, f);
    int n;
    if (f == Family::real)
        n = std::snprintf(buffer, sizeof buffer, format.c_str(), std::bit_cast<double>(bits));
    else if (format.back() == 'c')
        n = std::snprintf(buffer, sizeof buffer, format.c_str(), int(bits));
    else if (std::strchr("xXo", format.back())) // the bits of the type
        n = std::snprintf(buffer, sizeof buffer, format.c_str(), bits & (~0ULL >> (64 - ir::bits_of(type))));
    else
        n = std::snprintf(buffer, sizeof buffer, format.c_str(), static_cast<unsigned long long>(bits));
    if (n > 0) out.append(buffer, std::min(size_t(n), sizeof buffer - 1));
}

std::string format(const abi::Message &message, const uint64_t *values) {
    std::string out;
    for (const abi::MessagePiece &piece : message.pieces) {
        if (piece.value < 0)
            out += piece.text;
        else
            append_value(out, piece.text, ir::Scalar(piece.type), values[piece.value]);
    }
    return out;
}

/// The inverse of the encoding that build_task.cpp writes into abi::Message::trace.
std::vector<Location> trace_of(std::string_view rest) {
    std::vector<Location> out;
    while (!rest.empty()) {
        const size_t end = std::min(rest.find('\n'), rest.size());
        std::istringstream line{std::string(rest.substr(0, end))};
        rest.remove_prefix(std::min(end + 1, rest.size()));
        Location at;
        line >> at.line >> at.column >> at.end_column >> at.scope >> std::ws;
        std::getline(line, at.file);
        at.end_line = at.line;
        out.push_back(std::move(at));
    }
    return out;
}

std::vector<Location> trace_of(const abi::Message &message) {
    std::vector<Location> out = trace_of(std::string_view(message.trace));
    if (message.line)
        out.push_back({message.file, message.scope, message.line, message.column, message.line, message.end_column});
    return out;
}

} // namespace

void print_from_task(const abi::Launch *launch, const abi::Thread *, uint32_t message, const uint64_t *values) {
    const auto &task = *static_cast<const KernelTask *>(launch->task);
    Queues &q = task.program->queues();
    const abi::Message &said = task.info->messages[message];
    if (said.limited) {
        const std::lock_guard guard(q.main.limited_messages.lock);
        if (++q.main.limited_messages.times[&said] > max_limited_messages) return;
    }
    q.observers.write(format(said, values));
}

void report_suppressed_messages(Queues &q) {
    std::map<const abi::Message *, uint64_t> counted;
    {
        const std::lock_guard guard(q.main.limited_messages.lock);
        counted.swap(q.main.limited_messages.times);
    }
    for (const auto &[message, times] : counted)
        if (times > max_limited_messages)
            q.observers.write("and " + std::to_string(times - max_limited_messages) +
                              " more in this launch: " + format(*message, nullptr));
}

void fail_from_task(const abi::Launch *launch, const abi::Thread *, uint32_t message, const uint64_t *values) {
    const auto &task = *static_cast<const KernelTask *>(launch->task);
    Queues &q = task.program->queues();
    uint32_t expected = 0;
    uint32_t *failed = launch->stream.failed;
    if (!__atomic_compare_exchange_n(failed, &expected, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) return;
    const abi::Message &text = task.info->messages[message];
    constexpr size_t longest = 2047; // characters of a message
    std::string said = format(text, values);
    if (said.size() > longest) {
        size_t end = longest;
        while (end > 0 && (static_cast<unsigned char>(said[end]) & 0xC0) == 0x80) --end; // not inside a character
        said.resize(end);
    }
    q.main.failure = {std::move(said), trace_of(text)};
}

char *reserve_from_task(const abi::Launch *launch, abi::Thread *thread, uint64_t bytes, uint32_t stack) {
    if (char *found = runtime::ThreadHeap::reserve(*thread, bytes)) return found;
    const auto &task = *static_cast<const KernelTask *>(launch->task);
    Queues &q = task.program->queues();
    uint32_t expected = 0;
    if (!__atomic_compare_exchange_n(launch->stream.failed, &expected, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return nullptr;
    const std::string size =
        bytes == UINT64_MAX ? "more bytes than 64 bits can count" : std::to_string(bytes) + " bytes";
    const auto at = std::ranges::find(task.info->stacks, stack, &abi::Stack::number);
    q.main.failure = {"Adstack: not enough memory for the values that a loop of kernel " + task.kernel->info.name +
                          " stores for its reverse pass: it requested " + size +
                          " on one thread, which already holds " + std::to_string(thread->heap.used),
                      at == task.info->stacks.end() ? std::vector<Location>() : trace_of(at->loop),
                      UserErrorKind::runtime};
    return nullptr;
}

void print_heap_use(const CompiledKernel &kernel, size_t task) {
    const abi::HeapUse &use = kernel.heap_use[task];
    const std::vector<abi::Stack> &stacks = kernel.info.tasks[task].stacks;
    std::fprintf(
        stderr,
        "[adstack_heap] arch=host task_idx=%zu kind=all src=trip_counts stride=%llu required_bytes=%llu (%.2f MB)\n",
        task, static_cast<unsigned long long>(use.peak), static_cast<unsigned long long>(use.total),
        double(use.total) / (1 << 20));
    std::fprintf(stderr, "[adstack_sizer] kernel='%s' task=%zu allocas=%zu\n", kernel.info.name.c_str(), task,
                 stacks.size());
    for (const abi::Stack &stack : stacks)
        if (stack.number < use.entries.size())
            std::fprintf(stderr, "  stack #%u: line=%u type=%s entry_bytes=%u max_size=%llu\n", stack.number,
                         stack.line, ir::to_string(ir::Scalar(stack.type)).c_str(), stack.entry_bytes,
                         static_cast<unsigned long long>(uint32_t(use.entries[stack.number])));
}

} // namespace qd::engine
