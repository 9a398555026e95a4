#include "passes/map_fusion/map_promotion.h"

#include <algorithm>

#include "ir/walk.h"
#include "passes/common/scope.h"
#include "passes/map_fusion/fusion_walk.h"

namespace sdfg {
namespace {

enum class Kind : std::uint8_t { Vertical, Local, Horizontal, Other };

/// Dimensions say in their names what they are (GT4Py's "i_K_gtx_vertical").
Kind kind(std::string_view param) {
  if (param.ends_with("_vertical")) return Kind::Vertical;
  if (param.ends_with("_horizontal")) return Kind::Horizontal;
  if (param.ends_with("_local") || param.ends_with("_localdim")) return Kind::Local;
  return Kind::Other;
}

Refusal check_kind(const std::string& param, const MapPromotion::Options& options) {
  const Kind what = kind(param);
  const bool wanted = options.promote_everything ||
                      (what == Kind::Vertical && options.promote_vertical) ||
                      (what == Kind::Local && options.promote_local) ||
                      (what == Kind::Horizontal && options.promote_horizontal);
  if (wanted) return {};
  return "repeating it along '" + param + "' is not asked for";
}

/// A loop inside the map computes a whole row of values: repeated for each element of another
/// dimension, it would cost the square of its length.
Refusal check_no_loop(const FusionSite& site, const FusionMap& map) {
  Refusal why;
  const auto scope = find_scope(site.state, map.entry);
  for (NodeId n : scope->nodes) {
    const auto* nested = site.state[n].as<NestedSdfg>();
    if (!nested) continue;
    for_each_sdfg(**nested->sdfg, [&](const Sdfg& inside) {
      for_each_block(inside, [&](const Block& block) {
        if (!why && block.is<LoopRegion>())
          why = "the loop '" + block.label + "' inside would be repeated";
      });
    });
  }
  return why;
}

/// Is it cheap to compute the map again and again?
Refusal check_small(const FusionSite& site, const FusionMap& map, std::size_t most_nodes) {
  const auto scope = find_scope(site.state, map.entry);
  if (scope->nodes.size() + 2 > most_nodes)
    return "it has " + std::to_string(scope->nodes.size() + 2) + " nodes, which is much to repeat";
  for (NodeId n : scope->nodes) {
    const Node& node = site.state[n];
    const auto* access = node.as<AccessNode>();
    const Data* data = access ? site.sdfg.find_data(access->data) : nullptr;
    if (!node.is<Tasklet>() && !(data && (data->is_scalar() || data->transient)))
      return "'" + std::string(node.label()) + "' inside is more than a tasklet or a scalar";
    for (EdgeId e : site.state.out(n))
      if (site.state[e].memlet.wcr) return "it combines values";
  }
  return {};
}

}  // namespace

Result<Changed> MapPromotion::run(Sdfg& sdfg, const Options& options, PassContext& context) {
  const FusionRules rules{.promote = true, .assume_pointwise = options.assume_pointwise};
  const auto visit = [&](FusionMaps& maps, const std::vector<NodeId>& entries) {
    const FusionSite& site = maps.site();
    const auto filter = [&](const FusionMap& first, const FusionPlan& plan) -> Refusal {
      if (!plan.match.promotes)
        return "it has all dimensions (map-fusion-vertical joins such maps)";
      const MapEntry& map = site.state.get<MapEntry>(first.entry);
      bool costs = false;
      for (const std::string& param : plan.match.params) {
        // Parameters of the first map that are renamed show in the substitution.
        const auto becomes = [&](const auto& entry) { return uses_symbol(entry.second, param); };
        const bool own = std::ranges::find(map.params, param) != map.params.end() ||
                         std::ranges::any_of(plan.match.first, becomes);
        if (own) continue;
        if (Refusal why = check_kind(param, options)) return why;
        if (options.promote_everything) continue;
        if (Refusal why = check_no_loop(site, first)) return why;
        costs = costs || kind(param) == Kind::Horizontal;
      }
      return costs && !options.promote_everything
                 ? check_small(site, first, std::size_t(options.most_nodes))
                 : Refusal();
    };
    fuse_with_producers(maps, entries, rules, filter);
  };
  return walk_scopes(
      sdfg, {options.only_toplevel_maps, options.only_inner_maps},
      {options.never_consolidate_edges, options.consolidate_edges_only_if_not_extending}, context,
      visit);
}

}  // namespace sdfg
