#pragma once
// One dependency of a kernel's code on the Python world; see dependencies.h.
#include <cstdint>
#include <string>

namespace qd::frontend {

struct Dependency {
    enum class How : uint8_t {
        kernel,     ///< the kernel's function; always the first dependency
        param,      ///< constant parameter number `index`
        name,       ///< `key` in the scope of the function of dependency `parent`
        attribute,  ///< attribute `key` of the object of dependency `parent`
        item,       ///< item number `index` of a tuple, list or dict
        self,       ///< the instance of a bound method
        method,     ///< the function of a bound method
        function,   ///< the function of an inlined func; the fingerprint is that of its source
        annotation, ///< annotation of a func's parameter `key`
        defaults,   ///< default values of a func
        library,    ///< func `key` of the package
        returns,    ///< struct type of return value number `index`
        member,     ///< `key` of argument object number `parent`, which becomes a parameter; `index`: see KeyKind
        value,      ///< the object of the member of dependency `parent`
    };
    How how = How::kernel;
    uint32_t parent = 0;
    int64_t index = 0;       ///< kernel, function: number of source lines
    std::string key;         ///< function: location of its lines and 16 bits of the hash of each, for diagnostics
    std::string fingerprint; ///< "=7": the same object as dependency 7
};

} // namespace qd::frontend
