// The names follow the DWARF standard, section 6.2.
#include "backends/cpu/line_table.h"

#include <algorithm>
#include <cstring>

namespace qd::backends {
namespace {

/// Reads numbers from bytes. Past the end it stops and returns zeros.
class Cursor {
  public:
    explicit Cursor(std::span<const uint8_t> bytes) : bytes_(bytes) {}

    bool at_end() const { return at_ >= bytes_.size(); }
    size_t at() const { return at_; }
    void skip(uint64_t n) { at_ = n > bytes_.size() - at_ ? bytes_.size() : at_ + size_t(n); }
    template <class T> T number() {
        T value{};
        if (bytes_.size() - at_ >= sizeof value) std::memcpy(&value, bytes_.data() + at_, sizeof value);
        skip(sizeof value);
        return value;
    }
    uint64_t uleb() {
        uint64_t value = 0;
        for (unsigned shift = 0; !at_end(); shift += 7) {
            const auto byte = number<uint8_t>();
            if (shift < 64) value |= uint64_t(byte & 0x7f) << shift;
            if (!(byte & 0x80)) break;
        }
        return value;
    }
    int64_t sleb() {
        uint64_t value = 0;
        unsigned shift = 0;
        uint8_t byte = 0x80;
        while (byte & 0x80 && !at_end()) {
            byte = number<uint8_t>();
            if (shift < 64) value |= uint64_t(byte & 0x7f) << shift;
            shift += 7;
        }
        if (byte & 0x40 && shift < 64) value |= ~uint64_t(0) << shift;
        return int64_t(value);
    }

  private:
    std::span<const uint8_t> bytes_;
    size_t at_ = 0;
};

struct Header {
    uint8_t least_length = 1, opcode_base = 1, line_range = 1;
    int8_t line_base = 0;
    uint8_t operands[256] = {};
};

struct Row {
    uint64_t address = 0, line = 1;
};

/// Runs the line program row by row and finds the row that covers an address.
class Machine {
  public:
    Machine(const Header &header, uint64_t wanted) : header_(header), wanted_(wanted) {}
    uint32_t found = 0;

    bool step(Cursor &program) {
        const auto opcode = program.number<uint8_t>();
        if (opcode >= header_.opcode_base) {
            const unsigned special = opcode - header_.opcode_base;
            advance(special / header_.line_range);
            row_.line += uint64_t(int64_t(header_.line_base) + int64_t(special % header_.line_range));
            return emit(false);
        }
        switch (opcode) {
        case 0: return extended(program);
        case 1: return emit(false);                                 // DW_LNS_copy
        case 2: advance(program.uleb()); return true;               // DW_LNS_advance_pc
        case 3: row_.line += uint64_t(program.sleb()); return true; // DW_LNS_advance_line
        case 8:                                                     // DW_LNS_const_add_pc
            advance((255u - header_.opcode_base) / header_.line_range);
            return true;
        case 9: row_.address += program.number<uint16_t>(); return true; // DW_LNS_fixed_advance_pc
        default:
            for (int i = 0; i < header_.operands[opcode]; i++) program.uleb();
            return true;
        }
    }

  private:
    void advance(uint64_t operation) { row_.address += operation * header_.least_length; }

    bool extended(Cursor &program) {
        const uint64_t length = program.uleb();
        if (length == 0) return true;
        const size_t begin = program.at();
        const auto opcode = program.number<uint8_t>();
        bool go_on = true;
        if (opcode == 1) go_on = emit(true);                                       // DW_LNE_end_sequence
        if (opcode == 2 && length == 9) row_.address = program.number<uint64_t>(); // DW_LNE_set_address
        const size_t used = program.at() - begin;
        if (used < length) program.skip(length - used);
        return go_on;
    }

    /// Appends a row. A row is valid up to the next one. Returns false once the line is found.
    bool emit(bool ends) {
        if (open_ && last_.address <= wanted_ && wanted_ < row_.address) {
            found = uint32_t(last_.line);
            return false;
        }
        open_ = !ends;
        last_ = row_;
        if (ends) row_ = {};
        return true;
    }

    const Header &header_;
    uint64_t wanted_;
    Row row_, last_;
    bool open_ = false;
};

} // namespace

uint32_t find_line(std::span<const uint8_t> table, uint64_t address) {
    Cursor start(table);
    const auto length = start.number<uint32_t>();
    if (length > table.size() - std::min(start.at(), table.size()) || start.number<uint16_t>() != 4) return 0;
    const auto header_length = start.number<uint32_t>();
    Cursor program = start;
    program.skip(header_length);
    Header header;
    header.least_length = start.number<uint8_t>();
    start.number<uint8_t>(); // maximum_operations_per_instruction: 1 on such machines
    start.number<uint8_t>(); // default_is_stmt
    header.line_base = start.number<int8_t>();
    header.line_range = start.number<uint8_t>();
    header.opcode_base = start.number<uint8_t>();
    if (header.line_range == 0 || header.opcode_base == 0) return 0;
    for (unsigned i = 1; i < header.opcode_base; i++) header.operands[i] = start.number<uint8_t>();
    Machine machine(header, address);
    while (!program.at_end() && machine.step(program)) {
    }
    return machine.found;
}

} // namespace qd::backends
