#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "passes/common/assume.h"
#include "passes/pass.h"

namespace sdfg {

/// What is known inside of an SDFG, for walks that enter nested ones and seldom ask. Names may mean
/// something else in there, so that what holds outside is not known inside.
class LazyAssumptions {
 public:
  /// Of the program; the context outlives this.
  explicit LazyAssumptions(PassContext& context)
      : known_([&context]() -> const Assumptions& { return context.assumptions(); }) {}

  /// Of a program of which that is known; it outlives this.
  explicit LazyAssumptions(const Assumptions& known)
      : known_([&known]() -> const Assumptions& { return known; }) {}

  const Assumptions& get() const { return known_(); }

  /// Of a nested SDFG, as long as this, the parent and the node are in place.
  LazyAssumptions inside(const Sdfg& parent, const NestedSdfg& nested) const {
    return LazyAssumptions([this, &parent, &nested,
                            found = std::make_shared<std::optional<Assumptions>>()]()
                               -> const Assumptions& {
      if (!*found) found->emplace(assumptions_inside(parent, nested, get()));
      return **found;
    });
  }

 private:
  explicit LazyAssumptions(std::function<const Assumptions&()> known) : known_(std::move(known)) {}
  std::function<const Assumptions&()> known_;
};

}  // namespace sdfg
