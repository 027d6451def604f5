#pragma once
// One thing that the walk read from the Python world. reads.h says what it is for.
#include <cstdint>
#include <string>

namespace qd::frontend {

struct Read {
    enum class How : uint8_t {
        kernel,     ///< the kernel's function; always the first read
        param,      ///< constant parameter number `index`
        name,       ///< `key`, as the function of read `parent` sees it
        attribute,  ///< `key` of the object of read `parent`
        item,       ///< item number `index` of a tuple, list or dict
        self,       ///< the instance of a bound method
        method,     ///< the function of a bound method
        function,   ///< of a func that was inlined; the print is that of its source
        annotation, ///< of a func's parameter `key`
        defaults,   ///< of a func
        library,    ///< func `key` of the package's own
        returns,    ///< struct type of return value number `index`
        member,     ///< `key` of argument object number `parent`, which becomes a parameter; `index`: see KeyKind
        value,      ///< the object of the member of read `parent`
    };
    How how = How::kernel;
    uint32_t parent = 0;
    int64_t index = 0; ///< kernel, function: lines of source
    std::string key;   ///< function: where its lines stand, and 16 bits of the hash of each, for people
    std::string print; ///< "=7": the same object as read 7
};

} // namespace qd::frontend
