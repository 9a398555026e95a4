#include "codegen/interpreter/expression.h"

namespace sdfg::interpreter {

const Binding* Names::find(std::string_view name) const {
  for (const Names* names = this; names; names = names->outer_)
    if (const Binding* found = names->find_own(name)) return found;
  return nullptr;
}

const Binding* Names::find_own(std::string_view name) const {
  if (const auto found = own_.find(name); found != own_.end()) return &found->second;
  if (on_demand)
    if (auto binding = on_demand(name))
      return &own_.insert_or_assign(std::string(name), *std::move(binding)).first->second;
  return nullptr;
}

void Names::set(std::string name, Binding binding) {
  own_.insert_or_assign(std::move(name), std::move(binding));
}

std::string dotted_name(const Expr& expr) {
  if (expr.is(Op::Symbol)) return expr.name();
  if (!expr.is(Op::Attribute)) return {};
  std::string base = dotted_name(expr.arg(0));
  return base.empty() ? base : base + "." + expr.name();
}

}  // namespace sdfg::interpreter
