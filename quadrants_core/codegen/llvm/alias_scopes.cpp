#include "codegen/llvm/alias_scopes.h"

#include <llvm/IR/Instruction.h>
#include <llvm/IR/MDBuilder.h>

namespace qd::codegen {

void AliasScopes::begin() {
    numbers_.clear();
    accesses_.clear();
}

uint32_t AliasScopes::number(AliasScope kind, uint64_t which) {
    if (!distinct_arrays_ && (kind == AliasScope::array || kind == AliasScope::tree))
        kind = AliasScope::array, which = 0;
    return numbers_.try_emplace({kind, which}, uint32_t(numbers_.size() + 1)).first->second;
}

void AliasScopes::note(llvm::Instruction *access, uint32_t number) {
    if (number) accesses_.push_back({access, number});
}

void AliasScopes::attach(llvm::LLVMContext &context) const {
    // The lists grow with the square of the number of scopes.
    if (numbers_.size() < 2 || numbers_.size() > 40) return;
    llvm::MDBuilder md(context);
    llvm::MDNode *domain = md.createAnonymousAliasScopeDomain();
    std::vector<llvm::Metadata *> scopes;
    for (size_t i = 0; i < numbers_.size(); ++i) scopes.push_back(md.createAnonymousAliasScope(domain));
    std::vector<llvm::MDNode *> own, others;
    for (size_t i = 0; i < scopes.size(); ++i) {
        std::vector<llvm::Metadata *> rest = scopes;
        rest.erase(rest.begin() + ptrdiff_t(i));
        own.push_back(llvm::MDNode::get(context, {scopes[i]}));
        others.push_back(llvm::MDNode::get(context, rest));
    }
    for (auto [access, number] : accesses_) {
        access->setMetadata(llvm::LLVMContext::MD_alias_scope, own[number - 1]);
        access->setMetadata(llvm::LLVMContext::MD_noalias, others[number - 1]);
    }
}

} // namespace qd::codegen
