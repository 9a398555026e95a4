#include "ir/control_views.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "ir/analysis/memlet_path.h"
#include "ir/analysis/scope_tree.h"
#include "ir/analysis/symbol_flow.h"
#include "ir/place.h"
#include "ir/replace.h"
#include "ir/walk.h"

namespace sdfg {
namespace {

/// The views of an SDFG that its control flow reads.
class ControlViews {
 public:
  explicit ControlViews(Sdfg& sdfg) : sdfg_(sdfg), flow_(sdfg) {
    for (const auto& [name, data] : sdfg.arrays)
      if (data.is_view() && std::holds_alternative<Array>(data.kind)) views_.insert(name);
  }
  static bool any_views(const Sdfg& sdfg) {
    return std::ranges::any_of(sdfg.arrays,
                               [](const auto& entry) { return entry.second.is_view(); });
  }

  Result<bool> refer() {
    find_reads(sdfg_, 0, Place());
    if (reads_.empty()) return false;
    show(sdfg_, 0);
    for (const Read& read : reads_)
      if (!flow_.may_be_defined(read.view, read.point))
        return Diagnostic{read.place.text(),
                          "control flow reads view '" + read.view +
                              "', and no state before has an access node of it",
                          "read what the view shows"};
    Substitution symbols;
    for (const auto& [view, reference] : references_)
      symbols.emplace(view, Expr::symbol(reference));
    rename(symbols);
    return true;
  }

 private:
  struct Read {
    std::string view;
    SymbolFlow::Point point;
    Place place;
  };

  void add(const SymbolSet& names, const SymbolFlow::Point& point, const Place& place) {
    for (const std::string& name : names)
      if (views_.contains(name)) {
        reads_.push_back({name, point, place});
        read_.insert(name);
      }
  }

  void find_reads(const Region& region, SymbolFlow::RegionIndex index, const Place& place) {
    for (InterstateEdgeId e : region.edges()) {
      SymbolSet names;
      collect_symbols(region[e].condition, {}, names);
      for (const auto& [symbol, value] : region[e].assignments) collect_symbols(value, names);
      add(names, {index, region.source(e), true}, place.edge(region, e));
    }
    for (BlockId id : region.nodes()) {
      const Block& block = region[id];
      const Place here = place.block(block);
      SymbolSet names;
      if (const auto* loop = block.as<LoopRegion>()) {
        for (const auto* code :
             {&loop->init_statement, &loop->loop_condition, &loop->update_statement})
          if (*code) collect_symbols(**code, {}, names);
        add(names, {index, id, true}, here);  // its body may show the view
      }
      if (const auto* conditional = block.as<ConditionalBlock>()) {
        for (std::size_t i = 0; i < conditional->branches.size(); ++i) {
          const Branch& branch = conditional->branches[i];
          if (branch.condition) collect_symbols(*branch.condition, {}, names);
          find_reads(branch.region(), flow_.child(index, id, i), here.block(branch.block));
        }
        add(names, {index, id}, here);
      }
      if (const Region* inner = block.region()) find_reads(*inner, flow_.child(index, id), here);
    }
  }

  /// Sets the references in all states that show a view.
  void show(Region& region, SymbolFlow::RegionIndex index) {
    for (BlockId id : region.nodes()) {
      Block& block = region[id];
      if (auto* state = block.as<State>())
        for (const std::string& view : show(*state)) flow_.define(view, index, id);
      if (Region* inner = block.region()) show(*inner, flow_.child(index, id));
      if (auto* conditional = block.as<ConditionalBlock>())
        for (std::size_t i = 0; i < conditional->branches.size(); ++i)
          show(conditional->branches[i].region(), flow_.child(index, id, i));
    }
  }

  SymbolSet show(State& state) {
    std::vector<NodeId> nodes;
    SymbolSet shown;
    for (NodeId n : state.nodes_of<AccessNode>())
      if (read_.contains(state.get<AccessNode>(n).data)) nodes.push_back(n);
    if (nodes.empty()) return shown;
    const auto tree = scope_tree(state);
    for (NodeId n : nodes)
      if (tree && !tree->parent_of(n) && set_reference(state, n))
        shown.insert(state.get<AccessNode>(n).data);
    return shown;
  }

  /// Sets the reference to what the view shows at an access node of it.
  bool set_reference(State& state, NodeId view) {
    const std::string name = state.get<AccessNode>(view).data;
    const auto viewing = viewed_edge(sdfg_, state, view);
    if (!viewing) return false;
    const bool incoming = state.target(*viewing) == view;
    NodeId shown = incoming ? state.source(*viewing) : state.target(*viewing);
    const auto* access = state[shown].as<AccessNode>();
    if (!access) return false;
    // The memlet names what is shown (a member, at a structure's node) or the view.
    const Memlet& memlet = state[*viewing].memlet;
    const bool names_view = memlet.data == name;
    const std::string container = names_view ? access->data : memlet.data;
    const auto& subset = names_view ? memlet.other_subset() : memlet.subset();
    const Data* data = sdfg_.find_data(container);
    if (!subset || !data || (!incoming && data->is_view())) return false;
    Memlet at = Memlet::read(container, *subset);
    // A view that is written has another node: the reference is set before.
    if (!incoming) shown = state.add(Node{AccessNode{.data = container}});
    const NodeId node = state.add(Node{AccessNode{.data = reference_of(name)}});
    state[node].in_connectors.emplace("set", Type());
    state.connect(shown, node, {"", "set", std::move(at)});
    return true;
  }

  const std::string& reference_of(const std::string& view) {
    std::string& reference = references_[view];
    if (!reference.empty()) return reference;
    reference = sdfg_.fresh_name(view + "_shown");
    Data data = sdfg_.arrays.at(view);
    data.transient = true;
    std::get<Array>(data.kind).role = Role::Reference;
    sdfg_.arrays.insert(reference, std::move(data));
    return reference;
  }

  void rename(const Substitution& symbols) {
    const auto rename = [&](auto& code) {
      if (code) *code = substitute(*code, symbols);
    };
    for_each_interstate_edge(sdfg_,
                             [&](InterstateEdge& edge) { replace_symbols(edge, symbols); });
    for_each_block(sdfg_, [&](Block& block) {
      if (auto* loop = block.as<LoopRegion>()) {
        rename(loop->init_statement);
        rename(loop->loop_condition);
        rename(loop->update_statement);
      }
      if (auto* conditional = block.as<ConditionalBlock>())
        for (Branch& branch : conditional->branches) rename(branch.condition);
    });
  }

  Sdfg& sdfg_;
  SymbolFlow flow_;
  SymbolSet views_;
  std::vector<Read> reads_;
  SymbolSet read_;  ///< the views of these
  Renaming references_;  ///< by view
};

}  // namespace

Result<bool> refer_to_views(Sdfg& sdfg) {
  bool changed = false;
  if (ControlViews::any_views(sdfg)) {
    SDFG_TRY(changed, ControlViews(sdfg).refer());
  }
  Status status = Ok{};
  for_each_nested_sdfg(sdfg, [&](NestedSdfg& nested) {
    if (!status) return;
    const auto inner = refer_to_views(**nested.sdfg);
    if (inner) changed |= *inner;
    else status = inner.error();
  });
  if (!status) return status.error();
  return changed;
}

}  // namespace sdfg
