#pragma once

#include <string_view>

#include "support/by_name.h"

namespace sdfg {

/// Looks up names that come in the order of a ByName: all of them in time linear in both.
template <class Value>
class InOrder {
 public:
  explicit InOrder(const ByName<Value>& map) : at_(map.begin()), end_(map.end()) {}
  /// Null when the map lacks the name.
  const Value* find(std::string_view name) {
    while (at_ != end_ && NameLess()(at_->first, name)) ++at_;
    return at_ != end_ && at_->first == name ? &at_->second : nullptr;
  }

 private:
  typename ByName<Value>::const_iterator at_, end_;
};

}  // namespace sdfg
