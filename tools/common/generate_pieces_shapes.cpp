// What states of programs of pieces do in several steps: shapes of dataflow that passes look for.

#include <algorithm>
#include <array>

#include "support/text.h"
#include "tools/common/generate_pieces.h"

namespace sdfg {

/// The access node of a container that was added last, if there is one.
NodeId RandomPieces::last_node(StateScope& s, const std::string& name) {
  NodeId last;
  const State& state = s.builder.state();
  for (NodeId n : state.nodes_of<AccessNode>())
    if (state.get<AccessNode>(n).data == name) last = n;
  return last;
}

/// One access node for all that was written to a container by several.
void RandomPieces::join_writes(StateScope& s, const std::string& name) {
  State& state = s.builder.state();
  const NodeId last = last_node(s, name);
  std::vector<NodeId> others;
  for (NodeId n : state.nodes_of<AccessNode>())
    if (n != last && state.get<AccessNode>(n).data == name) others.push_back(n);
  for (NodeId n : others) {
    const std::vector<EdgeId> in(state.in(n).begin(), state.in(n).end());
    for (EdgeId e : in) state.set_target(e, last);
    state.erase(n);
  }
}

/// One or two dimensions without anything around their points.
std::vector<RandomPieces::Extent> RandomPieces::plain_dims() {
  std::vector<Extent> dims{{random_domain()}};
  const std::size_t other = random_domain();
  if (other != dims[0].domain) dims.push_back({other});
  return dims;
}

/// Writes all points of a container, computed from those of another one, if there is one, and more.
void RandomPieces::everywhere(StateScope& s, std::size_t out, std::size_t from) {
  Points points;
  std::vector<std::string> place;
  s.touched.insert(out);
  for (const Extent& e : containers_[out].dims) {
    points.params.push_back({fresh("i"), e.domain});
    points.ranges.push_back(domains_[e.domain].text());
    place.push_back(at_point(e, points.params.back(), 0));
  }
  const bool in_map = !place.empty();
  if (in_map) s.builder.open_map("all", names(points.params), join(points.ranges, ", "));
  Ports in = inputs(s, points.params, out);
  const BaseType type = containers_[out].type;
  Port to{"o", subset(containers_[out].name, place)};
  if (from != none) in.push_back({"y", subset(containers_[from].name, place)});
  if (from == out && in.size() > 1 && random_.chance(50)) {
    to.dynamic = true;
    const std::string value = type == BaseType::Bool ? "p > 2" : "3";
    s.builder.tasklet("mask", in, "if p > 0:\n  o = " + value, {to});
  } else {
    s.builder.tasklet("all", in, code(in, points.params, type), {to});
  }
  if (in_map) s.builder.close_map();
}

/// Writes a new container and changes it, perhaps in some places.
void RandomPieces::update(StateScope& s) {
  const std::size_t out = new_transient(plain_dims(), random_type());
  everywhere(s, out);
  everywhere(s, out, out);
  wrote(s, out);
  pointwise(s);
}

/// Copies a part, changes it, and copies it back.
void RandomPieces::copy_out_and_back(StateScope& s) {
  const std::size_t whole_one = pick_output(s);
  if (whole_one == none || containers_[whole_one].is_scalar) return;
  std::vector<Extent> dims;
  std::vector<std::string> parts;
  for (const Extent& e : containers_[whole_one].dims) {
    parts.push_back(part(e, false));
    dims.push_back({e.domain});
  }
  const BaseType type = containers_[whole_one].type;
  const std::string place = subset(containers_[whole_one].name, parts);
  std::size_t t = new_transient(dims, type);
  s.touched.insert(whole_one);
  s.builder.copy(place, whole(containers_[t]));
  for (std::size_t steps = random_.below(3); steps > 0; --steps) {
    const std::size_t next = random_.chance(50) ? t : new_transient(dims, type);
    everywhere(s, next, t);
    t = next;
  }
  s.builder.copy(whole(containers_[t]), place);
  s.sealed.insert(t);
  containers_[whole_one].was_read = true;
  wrote(s, whole_one);
}

/// A part of such a container to copy: of the points of its first dimension, or so many elements.
/// Of one that is made, if there is none.
std::string RandomPieces::source(StateScope& s, std::vector<Extent> dims, int count,
                                 BaseType type) {
  for (int tries = 0; tries < 6; ++tries) {
    const std::size_t c = pick_input(s, none);
    if (c == none || containers_[c].dims.size() != dims.size()) continue;
    if (containers_[c].type != type && random_.chance(90)) continue;
    std::vector<std::string> parts;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const Extent& e = containers_[c].dims[d];
      if (d == 0 && count > 0 && e.fixed() + least_[e.domain] >= count)
        parts.push_back(std::to_string(-e.origin) + ":" + std::to_string(count - e.origin));
      else if ((d > 0 || count == 0) && e.domain == dims[d].domain)
        parts.push_back(part(e, false));
    }
    if (parts.size() < dims.size()) continue;
    read(s, c);
    return subset(containers_[c].name, parts);
  }
  for (Extent& e : dims) e = {e.domain};
  if (count > 0) dims[0].domain = of_three;
  const std::size_t made = new_transient(dims, type);
  everywhere(s, made);
  wrote(s, made), read(s, made);
  std::vector<std::string> parts;
  for (const Extent& e : dims) parts.push_back(part(e, true));
  if (count > 0) parts[0] = "0:" + std::to_string(count);
  return subset(containers_[made].name, parts);
}

/// Writes a new container in parts that do not meet, each by a map or a copy, and reads windows.
void RandomPieces::concat(StateScope& s) {
  std::vector<Extent> dims = plain_dims();
  Extent& cut = dims[0];
  cut.before = int(random_.below(3)), cut.behind = int(random_.below(3));
  const std::size_t out = new_transient(dims, random_type());
  const std::string name = containers_[out].name;
  const BaseType type = containers_[out].type;
  struct Part {
    std::string first, end;
    int count;  ///< 0: the points
  };
  const std::string middle = std::to_string(cut.before), last = points(cut.domain, cut.before);
  std::vector<Part> parts{{middle, last, 0}};
  if (cut.before > 0) parts.push_back({"0", middle, cut.before});
  if (cut.behind > 0) parts.push_back({last, size(cut), cut.behind});
  if (random_.chance(50)) std::swap(parts.front(), parts.back());
  const bool copies = random_.chance(50);
  for (const Part& written : parts) {
    if (copies) {
      std::vector<std::string> to{written.first + ":" + written.end};
      if (dims.size() > 1) to.push_back(part(dims[1], true));
      s.builder.copy(source(s, dims, written.count, type), subset(name, to));
      continue;
    }
    Points points;
    std::vector<std::string> place;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      Index index{fresh("i"), dims[d].domain};
      const Domain& domain = domains_[index.domain];
      place.push_back(at_point(dims[d], index, 0));
      points.ranges.push_back(domain.text());
      if (d == 0 && written.count > 0) {
        index.domain = of_three, index.high = 3 - written.count;
        place[0] = written.first + " + " + index.name;
        points.ranges[0] = "0:" + std::to_string(written.count);
      }
      points.params.push_back(std::move(index));
    }
    s.builder.open_map("part", names(points.params), join(points.ranges, ", "));
    const Ports in = inputs(s, points.params, out);
    s.builder.tasklet("part", in, code(in, points.params, type), {{"o", subset(name, place)}});
    s.builder.close_map();
  }
  join_writes(s, name);
  wrote(s, out);
  for (std::size_t readers = 1 + random_.below(2); readers > 0; --readers)
    random_.chance(25) ? copy(s) : pointwise(s);
  containers_[out].is_of_state = random_.chance(60);  // what others read stays
}

/// A map over rows of a container, each computed at once: by another program, or in two maps with
/// a row in between.
void RandomPieces::rows(StateScope& s) {
  const std::size_t out = pick_output(s);
  if (out == none || containers_[out].dims.size() != 2) return pointwise(s);
  const std::vector<Extent> dims = containers_[out].dims;
  const std::size_t along = random_.below(2);
  const Index row{fresh("i"), dims[1 - along].domain};
  if (row.domain == dims[along].domain) return;
  const std::string rows = domains_[row.domain].text();
  s.touched.insert(out);
  if (depth_ < 2 && random_.chance(40)) {
    std::vector<std::string> parts{at_point(dims[1 - along], row, 0), part(dims[along], true)};
    if (along == 0) std::swap(parts[0], parts[1]);
    s.builder.open_map("rows", row.name, rows);
    const Container& whole_one = containers_[out];
    call(s, {row},
         {out, subset(whole_one.name, parts), {whole_one.dims[along]}, {whole_one.strides[along]}});
  } else {
    const Index first{fresh("k"), dims[along].domain};
    Index second{fresh("k"), first.domain};
    const Domain& points = domains_[first.domain];
    bool all = true;
    const std::string then = range(second.domain, second, all);
    const std::size_t t = new_transient({{first.domain}}, random_type());
    const auto place = target(containers_[out], {row, second});
    const auto from = element(containers_[t], {second});
    if (!place || !from) return;
    s.builder.open_map("rows", row.name, rows);
    s.builder.access(containers_[t].name);
    s.builder.open_map("first", first.name, points.text());
    Ports in = inputs(s, {row, first}, out);
    s.builder.tasklet("first", in, code(in, {row, first}, containers_[t].type),
                      {{"o", subset(containers_[t].name, {at_point({first.domain}, first, 0)})}});
    s.builder.close_map();
    s.builder.open_map("second", second.name, then);
    in = inputs(s, {row, second}, out);
    in.push_back({"y", *from});
    s.builder.tasklet("second", in, code(in, {row, second}, containers_[out].type),
                      {{"o", *place}});
    s.builder.close_map();
  }
  s.builder.close_map();
  wrote(s, out);
}

/// Along one dimension, which may have no points.
void RandomPieces::reduce(StateScope& s) {
  const std::size_t from = pick_input(s, none);
  if (from == none) return;
  std::vector<Extent> dims = containers_[from].dims;
  const BaseType type = containers_[from].type;
  const auto moved = [](const Extent& e) { return e.origin != 0; };
  if (dims.empty() || type == BaseType::Bool || std::ranges::any_of(dims, moved)) return;
  const int axis = int(random_.below(dims.size()));
  dims.erase(dims.begin() + axis);
  const std::size_t out = new_transient(dims, type);
  constexpr std::array forms{"x + y", "max(x, y)", "min(x, y)"};
  s.builder.reduce(whole(containers_[from]), whole(containers_[out]),
                   std::string("lambda x, y: ") + forms[random_.below(forms.size())], {axis}, "0");
  read(s, from), wrote(s, out);
}

/// Elements in a row, and back.
void RandomPieces::reshape(StateScope& s) {
  const std::size_t from = pick_input(s, none);
  if (from == none || containers_[from].dims.size() != 2) return;
  const std::vector<Extent> dims = containers_[from].dims;
  if (containers_[from].strides != c_strides(dims)) return;
  const std::string count = "(" + size(dims[0]) + ")*(" + size(dims[1]) + ")", row = fresh("row");
  builder_.transient(row, containers_[from].type, count);
  s.builder.copy(whole(containers_[from]), row + "[0:" + count + "]");
  read(s, from);
  const BaseType type = containers_[from].type;
  const std::size_t out = declare(
      {.name = fresh("t"), .type = type, .dims = dims, .strides = c_strides(dims)}, true);
  s.builder.copy(row + "[0:" + count + "]", whole(containers_[out]));
  wrote(s, out);
}

}  // namespace sdfg
