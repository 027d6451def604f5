#include "codegen/spirv/module.h"

#include <algorithm>
#include <iterator>

namespace qd::codegen::spirv {

namespace {

struct Row {
    spv::Capability capability;
    std::string_view extension;
};
constexpr Row rows[] = {
#define CAPABILITY(name, extension) {spv::Capability::name, extension},
#include "codegen/spirv/capabilities.def"
};

constexpr uint32_t version = 0x00010500, generator = 0;

} // namespace

std::vector<uint32_t> string_words(std::string_view text) {
    std::vector<uint32_t> words(text.size() / 4 + 1);
    for (size_t i = 0; i < text.size(); ++i) words[i / 4] |= uint32_t(uint8_t(text[i])) << 8 * (i % 4);
    return words;
}

Module::Module() : declared_(unsigned(Capability::count)), main_(fresh()), entry_label_(fresh()) {
    declare(spv::Capability::Shader);
}

void Module::declare(spv::Capability c) { put(Part::capabilities, spv::Op::OpCapability, {uint32_t(c)}); }

void Module::declare(Capability c) {
    if (declared_[unsigned(c)]) return;
    declared_[unsigned(c)] = true;
    memory_model_ |= c == Capability::VulkanMemoryModel;
    if (c == Capability::FencesInBranches) return;
    if (unsigned(c) >= std::size(rows)) { // an execution mode
        const uint32_t width = c == Capability::KeepsSpecialFloat32 ? 32 : 64;
        if (width == 32 || !declared_[unsigned(Capability::KeepsSpecialFloat32)])
            declare(spv::Capability::SignedZeroInfNanPreserve);
        return put(Part::modes, spv::Op::OpExecutionMode,
                   {main_, uint32_t(spv::ExecutionMode::SignedZeroInfNanPreserve), width});
    }
    const Row &row = rows[unsigned(c)];
    declare(row.capability);
    if (row.extension.empty()) return;
    const std::vector<uint32_t> name = string_words(row.extension), &known = words(Part::extensions);
    if (std::ranges::search(known, name).empty()) put(Part::extensions, spv::Op::OpExtension, name);
}

void Module::put(Part part, spv::Op op, std::span<const uint32_t> operands) {
    std::vector<uint32_t> &to = words(part);
    to.push_back(uint32_t(operands.size() + 1) << 16 | uint32_t(op));
    to.insert(to.end(), operands.begin(), operands.end());
}

Id Module::op(Part part, spv::Op op, Id type, std::span<const uint32_t> operands) {
    const Id id = fresh();
    std::vector<uint32_t> &to = words(part);
    to.push_back(uint32_t(operands.size() + 3) << 16 | uint32_t(op));
    to.push_back(type);
    to.push_back(id);
    to.insert(to.end(), operands.begin(), operands.end());
    return id;
}

Id Module::extended(Part part, uint32_t number, Id type, Words operands) {
    if (!glsl_) {
        std::vector<uint32_t> import = string_words("GLSL.std.450");
        import.insert(import.begin(), glsl_ = fresh());
        put(Part::imports, spv::Op::OpExtInstImport, import);
    }
    std::vector<uint32_t> all = {glsl_, number};
    all.insert(all.end(), operands);
    return op(part, spv::Op::OpExtInst, type, all);
}

void Module::decorate(Id id, spv::Decoration decoration, Words operands) {
    std::vector<uint32_t> all = {id, uint32_t(decoration)};
    all.insert(all.end(), operands);
    put(Part::decorations, spv::Op::OpDecorate, all);
}

void Module::decorate_member(Id id, uint32_t member, spv::Decoration decoration, Words operands) {
    std::vector<uint32_t> all = {id, member, uint32_t(decoration)};
    all.insert(all.end(), operands);
    put(Part::decorations, spv::Op::OpMemberDecorate, all);
}

Id Module::shared(spv::Op op, std::span<const uint32_t> operands, Id type) {
    std::vector<uint32_t> key = {uint32_t(op), type};
    key.insert(key.end(), operands.begin(), operands.end());
    Id &known = shared_[key];
    if (known) return known;
    known = fresh();
    std::vector<uint32_t> all;
    if (type) all.push_back(type);
    all.push_back(known);
    all.insert(all.end(), operands.begin(), operands.end());
    put(Part::globals, op, all);
    return known;
}

Id Module::type_array(Id element, uint32_t n) {
    const Id length = u32(n);
    return shared(spv::Op::OpTypeArray, std::array{element, length}, 0);
}

Id Module::constant(Id type, unsigned bits, uint64_t value) {
    if (bits < 64) value &= (uint64_t(1) << bits) - 1;
    const std::array words = {uint32_t(value), uint32_t(value >> 32)};
    return shared(spv::Op::OpConstant, std::span(words).first(bits > 32 ? 2 : 1), type);
}

Id Module::global(spv::StorageClass where, Id to, Id initial) {
    const Id type = type_pointer(where, to);
    const Id id = initial ? op(Part::globals, spv::Op::OpVariable, type, {uint32_t(where), initial})
                          : op(Part::globals, spv::Op::OpVariable, type, {uint32_t(where)});
    interface_.push_back(id);
    return id;
}

Id Module::local(Id to) {
    const Id type = type_pointer(spv::StorageClass::Function, to);
    return op(Part::locals, spv::Op::OpVariable, type, {uint32_t(spv::StorageClass::Function)});
}

std::vector<uint32_t> Module::finish() {
    const Id type = shared(spv::Op::OpTypeFunction, std::array{type_void()}, 0);
    std::vector<uint32_t> entry = {uint32_t(spv::ExecutionModel::GLCompute), main_};
    std::ranges::copy(string_words("main"), std::back_inserter(entry));
    std::ranges::copy(interface_, std::back_inserter(entry));
    put(Part::entry_points, spv::Op::OpEntryPoint, entry);
    put(Part::memory_model, spv::Op::OpMemoryModel,
        {uint32_t(spv::AddressingModel::PhysicalStorageBuffer64),
         uint32_t(memory_model_ ? spv::MemoryModel::Vulkan : spv::MemoryModel::GLSL450)});
    // The function begins behind the global part.
    put(Part::globals, spv::Op::OpFunction, {type_void(), main_, uint32_t(spv::FunctionControlMask::MaskNone), type});
    put(Part::globals, spv::Op::OpLabel, {entry_label_});
    put(Part::code, spv::Op::OpFunctionEnd, {});

    std::vector<uint32_t> all = {spv::MagicNumber, version, generator, next_, 0};
    for (const std::vector<uint32_t> &part : parts_) all.insert(all.end(), part.begin(), part.end());
    return all;
}

} // namespace qd::codegen::spirv
