#include <algorithm>

#include "codegen/sdfg_function.h"
#include "ir/analysis/memlet_path.h"

namespace sdfg {
namespace {

/// A scope with more updates of a container has only atomic ones: each is compared with all.
constexpr std::size_t most_compared = 64;

/// Do iterations of a parameter write different elements, because in dimension `d` each write of
/// `all` is less than a step of the parameter away from the others, and nothing else in the scope
/// (`params`) moves it?
bool separates(std::size_t d, const std::vector<const Subset*>& all, const std::string& param,
               const std::set<std::string>& params) {
  std::optional<Affine> first;
  std::int64_t step = 0, low = 0, high = 0;
  for (const Subset* subset : all) {
    if (d >= subset->rank()) return false;
    const Range& r = subset->ranges[d];
    const auto affine = match_affine(r.begin, param);
    const auto coefficient = affine ? affine->coefficient.as_integer() : std::nullopt;
    const auto width = (r.end - r.begin).as_integer();
    if (!coefficient || *coefficient == 0 || !width || *width < 0) return false;
    for (const std::string& symbol : free_symbols(affine->rest))
      if (params.contains(symbol)) return false;
    if (!first) first = affine, step = *coefficient;
    const auto away = (affine->rest - first->rest).as_integer();
    if (!away || *coefficient != step) return false;
    low = std::min(low, *away);
    high = std::max(high, *away + *width);
  }
  return high - low < std::abs(step);
}

}  // namespace

void SdfgFunction::plan_updates(StatePlan& plan) const {
  const State& state = plan.state;
  for (EdgeId e : state.edges()) {
    const Memlet& memlet = state[e].memlet;
    const Node& source = state[state.source(e)];
    if (memlet.empty() || source.is_exit() || !(memlet.wcr || source.is<NestedSdfg>())) continue;
    const NodeId entry = plan.outermost(state.source(e));
    const auto* target = entry ? state[path_target(state, e)].as<AccessNode>() : nullptr;
    if (!target) continue;
    const Data* data = sdfg_.find_data(target->data);
    const bool names_target = memlet.data == target->data;
    const std::optional<Subset>& subset = names_target ? memlet.subset() : memlet.other_subset();
    std::string_view container = target->data;
    if (data && data->is_view()) container = {};
    plan.updates[{entry, container}].push_back(subset ? &*subset : nullptr);
  }
}

bool SdfgFunction::conflicts(At& at, EdgeId edge, const Binding& target,
                             const Subset& subset) const {
  if (target.own) return false;
  if (target.shared) return true;
  if (std::ranges::includes(target.private_to, at.parallel_params)) return false;
  // The iterations of a parallel parameter update different elements if that holds for all that
  // the scope does to the container. A view may show any container.
  std::vector<const Subset*> all{&subset};
  const State& state = at.state;
  const NodeId entry = at.plan.outermost(state.source(edge));
  const auto* access = state[path_target(state, edge)].as<AccessNode>();
  if (entry && access && target.data && target.data->is_view()) {
    const auto first = at.plan.updates.lower_bound({entry, {}});
    std::size_t updates = 0;
    for (auto it = first; it != at.plan.updates.end() && it->first.first == entry; ++it)
      if ((updates += it->second.size()) > 1) return true;
  } else if (entry && access) {
    if (at.plan.updates.contains({entry, {}})) return true;
    const auto known = at.plan.updates.find({entry, access->data});
    if (known != at.plan.updates.end()) {
      if (known->second.size() > most_compared) return true;
      if (std::ranges::count(known->second, nullptr) != 0) return true;
      all.insert(all.end(), known->second.begin(), known->second.end());
    }
  }
  return std::ranges::any_of(at.parallel_params, [&](const std::string& param) {
    if (target.private_to.contains(param)) return false;
    for (std::size_t d = 0; d < subset.rank(); ++d)
      if (separates(d, all, param, at.params)) return false;
    return true;
  });
}

std::string SdfgFunction::reduction_operator(const Code& wcr, const Type& type,
                                             const Place& place) {
  switch (detect_reduction(wcr)) {
    case Reduction::Min: return "sdfg::Min{}";
    case Reduction::Max: return "sdfg::Max{}";
    case Reduction::Sum: return "sdfg::Sum{}";
    case Reduction::Product: return "sdfg::Product{}";
    case Reduction::LogicalAnd: return "sdfg::LogicalAnd{}";
    case Reduction::BitAnd: return "sdfg::BitAnd{}";
    case Reduction::LogicalOr: return "sdfg::LogicalOr{}";
    case Reduction::BitOr: return "sdfg::BitOr{}";
    case Reduction::LogicalXor: return "sdfg::LogicalXor{}";
    case Reduction::BitXor: return "sdfg::BitXor{}";
    case Reduction::Exchange: return "sdfg::Exchange{}";
    case Reduction::Sub: return "sdfg::Sub{}";
    case Reduction::Div: return "sdfg::Div{}";
    default: break;
  }
  const Expr* lambda = wcr.expr();
  if (!lambda || !lambda->is(Op::Lambda) || lambda->args().size() != 3) {
    fail(place, "the write-conflict resolution `" + wcr.text() + "` is no lambda of two values");
    return "sdfg::Exchange{}";
  }
  CppExpr printer;
  const std::string body = printer.print(lambda->arg(2));
  if (!printer.problem.empty()) fail(place, printer.problem);
  const std::string t = type_name(type, place);
  return "[&](const " + t + "& " + cpp_name(lambda->arg(0).name()) + ", const " + t + "& " +
         cpp_name(lambda->arg(1).name()) + ") -> " + t + " { return " + body + "; }";
}

std::string SdfgFunction::update(At& at, EdgeId edge, const Binding& target, const Subset& subset,
                                 const std::string& address, const std::string& value) {
  const Memlet& memlet = at.state[edge].memlet;
  const Type& type = target.data->dtype;
  const Place place = at.edge_place(edge);
  const bool atomic =
      at.where.parallel && !memlet.wcr_nonatomic && conflicts(at, edge, target, subset);
  const std::string op = reduction_operator(*memlet.wcr, type, place);
  return (atomic ? "sdfg::update_atomic(" : "sdfg::update(") + address + ", " +
         type_name(type, place) + "(" + value + "), " + op + ");";
}

}  // namespace sdfg
