// Functions of newer versions of glibc that LLVM's archives call, so that the library loads with glibc 2.35 (Ubuntu 22.04).
#include <cstdint>
#include <cstdlib>
#include <sys/random.h>

/// From glibc 2.36 on it is in the C library. LLVM uses it to name temporary files.
extern "C" std::uint32_t arc4random() noexcept {
    std::uint32_t number = 0;
    while (getrandom(&number, sizeof number, 0) != sizeof number) {
    }
    return number;
}
