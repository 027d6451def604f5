#pragma once
// The object behind qd.init. It consists of owners, each with its own lock: a caller takes the one it needs, and includes its header.
// Destroying a program frees everything; handles that outlive it are inert and report an error when used.
#include "engine/kernel.h"
#include "options/options.h"
#include "runtime/buffer.h"

#include <memory>

namespace qd::engine {

class Compiler;
class DeviceMemory;
class KeptCode;
class Observation;
class Observers;
class Queues;
class Trees;

class Program {
  public:
    explicit Program(const Options &options); ///< `arch` is the name of a backend
    ~Program();
    Program(const Program &) = delete;

    const Options &options() const;
    /// Takes over options that changed while the program runs: those that `Observers::follow` and `Compiler::follow` read.
    void follow(const Options &now);

    DeviceMemory &memory() const;               ///< buffers and transfers: device_memory.h
    Trees &trees() const;                       ///< the memory of fields: trees.h
    Queues &queues() const { return *queues_; } ///< launches: queues.h
    Compiler &compiler() const;                 ///< IR to code: compiler.h
    KeptCode &kept_code() const;                ///< code in this process and on disk: kept_code.h
    Observers &observers() const;               ///< those who follow the program: observers.h
    Observation &observation() const;           ///< counts and activity of its kernels: observation.h

    struct Owners;

  private:
    std::unique_ptr<Owners> owners_;
    Queues *queues_; ///< one of the owners, read by each launch
};

/// Registers the function at `address` as the one that kernels call by `id` (below 2^59).
void add_external(uint64_t id, void *address);

/// The frequency of the counter that kernels read by qd.clock_counter(), in Hz.
double clock_frequency();

} // namespace qd::engine
