#include "codegen/llvm/loader/loader.h"

#include "base/dynlib.h"
#include "base/error.h"
#include "base/fork.h"

#include <atomic>
#include <mutex>
#include <unistd.h>

namespace qd::codegen::llvm_library {

namespace {

constexpr const char *file_names[] = {"/libquadrants_llvm.so", "/libquadrants_llvm_gpu.so"}; ///< by File
ForkLockedMutex mutex; ///< held across a fork, so that no child sees a half-opened library
std::string directory;
std::atomic<const Library *> libraries[2]{}; ///< by File

/// Returns the library next to the file that holds this code. Programs of the build tree find it in the package built next to them.
std::string find_file(const char *file_name) {
    if (!directory.empty()) return directory + file_name;
    std::string own = file_of_address(reinterpret_cast<const void *>(&find_file));
    size_t slash = own.rfind('/');
    own = slash == std::string::npos ? "." : own.substr(0, slash);
    for (const char *from : {"/../quadrants/_lib", "/../../quadrants/_lib"})
        if (access((own + file_name).c_str(), R_OK) != 0 && access((own + from + file_name).c_str(), R_OK) == 0)
            return own + from + file_name;
    return own + file_name;
}

const Library *open_file(const std::string &path) {
    const std::string hint = "; without it only kernels from the cache can run";
    DynamicLibrary file(path);
    if (!file) throw InternalError("cannot open the compiler " + path + ": " + file.error() + hint);
    auto *entry = file.function<const Library *()>("qd_llvm_library");
    const Library *found = entry ? entry() : nullptr;
    if (!found || found->abi_version != abi::version)
        throw InternalError("the compiler " + path + " does not belong to this version of Quadrants" + hint);
    return found;
}

} // namespace

const Library &open(File file) {
    std::atomic<const Library *> &library = libraries[size_t(file)];
    if (const Library *known = library.load(std::memory_order_acquire)) return *known;
    std::lock_guard lock(mutex);
    if (const Library *known = library.load(std::memory_order_relaxed)) return *known;
    const Library *found = open_file(find_file(file_names[size_t(file)]));
    library.store(found, std::memory_order_release);
    return *found;
}

bool is_open() { return libraries[size_t(File::host)].load(std::memory_order_acquire) != nullptr; }

void set_directory(const std::string &where) {
    std::lock_guard lock(mutex);
    directory = where;
}

} // namespace qd::codegen::llvm_library
