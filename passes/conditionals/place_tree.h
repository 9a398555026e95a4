#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace sdfg {

/// A tree that grows at its leaves and finds common ancestors in logarithmic time, however deep it
/// is. Each element knows its parent and one ancestor farther up, chosen so that any depth can be
/// reached in logarithmically many steps (skew-binary numbers; Myers 1983).
class PlaceTree {
 public:
  using Index = std::uint32_t;
  static constexpr Index root = 0;

  PlaceTree() : places_(1) {}

  Index add(Index parent) {
    const Place& p = places_[parent];
    const Place& q = places_[p.jump];
    const bool equal_steps = p.depth - q.depth == q.depth - places_[q.jump].depth;
    places_.push_back({parent, equal_steps ? q.jump : parent, p.depth + 1});
    return Index(places_.size() - 1);
  }
  Index parent(Index place) const { return places_[place].parent; }
  std::uint32_t depth(Index place) const { return places_[place].depth; }
  /// The place at this depth that it lies in; itself where it is not as deep.
  Index at_depth(Index place, std::uint32_t depth) const {
    while (places_[place].depth > depth) {
      const Place& p = places_[place];
      place = places_[p.jump].depth >= depth ? p.jump : p.parent;
    }
    return place;
  }
  std::size_t size() const { return places_.size(); }

  /// The deepest place that both lie in (a place lies in itself).
  Index common(Index a, Index b) const {
    if (places_[a].depth < places_[b].depth) std::swap(a, b);
    a = at_depth(a, places_[b].depth);
    while (a != b) {
      const bool far = places_[a].jump != places_[b].jump;
      a = far ? places_[a].jump : places_[a].parent;
      b = far ? places_[b].jump : places_[b].parent;
    }
    return a;
  }
  bool contains(Index outer, Index inner) const {
    return places_[inner].depth >= places_[outer].depth &&
           at_depth(inner, places_[outer].depth) == outer;
  }

 private:
  struct Place {
    Index parent = root, jump = root;
    std::uint32_t depth = 0;
  };
  std::vector<Place> places_;
};

}  // namespace sdfg
