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

/// Writes a new container in parts that meet nowhere, for some of which all is copied, and reads
/// windows of it.
void RandomPieces::concat(StateScope& s) {
  Extent cut{random_domain(), int(random_.below(3)), int(random_.below(3))};
  std::vector<Extent> dims{cut};
  if (const std::size_t other = random_domain(); other != cut.domain && random_.chance(50))
    dims.push_back({other});
  const std::size_t out = new_transient(dims, random_type());
  const std::string name = containers_[out].name;
  const BaseType type = containers_[out].type;
  s.touched.insert(out);
  const auto& [begin, end] = domains_[cut.domain];
  struct Part {
    Index index;
    std::string range, at;
  };
  std::vector<Part> parts;
  const std::string i = fresh("i");
  const auto some = [&](int count, const std::string& first) {
    if (count > 0)
      parts.push_back({{i, of_three, 0, 3 - count},
                       "0:" + std::to_string(count),
                       first == "0" ? i : first + " + " + i});
  };
  some(cut.before, "0");
  const Index inner{i, cut.domain};
  parts.push_back({inner, begin + ":" + end, at_point(cut, inner, 0)});
  some(cut.behind, points(cut.domain, cut.before));
  if (random_.chance(30)) std::swap(parts.front(), parts.back());
  for (const Part& part : parts) {
    Indices params{part.index};
    std::vector<std::string> ranges{part.range}, place{part.at};
    if (dims.size() > 1) {
      params.push_back({fresh("i"), dims[1].domain});
      ranges.push_back(domains_[dims[1].domain].begin + ":" + domains_[dims[1].domain].end);
      place.push_back(at_point(dims[1], params[1], 0));
    }
    s.builder.open_map("part", names(params), join(ranges, ", "));
    const Ports in = inputs(s, params, out);
    s.builder.tasklet("part", in, code(in, params, type), {{"o", subset(name, place)}});
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

/// A loop over levels in a map over the plane that carries a value, as GT4Py's scans.
void RandomPieces::scan(StateScope& s) {
  const Index plane{fresh("i"), random_domain()}, level{fresh("k"), random_domain()};
  if (plane.domain == level.domain) return pointwise(s);
  std::vector<Extent> dims{{plane.domain}, {level.domain}};
  std::vector<std::string> column{at_point(dims[0], plane, 0), part(dims[1], true)};
  const std::size_t along = random_.chance(50) ? 1 : 0;
  if (along == 0) std::swap(dims[0], dims[1]), std::swap(column[0], column[1]);
  const std::size_t out = new_transient(dims, BaseType::Float64);
  s.touched.insert(out);
  const Domain &over = domains_[plane.domain], &levels = domains_[level.domain];
  s.builder.open_map("plane", plane.name, over.begin + ":" + over.end);
  Ports steps = inputs(s, {plane, level}, out);

  Builder inner(fresh("scan"));
  std::map<std::string, std::string> symbols{{plane.name, plane.name}};
  for (const std::string& name : symbols_) symbols[name] = name;
  for (const std::string& name : smalls_) symbols[name] = name;
  for (const Index& index : indices_) symbols[index.name] = index.name;
  for (const auto& [name, value] : symbols) inner.symbol(name);
  inner.scalar("carry", BaseType::Float64, true);
  inner.array("column", BaseType::Float64, points(level.domain, 0)).as_array()->strides[0] =
      builder_.sdfg().find_data(containers_[out].name)->as_array()->strides[along];
  Ports in, reads;
  for (const Port& step : steps) {
    const Container& c = container_of(step);
    const std::string name = "all_" + step.connector;
    Data data = *builder_.sdfg().find_data(c.name);
    data.transient = false;
    if (Array* array = data.as_array()) array->role = Role::Plain;
    inner.sdfg().arrays.set(name, std::move(data));
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

/// One or two choices by one value, each a nested SDFG with two states, as GT4Py's if_stmt.
void RandomPieces::choose(StateScope& s, const Indices& params, std::size_t out,
                          const std::string& place) {
  const std::string test = local(s, params, out, BaseType::Bool);
  const auto choice = [&](Ports in, const std::string& to, BaseType type) {
    Builder inner(fresh("if_stmt"));
    for (const std::string& small : smalls_) inner.symbol(small);
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
        reads.push_back({port.connector, "in_" + port.connector + "[0]"});
        if (used.insert(port.connector).second)
          inner.scalar("in_" + port.connector, container_of(port).type);
      }
      branch.state().tasklet("branch", reads, code(given, {}, type), {{"o", "out[0]"}});
    }
    std::erase_if(in, [&](const Port& port) { return !used.contains(port.connector); });
    for (Port& port : in) port.connector = "in_" + port.connector;
    in.push_back({"c", test});
    s.builder.nested(inner.take(), in, {{"out", to}});
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
