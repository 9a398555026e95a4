#include "passes/conditionals/if_body_filler.h"

#include <algorithm>

#include "ir/analysis/memlet_path.h"
#include "ir/analysis/propagate.h"
#include "ir/analysis/used_names.h"
#include "ir/analysis/window.h"
#include "ir/graph_algorithms.h"
#include "ir/hiding_names.h"
#include "ir/replace.h"
#include "ir/walk.h"
#include "passes/common/pass_inside.h"
#include "passes/common/tidy.h"

namespace sdfg {
namespace {

/// The container inside that shows this part of the outer one.
Data descriptor_of_part(const Data& outer, const Subset& subset) {
  if (outer.is_scalar()) {
    Data out = Data::scalar(outer.dtype);
    out.storage = outer.storage;
    return out;
  }
  Data out = Data::array(outer.dtype, sizes(subset));
  out.storage = outer.storage;
  const Array& from = *outer.as_array();
  Array& array = *out.as_array();
  array.may_alias = from.may_alias;
  for (std::size_t d = 0; d < out.shape.size(); ++d)
    array.strides[d] = out.shape[d] == Expr(1) ? Expr(1) : from.strides[d];
  array.total_size = elements_spanned(out.shape, array.strides);
  raise_negative_sizes(out);
  return out;
}

/// The box that a connector has to show for a read: steps are taken inside.
Subset hull(Subset subset) {
  for (Range& r : subset.ranges) r.step = 1;
  return subset;
}

std::string key(const State& state, EdgeId e, const std::string& data, const Subset& subset) {
  const NodeId from = state.source(e);
  // What comes through the scope's entry is memory that was written before the scope began, so it
  // does not matter through which connector.
  const std::string source = state[from].is_entry() ? "" : std::to_string(from.value);
  return source + " " + data + "[" + to_text(subset) + "]";
}

bool same_box(const Data& inside, const Data& part) {
  if (inside.is_scalar() || part.is_scalar())
    return inside.is_scalar() == part.is_scalar() && inside.dtype == part.dtype;
  const Array *a = inside.as_array(), *b = part.as_array();
  if (!a || !b || a->role != Role::Plain || !(inside.dtype == part.dtype)) return false;
  const auto zero = [](const Expr& e) { return e == Expr(0); };
  if (!std::ranges::all_of(a->offset, zero) || a->start_offset != Expr(0)) return false;
  if (inside.shape != part.shape) return false;
  for (std::size_t d = 0; d < part.shape.size(); ++d)
    if (part.shape[d] != Expr(1) && a->strides[d] != b->strides[d]) return false;
  return true;
}

void rename(Memlet& memlet, const std::map<std::string, std::string>& names) {
  const auto found = names.find(memlet.data);
  if (found != names.end()) memlet.data = found->second;
}

}  // namespace

IfBodyFiller::IfBodyFiller(const Sdfg& sdfg, State& state, NodeId scope, NodeId node,
                           const ReadableNames& visible, SymbolSet taken)
    : sdfg_(sdfg), state_(state), scope_(scope), node_(node), visible_(visible),
      taken_(std::move(taken)) {
  // Inputs that are there already serve what is moved, too.
  const Substitution symbols = mapped_values(nested());
  for (EdgeId e : state_.in(node_)) {
    const Edge& edge = state_[e];
    const Data* outer = sdfg_.find_data(edge.memlet.data);
    if (!outer || !edge.memlet.subset() || !edge.memlet.data_is_src) continue;
    if (state_[node_].out_connectors.contains(edge.dst_connector)) continue;
    Data inside = inner().arrays.at(edge.dst_connector);
    substitute(inside, symbols);
    const Subset& subset = *edge.memlet.subset();
    if (same_box(inside, descriptor_of_part(*outer, subset)))
      inputs_.emplace(key(state_, e, edge.memlet.data, subset), edge.dst_connector);
  }
}

/// The state that a branch begins with; a new one if it begins otherwise.
State& IfBodyFiller::entry_state(Region& branch) {
  const BlockId first = *start(branch);
  if (branch[first].is<State>() && branch.in(first).empty()) return *branch[first].as<State>();
  SymbolSet labels;
  for (BlockId b : branch.nodes()) labels.insert(branch[b].label);
  std::string label = "moved_in";
  for (int i = 0; labels.contains(label); ++i) label = "moved_in_" + std::to_string(i);
  const BlockId added = branch.add(Block{label, State{}});
  branch.connect(added, first, InterstateEdge{});
  if (branch.start_block) branch.start_block = added;
  return *branch[added].as<State>();
}

std::string IfBodyFiller::fresh_name(const std::string& base) const {
  const auto& sdfg = **state_.get<NestedSdfg>(node_).sdfg;
  std::string name = sdfg.fresh_name(base);
  for (int i = 0; taken_.contains(name) || visible_.names.contains(name); ++i)
    name = sdfg.fresh_name(base + "_" + std::to_string(i));
  return name;
}

void IfBodyFiller::fill(const BranchFilling& filling) {
  moved_.clear(), added_.clear(), reads_.clear(), new_inputs_.clear();
  Target target{&entry_state(*filling.branch), {}};
  for (NodeId n : target.state->nodes())
    if (const auto* access = (*target.state)[n].as<AccessNode>())
      if (target.state->in(n).empty()) target.sources[access->data].push_back(n);
  name_moved_data(filling);
  for (NodeId n : filling.nodes) move_node(n, target);
  for (NodeId n : filling.nodes) {
    const std::vector<EdgeId> in(state_.in(n).begin(), state_.in(n).end());
    for (EdgeId e : in) move_in_edge(e, target);
  }
  for (NodeId n : filling.nodes) connect_results(n, target);
  for (NodeId n : filling.nodes) state_.erase(n);
  pass_names(target);
  // What nothing computes has no place in this state if another one reads it.
  for (NodeId n : added_) drop_if_loose(*target.state, n);
  rename_hiding_names(inner(), *target.state);
}

/// Moved transients keep their names where they can; one that is handed to a connector as it is
/// becomes the container behind that connector.
void IfBodyFiller::name_moved_data(const BranchFilling& filling) {
  std::map<std::string, std::vector<NodeId>> accesses;
  for (NodeId n : filling.nodes) {
    if (const auto* access = state_[n].as<AccessNode>()) accesses[access->data].push_back(n);
    if (state_[n].is<Tasklet>())
      for (const auto* connectors : {&state_[n].in_connectors, &state_[n].out_connectors})
        for (const auto& [name, type] : *connectors) taken_.insert(name);
  }
  for (const auto& [data, nodes] : accesses) {
    moved_data_.push_back(data);
    if (nodes.size() == 1)
      for (EdgeId e : state_.out(nodes[0]))
        if (state_.target(e) == node_ && !names_.contains(data) && can_become(data, state_[e])) {
          names_[data] = state_[e].dst_connector;
          Data moved = *sdfg_.find_data(data);
          moved.lifetime = Lifetime::Scope;
          // What it is made of has names around, which parameters inside must not have.
          SymbolSet mentioned;
          collect_symbols(moved, mentioned);
          for_each_state(inner(), [&](State& s) { rename_bound_names(s, mentioned); });
          inner().arrays.at(state_[e].dst_connector) = std::move(moved);
        }
    if (names_.contains(data)) continue;
    const std::string name = fresh_name(data);
    names_[data] = name;
    Data moved = *sdfg_.find_data(data);
    moved.lifetime = Lifetime::Scope;
    inner().arrays.insert(name, std::move(moved));
  }
}

bool IfBodyFiller::can_become(const std::string& data, const Edge& edge) {
  if (edge.memlet.empty()) return false;
  const Data& outer = *sdfg_.find_data(data);
  if (edge.memlet.subset() && !(*edge.memlet.subset() == Subset::whole(outer.shape))) return false;
  // In the terms of the scope. What is inside stays in bounds whatever the shape is called; what
  // counts is where the elements lie.
  Data inside = inner().arrays.at(edge.dst_connector);
  substitute(inside, mapped_values(nested()));
  if (outer.is_scalar() != inside.is_scalar() || !(outer.dtype == inside.dtype)) return false;
  if (outer.is_scalar()) return true;
  const Array *a = outer.as_array(), *b = inside.as_array();
  const auto zero = [](const Expr& e) { return e == Expr(0); };
  return a && b && outer.shape.size() == inside.shape.size() && a->strides == b->strides &&
         b->start_offset == a->start_offset && std::ranges::all_of(a->offset, zero) &&
         std::ranges::all_of(b->offset, zero);
}

void IfBodyFiller::move_node(NodeId n, Target& target) {
  Node node = std::move(state_[n]);
  if (auto* exit = node.as<MapExit>()) exit->entry = moved_.at(exit->entry.value);
  if (auto* access = node.as<AccessNode>()) {
    const std::string& name = names_.at(access->data);
    state_[n] = Node{AccessNode{access->data}};  // its edges are still to be followed
    access->data = name;
  }
  const NodeId added = target.state->add(std::move(node));
  moved_.emplace(n.value, added);
  added_.push_back(added);
}

void IfBodyFiller::move_in_edge(EdgeId e, Target& target) {
  const NodeId from = state_.source(e);
  const NodeId to = moved_.at(state_.target(e).value);
  if (const auto found = moved_.find(from.value); found != moved_.end()) {
    Edge edge = std::move(state_[e]);
    const auto read = reads_.find({found->second, edge.src_connector});
    if (read != reads_.end())
      follow_read(edge, Read(read->second), to, target);
    else
      rename(edge.memlet, names_);
    target.state->connect(found->second, to, std::move(edge));
    return;
  }
  if (state_[e].memlet.empty()) {
    // The if as a whole waits for what the node waited for; the scope's entry precedes it anyway.
    const auto leads_to_if = [&](EdgeId o) { return state_.target(o) == node_; };
    if (from != scope_ && !std::ranges::any_of(state_.out(from), leads_to_if))
      state_.connect(from, node_, {});
    return;
  }
  Edge edge = state_[e];
  const auto* access = state_[path_source(state_, e)].as<AccessNode>();
  const std::string data = access ? access->data : edge.memlet.data;
  const Subset part = hull(edge.memlet.src_subset ? *edge.memlet.src_subset
                                                  : all_elements(*sdfg_.find_data(data)));
  const std::string input = boundary(e, data, part);
  edge.src_connector.clear();
  follow_read(edge, {data, input, part}, to, target);
  target.state->connect(source_node(target, input), to, std::move(edge));
}

/// Makes an edge read the container behind a connector; at an inner scope, so will the edges behind
/// it.
void IfBodyFiller::follow_read(Edge& edge, const Read& read, NodeId to, const Target& target) {
  if (edge.memlet.data == read.data)
    edge.memlet.data = read.input;
  else
    rename(edge.memlet, names_);
  if (edge.memlet.src_subset)
    edge.memlet.src_subset = offset_by(*edge.memlet.src_subset, read.part, true);
  const std::string onward = matching_connector(edge.dst_connector);
  if ((*target.state)[to].is_entry() && !onward.empty()) reads_[{to, onward}] = read;
}

/// The connector that shows this part of the container; the edge becomes the one that feeds it,
/// unless there is such a connector already.
std::string IfBodyFiller::boundary(EdgeId e, const std::string& data, const Subset& part) {
  const std::string wanted = key(state_, e, data, part);
  if (const auto found = inputs_.find(wanted); found != inputs_.end()) return found->second;
  const std::string input = fresh_name(data);
  inner().arrays.insert(input, descriptor_of_part(*sdfg_.find_data(data), part));
  state_[node_].in_connectors.emplace(input, Type());
  inputs_.emplace(wanted, input);
  new_inputs_.push_back(input);
  state_[e].dst_connector = input;
  state_[e].memlet = Memlet::read(data, part);
  state_.set_target(e, node_);
  return input;
}

NodeId IfBodyFiller::source_node(Target& target, const std::string& data) {
  std::vector<NodeId>& nodes = target.sources[data];
  if (nodes.empty()) nodes.push_back(target.state->add(Node{AccessNode{data}}));
  return nodes.front();
}

/// Where a moved result reached a connector, it is now handed over inside.
void IfBodyFiller::connect_results(NodeId n, Target& target) {
  const auto* access = state_[n].as<AccessNode>();
  if (!access) return;
  const std::string name = names_.at(access->data);
  const NodeId result = moved_.at(n.value);
  for (EdgeId e : state_.out(n)) {
    if (state_.target(e) != node_ || state_[e].memlet.empty()) continue;
    const std::string& input = state_[e].dst_connector;
    Data& data = inner().arrays.at(input);
    std::vector<NodeId>& readers = target.sources[input];
    const NodeId heir = input == name ? result : source_node(target, input);
    for (NodeId reader : readers) {
      if (reader == heir) continue;
      const auto edges = target.state->out(reader);
      for (EdgeId o : std::vector<EdgeId>(edges.begin(), edges.end()))
        target.state->set_source(o, heir);
      target.state->erase(reader);
    }
    if (input != name) {
      const Subset whole = all_elements(data);
      const auto& part = state_[e].memlet.src_subset;
      const Subset from = part ? *part : all_elements(inner().arrays.at(name));
      // Said in the same terms where that is possible, so that both sides are seen to agree.
      const bool alike =
          from.rank() == whole.rank() && wide_dimensions(from) == wide_dimensions(whole);
      const Subset to = alike ? offset_by(offset_by(from, from, true), whole, false) : whole;
      target.state->connect(result, heir, Edge{"", "", Memlet::copy(name, from, to)});
      if (Array* array = data.as_array()) {
        array->strides = c_strides(data.shape);
        array->total_size = num_elements(whole);
        array->start_offset = 0;
      }
    }
    data.transient = true;
    data.lifetime = Lifetime::Scope;
    target.sources.erase(input);
    state_[node_].in_connectors.erase(input);
  }
}

/// Symbols and constants that the moved nodes need mean the same inside.
void IfBodyFiller::pass_names(const Target& target) {
  SymbolSet used;
  for (NodeId n : added_) {
    collect_used_names((*target.state)[n], visible_.names, used);
    for (EdgeId e : target.state->in(n))
      collect_used_names((*target.state)[e], visible_.names, used);
    for (EdgeId e : target.state->out(n))
      collect_used_names((*target.state)[e], visible_.names, used);
    if (const auto* access = (*target.state)[n].as<AccessNode>())
      collect_used_names(inner().arrays.at(access->data), visible_.names, used);
  }
  for (const std::string& input : new_inputs_)
    collect_used_names(inner().arrays.at(input), visible_.names, used);
  for (const std::string& name : used) {
    const auto symbol = visible_.symbols.find(name);
    pass_inside(sdfg_, name, symbol == visible_.symbols.end() ? nullptr : &symbol->second, nested(),
                inner());
  }
}

void IfBodyFiller::finish() {
  if (scope_ != NodeId{} && state_.in(node_).empty()) state_.connect(scope_, node_, {});
}

}  // namespace sdfg
