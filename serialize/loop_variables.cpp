#include "serialize/loop_variables.h"

#include "ir/analysis/connector_types.h"
#include "ir/analysis/used_names.h"
#include "ir/walk.h"

namespace sdfg::detail {
namespace {

SymbolSet undeclared_variables(const Sdfg& sdfg) {
  SymbolSet out;
  for_each_block(static_cast<const Region&>(sdfg), [&](const Block& block) {
    const auto* loop = block.as<LoopRegion>();
    if (loop && loop->init_statement && !loop->loop_variable.empty() &&
        !sdfg.symbols.contains(loop->loop_variable))
      out.insert(loop->loop_variable);
  });
  return out;
}

/// Those of `names` that are read in the region; a loop's own variable is not, in the loop.
void read_outside(const Region& region, const SymbolSet& names, SymbolSet& out) {
  if (names.empty()) return;
  for (BlockId id : region.nodes()) {
    const Block& block = region[id];
    SymbolSet free = names, read;
    if (const auto* loop = block.as<LoopRegion>()) free.erase(loop->loop_variable);
    collect_used_names(block, free, read);
    if (const auto* state = block.as<State>()) collect_free_names(*state, free, read);
    for (const std::string& name : read)
      if (free.contains(name)) out.insert(name);
    if (const Region* inner = block.region()) read_outside(*inner, free, out);
    if (const auto* conditional = block.as<ConditionalBlock>())
      for (const Branch& branch : conditional->branches) read_outside(branch.region(), free, out);
  }
}

}  // namespace

void declare_loop_variables(Sdfg& root) {
  for_each_sdfg(root, [](Sdfg& sdfg) {
    SymbolSet read;
    read_outside(sdfg, undeclared_variables(sdfg), read);
    if (read.empty()) return;
    const TypeTable types = symbol_types(sdfg);
    for (const std::string& name : read) {
      const auto found = types.find(name);
      sdfg.symbols.emplace(name, found == types.end() ? Type(BaseType::Int64) : found->second);
    }
  });
}

}  // namespace sdfg::detail
