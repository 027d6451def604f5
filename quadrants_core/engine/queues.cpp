#include "engine/queues.h"

#include "engine/remote_launch.h"
#include "runtime/externals.h"
#include "runtime/fault_report.h"

#include <utility>

namespace qd::engine {

Queues::Queues(runtime::Device &d, const runtime::DeviceInfo &info, Observers &o, uint64_t id)
    : device(d), observers(o), program_id(id), threads(info.threads), host_visible(info.host_visible),
      runs_on_host(info.runs_on_host) {
    main.queue = device.open_stream();
    runtime::watch_task(&main.now.host.task);
    main.now.data.stop = &stop_word;
    main.now.data.failed = &main.failed;
    main.now.data.counts_requested = &main.counts_requested;
    main.now.host.print = print_from_task;
    main.now.host.fail = fail_from_task;
    main.now.host.external = runtime::external;
    main.now.host.reserve = reserve_from_task;
}

Queues::~Queues() {
    runtime::unwatch_task(&main.now.host.task);
    main.queue = nullptr;
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
    main.now.data.trees = roots;
    main.now.data.sparse = trees;
    main.now.host.sparse = trees ? &runtime::SparseTrees::calls : nullptr;
}

void Queues::collect_cells() {
    const runtime::HostAccess access(device);
    sparse->collect();
}

void Queues::grow_tmp(uint64_t bytes) {
    device.free(std::exchange(main.tmp, {}));
    main.tmp_bytes = 0;
    main.tmp = device.alloc(bytes);
    main.tmp_bytes = bytes;
    main.now.data.tmp = reinterpret_cast<char *>(main.tmp.address);
}

} // namespace qd::engine
