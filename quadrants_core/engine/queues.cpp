#include "engine/queues.h"

#include "engine/remote_launch.h"
#include "runtime/externals.h"
#include "runtime/fault_report.h"

#include <cstddef>
#include <utility>

namespace qd::engine {

Queues::Queues(runtime::Device &d, const runtime::DeviceInfo &info, Observers &o, uint64_t id)
    : device(d), observers(o), program_id(id), threads(info.threads), host_visible(info.host_visible),
      runs_on_host(info.runs_on_host) {
    main.queue = device.open_stream();
    runtime::watch_task(&main.task);
    if (!host_visible) main.mapped = device.alloc_mapped(sizeof(PolledWords));
    main.polled = host_visible ? &main.own_words : reinterpret_cast<PolledWords *>(main.mapped.host);
    const uint64_t words = host_visible ? reinterpret_cast<uint64_t>(&main.own_words) : main.mapped.address;
    main.services = {print_from_task, fail_from_task, runtime::external, reserve_from_task};
    main.shared.stop = &stop_word;
    main.shared.failed = reinterpret_cast<uint32_t *>(words + offsetof(PolledWords, failed));
    main.shared.counts_requested = reinterpret_cast<uint32_t *>(words + offsetof(PolledWords, counts_requested));
    if (runs_on_host) main.shared.host = &main.services;
}

Queues::~Queues() {
    runtime::unwatch_task(&main.task);
    main.queue = nullptr;
    device.free(main.mapped);
    for (const LaunchBlock &block : main.spare) device.free(block.memory);
    device.free(main.tmp);
}

void Queues::wait() {
    if (host_visible) return; // launches are synchronous
    const BetweenLaunches guard(main);
    finish_launches(*this);
}

void Queues::use_trees(char *const *roots, runtime::SparseTrees *trees) {
    sparse = trees;
    main.shared.trees = roots;
    main.shared.sparse = trees;
    main.shared.sparse_calls = trees ? &runtime::SparseTrees::calls : nullptr;
}

void Queues::collect_cells() {
    const runtime::HostAccess access(device);
    sparse->collect();
}

void Queues::grow_tmp(uint64_t bytes) {
    const runtime::Buffer before = std::exchange(main.tmp, {});
    const uint64_t bytes_before = std::exchange(main.tmp_bytes, 0);
    if (host_visible)
        device.free(before);
    else if (bytes_before) // pending launches may use it, those that take it as their block come after them
        main.spare.push_back({before, bytes_before, {}});
    try {
        main.tmp = device.alloc(bytes);
    } catch (const DeviceError &) {
        if (!main.has_pending) throw;
        settle_launches(*this); // some memory may be free then
        main.tmp = device.alloc(bytes);
    }
    main.tmp_bytes = bytes;
    main.shared.tmp = reinterpret_cast<char *>(main.tmp.address);
}

} // namespace qd::engine
