#include "backends/interp/thread_block.h"

#include "base/error.h"

#include <algorithm>

namespace qd::backends::interpreter {

bool ThreadBlock::run(int64_t index, uint32_t present, const std::function<bool(uint32_t)> &body) {
    index_ = uint32_t(index);
    memory_.emplace(fn_, around_);
    if (!may_wait_) {
        for (uint32_t t = 0; t < present; ++t)
            if (!body(t)) return false;
        return true;
    }
    members_.clear();
    members_.resize(present);
    for (uint32_t t = 0; t < present; ++t)
        members_[t].fiber = std::make_unique<Fiber>([this, t, &body] {
            const bool goes_on = body(t);
            members_[t].state = goes_on ? State::ended : State::left;
        });
    try {
        while (run_ready() && release()) {
        }
    } catch (...) {
        cancel();
        throw;
    }
    return std::ranges::none_of(members_, [](const Member &m) { return m.state == State::left; });
}

/// Runs each thread that is ready until it waits, pauses or ends. Returns false if all have ended.
bool ThreadBlock::run_ready() {
    bool any = false;
    for (Member &m : members_) {
        if (m.state == State::ready) m.fiber->resume();
        any |= m.state == State::ready || m.state == State::waiting;
    }
    return any;
}

uint64_t ThreadBlock::meet(uint32_t thread, const Arrival &arrival) {
    Member &m = members_[thread];
    m.arrival = arrival;
    m.state = State::waiting;
    m.fiber->suspend();
    return m.result;
}

void ThreadBlock::pause(uint32_t thread) {
    if (may_wait_) members_[thread].fiber->suspend();
}

/// Releases the threads that have met. Returns false if the block has left the task.
bool ThreadBlock::release() {
    bool released = std::ranges::any_of(members_, [](const Member &m) { return m.state == State::ready; });
    for (size_t first = 0; first < members_.size(); first += geometry_.lanes) {
        const size_t count = std::min<size_t>(geometry_.lanes, members_.size() - first);
        const Members group(&members_[first], count);
        const auto waits = [this](const Member &m) { return m.state == State::waiting && !is_barrier(m); };
        const auto is_ready = [](const Member &m) { return m.state == State::ready; };
        if (std::ranges::any_of(group, is_ready) || std::ranges::none_of(group, waits)) continue;
        if (!release_group(group)) return false;
        released = true;
    }
    return released || release_block();
}

bool ThreadBlock::is_barrier(const Member &m) const { return fn_[m.arrival.op].op == Op::block_sync; }

namespace {

std::string threads(size_t begin, size_t end) {
    const std::string first = std::to_string(begin);
    return end == begin + 1 ? "thread " + first : "threads " + first + "-" + std::to_string(end - 1);
}

bool is_same_place(const ThreadBlock::Arrival &a, const ThreadBlock::Arrival &b) {
    return a.op == b.op && a.iteration == b.iteration;
}

} // namespace

bool ThreadBlock::release_group(Members group) {
    const Member &first = *std::ranges::find(group, State::waiting, &Member::state);
    const auto met = [&](const Member &m) {
        return m.state == State::waiting && is_same_place(m.arrival, first.arrival);
    };
    if (!std::ranges::all_of(group, met)) return stuck("all lanes of a group", group);
    give_results(group);
    for (Member &m : group) m.state = State::ready;
    return true;
}

bool ThreadBlock::release_block() {
    const Members all(members_);
    const Member &first = *std::ranges::find(all, State::waiting, &Member::state);
    const auto met = [&](const Member &m) {
        return m.state == State::waiting && is_same_place(m.arrival, first.arrival);
    };
    if (!std::ranges::all_of(all, met) || all.size() < geometry_.block) return stuck("all threads of a block", all);
    for (Member &m : all) m.state = State::ready;
    return true;
}

/// Handles threads that wait for others in vain: an error, unless one has left the task, which the others then leave as well.
bool ThreadBlock::stuck(const char *what, Members members) {
    const auto has_left = [](const Member &m) { return m.state == State::left; };
    if (std::ranges::any_of(members_, has_left)) {
        cancel();
        return false;
    }
    const Member &first = *std::ranges::find(members, State::waiting, &Member::state);
    std::string text = std::string("`") + info(fn_[first.arrival.op].op).name + "` must be reached by " + what +
                       " together; block " + std::to_string(index_) + " has " + situation(members);
    if (members.size() == members_.size() && members.size() < geometry_.block && is_barrier(first))
        text += ", " + threads(members.size(), geometry_.block) +
                " past the end of the range, whose length must be a multiple of the " +
                std::to_string(geometry_.block) + " threads of a block";
    fail_user(UserErrorKind::runtime, text, fn_.trace(fn_[first.arrival.op].span));
}

std::string ThreadBlock::describe(const Member &m, const Member &first) const {
    if (m.state != State::waiting) return " at the end";
    std::string text = std::string(" at `") + info(fn_[m.arrival.op].op).name + "`";
    if (m.arrival.op == first.arrival.op)
        return is_same_place(m.arrival, first.arrival) ? text : text + " in another iteration";
    return fn_[m.arrival.op].op == fn_[first.arrival.op].op ? text + " elsewhere" : text;
}

/// Lists the threads by what they wait for.
std::string ThreadBlock::situation(Members members) const {
    const Member &first = *std::ranges::find(members, State::waiting, &Member::state);
    const size_t base = size_t(members.data() - members_.data());
    std::string text;
    for (size_t i = 0, end; i < members.size(); i = end) {
        const std::string here = describe(members[i], first);
        for (end = i + 1; end < members.size() && describe(members[end], first) == here;) ++end;
        text += (i ? ", " : "") + threads(base + i, base + end) + here;
    }
    return text;
}

/// Returns what a lane gets from another one. If there is no such lane, the result is unspecified: here, it differs from the own value.
uint64_t ThreadBlock::shuffled(Members group, uint32_t lane) const {
    const Arrival &own = group[lane].arrival;
    const auto by = int64_t(int32_t(own.operands[1]));
    int64_t from = by;
    if (fn_[own.op].op == Op::shuffle_xor) from = int64_t(lane) ^ by;
    if (fn_[own.op].op == Op::shuffle_up) from = int64_t(lane) - by;
    if (fn_[own.op].op == Op::shuffle_down) from = int64_t(lane) + by;
    if (from >= 0 && from < int64_t(group.size())) return group[size_t(from)].arrival.operands[0];
    const int bits = bits_of(fn_.type(own.op).elem);
    return own.operands[0] ^ (bits < 64 ? (uint64_t(1) << bits) - 1 : UINT64_MAX);
}

void ThreadBlock::give_results(Members group) {
    const Op op = fn_[group[0].arrival.op].op;
    if (op == Op::group_sync) return;
    uint64_t mask = 0;
    for (size_t lane = 0; lane < group.size(); ++lane) mask |= (group[lane].arrival.operands[0] & 1) << lane;
    for (uint32_t lane = 0; lane < group.size(); ++lane)
        group[lane].result = op == Op::ballot ? mask : op == Op::group_any ? mask != 0 : shuffled(group, lane);
}

uint32_t ThreadBlock::position(GroupOp op, uint32_t thread) const {
    switch (op) {
    case GroupOp::lane: return thread % geometry_.lanes;
    case GroupOp::lanes: return geometry_.lanes;
    case GroupOp::thread_in_block: return thread;
    case GroupOp::block_index: return index_;
    case GroupOp::block_threads: return geometry_.block;
    case GroupOp::shuffle:
    case GroupOp::shuffle_xor:
    case GroupOp::shuffle_up:
    case GroupOp::shuffle_down:
    case GroupOp::ballot:
    case GroupOp::group_any: break;
    }
    fail_internal("interp: a convergent op has no position");
}

uint64_t ThreadBlock::shared(Value v) {
    constexpr uint8_t arbitrary = 0xa5;
    return memory_->make_once(v, arbitrary);
}

/// Ends the threads that have not ended.
void ThreadBlock::cancel() {
    for (Member &m : members_) {
        m.fiber->cancel();
        if (m.state != State::ended) m.state = State::left;
    }
}

} // namespace qd::backends::interpreter
