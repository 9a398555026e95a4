#include "ir/analysis/assigned_symbols.h"

#include "ir/walk.h"

namespace sdfg {

namespace {
void collect_assigned(const LoopRegion& loop, SymbolSet& out) {
  if (!loop.loop_variable.empty()) out.insert(loop.loop_variable);
  for (const auto* code : {&loop.init_statement, &loop.update_statement}) {
    const Statements* statements = *code ? (*code)->statements() : nullptr;
    if (!statements) continue;
    for (const Statement& s : *statements)
      if (const auto* assign = std::get_if<Assign>(&s.kind);
          assign && assign->target.is(Op::Symbol))
        out.insert(assign->target.name());
  }
}
void collect_assigned(const Region& region, SymbolSet& out) {
  for_each_interstate_edge(region, [&](const InterstateEdge& edge) {
    for (const auto& [name, value] : edge.assignments) out.insert(name);
  });
  for_each_block(region, [&](const Block& block) {
    if (const auto* loop = block.as<LoopRegion>()) collect_assigned(*loop, out);
  });
}
}  // namespace

AssignmentCounts count_assignments(const Region& region) {
  AssignmentCounts counts;
  for_each_interstate_edge(region, [&](const InterstateEdge& edge) {
    for (const auto& [name, value] : edge.assignments) ++counts[name];
  });
  for_each_block(region, [&](const Block& block) {
    if (const auto* loop = block.as<LoopRegion>())
      for (const std::string& name : assigned_by_statements(*loop)) ++counts[name];
  });
  return counts;
}

SymbolSet assigned_by_statements(const LoopRegion& loop) {
  SymbolSet out;
  collect_assigned(loop, out);
  return out;
}

SymbolSet assigned_symbols(const Region& region) {
  SymbolSet out;
  collect_assigned(region, out);
  return out;
}

SymbolSet assigned_symbols(const Block& block) {
  SymbolSet out;
  if (const auto* loop = block.as<LoopRegion>()) collect_assigned(*loop, out);
  if (const Region* region = block.region()) collect_assigned(*region, out);
  if (const auto* conditional = block.as<ConditionalBlock>())
    for (const Branch& branch : conditional->branches) collect_assigned(branch.region(), out);
  return out;
}

}  // namespace sdfg
