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

struct Named {
    uint32_t value;
    const char *name;
};
template <class Enum> constexpr Named named(Enum value, const char *name) { return {uint32_t(value), name}; }

constexpr Named capabilities[] = {
#define CAPABILITY(name, extension) named(spv::Capability::name, #name),
#include "codegen/spirv/capabilities.def"
    named(spv::Capability::Shader, "Shader"),
    named(spv::Capability::SignedZeroInfNanPreserve, "SignedZeroInfNanPreserve"),
};
constexpr Named storage_classes[] = {
    named(spv::StorageClass::Input, "Input"),
    named(spv::StorageClass::Workgroup, "Workgroup"),
    named(spv::StorageClass::Private, "Private"),
    named(spv::StorageClass::Function, "Function"),
    named(spv::StorageClass::PushConstant, "PushConstant"),
    named(spv::StorageClass::PhysicalStorageBuffer, "PhysicalStorageBuffer"),
};
constexpr Named decorations[] = {
    named(spv::Decoration::SpecId, "SpecId"),
    named(spv::Decoration::Block, "Block"),
    named(spv::Decoration::BuiltIn, "BuiltIn"),
    named(spv::Decoration::Offset, "Offset"),
    named(spv::Decoration::NoContraction, "NoContraction"),
};

std::string name_in(std::span<const Named> list, uint32_t value) {
    for (const Named &entry : list)
        if (entry.value == value) return entry.name;
    return std::to_string(value);
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
        if (kind == 'i') return id();
        if (kind == 's') return string();
        const std::span<const Named> list = kind == 'c'   ? std::span<const Named>(capabilities)
                                            : kind == 'p' ? std::span<const Named>(storage_classes)
                                            : kind == 'd' ? std::span<const Named>(decorations)
                                                          : std::span<const Named>();
        return name_in(list, next());
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
