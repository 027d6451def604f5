#include "base/dynlib.h"

#include <dlfcn.h>

namespace qd {

DynamicLibrary::DynamicLibrary(const std::string &path) : path_(path) {
    handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_) return;
    const char *words = dlerror();
    error_ = words ? words : "unknown error of the loader";
}

void *DynamicLibrary::symbol(const char *name) const { return handle_ ? dlsym(handle_, name) : nullptr; }

std::string file_of_address(const void *address) {
    Dl_info found{};
    if (!dladdr(address, &found) || !found.dli_fname) return "";
    return found.dli_fname;
}

} // namespace qd
