// LLVM's static objects live as long as the process: a thread may be compiling when it ends, and would meet objects
// that are gone. Every destructor that code in this library registers, LLVM's included, comes here and is forgotten.
extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void *), void *, void *) { return 0; }
