#include "passes/loops/loop_body.h"

#include "ir/replace.h"
#include "ir/walk.h"
#include "passes/common/branches.h"
#include "passes/common/decide.h"
#include "passes/common/side_effects.h"

namespace sdfg {
namespace {

/// Counts blocks and nodes, those of nested SDFGs, too, until there are more than `most`.
class Size {
 public:
  explicit Size(std::int64_t most) : most_(most) {}
  bool too_large() const { return count_ > most_; }
  void add(const Region& region) {
    for (BlockId id : region.nodes()) {
      if (too_large()) return;
      add(region[id]);
    }
  }

 private:
  void add(const Block& block) {
    ++count_;
    if (const Region* inner = block.region()) add(*inner);
    if (const auto* conditional = block.as<ConditionalBlock>())
      for (const Branch& branch : conditional->branches) add(branch.block);
    const auto* state = block.as<State>();
    if (!state) return;
    count_ += std::int64_t(state->node_count());
    for (NodeId n : state->nodes_of<NestedSdfg>())
      if (const auto& nested = state->get<NestedSdfg>(n); nested.sdfg) add(**nested.sdfg);
  }

  std::int64_t most_, count_ = 0;
};

}  // namespace

Refusal check_size(const LoopRegion& loop, std::int64_t copies, std::int64_t most) {
  if (copies <= 0) return {};
  Size body(most / copies);
  body.add(loop);
  if (!body.too_large()) return {};
  const std::string times = copies == 1 ? "once" : std::to_string(copies) + " times";
  return "the body, copied " + times + ", makes more than " + std::to_string(most) +
         " blocks and nodes; max_nodes says how many may be";
}

Refusal check_iterations(const LoopRegion& loop, const LoopRange& range, const Aliases& aliases) {
  if (const std::string* jump = find_jump(loop))
    return "'" + *jump + "' leaves an iteration early";
  if (Refusal why = check_values(loop, range, aliases)) return why;
  Refusal why;
  for_each_state(loop, [&](const State& state) {
    // Of a container that one state uses alone, in each run of that state.
    for (NodeId n : state.nodes_of<AccessNode>())
      if (const auto& access = state.get<AccessNode>(n); access.setzero && !why)
        why = "the body sets '" + access.data + "' to zero";
  });
  return why;
}

Refusal check_copies(const LoopRegion& loop) {
  Refusal why;
  for_each_state(loop, [&](const State& state) {
    for (NodeId n : state.nodes_of<NestedSdfg>())
      if (const auto& nested = state.get<NestedSdfg>(n); !why && nested.sdfg)
        if (const std::string* kept = find_kept(**nested.sdfg))
          why = "'" + *kept + "' in nested SDFG '" + nested.label + "' outlives an iteration";
  });
  return why;
}

Refusal check_symbolic(const Sdfg& sdfg, const Expr& end) {
  for (const std::string& name : free_symbols(end))
    if (sdfg.arrays.contains(name)) return "the range reads container '" + name + "'";
  return {};
}
Refusal check_symbolic(const Sdfg& sdfg, const LoopRange& range) {
  if (Refusal why = check_symbolic(sdfg, range.begin)) return why;
  return check_symbolic(sdfg, range.end);
}

Refusal ShapeSymbols::check(const std::string& variable) {
  if (!first_reader_) {
    first_reader_.emplace();
    for (const auto& [name, data] : sdfg_.arrays) {
      SymbolSet read;
      collect_symbols(data, read);
      for (const std::string& symbol : read) first_reader_->try_emplace(symbol, name);
    }
  }
  const auto reader = first_reader_->find(variable);
  if (reader == first_reader_->end()) return {};
  return "the shape of '" + reader->second + "' depends on '" + variable + "'";
}

Block iteration(const Sdfg& sdfg, const Block& loop, const Expr& value, std::string label) {
  ControlFlowRegion body;
  static_cast<Region&>(body) = *loop.as<LoopRegion>();
  Block block{std::move(label), std::move(body)};
  replace_symbols(block, {{loop.as<LoopRegion>()->loop_variable, value}}, sdfg.symbols);
  PassContext quiet("iteration");
  NameSet zeroed;  // bodies that set something to zero are refused
  for_each_block_in(block, [&](Block& inner) {
    if (inner.is<ConditionalBlock>())
      prune_branches(
          inner, {}, quiet, [&](const Code& code) { return decide(code, sdfg, {}); }, zeroed);
  });
  return block;
}

void replace_by_chain(Sdfg& sdfg, RegionEdit& edit, BlockId id, std::vector<Block> chain,
                      const std::string& variable, const Expr& after) {
  Region& region = edit.region;
  std::optional<BlockId>& first = edit.first;
  Labels& labels = edit.labels;
  const std::string label = region[id].label;
  if (chain.empty()) chain.push_back(Block{label, State{}});
  InterstateEdge leave;
  if (sdfg.symbols.contains(variable)) {
    leave.assignments.set(variable, after);
    chain.push_back(Block{label + "_end", State{}});
  }
  labels.release(label);
  BlockId before;
  std::vector<BlockId> added;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    chain[i].label = labels.take(chain[i].label);
    added.push_back(region.add(std::move(chain[i])));
    const bool last = i + 1 == chain.size();
    if (i > 0) region.connect(before, added.back(), last ? leave : InterstateEdge{});
    before = added.back();
  }
  move_ways_in(region, id, added.front());
  move_ways_out(region, id, added.back());
  if (first == id) first = added.front();
  region.erase(id);
  for (BlockId b : added)  // what follows an iteration that never ends is gone
    if (region.contains(b) && region[b].is<ControlFlowRegion>())
      splice_region(region, b, first, labels);
}

}  // namespace sdfg
