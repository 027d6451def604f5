#include "runtime/lock_file.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include <unistd.h>

namespace qd::runtime {
namespace {

constexpr uint64_t lock_lifetime = 60; ///< seconds

std::string host_name() {
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    return name;
}

/// True if the lock file names a process of this machine that no longer exists.
bool names_dead_process(const std::string &text) {
    const size_t space = text.find(' ');
    if (space == std::string::npos || text.substr(0, space) != host_name()) return false;
    const long pid = std::atol(text.c_str() + space + 1);
    return pid > 0 && kill(pid_t(pid), 0) != 0 && errno == ESRCH;
}

} // namespace

std::string lock_text() { return host_name() + ' ' + std::to_string(getpid()); }

void remove_abandoned_lock(const CacheFolder &folder, const std::string &name) {
    const auto entries = folder.list(true);
    const auto lock = std::ranges::find(entries, name, &FolderEntry::name);
    if (lock == entries.end()) return;
    if (is_long_ago(lock->changed, lock_lifetime) || names_dead_process(folder.read_text(name))) folder.remove(name);
}

KernelClaim::KernelClaim(const std::string &root, const KernelKey &key)
    : folder_("unpublished_kernels", trust_), name_("." + file_of(key) + ".claim.tmp") {
    trust_.root = root;
}

KernelClaim::~KernelClaim() {
    if (owner_ == getpid()) folder_.remove(name_);
}

bool KernelClaim::take() {
    int error = ENOENT;
    // Another process may remove the empty folder between opening and writing.
    for (int attempt = 0; attempt < 3 && error == ENOENT; attempt++) error = folder_.create(name_, lock_text());
    if (error == EEXIST) {
        remove_abandoned_lock(folder_, name_);
        return false;
    }
    if (error == 0) owner_ = getpid();
    return true;
}

} // namespace qd::runtime
