#include "passes/map_fusion/scan_body.h"

#include <algorithm>

#include "ir/analysis/assigned_symbols.h"
#include "ir/analysis/window.h"
#include "passes/common/reroute.h"
#include "passes/common/same_layout.h"
#include "passes/loops/loop_body.h"
#include "passes/map_fusion/fusion_conflicts.h"

namespace sdfg {
namespace {

/// Can the node take a scalar in place of one element of an array?
bool takes_scalar(const Node& reader, const std::string& connector) {
  if (reader.is<AccessNode>()) return true;
  if (const auto* nested = reader.as<NestedSdfg>()) {
    const Data* inside = nested->sdfg ? (*nested->sdfg)->find_data(connector) : nullptr;
    return inside && inside->is_scalar();
  }
  const auto type = reader.in_connectors.find(connector);
  return reader.is<Tasklet>() && (type == reader.in_connectors.end() || !type->second.is_pointer());
}


}  // namespace

ScanBody::ScanBody(const FusionSite& site, NodeId node)
    : state_(site.state),
      node_(node),
      nested_(site.state.get<NestedSdfg>(node)),
      sdfg_(**nested_.sdfg),
      level_(site.sdfg.fresh_name("__level")),
      names_(sdfg_),
      accesses_(sdfg_),
      assigned_(assigned_symbols(sdfg_)),
      ranges_(sdfg_) {
  std::vector<LoopRegion*> around;
  find_loops(sdfg_, around);
}

void ScanBody::find_loops(Region& region, std::vector<LoopRegion*>& around) {
  for (BlockId id : region.nodes()) {
    Block& block = region[id];
    auto* loop = block.as<LoopRegion>();
    if (loop) around.push_back(loop);
    if (Region* inner = block.region()) find_loops(*inner, around);
    if (loop) around.pop_back();
    if (auto* conditional = block.as<ConditionalBlock>())
      for (Branch& branch : conditional->branches) find_loops(branch.region(), around);
    if (auto* state = block.as<State>()) loops_[state] = around;
  }
}

/// All reads lie in one loop, which lies in no other.
Refusal ScanBody::find_loop(const std::string& connector, LoopRead& read) const {
  if (accesses_.is_named(connector)) return "'" + connector + "' is read by name inside";
  for (const AccessSite& site : accesses_.sites(connector)) {
    if (!site.state->in(site.node).empty()) return "'" + connector + "' is written inside, too";
    const auto& around = loops_.at(site.state);
    if (around.empty()) return "'" + connector + "' is read outside of a loop";
    if (around.size() > 1) return "'" + connector + "' is read in a loop in a loop";
    if (read.loop && read.loop != around[0]) return "'" + connector + "' is read in several loops";
    read.loop = around[0];
    read.sites.push_back(site);
  }
  if (!read.loop) return "'" + connector + "' is not read inside";
  return {};
}

/// The one element that an iteration reads, in terms of the nested SDFG.
Refusal ScanBody::find_element(const std::string& connector, LoopRead& read) const {
  for (const AccessSite& site : read.sites)
    for (EdgeId e : site.state->out(site.node)) {
      const Memlet& memlet = (*site.state)[e].memlet;
      if (memlet.empty()) continue;
      const Node& reader = (*site.state)[site.state->target(e)];
      const auto& subset = memlet.src_subset ? memlet.src_subset : memlet.subset();
      if ((memlet.data != connector && !memlet.src_subset) || !(num_elements(*subset) == Expr(1)))
        return "'" + std::string(reader.label()) + "' inside reads more of '" + connector +
               "' than one element";
      if (!takes_scalar(reader, (*site.state)[e].dst_connector))
        return "'" + std::string(reader.label()) + "' inside takes '" + connector + "' by address";
      if (!read.element.empty() && !(read.element == *subset))
        return "an iteration of the loop reads " + text(connector, read.element) + " and " +
               text(connector, *subset);
      read.element = *subset;
    }
  if (read.element.empty()) return "'" + connector + "' is not read inside";
  return {};
}

Substitution ScanBody::outer_values() const {
  return mapped_values(nested_);
}

bool ScanBody::is_all_of(const std::string& connector, const Data& outside) const {
  const Data* inside = sdfg_.arrays.get(connector);
  if (!inside) return false;
  Data seen = *inside;
  substitute(seen, outer_values());
  return same_layout(seen, outside);
}

Refusal ScanBody::find_read(const FusionSite& site, EdgeId edge, LoopRead& read) {
  const std::string& connector = state_[edge].dst_connector;
  const Memlet& memlet = state_[edge].memlet;
  const Data& inside = sdfg_.arrays.at(connector);
  if (Refusal why = find_loop(connector, read)) return why;
  const auto range = ranges_.of(*read.loop);
  if (!range) return range.error().message;
  if (range->inverted) return "the body of the loop runs before its condition is tested";
  if (Refusal why = check_iterations(*read.loop, *range)) return why;
  if (Refusal why = find_element(connector, read)) return why;
  read.range = *range;

  SymbolSet used;
  collect_symbols(read.element, used), collect_symbols(inside, used);
  used.erase(range->variable);
  collect_symbols(range->begin, used), collect_symbols(range->end, used);
  for (const std::string& name : used)
    if (assigned_.contains(name))
      return "'" + name + "', which tells the element of '" + connector + "', changes inside";
  Substitution outer = outer_values();
  outer[range->variable] = Expr::symbol(level_);
  Data descriptor = inside;
  substitute(descriptor, outer);
  const auto in_container = window(descriptor, *site.sdfg.find_data(memlet.data), *memlet.subset());
  if (!in_container) return "connector '" + connector + "': " + in_container.error().message;
  read.element = in_container->to_outer(sdfg::substitute(read.element, outer));
  read.range.begin = sdfg::substitute(range->begin, outer);
  read.range.end = sdfg::substitute(range->end, outer);
  return {};
}

void ScanBody::read_scalar(const LoopRead& read, const std::string& connector,
                           const std::string& scalar) {
  for (const AccessSite& site : read.sites) {
    Reroute reroute(sdfg_, *site.state, accesses_, {connector, scalar, Placement::single()});
    for (EdgeId e : site.state->out(site.node)) reroute.rename(e, site.node);
    accesses_.remove(*site.state, site.node);
    site.state->get<AccessNode>(site.node).data = scalar;
    accesses_.add(*site.state, site.node);
  }
  sdfg_.arrays.erase(connector);
  state_[node_].in_connectors.erase(connector);
}

Substitution ScanBody::inner_names(const SymbolSet& outer, const LoopRegion& loop) {
  ByName<std::string> known;  // outer symbol: inner one
  for (const auto& [name, value] : nested_.symbol_mapping)
    if (value.is(Op::Symbol) && !assigned_.contains(name)) known.emplace(value.name(), name);
  known[level_] = loop.loop_variable;
  Substitution out;
  for (const std::string& name : outer) {
    const auto found = known.find(name);
    out[name] = Expr::symbol(found != known.end() ? found->second : names_.take(name));
  }
  return out;
}

void ScanBody::pass_symbols(const Substitution& names,
                            const ByName<Type>& types) {
  for (const auto& [outer, inner] : names) {
    if (outer == level_ || nested_.symbol_mapping.contains(inner.name())) continue;
    const auto type = types.find(outer);
    sdfg_.symbols[inner.name()] = type == types.end() ? Type(BaseType::Int64) : type->second;
    nested_.symbol_mapping[inner.name()] = Expr::symbol(outer);
  }
}

std::string ScanBody::inner_name(const std::string& name, const Constant& constant) {
  const Constant* same = sdfg_.constants.get(name);
  return same && *same == constant ? name : names_.take(name);
}

bool ScanBody::admit(const Node& tasklet) {
  names_.add_connectors(tasklet);
  for (const auto* connectors : {&tasklet.in_connectors, &tasklet.out_connectors})
    for (const auto& [name, type] : *connectors)
      if (names_.is_variable(name)) return false;
  return true;
}

}  // namespace sdfg
