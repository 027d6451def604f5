// LLVM's static objects must live as long as the process: a thread may still be compiling at exit and would use destroyed
// objects. Every destructor that this library registers, LLVM's included, comes here and is dropped.
extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void *), void *, void *) { return 0; }
