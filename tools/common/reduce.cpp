#include "tools/common/reduce.h"

#include <array>
#include <set>

#include "ir/analysis/scope_tree.h"
#include "ir/verify.h"
#include "ir/walk.h"
#include "passes/common/accesses.h"
#include "passes/common/scope.h"
#include "passes/simplify/unused_symbol_elimination.h"

namespace sdfg {
namespace {

/// One thing that can be taken out of a program. Valid for the program it was listed from.
using Removal = std::function<void()>;
using Lister = std::vector<Removal> (*)(Sdfg&);

void remove_block(Region& region, BlockId id) {
  for (InterstateEdgeId in : region.in(id))
    for (InterstateEdgeId out : region.out(id))
      if (region.source(in) != id && region.target(out) != id)
        region.connect(region.source(in), region.target(out), region[in]);
  region.erase(id);
}

std::vector<Removal> blocks(Sdfg& root) {
  std::vector<Removal> out;
  for_each_sdfg(root, [&](Sdfg& sdfg) {
    for_each_region(sdfg, [&](Region& region) {
      for (BlockId id : region.nodes())
        out.push_back([&region, id] {
          if (region.node_count() > 1) remove_block(region, id);
        });
    });
  });
  return out;
}

std::vector<Removal> branches(Sdfg& root) {
  std::vector<Removal> out;
  for_each_sdfg(root, [&](Sdfg& sdfg) {
    for_each_block(sdfg, [&](Block& block) {
      auto* conditional = block.as<ConditionalBlock>();
      if (!conditional) return;
      for (std::size_t i = conditional->branches.size(); i-- > 0;)
        out.push_back([conditional, i] {
          auto& all = conditional->branches;
          if (all.size() > 1 && i < all.size()) all.erase(all.begin() + std::ptrdiff_t(i));
        });
    });
  });
  return out;
}

void remove_node(State& state, NodeId node) {
  if (!state.contains(node)) return;
  if (const auto scope = state[node].is_entry() ? find_scope(state, node) : std::nullopt) {
    for (NodeId inside : scope->nodes) state.erase(inside);
    state.erase(scope->exit);
  }
  state.erase(node);
}

std::vector<Removal> nodes(Sdfg& root) {
  std::vector<Removal> out;
  for_each_sdfg(root, [&](Sdfg& sdfg) {
    for_each_node(sdfg, [&](Node& node, State& state, NodeId id) {
      if (!node.is_exit()) out.push_back([&state, id] { remove_node(state, id); });
    });
  });
  return out;
}

/// A node and all that comes after it, so that nothing reads what is not written any more.
void remove_from(State& state, NodeId node) {
  if (!state.contains(node)) return;
  std::vector<NodeId> after{node};
  std::set<NodeId> seen{node};
  for (std::size_t i = 0; i < after.size(); ++i)
    for (EdgeId e : state.out(after[i]))
      if (seen.insert(state.target(e)).second) after.push_back(state.target(e));
  for (NodeId n : after) remove_node(state, n);
}

std::vector<Removal> tails(Sdfg& root) {
  std::vector<Removal> out;
  for_each_sdfg(root, [&](Sdfg& sdfg) {
    for_each_state(sdfg, [&](State& state) {
      const auto tree = scope_tree(state);
      if (!tree) return;
      for (NodeId id : state.nodes())
        if (!tree->parent_of(id)) out.push_back([&state, id] { remove_from(state, id); });
    });
  });
  return out;
}

/// What a scope gives out at one edge, with all that served for nothing else: in a map of many
/// tasklets none can go alone.
void remove_result(State& state, EdgeId result) {
  std::vector<EdgeId> going{result};
  const auto add = [&](std::span<const EdgeId> edges, auto connector, const std::string& name) {
    for (EdgeId e : edges)
      if (!name.empty() && state[e].*connector == name) going.push_back(e);
  };
  const auto has = [&](std::span<const EdgeId> edges, auto connector, const std::string& name) {
    return std::ranges::any_of(edges, [&](EdgeId e) { return state[e].*connector == name; });
  };
  while (!going.empty()) {
    const EdgeId e = going.back();
    going.pop_back();
    if (!state.contains(e)) continue;
    const NodeId from = state.source(e), to = state.target(e);
    const std::string out = state[e].src_connector, in = state[e].dst_connector;
    state.erase(e);
    if (state[to].is_exit() && !has(state.in(to), &Edge::dst_connector, in))
      add(state.out(to), &Edge::src_connector, matching_connector(in));
    if (!state[from].is_entry()) {
      if (state.out(from).empty())
        going.insert(going.end(), state.in(from).begin(), state.in(from).end());
    } else if (!has(state.out(from), &Edge::src_connector, out)) {
      add(state.in(from), &Edge::dst_connector, matching_connector(out));
    }
    for (NodeId end : {from, to})
      if (state.in(end).empty() && state.out(end).empty()) state.erase(end);
  }
}

std::vector<Removal> results(Sdfg& root) {
  std::vector<Removal> out;
  for_each_sdfg(root, [&](Sdfg& sdfg) {
    for_each_edge(sdfg, [&](Edge&, State& state, EdgeId id) {
      if (state[state.target(id)].is_exit())
        out.push_back([&state, id] {
          if (state.contains(id)) remove_result(state, id);
        });
    });
  });
  return out;
}

/// What is computed on the way inside of a scope becomes an argument, and what computed it goes.
std::vector<Removal> producers(Sdfg& root) {
  std::vector<Removal> out;
  for_each_state(root, [&](State& state) {
    const auto tree = scope_tree(state);
    if (!tree) return;
    const auto carries = [&state](EdgeId e) { return !state[e].memlet.empty(); };
    for (NodeId n : state.nodes_of<AccessNode>()) {
      const NodeId entry = tree->parent_of(n);
      if (!entry || std::ranges::none_of(state.in(n), carries)) continue;
      out.push_back([&root, &state, n, entry] {
        if (!state.contains(n) || !state.contains(entry)) return;
        const std::vector<EdgeId> in(state.in(n).begin(), state.in(n).end());
        state.connect(entry, n, {});  // first: neither of the two may lose all edges
        for (EdgeId e : in)
          if (state.contains(e)) remove_result(state, e);
        if (Data* data = root.find_data(state.get<AccessNode>(n).data)) data->transient = false;
      });
    }
  });
  return out;
}

std::vector<Removal> edges(Sdfg& root) {
  std::vector<Removal> out;
  for_each_sdfg(root, [&](Sdfg& sdfg) {
    for_each_edge(sdfg, [&](Edge&, State& state, EdgeId id) {
      out.push_back([&state, id] {
        if (state.contains(id)) state.erase(id);
      });
    });
  });
  return out;
}

std::vector<Removal> assignments(Sdfg& root) {
  std::vector<Removal> out;
  for_each_sdfg(root, [&](Sdfg& sdfg) {
    for_each_interstate_edge(sdfg, [&](InterstateEdge& edge) {
      if (!edge.assignments.empty()) out.push_back([&edge] { edge.assignments = {}; });
      if (edge.condition.text() != "1") out.push_back([&edge] { edge.condition = Code{"1"}; });
    });
  });
  return out;
}

/// Temporaries become arguments: what comes before and after them is then not needed any more.
std::vector<Removal> temporaries(Sdfg& root) {
  std::vector<Removal> out;
  for (auto& [name, data] : root.arrays)
    if (data.transient && data.role() == Role::Plain && !data.is_stream())
      out.push_back([data = &data] { data->transient = false; });
  return out;
}

/// Not a removal, but it makes what is left easier to follow.
std::vector<Removal> iterations(Sdfg& root) {
  std::vector<Removal> out;
  for_each_sdfg(root, [&](Sdfg& sdfg) {
    for_each_node(sdfg, [&](Node& node) {
      auto* map = node.as<MapEntry>();
      if (!map) return;
      for (Range& range : map->ranges)
        if (!range.is_index()) out.push_back([&range] { range = Range::index(range.begin); });
    });
  });
  return out;
}

/// Connectors without an edge, access nodes without neighbours, containers and symbols without use.
void tidy(Sdfg& root) {
  for_each_sdfg(root, [](Sdfg& sdfg) {
    for_each_state(sdfg, [](State& state) {
      for (NodeId n : state.nodes()) {
        if (state[n].is<AccessNode>() && state.in(n).empty() && state.out(n).empty()) {
          state.erase(n);
          continue;
        }
        SymbolSet in, out;
        for (EdgeId e : state.in(n)) in.insert(state[e].dst_connector);
        for (EdgeId e : state.out(n)) out.insert(state[e].src_connector);
        std::erase_if(state[n].in_connectors, [&](const auto& c) { return !in.contains(c.first); });
        std::erase_if(state[n].out_connectors,
                      [&](const auto& c) { return !out.contains(c.first); });
      }
    });
  });
  for_each_sdfg(root, [&](Sdfg& sdfg) {
    const Accesses accesses(sdfg);
    std::vector<std::string> unused;
    for (const auto& [name, data] : sdfg.arrays)
      if (accesses.sites(name).empty() && !accesses.is_named(name)) unused.push_back(name);
    for (const std::string& name : unused) sdfg.arrays.erase(name);
  });
  PassContext context("reduce");
  (void)UnusedSymbolElimination::run(root, {}, context);
}

struct Kind {
  std::string_view name;
  Lister list;
};
constexpr std::array kinds{Kind{"temporaries", temporaries},
                           Kind{"blocks", blocks},
                           Kind{"branches", branches},
                           Kind{"nodes", tails},
                           Kind{"results", results},
                           Kind{"producers", producers},
                           Kind{"nodes", nodes},
                           Kind{"edges", edges},
                           Kind{"assignments", assignments},
                           Kind{"iterations", iterations}};

class Reducer {
 public:
  Reducer(Sdfg program, const Judge& judge, const ReduceOptions& options)
      : now_(std::move(program)), judge_(judge), options_(options) {}

  Result<Sdfg> whole() {
    SDFG_TRY(const bool fails, judge_(now_));
    if (!fails) return Diagnostic{"reduce", "the program does not show the fault", {}};
    for (bool again = true; again;) {
      again = false;
      for (const Kind& kind : kinds) {
        SDFG_TRY(const bool smaller, remove(kind));
        again = again || smaller;
      }
    }
    SDFG_TRY([[maybe_unused]] const bool tidied, keep_if_failing([](Sdfg& sdfg) { tidy(sdfg); }));
    return std::move(now_);
  }

 private:
  Result<bool> remove(const Kind& kind) {
    bool any = false;
    std::size_t count = kind.list(now_).size();
    for (std::size_t chunk = count; chunk > 0; chunk /= 2)
      for (std::size_t at = 0; at < count;) {
        const auto take = [&](bool and_tidy) {
          return [&, and_tidy](Sdfg& sdfg) {
            const std::vector<Removal> all = kind.list(sdfg);
            // The inner is listed after the outer, and must go first.
            for (std::size_t i = std::min(at + chunk, all.size()); i-- > at;) all[i]();
            if (and_tidy) tidy(sdfg);
          };
        };
        SDFG_TRY(bool gone, keep_if_failing(take(true)));
        if (!gone) {
          SDFG_TRY(gone, keep_if_failing(take(false)));
        }
        if (!gone) {
          at += chunk;
          continue;
        }
        any = true;
        const std::size_t before = count;
        count = kind.list(now_).size();
        if (options_.progress) options_.progress(std::string(kind.name), now_);
        if (kind.list == iterations || kind.list == temporaries) at += count == before ? chunk : 0;
      }
    return any;
  }

  Result<bool> keep_if_failing(const std::function<void(Sdfg&)>& change) {
    Sdfg candidate = now_;
    change(candidate);
    if (candidate == now_) return false;
    if (!options_.allow_invalid && has_errors(verify(candidate))) return false;
    SDFG_TRY(const bool fails, judge_(candidate));
    if (fails) now_ = std::move(candidate);
    return fails;
  }

  Sdfg now_;
  const Judge& judge_;
  const ReduceOptions& options_;
};

}  // namespace

Result<Sdfg> reduce(Sdfg program, const Judge& judge, const ReduceOptions& options) {
  return Reducer(std::move(program), judge, options).whole();
}

}  // namespace sdfg
