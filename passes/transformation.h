#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_set>
#include <vector>

#include "ir/sdfg.h"
#include "passes/pass.h"

namespace sdfg {

/// Nodes of one state, each connected to the next by at least one edge, of the kinds given.
template <class... Kinds>
struct Path {
  static constexpr std::size_t length = sizeof...(Kinds);
  static constexpr std::uint8_t first_kind = std::array{Node::number_of<Kinds>...}.front();
  std::array<NodeId, length> nodes;
};

namespace detail {
template <class T>
concept ChecksAlone = requires(const Sdfg& sdfg, const State& state,
                               const typename T::Match& match,
                               const typename T::Options& options) {
  { T::check(sdfg, state, match, options) } -> std::same_as<Refusal>;
};
/// The check has to know something of the whole program, `Facts`, made of the root once. An apply
/// leaves it valid.
template <class T>
concept ChecksWithFacts = requires(const Sdfg& sdfg, const State& state,
                                   const typename T::Match& match,
                                   const typename T::Options& options) {
  { T::check(sdfg, state, match, options, typename T::Facts(sdfg)) } -> std::same_as<Refusal>;
};
}  // namespace detail

/// A rewrite of a small pattern. `check` decides before anything changes; `apply` may rely on a
/// check that did not refuse. Apply returns nothing, or the nodes it affected beyond the match and
/// its neighbours, so that they are looked at again.
template <class T>
concept Transformation = requires(Sdfg& sdfg, State& state, const typename T::Match& match,
                                  const typename T::Options& options) {
  { T::info } -> std::convertible_to<PassInfo>;
  { T::Match::length } -> std::convertible_to<std::size_t>;
  { T::Match::first_kind } -> std::convertible_to<std::uint8_t>;
  T::apply(sdfg, state, match, options);
} && (detail::ChecksAlone<T> || detail::ChecksWithFacts<T>);

/// A pass that looks at the whole SDFG at once.
template <class T>
concept WholeGraphPass = requires(Sdfg& sdfg, const typename T::Options& options,
                                  PassContext& context) {
  { T::info } -> std::convertible_to<PassInfo>;
  { T::run(sdfg, options, context) } -> std::same_as<Result<Changed>>;
};

namespace detail {

/// The nodes of a match that was applied, and what apply reported beyond them.
struct Applied {
  std::vector<NodeId> touched;
};
/// What the driver has to know of a pattern.
struct Pattern {
  std::size_t length;
  std::uint8_t first_kind;
};
/// Tries every match that starts at a node, in order, until one is applied; nothing if none was.
/// `before_apply` is told the nodes of the match just before the graph changes.
using TryAt = std::function<std::optional<Applied>(
    Sdfg&, State&, NodeId, const Trail&, PassContext&,
    const std::function<void(std::span<const NodeId>)>& before_apply)>;
Changed drive(Sdfg& root, Pattern pattern, const TryAt& try_at, PassContext& context);

/// Calls visit(Path) for each path that starts at a node, until it returns true; successors in the
/// order of the edges, each once.
template <class... Kinds, class F>
bool each_path(const State& state, NodeId start, F&& visit, Path<Kinds...>*) {
  Path<Kinds...> path;
  constexpr std::array is_kind{+[](const Node& n) { return n.is<Kinds>(); }...};
  const auto extend = [&](const auto& self, std::size_t at, NodeId node) -> bool {
    if (!is_kind[at](state[node])) return false;
    path.nodes[at] = node;
    if (at + 1 == path.nodes.size()) return visit(std::as_const(path));
    const auto out = state.out(node);
    std::vector<NodeId> next;
    std::unordered_set<NodeId> seen;  // of many, where a search in line would take long
    for (EdgeId e : out) {
      const NodeId to = state.target(e);
      const bool is_new =
          out.size() > 16 ? seen.insert(to).second : std::ranges::find(next, to) == next.end();
      if (is_new) next.push_back(to);
    }
    return std::ranges::any_of(next, [&](NodeId n) { return self(self, at + 1, n); });
  };
  return extend(extend, 0, start);
}

}  // namespace detail

/// Applies the transformation wherever it matches and does not refuse: SDFGs from the outside in,
/// regions and states in order, nodes by id. After an apply only the match, its neighbours and what
/// was added are looked at again.
template <Transformation T>
Result<Changed> apply_everywhere(Sdfg& root, const typename T::Options& options,
                                 PassContext& context) {
  const auto check = [&] {
    if constexpr (detail::ChecksAlone<T>)
      return [&](const Sdfg& sdfg, const State& state, const typename T::Match& match) {
        return T::check(sdfg, state, match, options);
      };
    else
      return [&, facts = typename T::Facts(root)](const Sdfg& sdfg, const State& state,
                                                  const typename T::Match& match) {
        return T::check(sdfg, state, match, options, facts);
      };
  }();
  const detail::TryAt try_at = [&](Sdfg& sdfg, State& state, NodeId start, const Trail& trail,
                                   PassContext& ctx, const auto& before_apply) {
    std::optional<detail::Applied> result;
    const auto visit = [&](const typename T::Match& match) {
      const Trail here = trail.in(state, match.nodes.front());
      if (const Refusal why = check(sdfg, state, match)) {
        ctx.refused(here, why);
        return false;
      }
      if (!ctx.may_apply()) return true;
      ctx.applied(here);
      before_apply(match.nodes);
      result.emplace();
      if constexpr (std::is_void_v<decltype(T::apply(sdfg, state, match, options))>)
        T::apply(sdfg, state, match, options);
      else
        result->touched = T::apply(sdfg, state, match, options);
      return true;
    };
    detail::each_path(state, start, visit, static_cast<typename T::Match*>(nullptr));
    return result;
  };
  return detail::drive(root, {T::Match::length, T::Match::first_kind}, try_at, context);
}

}  // namespace sdfg
