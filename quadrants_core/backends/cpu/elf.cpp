// Loads a relocatable ELF object into memory. Layout of the mapping: code and thunks | constants and the table of addresses (GOT) |
// writable data, each on its own pages. Calls of external functions go through thunks (`jmp *slot`), since the functions may be out of
// reach of a 32-bit displacement.
#include "backends/cpu/elf.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <elf.h>
#include <optional>
#include <stdexcept>
#include <sys/mman.h>
#include <vector>

namespace qd::backends {

namespace {

struct Bad : std::runtime_error {
    using std::runtime_error::runtime_error;
};

constexpr uint64_t page = 4096, max_bytes = uint64_t(1) << 30, thunk_bytes = 8;
constexpr uint64_t round_up(uint64_t v, uint64_t to) { return (v + to - 1) / to * to; }

} // namespace

class ElfLoader {
  public:
    explicit ElfLoader(std::span<const uint8_t> object) : object_(object) {}
    std::unique_ptr<MappedCode> load();

  private:
    std::span<const uint8_t> object_;
    std::vector<Elf64_Shdr> sections_;
    std::vector<std::optional<uint64_t>> placed_; ///< by section: offset in the mapping
    std::vector<Elf64_Sym> symbols_;
    std::span<const uint8_t> names_;
    std::vector<uint64_t> slot_; ///< by symbol: 1 + its index in the table of addresses; 0: none
    uint64_t slots_ = 0, slots_at_ = 0, thunks_at_ = 0;
    uint64_t code_end_ = 0, constants_end_ = 0, end_ = 0;
    uint8_t *memory_ = nullptr;

    template <class T> T read(uint64_t at) const {
        if (at > object_.size() || object_.size() - at < sizeof(T)) throw Bad("the file is cut short");
        T value;
        std::memcpy(&value, object_.data() + at, sizeof(T));
        return value;
    }
    std::span<const uint8_t> bytes(const Elf64_Shdr &s) const {
        if (s.sh_offset > object_.size() || object_.size() - s.sh_offset < s.sh_size)
            throw Bad("a section is cut short");
        return object_.subspan(s.sh_offset, s.sh_size);
    }
    template <class T> std::vector<T> table(const Elf64_Shdr &s) const {
        std::span<const uint8_t> from = bytes(s);
        if (s.sh_entsize != sizeof(T) || from.size() % sizeof(T)) throw Bad("a table has entries of a wrong size");
        std::vector<T> out(from.size() / sizeof(T));
        if (!out.empty()) std::memcpy(out.data(), from.data(), from.size());
        return out;
    }
    std::string_view name(const Elf64_Sym &symbol) const;
    void read_headers();
    void read_symbols();
    void claim_slots();
    void place();
    void map();
    void fill();
    void relocate(const Elf64_Shdr &section);
    void apply(const Elf64_Rela &r, uint8_t *at, uint64_t room);
    uint64_t address(uint32_t symbol) const;
    bool is_outside(uint32_t symbol) const { return symbols_[symbol].st_shndx == SHN_UNDEF; }
};

void ElfLoader::read_headers() {
    auto header = read<Elf64_Ehdr>(0);
    const unsigned char magic[] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
    if (std::memcmp(header.e_ident, magic, sizeof magic) != 0 || header.e_type != ET_REL ||
        header.e_machine != EM_X86_64)
        throw Bad("not a relocatable object for x86-64");
    if (header.e_shentsize != sizeof(Elf64_Shdr)) throw Bad("section headers of a wrong size");
    for (uint64_t i = 0; i < header.e_shnum; ++i) {
        uint64_t offset;
        if (__builtin_add_overflow(header.e_shoff, i * sizeof(Elf64_Shdr), &offset)) throw Bad("the file is cut short");
        sections_.push_back(read<Elf64_Shdr>(offset));
    }
}

void ElfLoader::read_symbols() {
    for (const Elf64_Shdr &s : sections_) {
        if (s.sh_type != SHT_SYMTAB) continue;
        if (!symbols_.empty()) throw Bad("two symbol tables");
        if (s.sh_link >= sections_.size()) throw Bad("the symbol table has no names");
        symbols_ = table<Elf64_Sym>(s);
        names_ = bytes(sections_[s.sh_link]);
    }
    slot_.assign(symbols_.size(), 0);
}

std::string_view ElfLoader::name(const Elf64_Sym &symbol) const {
    if (symbol.st_name >= names_.size()) throw Bad("a name is outside the table of names");
    auto *start = reinterpret_cast<const char *>(names_.data()) + symbol.st_name;
    size_t room = names_.size() - symbol.st_name, length = strnlen(start, room);
    if (length == room) throw Bad("a name has no end");
    return {start, length};
}

/// Assigns entries of the table of addresses to the symbols that need one: external ones, and those reached through it.
void ElfLoader::claim_slots() {
    for (const Elf64_Shdr &s : sections_) {
        if (s.sh_type == SHT_REL) throw Bad("relocations without addends");
        if (s.sh_type != SHT_RELA || s.sh_info >= sections_.size() || !(sections_[s.sh_info].sh_flags & SHF_ALLOC))
            continue;
        for (const Elf64_Rela &r : table<Elf64_Rela>(s)) {
            uint64_t symbol = ELF64_R_SYM(r.r_info);
            if (symbol >= symbols_.size()) throw Bad("a relocation names no symbol");
            uint32_t type = ELF64_R_TYPE(r.r_info);
            bool through_table =
                type == R_X86_64_GOTPCREL || type == R_X86_64_GOTPCRELX || type == R_X86_64_REX_GOTPCRELX;
            if ((through_table || symbols_[symbol].st_shndx == SHN_UNDEF) && !slot_[symbol]) slot_[symbol] = ++slots_;
        }
    }
}

void ElfLoader::place() {
    placed_.resize(sections_.size());
    uint64_t at = 0;
    auto put = [&](bool code, bool writable) {
        for (size_t i = 0; i < sections_.size(); ++i) {
            const Elf64_Shdr &s = sections_[i];
            if (!(s.sh_flags & SHF_ALLOC) || bool(s.sh_flags & SHF_EXECINSTR) != code) continue;
            if (!code && bool(s.sh_flags & SHF_WRITE) != writable) continue;
            if (s.sh_type != SHT_NOBITS) bytes(s);
            uint64_t align = s.sh_addralign ? s.sh_addralign : 1;
            if (!std::has_single_bit(align) || align > page) throw Bad("a section has an impossible alignment");
            if (s.sh_flags & SHF_TLS) throw Bad("thread-local data");
            at = round_up(at, align);
            placed_[i] = at;
            if (s.sh_size > max_bytes || at + s.sh_size > max_bytes) throw Bad("a section is too large");
            at += s.sh_size;
        }
    };
    put(true, false);
    thunks_at_ = at = round_up(at, thunk_bytes);
    at += slots_ * thunk_bytes;
    code_end_ = at = round_up(at, page);
    put(false, false);
    slots_at_ = at = round_up(at, 8);
    at += slots_ * 8;
    constants_end_ = at = round_up(at, page);
    put(false, true);
    end_ = round_up(at, page);
    if (end_ == 0) throw Bad("no code");
}

void ElfLoader::map() {
    void *memory = mmap(nullptr, end_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw Bad("no memory for machine code");
    memory_ = static_cast<uint8_t *>(memory);
}

uint64_t ElfLoader::address(uint32_t index) const {
    const Elf64_Sym &symbol = symbols_[index];
    if (symbol.st_shndx == SHN_UNDEF) {
        if (index == 0) return 0;
        std::string_view wanted = name(symbol);
        const void *found = external_function(wanted);
        if (!found) throw Bad("the code calls `" + std::string(wanted) + "`, which it may not");
        return reinterpret_cast<uint64_t>(found);
    }
    if (symbol.st_shndx == SHN_ABS) return symbol.st_value;
    if (symbol.st_shndx >= sections_.size() || !placed_[symbol.st_shndx]) throw Bad("a symbol is in no loaded section");
    if (symbol.st_value > sections_[symbol.st_shndx].sh_size) throw Bad("a symbol is outside its section");
    return reinterpret_cast<uint64_t>(memory_) + *placed_[symbol.st_shndx] + symbol.st_value;
}

void ElfLoader::fill() {
    for (size_t i = 0; i < sections_.size(); ++i)
        if (placed_[i] && sections_[i].sh_type != SHT_NOBITS && sections_[i].sh_size)
            std::memcpy(memory_ + *placed_[i], bytes(sections_[i]).data(), sections_[i].sh_size);
    for (uint32_t i = 0; i < slot_.size(); ++i) {
        if (!slot_[i]) continue;
        uint64_t index = slot_[i] - 1, target = address(i), slot = slots_at_ + index * 8;
        uint64_t thunk = thunks_at_ + index * thunk_bytes;
        std::memcpy(memory_ + slot, &target, 8);
        const uint8_t jump[] = {0xff, 0x25}; // jmp *displacement(%rip)
        int32_t displacement = int32_t(slot - (thunk + 6));
        std::memcpy(memory_ + thunk, jump, 2);
        std::memcpy(memory_ + thunk + 2, &displacement, 4);
    }
}

void ElfLoader::relocate(const Elf64_Shdr &section) {
    if (section.sh_info >= sections_.size()) throw Bad("relocations of no section");
    const Elf64_Shdr &target = sections_[section.sh_info];
    if (!placed_[section.sh_info]) return;
    if (target.sh_type == SHT_NOBITS) throw Bad("relocations of a section without bytes");
    for (const Elf64_Rela &r : table<Elf64_Rela>(section)) {
        if (r.r_offset > target.sh_size) throw Bad("a relocation is outside its section");
        apply(r, memory_ + *placed_[section.sh_info] + r.r_offset, target.sh_size - r.r_offset);
    }
}

void ElfLoader::apply(const Elf64_Rela &r, uint8_t *at, uint64_t room) {
    uint32_t symbol = uint32_t(ELF64_R_SYM(r.r_info));
    uint64_t here = reinterpret_cast<uint64_t>(at), base = reinterpret_cast<uint64_t>(memory_);
    uint64_t addend = uint64_t(r.r_addend);
    auto put = [&](uint64_t value, unsigned size) {
        if (room < size) throw Bad("a relocation is outside its section");
        std::memcpy(at, &value, size);
    };
    auto put_signed_word = [&](uint64_t value) {
        if (int64_t(value) != int32_t(value)) throw Bad("a relocation does not reach its target");
        put(value, 4);
    };
    switch (ELF64_R_TYPE(r.r_info)) {
    case R_X86_64_NONE: return;
    case R_X86_64_64: return put(address(symbol) + addend, 8);
    case R_X86_64_PC64: return put(address(symbol) + addend - here, 8);
    case R_X86_64_32S: return put_signed_word(address(symbol) + addend);
    case R_X86_64_32: {
        uint64_t value = address(symbol) + addend;
        if (value >> 32) throw Bad("a relocation does not reach its target");
        return put(value, 4);
    }
    case R_X86_64_PC32:
    case R_X86_64_PLT32: {
        uint64_t target = is_outside(symbol) && slot_[symbol] ? base + thunks_at_ + (slot_[symbol] - 1) * thunk_bytes
                                                              : address(symbol);
        return put_signed_word(target + addend - here);
    }
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
        if (!slot_[symbol]) throw Bad("a relocation through the table of addresses without an entry");
        return put_signed_word(base + slots_at_ + (slot_[symbol] - 1) * 8 + addend - here);
    default: throw Bad("relocation of kind " + std::to_string(ELF64_R_TYPE(r.r_info)));
    }
}

std::unique_ptr<MappedCode> ElfLoader::load() {
    read_headers();
    read_symbols();
    claim_slots();
    place();
    map();
    auto code = std::make_unique<MappedCode>(memory_, end_);
    fill();
    for (const Elf64_Shdr &s : sections_)
        if (s.sh_type == SHT_RELA) relocate(s);
    code->symbols_.reserve(4);
    for (uint32_t i = 0; i < symbols_.size(); ++i)
        if (ELF64_ST_BIND(symbols_[i].st_info) == STB_GLOBAL && !is_outside(i))
            code->symbols_.emplace_back(name(symbols_[i]), reinterpret_cast<void *>(address(i)));
    if (code_end_ && mprotect(memory_, code_end_, PROT_READ | PROT_EXEC) != 0)
        throw Bad("code cannot be made executable");
    if (constants_end_ > code_end_ && mprotect(memory_ + code_end_, constants_end_ - code_end_, PROT_READ) != 0)
        throw Bad("constants cannot be made read-only");
    code->code_bytes_ = code_end_;
    code->guarded_.emplace(memory_, code_end_);
    return code;
}

std::unique_ptr<MappedCode> load_elf(std::span<const uint8_t> object, std::string *error) {
    try {
        return ElfLoader(object).load();
    } catch (const Bad &problem) {
        *error = problem.what();
        return nullptr;
    }
}

MappedCode::~MappedCode() {
    guarded_.reset();
    munmap(memory_, bytes_);
}

std::span<const uint8_t> MappedCode::constants(std::string_view name) const {
    const auto *begin = static_cast<const uint8_t *>(symbol(name)), *all = static_cast<const uint8_t *>(memory_);
    if (!begin || begin < all + code_bytes_ || begin > all + bytes_) return {};
    return {begin, size_t(all + bytes_ - begin)};
}

void *MappedCode::symbol(std::string_view name) const {
    const auto found = std::ranges::find(symbols_, name, &std::pair<std::string, void *>::first);
    return found == symbols_.end() ? nullptr : found->second;
}

} // namespace qd::backends
