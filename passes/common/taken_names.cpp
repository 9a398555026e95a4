#include "passes/common/taken_names.h"

#include "ir/analysis/assigned_symbols.h"
#include "ir/names.h"
#include "ir/walk.h"

namespace sdfg {

TakenNames::TakenNames(const Sdfg& sdfg) : sdfg_(sdfg) {
  assigned_ = assigned_symbols(sdfg);
  for_each_node(sdfg, [&](const Node& node) { add_connectors(node); });
}

void TakenNames::add_connectors(const Node& node) {
  if (!node.is<Tasklet>()) return;
  for (const auto& [name, type] : node.in_connectors) connectors_.insert(name);
  for (const auto& [name, type] : node.out_connectors) connectors_.insert(name);
}

bool TakenNames::taken(std::string_view name) const {
  return is_variable(name) || connectors_.contains(name);
}

bool TakenNames::is_variable(std::string_view name) const {
  return sdfg_.arrays.contains(name) || sdfg_.symbols.contains(name) ||
         sdfg_.constants.contains(name) || assigned_.contains(name);
}

std::string TakenNames::take(std::string_view base) {
  std::string name = new_name(base);
  if (taken(name)) {
    std::size_t& next = next_[name];
    const std::string prefix = name + "_";
    do name = prefix + std::to_string(next++);
    while (taken(name));
  }
  assigned_.insert(name);
  return name;
}

NestedNames& TakenNames::nested() {
  if (!nested_) nested_.emplace(sdfg_);
  return *nested_;
}

}  // namespace sdfg
