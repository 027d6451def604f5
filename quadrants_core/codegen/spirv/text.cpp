// The text of a module: one instruction a line, as assemblers of SPIR-V write them, except that most enumerations are numbers.
#define SPV_ENABLE_UTILITY_CODE
#include "codegen/spirv/emit.h"

#include <spirv/unified1/spirv.hpp11>

namespace qd::codegen::spirv {

namespace {

struct Row {
    spv::Op op;
    const char *name, *operands;
};
constexpr Row rows[] = {
#define INSTRUCTION(name, operands) {spv::Op::name, #name, operands},
#include "codegen/spirv/instructions.def"
};

const Row *find(spv::Op op) {
    for (const Row &row : rows)
        if (row.op == op) return &row;
    return nullptr;
}

std::string capability(uint32_t value) {
    switch (spv::Capability(value)) {
#define CAPABILITY(name, extension)                                                                                    \
    case spv::Capability::name: return #name;
#include "codegen/spirv/capabilities.def"
    case spv::Capability::Shader: return "Shader";
    case spv::Capability::SignedZeroInfNanPreserve: return "SignedZeroInfNanPreserve";
    default: return std::to_string(value);
    }
}

std::string storage_class(uint32_t value) {
    switch (spv::StorageClass(value)) {
    case spv::StorageClass::Input: return "Input";
    case spv::StorageClass::Workgroup: return "Workgroup";
    case spv::StorageClass::Private: return "Private";
    case spv::StorageClass::Function: return "Function";
    case spv::StorageClass::PushConstant: return "PushConstant";
    case spv::StorageClass::PhysicalStorageBuffer: return "PhysicalStorageBuffer";
    default: return std::to_string(value);
    }
}

std::string decoration(uint32_t value) {
    switch (spv::Decoration(value)) {
    case spv::Decoration::SpecId: return "SpecId";
    case spv::Decoration::Block: return "Block";
    case spv::Decoration::BuiltIn: return "BuiltIn";
    case spv::Decoration::Offset: return "Offset";
    case spv::Decoration::NoContraction: return "NoContraction";
    default: return std::to_string(value);
    }
}

/// The words of one instruction behind its first.
class Line {
  public:
    explicit Line(std::span<const uint32_t> words) : words_(words) {}

    std::string text(spv::Op op) {
        const Row *row = find(op);
        bool has_result = false, has_type = false;
        spv::HasResultAndType(op, &has_result, &has_type);
        std::string head = row ? row->name : "Op" + std::to_string(uint32_t(op));
        if (has_type) head += " " + id();
        if (has_result) head = id() + " = " + head;
        const char *kind = row ? row->operands : "n";
        while (at_ < words_.size() && *kind) {
            head += " " + operand(*kind);
            if (kind[1]) ++kind;
        }
        return head;
    }

  private:
    uint32_t next() { return at_ < words_.size() ? words_[at_++] : 0; }
    std::string id() { return "%" + std::to_string(next()); }
    std::string string() {
        std::string text;
        while (at_ < words_.size()) {
            const uint32_t word = next();
            for (int byte = 0; byte < 4; ++byte) {
                const char c = char(word >> 8 * byte);
                if (!c) return "\"" + text + "\"";
                text += c;
            }
        }
        return text;
    }
    std::string operand(char kind) {
        switch (kind) {
        case 'i': return id();
        case 's': return string();
        case 'c': return capability(next());
        case 'p': return storage_class(next());
        case 'd': return decoration(next());
        default: return std::to_string(next());
        }
    }

    std::span<const uint32_t> words_;
    size_t at_ = 0;
};

constexpr size_t header_words = 5;

} // namespace

std::string text(std::span<const uint32_t> words) {
    std::string all;
    for (size_t at = header_words; at < words.size();) {
        const size_t length = std::max<size_t>(words[at] >> 16, 1);
        const std::span<const uint32_t> rest = words.subspan(at + 1, std::min(length, words.size() - at) - 1);
        all += Line(rest).text(spv::Op(words[at] & 0xffff)) + "\n";
        at += length;
    }
    return all;
}

} // namespace qd::codegen::spirv
