#include "passes/common/reroute.h"

#include <algorithm>

#include "ir/analysis/memlet_path.h"
#include "ir/library_node.h"
#include "ir/replace.h"

namespace sdfg {
namespace {

bool is_one(const Subset& subset) { return num_elements(subset) == Expr(1); }

}  // namespace

void keep_visible(State& state, const std::vector<EdgeId>& path, bool read,
                  const SymbolSet& symbols) {
  if (symbols.empty()) return;
  for (EdgeId e : path) {
    const NodeId end = read ? state.target(e) : state.source(e);
    if (state[end].is_entry()) rename_bound_names(state, end, symbols);
    if (const auto* exit = state[end].as<MapExit>())
      rename_bound_names(state, exit->entry, symbols);
  }
}

Reroute::Reroute(Sdfg& sdfg, State& state, const Accesses& accesses, Relocation relocation)
    : sdfg_(sdfg), state_(state), accesses_(accesses), relocation_(std::move(relocation)) {}

Refusal Reroute::check_containers(const Sdfg& sdfg, const std::string& from,
                                  const std::string& to) {
  const Data *a = sdfg.find_data(from), *b = sdfg.find_data(to);
  for (const auto& [data, name] : {std::pair(a, &from), std::pair(b, &to)}) {
    const bool plain = data->is_scalar() || std::holds_alternative<Array>(data->kind);
    if (!plain || data->is_reference())
      return "container '" + *name + "' is a " + data->json_type();
    if (sdfg.constants.contains(*name)) return "'" + *name + "' is a constant, too";
  }
  if (!(a->dtype == b->dtype))
    return "the elements of '" + from + "' are " + a->dtype.text() + ", those of '" + to + "' " +
           b->dtype.text();
  if (a->storage != b->storage)
    return "'" + from + "' is in " + std::string(to_text(a->storage)) + ", '" + to + "' in " +
           std::string(to_text(b->storage));
  return {};
}

/// By dimension of the old container, the stride in the new one's memory.
NewStrides Reroute::new_strides() const {
  const Data& before = *sdfg_.find_data(relocation_.from);
  const Array* to = sdfg_.find_data(relocation_.to)->as_array();
  NewStrides out{before, std::vector<std::optional<Expr>>(before.shape.size())};
  for (std::size_t d = 0; d < before.shape.size(); ++d)
    if (const auto at = relocation_.placement.carrier(d); at && to)
      out.strides[d] = to->strides[*at] * relocation_.placement.at[*at].step;
  return out;
}

Refusal Reroute::check(EdgeId edge, NodeId at, bool all) const {
  const Memlet& first = state_[edge].memlet;
  if (first.empty()) return {};
  const bool read = state_.source(edge) == at;
  for (const auto& [e, leaf] : edges_from(state_, edge, at)) {
    if (!leaf) continue;
    Memlet memlet = state_[e].memlet;
    if (const auto sides = copy_sides(sdfg_, state_, e))
      memlet.src_subset = sides->src, memlet.dst_subset = sides->dst;
    const auto& subset = side_of(memlet, relocation_.from, read);
    if (!subset) return "the part of '" + relocation_.from + "' that an edge means cannot be told";
    // A copy moves as many elements as its ranges have.
    if (state_[state_.source(e)].is<AccessNode>() && state_[state_.target(e)].is<AccessNode>())
      if (const auto lost = relocation_.placement.lost(*subset)) {
        const Range& r = (*subset)[*lost];
        return "a copy takes [" + to_text(r) + "] of '" + relocation_.from + "', which " +
               (r.tile == Expr(1) ? "may be empty" : "has tiles") + ", and '" + relocation_.to +
               "' has no dimension that could say so";
      }
    if (Refusal why = check_end(e, read, *subset, all)) return why;
  }
  return {};
}

Refusal Reroute::check_end(EdgeId leaf, bool read, const Subset& subset, bool all) const {
  const NodeId end = read ? state_.target(leaf) : state_.source(leaf);
  const Node& node = state_[end];
  const std::string who = std::string(node.label());
  if (node.is<LibraryNode>()) {
    if (!library_operation(node)) return "what library node '" + who + "' does is not known";
    if (!relocation_.placement.keeps_rank(subset.rank()) && (read || !is_one(subset)))
      return "library node '" + who + "' would see another number of dimensions";
  }
  if (const auto* nested = node.as<NestedSdfg>()) {
    const std::string& connector =
        read ? state_[leaf].dst_connector : state_[leaf].src_connector;
    const Data* inside = nested->sdfg ? (*nested->sdfg)->find_data(connector) : nullptr;
    if (!inside) return "nested SDFG '" + who + "' is not loaded";
    if (!inside->is_scalar() && sdfg_.find_data(relocation_.to)->is_scalar())
      return "nested SDFG '" + who + "' takes an array";
    if (!all && node.in_connectors.contains(connector) && node.out_connectors.contains(connector))
      return "nested SDFG '" + who + "' reads and writes it through '" + connector + "'";
  }
  Relayout dry(Relayout::Mode::Check);
  return dry.follow(sdfg_, state_, leaf, read, subset, new_strides(), &accesses_);
}

void Reroute::rename(Memlet& memlet, bool read) const {
  const bool named = names_this_end(memlet, relocation_.from, read);
  if (auto& subset = side_of(memlet, relocation_.from, read))
    subset = relocation_.placement.map(*subset);
  if (named) memlet.data = relocation_.to;
}

void Reroute::rename(EdgeId edge, NodeId at) {
  if (state_[edge].memlet.empty()) return;
  const bool read = state_.source(edge) == at;
  const NewStrides strides = new_strides();
  const auto path = edges_from(state_, edge, at);
  SymbolSet symbols = relocation_.placement.symbols();
  for (const auto& stride : strides.strides)
    if (stride) collect_symbols(*stride, symbols);
  std::vector<EdgeId> edges;
  for (const auto& [e, leaf] : path) edges.push_back(e);
  keep_visible(state_, edges, read, symbols);
  // First what depends on the old subsets.
  for (const auto& [e, leaf] : path) {
    if (!leaf) continue;
    Memlet& memlet = state_[e].memlet;
    if (const auto sides = copy_sides(sdfg_, state_, e))
      memlet.src_subset = sides->src, memlet.dst_subset = sides->dst;
    const NodeId end = read ? state_.target(e) : state_.source(e);
    const bool nested = state_[end].is<NestedSdfg>();
    const std::string key =
        !nested ? "" : read ? state_[e].dst_connector : state_[e].src_connector;
    if (!adapted_.emplace(end, key).second) continue;
    Relayout relayout(Relayout::Mode::Apply);
    const Refusal none = relayout.follow(
        sdfg_, state_, e, read, *side_of(memlet, relocation_.from, read), strides, &accesses_);
    SDFG_ASSERT(!none) << "check let it pass: " << none.reason();
  }
  for (const auto& [e, leaf] : path) rename(state_[e].memlet, read);
}

void Reroute::move(EdgeId edge, NodeId at, NodeId node) {
  rename(edge, at);
  if (state_.source(edge) == at)
    state_.set_source(edge, node);
  else
    state_.set_target(edge, node);
}

}  // namespace sdfg
