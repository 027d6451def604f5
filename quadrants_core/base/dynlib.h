#pragma once
// A shared library opened at run time. It stays loaded for the life of the process, since its code and data may be in use.
#include <string>

namespace qd {

class DynamicLibrary {
  public:
    DynamicLibrary() = default;
    /// Symbols stay local to the library. On failure the object is empty and error() returns the loader's message.
    explicit DynamicLibrary(const std::string &path);

    explicit operator bool() const { return handle_ != nullptr; }
    const std::string &path() const { return path_; }
    const std::string &error() const { return error_; }
    /// Address of a symbol; null if there is none.
    void *symbol(const char *name) const;
    template <class Fn> Fn *function(const char *name) const { return reinterpret_cast<Fn *>(symbol(name)); }

  private:
    void *handle_ = nullptr;
    std::string path_, error_;
};

/// Path of the file (executable or shared library) that holds this address; empty if unknown.
std::string file_of_address(const void *address);

} // namespace qd
