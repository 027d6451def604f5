#include "codegen/llvm/door/door.h"

#include "base/error.h"

#include <atomic>
#include <dlfcn.h>
#include <mutex>

namespace qd::codegen::llvm_door {

namespace {

std::mutex mutex;
std::string directory;
std::atomic<const Library *> library{nullptr};

/// Folder of the file that this code is in.
std::string own_directory() {
    Dl_info info{};
    if (!dladdr(reinterpret_cast<void *>(&own_directory), &info) || !info.dli_fname) return ".";
    std::string path = info.dli_fname;
    size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash);
}

const Library *open_file(const std::string &path) {
    const std::string hint = "; without it only kernels from the cache can run";
    void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *words = dlerror();
        throw InternalError("cannot open the compiler " + path + ": " + (words ? words : "unknown reason") + hint);
    }
    using Entry = const Library *(*)();
    auto entry = reinterpret_cast<Entry>(dlsym(handle, "qd_llvm_library"));
    const Library *found = entry ? entry() : nullptr;
    if (!found || found->abi_version != abi::version) {
        dlclose(handle);
        throw InternalError("the compiler " + path + " does not belong to this version of Quadrants" + hint);
    }
    return found;
}

}  // namespace

const Library &open() {
    if (const Library *known = library.load(std::memory_order_acquire)) return *known;
    std::lock_guard lock(mutex);
    if (const Library *known = library.load(std::memory_order_relaxed)) return *known;
    const Library *found = open_file((directory.empty() ? own_directory() : directory) + "/libquadrants_llvm.so");
    library.store(found, std::memory_order_release);
    return *found;
}

bool is_open() { return library.load(std::memory_order_acquire) != nullptr; }

void set_directory(const std::string &where) {
    std::lock_guard lock(mutex);
    directory = where;
}

}  // namespace qd::codegen::llvm_door
