#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace sdfg {

/// Tags the edges of the graph whose nodes are tagged Tag.
template <class Tag>
struct EdgeOf;

/// A number naming one element of one graph. Numbers grow in insertion order and
/// are never reused, so they sort the same way in every run.
template <class Tag>
struct Id {
  std::uint32_t value = ~0u;
  constexpr explicit operator bool() const { return value != ~0u; }
  friend constexpr auto operator<=>(Id, Id) = default;
};

}  // namespace sdfg

template <class Tag>
struct std::hash<sdfg::Id<Tag>> {
  std::size_t operator()(sdfg::Id<Tag> id) const noexcept { return id.value; }
};
