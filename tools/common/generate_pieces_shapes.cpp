// What states of programs of pieces do in several steps: shapes of dataflow that passes look for.

#include <algorithm>
#include <array>

#include "support/text.h"
#include "tools/common/generate_pieces.h"

namespace sdfg {

/// One access node for all that was written to a container by several.
void RandomPieces::join_writes(StateScope& s, const std::string& name) {
  State& state = s.builder.state();
  NodeId last;
  for (NodeId n : state.nodes_of<AccessNode>()) {
    if (state.get<AccessNode>(n).data != name) continue;
    if (last) {
      const std::vector<EdgeId> in(state.in(last).begin(), state.in(last).end());
      for (EdgeId e : in) state.set_target(e, n);
      state.erase(last);
    }
    last = n;
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
std::optional<std::string> RandomPieces::source(StateScope& s, const std::vector<Extent>& dims,
                                                int count) {
  for (int tries = 0; tries < 4; ++tries) {
    const std::size_t c = pick_input(s, none);
    if (c == none || containers_[c].dims.size() != dims.size()) continue;
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
  return std::nullopt;
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
    if (const auto from = copies ? source(s, dims, written.count) : std::nullopt) {
      std::vector<std::string> to{written.first + ":" + written.end};
      if (dims.size() > 1) to.push_back(part(dims[1], true));
      s.builder.copy(*from, subset(name, to));
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
}

/// A part of a container by another name, read or written.
void RandomPieces::view(StateScope& s) {
  const bool writes = random_.chance(40);
  const std::size_t viewed = writes ? pick_output(s) : pick_input(s, none);
  if (viewed == none || containers_[viewed].is_view) return;
  const Container& whole_one = containers_[viewed];
  Container v{.name = fresh("v"), .type = whole_one.type, .is_view = true};
  std::vector<std::string> parts;
  for (std::size_t d = 0; d < whole_one.dims.size(); ++d) {
    const Extent& e = whole_one.dims[d];
    if (const auto some = random_.chance(30) ? constant(e) : std::nullopt) {
      parts.push_back(*some);
      continue;
    }
    const bool all = random_.chance(50);
    parts.push_back(part(e, all));
    v.dims.push_back(all ? Extent{e.domain, e.before, e.behind} : Extent{e.domain});
    v.strides.push_back(whole_one.strides[d]);
  }
  if (v.dims.empty()) return;
  const std::string place = subset(whole_one.name, parts);
  const std::size_t c = declare(std::move(v), true);
  builder_.sdfg().arrays[containers_[c].name].as_array()->role = Role::View;
  State& state = s.builder.state();
  const auto copy = [&](const std::string& from, const std::string& to) {
    s.builder.copy(from, to);
    EdgeId added;
    for (EdgeId e : state.edges()) added = e;
    return added;
  };
  if (!writes) {
    const EdgeId e = copy(place, whole(containers_[c]));
    state[e].dst_connector = "views";
    state[state.target(e)].in_connectors["views"];
    read(s, viewed), wrote(s, c);
    return pointwise(s);
  }
  s.touched.insert(viewed), s.sealed.insert(viewed);
  pointwise(s, c);
  if (!s.touched.contains(c)) return;
  s.sealed.insert(c);
  const EdgeId e = copy(whole(containers_[c]), place);
  state[e].src_connector = "views";
  state[state.source(e)].out_connectors["views"];
  wrote(s, viewed);
}

/// The container as a nested SDFG sees all of it.
Data RandomPieces::argument(const Container& c) {
  Data data = *builder_.sdfg().find_data(c.name);
  data.transient = false;
  if (Array* array = data.as_array()) array->role = Role::Plain;
  return data;
}

/// What has a value here, by its name.
std::map<std::string, std::string> RandomPieces::names_here(const Indices& params) const {
  std::map<std::string, std::string> names;
  for (const std::string& name : symbols_) names[name] = name;
  for (const std::string& name : smalls_) names[name] = name;
  for (const Indices& list : {indices_, params})
    for (const Index& index : list) names[index.name] = index.name;
  return names;
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
    call(s, {row}, out, subset(containers_[out].name, parts), along);
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

/// A loop over levels in a map over the plane that carries a value, as GT4Py's scans.
void RandomPieces::scan(StateScope& s) {
  const Index plane{fresh("i"), random_domain()}, level{fresh("k"), random_domain()};
  if (plane.domain == level.domain) return pointwise(s);
  std::vector<Extent> dims{{plane.domain}, {level.domain}};
  std::vector<std::string> column{at_point(dims[0], plane, 0), part(dims[1], true)};
  const std::size_t along = random_.chance(50) ? 1 : 0;
  if (along == 0) std::swap(dims[0], dims[1]), std::swap(column[0], column[1]);
  const std::size_t out = new_transient(dims, BaseType::Float64);
  std::size_t before = none;
  if (random_.chance(50)) {
    before = new_transient(dims, random_type());
    everywhere(s, before);
    wrote(s, before);
  }
  s.touched.insert(out);
  const Domain &over = domains_[plane.domain], &levels = domains_[level.domain];
  s.builder.open_map("plane", plane.name, over.text());
  Ports steps = inputs(s, {plane, level}, out);
  if (before != none) {
    std::vector<std::string> here{at_point({plane.domain}, plane, 0),
                                  at_point({level.domain}, level, 0)};
    if (along == 0) std::swap(here[0], here[1]);
    read(s, before);
    steps.push_back({"x", subset(containers_[before].name, here)});
  }

  Builder inner(fresh("scan"));
  const std::map<std::string, std::string> symbols = names_here({plane});
  for (const auto& [name, value] : symbols) inner.symbol(name);
  inner.scalar("carry", BaseType::Float64, true);
  inner.array("column", BaseType::Float64, points(level.domain, 0)).as_array()->strides[0] =
      builder_.sdfg().find_data(containers_[out].name)->as_array()->strides[along];
  Ports in, reads;
  for (const Port& step : steps) {
    const Container& c = container_of(step);
    const std::string name = "all_" + step.connector;
    inner.sdfg().arrays.set(name, argument(c));
    in.push_back({name, whole(c)});
    reads.push_back({step.connector, name + step.memlet.substr(c.name.size())});
  }
  inner.state().tasklet("start", {}, "o = 1", {{"o", "carry[0]"}});
  const std::string &k = level.name, low = "(" + levels.begin + ")";
  RegionBuilder body = random_.chance(30)
                           ? inner.loop(k, levels.end + " - 1", k + " >= " + low, k + " - 1")
                           : inner.loop(k, low, k + " < " + levels.end, k + " + 1", "scan_" + k);
  StateBuilder step = body.state();
  reads.push_back({"y", "carry[0]"});
  steps.push_back({"y", whole(containers_[out])});  // of the type of what is carried
  step.tasklet("step", reads, code(steps, {level}, BaseType::Float64), {{"o", "carry[0]"}});
  step.tasklet("give", {{"y", "carry[0]"}}, "o = y",
               {{"o", "column[" + at_point({level.domain}, level, 0) + "]"}});
  s.builder.nested(inner.take(), in, {{"column", subset(containers_[out].name, column)}}, symbols);
  s.builder.close_map();
  wrote(s, out);
}

/// Computes a scalar in a map; the place of its element.
std::string RandomPieces::local(StateScope& s, const Indices& params, std::size_t avoid,
                                BaseType type) {
  const std::string name = containers_[new_transient({}, type)].name;
  const Ports in = inputs(s, params, avoid);
  s.builder.access(name);
  s.builder.tasklet("local", in, code(in, params, type), {{"o", name + "[0]"}});
  return name + "[0]";
}

/// One or two choices by one value, each a nested SDFG with two states, as GT4Py's if_stmt, that
/// is given elements or arrays.
void RandomPieces::choose(StateScope& s, const Indices& params, std::size_t out,
                          const std::string& place) {
  const std::string test = local(s, params, out, BaseType::Bool);
  const auto choice = [&](Ports in, const std::string& to, BaseType type) {
    Builder inner(fresh("if_stmt"));
    const std::map<std::string, std::string> symbols = names_here(params);
    for (const auto& [name, value] : symbols) inner.symbol(name);
    std::set<std::string> whole_ones;
    for (const Port& port : in)
      if (!container_of(port).dims.empty() && random_.chance(30)) whole_ones.insert(port.connector);
    inner.scalar("c", BaseType::Bool);
    inner.scalar("out", type);
    std::set<std::string> used;
    ConditionalBuilder branches = inner.conditional();
    const std::string condition = random_.chance(30) ? "not c" : "c";
    for (const bool first : {true, false}) {
      RegionBuilder branch = first ? branches.branch(condition) : branches.otherwise();
      Ports given, reads;
      for (const Port& port : in) {
        if (random_.chance(40)) continue;
        given.push_back(port);
        const Container& c = container_of(port);
        const std::string name = "in_" + port.connector;
        const bool all = whole_ones.contains(port.connector);
        reads.push_back({port.connector,
                         name + (all ? port.memlet.substr(c.name.size()) : "[0]")});
        if (!used.insert(port.connector).second) continue;
        if (all)
          inner.sdfg().arrays.set(name, argument(c));
        else
          inner.scalar(name, c.type);
      }
      branch.state().tasklet("branch", reads, code(given, {}, type), {{"o", "out[0]"}});
    }
    std::erase_if(in, [&](const Port& port) { return !used.contains(port.connector); });
    for (Port& port : in) {
      if (whole_ones.contains(port.connector)) port.memlet = whole(container_of(port));
      port.connector = "in_" + port.connector;
    }
    in.push_back({"c", test});
    s.builder.nested(inner.take(), in, {{"out", to}}, symbols);
  };
  Ports in = inputs(s, params, out);
  if (random_.chance(60)) in.push_back({"x", local(s, params, out, random_type())});
  if (random_.chance(50)) {
    const BaseType type = random_type();
    const std::string name = containers_[new_transient({}, type)].name;
    s.builder.access(name);
    choice(in, name + "[0]", type);
    in = inputs(s, params, out);
    in.push_back({"y", name + "[0]"});
  }
  choice(in, place, containers_[out].type);
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
  const std::vector<std::vector<Extent>> strides{{dims[1]}, {}};
  if (containers_[from].strides != strides) return;
  const std::string count = "(" + size(dims[0]) + ")*(" + size(dims[1]) + ")", row = fresh("row");
  builder_.transient(row, containers_[from].type, count);
  s.builder.copy(whole(containers_[from]), row + "[0:" + count + "]");
  read(s, from);
  const BaseType type = containers_[from].type;
  const std::size_t out = declare(
      {.name = fresh("t"), .type = type, .dims = dims, .strides = strides}, true);
  s.builder.copy(row + "[0:" + count + "]", whole(containers_[out]));
  wrote(s, out);
}

}  // namespace sdfg
