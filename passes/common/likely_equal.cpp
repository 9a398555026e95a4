#include "passes/common/likely_equal.h"

#include <algorithm>
#include <optional>

#include "ir/walk.h"

namespace sdfg {
namespace {

/// A budget: as many results of one state are compared with each other.
constexpr std::size_t most_results = 16;

/// An argument that is written as a whole by a scope, or by a copy.
struct WholeResult {
  const std::vector<Expr>* shape;
  std::vector<std::pair<std::string_view, const Subset*>> reads;  ///< of what writes it
  std::optional<NodeId> map;  ///< the exit that it comes from, or what is copied to it
};

/// The exit of the map that alone writes an access node.
std::optional<NodeId> written_by(const State& state, NodeId access) {
  const auto in = state.in(access);
  if (in.size() != 1 || !state[state.source(*in.begin())].is<MapExit>()) return std::nullopt;
  return state.source(*in.begin());
}

std::vector<WholeResult> results(const Sdfg& program, const State& state) {
  std::vector<WholeResult> out;
  for (NodeId n : state.nodes_of<AccessNode>()) {
    const Data* data = program.arrays.get(state.get<AccessNode>(n).data);
    if (!data || data->transient || !data->as_array()) continue;
    for (EdgeId e : state.in(n)) {
      const Memlet& memlet = state[e].memlet;
      if (memlet.empty() || !memlet.dst_subset || out.size() == most_results) continue;
      if (!(*memlet.dst_subset == Subset::whole(data->shape))) continue;
      WholeResult result{&data->shape, {}, {}};
      const NodeId source = state.source(e);
      if (const auto* copied = state[source].as<AccessNode>()) {
        if (memlet.src_subset) result.reads.emplace_back(copied->data, &*memlet.src_subset);
        result.map = written_by(state, source);
      } else if (const auto* exit = state[source].as<MapExit>()) {
        result.map = source;
        for (EdgeId in : state.in(exit->entry))
          if (const Memlet& read = state[in].memlet; !read.empty() && read.src_subset)
            result.reads.emplace_back(read.data, &*read.src_subset);
      }
      out.push_back(std::move(result));
    }
  }
  return out;
}

class Equalities {
 public:
  explicit Equalities(const Sdfg& program) : program_(program) {}

  std::vector<Expr> run() {
    for_each_state(program_, [&](const State& state) {
      const std::vector<WholeResult> all = results(program_, state);
      for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
          if (compare(all[j], all[i])) break;
    });
    return std::move(conditions_);
  }

 private:
  bool compare(const WholeResult& first, const WholeResult& second) {
    Substitution same;  // symbols of the second by those of the first
    if (first.shape->size() != second.shape->size()) return false;
    for (std::size_t d = 0; d < first.shape->size(); ++d)
      if (!match((*first.shape)[d], (*second.shape)[d], same)) return false;
    const bool one_map = first.map && first.map == second.map;
    if (same.empty() || (!one_map && !share_elements(first, second, same))) return false;
    for (const auto& [symbol, other] : same) {
      Expr condition = compare_expr(Op::Eq, other, Expr::symbol(symbol));
      if (std::ranges::find(conditions_, condition) == conditions_.end())
        conditions_.push_back(std::move(condition));
    }
    return true;
  }

  /// Adds what makes the two the same: expressions that differ in some symbols alone.
  static bool match(const Expr& a, const Expr& b, Substitution& same) {
    if (a == b) return true;
    if (a.is(Op::Symbol) && b.is(Op::Symbol)) {
      const auto [found, added] = same.emplace(b.name(), a);
      return added || found->second == a;
    }
    if (a.op() != b.op() || a.args().size() != b.args().size() || a.args().empty()) return false;
    for (std::size_t i = 0; i < a.args().size(); ++i)
      if (!match(a.arg(i), b.arg(i), same)) return false;
    return true;
  }

  /// Do they read the same elements of some container if the symbols are the same?
  static bool share_elements(const WholeResult& first, const WholeResult& second,
                             const Substitution& same) {
    return std::ranges::any_of(first.reads, [&](const auto& a) {
      return std::ranges::any_of(second.reads, [&](const auto& b) {
        return a.first == b.first && substitute(*b.second, same) == *a.second;
      });
    });
  }

  const Sdfg& program_;
  std::vector<Expr> conditions_;
};

}  // namespace

std::vector<Expr> likely_equalities(const Sdfg& program) { return Equalities(program).run(); }

}  // namespace sdfg
