#include "backends/interp/memory.h"

#include "runtime/faults.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace qd::backends::interpreter {

Memory::Memory(const Function &fn, const Memory *around) : fn_(fn), around_(around) {
    if (around) std::memcpy(known_pages_, around->known_pages_, sizeof known_pages_);
}

/// Throws runtime::Fault if the bytes cannot be accessed. Pages found accessible are cached for the rest of the run.
void Memory::check_accessible(uint64_t address, uint64_t bytes, bool writes) {
    for (const uint64_t at : {address, address + bytes - 1}) {
        const uint64_t page = at / runtime::page_bytes;
        uint64_t &known = known_pages_[writes][page % std::size(known_pages_[writes])];
        if (known == page) continue;
        runtime::probe(at, writes);
        known = page;
    }
}

uint64_t Memory::read(uint64_t address, Scalar type) {
    check_accessible(address, uint64_t(size_of(type)), false);
    uint64_t bits = 0;
    std::memcpy(&bits, at_address(address), size_t(size_of(type)));
    return type == Scalar::u1 ? bits & 1 : bits;
}

void Memory::write(uint64_t address, Constant v) {
    check_accessible(address, uint64_t(size_of(v.type)), true);
    std::memcpy(at_address(address), &v.bits, size_t(size_of(v.type)));
}

void Memory::check_bounds(Value pointer, uint64_t address, uint64_t bytes, bool writes) const {
    if (fn_.type(pointer).space == Space::global) return;
    while (fn_[pointer].op == Op::offset) pointer = fn_.args(pointer)[0];
    const Inst &maker = fn_[pointer];
    const std::vector<uint64_t> *memory = find(pointer);
    if (!memory) return;
    const uint64_t count = maker.op == Op::table ? fn_.tables[maker.imm].values.size() : maker.imm;
    const uint64_t begin = number_of(memory->data()), end = begin + count * uint64_t(size_of(maker.type.elem));
    if (address >= begin && address <= end && bytes <= end - address) return;
    runtime::Fault fault;
    fault.kind = writes ? runtime::Fault::Kind::write : runtime::Fault::Kind::read;
    fault.has_address = true;
    fault.address = uintptr_t(address);
    throw fault;
}

std::vector<uint64_t> &Memory::made(Value v) {
    if (made_.empty()) made_.resize(fn_.insts.size());
    return made_[v.id];
}

/// Returns the memory that an instruction made; null if there is none.
const std::vector<uint64_t> *Memory::find(Value v) const {
    for (const Memory *memory = this; memory; memory = memory->around_)
        if (!memory->made_.empty() && !memory->made_[v.id].empty()) return &memory->made_[v.id];
    return nullptr;
}

uint64_t Memory::make(Value v) {
    const Inst &in = fn_[v];
    std::vector<uint64_t> &memory = made(v);
    memory.assign(size_t((in.imm * uint64_t(size_of(in.type.elem)) + 7) / 8), 0);
    return number_of(memory.data());
}

uint64_t Memory::make_once(Value v, uint8_t byte) {
    if (made(v).empty()) {
        make(v);
        std::memset(made(v).data(), byte, made(v).size() * sizeof(uint64_t));
    }
    return number_of(made(v).data());
}

uint64_t Memory::table(Value v) {
    const Table &table = fn_.tables[fn_[v].imm];
    const size_t size = size_t(size_of(table.elem));
    std::vector<uint64_t> &memory = made(v);
    if (memory.empty()) {
        memory.resize((table.values.size() * size + 7) / 8);
        for (size_t i = 0; i < table.values.size(); ++i)
            std::memcpy(reinterpret_cast<char *>(memory.data()) + i * size, &table.values[i], size);
    }
    return number_of(memory.data());
}

} // namespace qd::backends::interpreter
