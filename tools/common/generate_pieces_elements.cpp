// Containers, points and elements of programs of pieces, and code.

#include <algorithm>
#include <array>

#include "support/assert.h"
#include "support/text.h"
#include "tools/common/generate_mixed.h"
#include "tools/common/generate_pieces.h"

namespace sdfg {

// ---- Containers.

void RandomPieces::declare_symbol(const std::string& name) {
  builder_.symbol(name, random_.chance(25) ? BaseType::Int32 : BaseType::Int64);
}

std::string RandomPieces::fresh(const std::string& stem) {
  return stem + std::to_string(depth_) + "_" + std::to_string(counter_++);
}

/// How many points a domain has, and some more.
std::string RandomPieces::points(std::size_t domain, int more) const {
  const auto& [begin, end] = domains_[domain];
  std::string points = end;
  if (begin != "0" || domain == of_difference)
    points = "Max(0, " + end + (begin == "0" ? "" : " - " + begin) + ")";
  return plus(points, more);
}

/// Row by row.
RandomPieces::Strides RandomPieces::c_strides(const std::vector<Extent>& dims) {
  Strides strides;
  for (std::size_t d = 0; d < dims.size(); ++d)
    strides.emplace_back(dims.begin() + std::ptrdiff_t(d) + 1, dims.end());
  return strides;
}

Data RandomPieces::described(const Container& c, bool transient) const {
  if (c.is_scalar) return Data::scalar(c.type, transient);
  const auto expr = [&](const Extent& e) { return parse_subset(size(e))->ranges[0].begin; };
  std::vector<Expr> shape;
  for (const Extent& e : c.dims) shape.push_back(expr(e));
  if (shape.empty()) shape.push_back(1);
  Data data = Data::array(c.type, std::move(shape), transient);
  for (std::size_t d = 0; d < c.dims.size(); ++d) {
    Expr stride(1);
    for (const Extent& e : c.strides[d]) stride = stride * expr(e);
    data.as_array()->strides[d] = std::move(stride);
    data.as_array()->offset[d] = Expr(c.dims[d].origin);
  }
  return data;
}

std::size_t RandomPieces::declare(Container c, bool transient) {
  if (c.strides.empty() && c.dims.size() == 2 && random_.chance(20)) c.strides = {{}, {c.dims[0]}};
  if (c.strides.empty()) c.strides = c_strides(c.dims);
  SDFG_ASSERT(!builder_.sdfg().arrays.contains(c.name)) << c.name;
  builder_.sdfg().arrays.set(c.name, described(c, transient));
  containers_.push_back(std::move(c));
  if (!transient) {
    containers_.back().is_readable = true;
    readable_.push_back(containers_.size() - 1);
  }
  return containers_.size() - 1;
}

std::size_t RandomPieces::new_transient(std::vector<Extent> dims, BaseType type) {
  const bool is_scalar = dims.empty() && random_.chance(50);
  return declare(
      {.name = fresh("t"), .type = type, .dims = std::move(dims), .is_scalar = is_scalar}, true);
}

std::vector<RandomPieces::Extent> RandomPieces::random_dims() {
  std::vector<Extent> dims(1 + random_.below(2));
  for (Extent& e : dims) {
    e.domain = random_domain();
    if (random_.chance(50)) e.before = int(random_.below(2)), e.behind = int(random_.below(3));
    if (random_.chance(15)) e.origin = int(random_.between(-1, 2));
  }
  return dims;
}

BaseType RandomPieces::random_type() {
  constexpr std::array types{BaseType::Float64, BaseType::Float64, BaseType::Float64,
                             BaseType::Float32, BaseType::Int32,   BaseType::Int64,
                             BaseType::Bool};
  return types[random_.below(types.size())];
}

std::size_t RandomPieces::pick_output(StateScope& s) {
  for (int tries = 0; tries < 6; ++tries) {
    // Mostly what is seen in the end.
    const std::size_t some = random_.chance(60) ? std::min<std::size_t>(4, readable_.size())
                                                : readable_.size();
    const std::size_t c = readable_[random_.below(some)];
    if (containers_[c].is_writable && !containers_[c].is_small && !s.touched.contains(c)) return c;
  }
  return none;
}

std::size_t RandomPieces::pick_input(const StateScope& s, std::size_t avoid) {
  const auto may_read = [&](std::size_t c) { return c != avoid && !s.sealed.contains(c); };
  // What nobody reads is computed for nothing.
  if (random_.chance(40))
    for (std::size_t i = readable_.size(); i-- > 4;)
      if (!containers_[readable_[i]].was_read && may_read(readable_[i])) return readable_[i];
  for (int tries = 0; tries < 6; ++tries) {
    const std::size_t recent = std::min<std::size_t>(readable_.size(), 6);
    const std::size_t back = random_.below(random_.chance(60) ? recent : readable_.size());
    const std::size_t c = readable_[readable_.size() - 1 - back];
    if (may_read(c)) return c;
  }
  return none;
}

void RandomPieces::wrote(StateScope& s, std::size_t c) {
  s.touched.insert(c);
  containers_[c].was_written = true;
  for (const Reference& reference : references_)
    if (reference.name == c)
      for (std::size_t target : reference.targets) containers_[target].was_written = true;
  if (std::exchange(containers_[c].is_readable, true)) return;
  readable_.push_back(c);
}

void RandomPieces::read(StateScope& s, std::size_t c) {
  s.touched.insert(c);
  containers_[c].was_read = true;
}

// ---- Points and elements.

std::string RandomPieces::from_0_to_2() {
  return smalls_.empty() ? std::to_string(random_.below(3))
                         : smalls_[random_.below(smalls_.size())];
}

std::string RandomPieces::subset(const std::string& name, const std::vector<std::string>& parts) {
  return name + "[" + (parts.empty() ? "0" : join(parts, ", ")) + "]";
}

std::string RandomPieces::names(const Indices& indices) {
  std::vector<std::string> out;
  for (const Index& index : indices) out.push_back(index.name);
  return join(out, ", ");
}

/// A part of a domain, perhaps with ends from data.
std::string RandomPieces::range(std::size_t domain, Index& index, bool& all) {
  std::string begin = domains_[domain].begin, end = domains_[domain].end;
  if (random_.chance(60)) return begin + ":" + end;
  all = false;
  const std::string small = from_0_to_2();
  switch (random_.below(6)) {
    case 0:
      return begin + ":" + end + ":2";
    case 1:
      index.low = 1;
      return plus(begin, 1) + ":" + end;
    case 2:
      index.low = index.high = 1;
      return plus(begin, 1) + ":" + plus(end, -1);
    case 3:
      return begin + " + " + small + ":" + end;
    case 4:
      return begin + ":" + end + " - " + small;
    default:
      return begin + ":Min(" + end + ", " + begin + " + " + small + ")";
  }
}

RandomPieces::Points RandomPieces::random_points(StateScope& s) {
  Points points;
  const std::size_t dims = 1 + random_.below(2);
  for (std::size_t d = 0; d < dims; ++d) {
    Index index{fresh("i"), random_domain()};
    const auto same = [&](const Index& i) { return i.domain == index.domain; };
    if (std::ranges::any_of(points.params, same)) continue;
    points.ranges.push_back(range(index.domain, index, points.all));
    points.params.push_back(std::move(index));
  }
  const auto small = std::ranges::find_if(readable_, [&](std::size_t c) {
    return containers_[c].is_small && !s.sealed.contains(c);
  });
  if (small != readable_.end() && random_.chance(50)) {
    const Domain& domain = domains_[points.params[0].domain];
    const std::string end = fresh("e");
    points.ranges[0] =
        domain.begin + ":Min(" + domain.end + ", " + domain.begin + " + " + end + ")";
    points.params[0].low = points.params[0].high = 0;
    points.ends = {{end, containers_[*small].name + "[0]"}};
    points.all = false;
    read(s, *small);
  }
  return points;
}

/// All elements of a dimension, or those of the points of its domain.
std::string RandomPieces::part(const Extent& e, bool all) const {
  const int first = (all ? 0 : e.before) - e.origin;
  return std::to_string(first) + ":" + points(e.domain, first + (all ? e.fixed() : 0));
}

std::string RandomPieces::whole(const Container& c) const {
  std::vector<std::string> parts;
  for (const Extent& e : c.dims) parts.push_back(part(e, true));
  return subset(c.name, parts);
}

std::string RandomPieces::at_point(const Extent& e, const Index& index, int shift) const {
  const std::string& begin = domains_[e.domain].begin;
  return plus(begin == "0" ? index.name : index.name + " - " + begin,
              e.before - e.origin + shift);
}

/// An element that is there whatever the sizes are.
std::optional<std::string> RandomPieces::constant(const Extent& e) {
  const int count = e.fixed() + least_[e.domain];
  if (count <= 0) return std::nullopt;
  if (count >= 3 && !smalls_.empty() && random_.chance(50))
    return plus(smalls_[random_.below(smalls_.size())], -e.origin);
  const int some = int(random_.below(std::size_t(count)));
  if (random_.chance(30)) return points(e.domain, e.fixed() - e.origin - 1 - some);
  return std::to_string(some - e.origin);
}

/// An element to read, near some of the points around.
std::optional<std::string> RandomPieces::element(const Container& c, const Indices& more) {
  std::vector<std::string> parts;
  Indices known = indices_;
  known.insert(known.end(), more.begin(), more.end());
  for (const Extent& e : c.dims) {
    std::string part;
    for (std::size_t i = known.size(); i-- > 0;) {
      const Index& index = known[i];
      if (index.domain != e.domain || (!part.empty() && random_.chance(50))) continue;
      const int low = -e.before - index.low, high = e.behind + index.high;
      if (low > high) continue;
      if (-index.low <= e.behind && -index.high <= e.before && random_.chance(15)) {
        part = plus("(" + domains_[e.domain].end + ") - " + index.name, e.before - e.origin - 1);
        continue;
      }
      const int shift = random_.chance(50) ? std::clamp(0, low, high)
                                           : int(random_.between(low, high));
      part = at_point(e, index, shift);
    }
    if (part.empty()) {
      const auto some = constant(e);
      if (!some) return std::nullopt;
      part = *some;
    }
    parts.push_back(std::move(part));
  }
  return subset(c.name, parts);
}

/// An element of its own for each point.
std::optional<std::string> RandomPieces::target(const Container& c, const Indices& params) {
  std::vector<std::string> parts;
  std::set<std::size_t> used;
  for (const Extent& e : c.dims) {
    std::string part;
    for (std::size_t p = 0; p < params.size() && part.empty(); ++p) {
      if (params[p].domain != e.domain || used.contains(p)) continue;
      const int low = -e.before - params[p].low, high = e.behind + params[p].high;
      if (low > high) continue;
      const int shift = random_.chance(70) ? std::clamp(0, low, high)
                                           : int(random_.between(low, high));
      part = at_point(e, params[p], shift);
      used.insert(p);
    }
    for (const Index& index : indices_)
      if (part.empty() && index.domain == e.domain && random_.chance(70))
        part = at_point(e, index, 0);
    if (part.empty()) {
      const auto some = constant(e);
      if (!some) return std::nullopt;
      part = *some;
    }
    parts.push_back(std::move(part));
  }
  if (used.size() != params.size()) return std::nullopt;
  return subset(c.name, parts);
}

Ports RandomPieces::inputs(StateScope& s, const Indices& more, std::size_t avoid) {
  Ports ports;
  const std::size_t count = random_.chance(10) ? 0 : 1 + random_.below(3);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t c = pick_input(s, avoid);
    if (c == none) continue;
    const auto place = element(containers_[c], more);
    if (!place) continue;
    ports.push_back({std::string(1, char('p' + ports.size())), *place});
    read(s, c);
  }
  return ports;
}

const RandomPieces::Container& RandomPieces::container_of(const Port& port) const {
  const std::string name = port.memlet.substr(0, port.memlet.find('['));
  return *std::ranges::find(containers_, name, &Container::name);
}

/// Computes `to` from what is there. All results are multiples of 1/8 between -64 and 64.
std::string RandomPieces::code(const Ports& in, const Indices& more, BaseType type,
                               const std::string& to) {
  std::vector<std::string> terms;
  for (const Port& port : in)
    terms.push_back(container_of(port).type == BaseType::Bool
                        ? "(2 if " + port.connector + " else -1)"
                        : port.connector);
  if (!more.empty() && random_.chance(40)) terms.push_back(more[random_.below(more.size())].name);
  if (!smalls_.empty() && random_.chance(20))
    terms.push_back(smalls_[random_.below(smalls_.size())]);
  if (terms.empty() || random_.chance(30)) terms.push_back(std::to_string(random_.below(4)));
  std::string value = terms[0];
  for (std::size_t i = 1; i < terms.size(); ++i) {
    constexpr std::array forms{"$ + #", "$ - #", "min($, #)", "max($, #)", "# - $",
                               "($ if $ > # else 1)", "$ + (# if # > 0 else 2)"};
    std::string next;
    for (const char c : std::string_view(forms[random_.below(forms.size())]))
      next += c == '$' ? "(" + value + ")" : c == '#' ? terms[i] : std::string(1, c);
    value = std::move(next);
  }
  if (type == BaseType::Bool)
    return to + " = (" + value + ") > " + std::to_string(random_.below(3));
  const std::string v = to == "o" ? "v" : "v_" + to;
  return v + " = " + value + "\n" + to + " = 64 if " + v + " > 64 else (-64 if " + v +
         " < -64 else " + v + ")";
}

}  // namespace sdfg
