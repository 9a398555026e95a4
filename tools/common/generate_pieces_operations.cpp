// What the states of programs of pieces do.

#include <algorithm>
#include <array>

#include "support/text.h"
#include "tools/common/generate_mixed.h"
#include "tools/common/generate_pieces.h"

namespace sdfg {
namespace {
bool is_whole_number(BaseType type) {
  return type == BaseType::Int32 || type == BaseType::Int64;
}
}  // namespace

void RandomPieces::operation(StateScope& s) {
  switch (random_.below(22)) {
    case 20:
      return record(s);
    case 21:
      return library(s);
    case 10:
    case 11:
      return concat(s);
    case 18:
    case 19:
      return rows(s);
    case 16:
      return update(s);
    case 17:
      return copy_out_and_back(s);
    case 12:
      return scan(s);
    case 13:
      return view(s);
    case 14:
      return random_.chance(50) ? reduce(s) : reshape(s);
    case 0:
      return accumulate(s);
    case 1:
      return two_parts(s);
    case 2:
    case 3:
      return copy(s);
    case 4:
      return scalar(s);
    case 5: {
      const std::size_t out = pick_output(s);
      if (depth_ >= 2 || out == none) return pointwise(s);
      return call(s, {}, whole_window(out));
    }
    default:
      return pointwise(s);
  }
}

/// Into `out`, if it is given.
void RandomPieces::pointwise(StateScope& s, std::size_t out) {
  const Points points = random_points(s);
  std::optional<std::string> place;
  if (out != none) {
    place = target(containers_[out], points.params);
    if (!place) return;
  } else if (!points.all || random_.chance(s.is_chain ? 25 : 65)) {
    for (int tries = 0; tries < 6 && !place; ++tries) {
      out = pick_output(s);
      if (out != none) place = target(containers_[out], points.params);
    }
    if (!place) return;
  } else {
    std::vector<Extent> dims;
    for (const Index& index : points.params) dims.push_back({index.domain});
    if (dims.size() > 1 && random_.chance(30)) std::swap(dims[0], dims[1]);
    out = new_transient(std::move(dims), random_type());
    place = target(containers_[out], points.params);
  }
  const std::size_t maps = open_maps(s, "compute", points, 30);
  s.touched.insert(out);
  body(s, points, out, *place);
  for (std::size_t m = 0; m < maps; ++m) s.builder.close_map();
  wrote(s, out);
}

/// A map over the points, or one for each dimension; how many.
std::size_t RandomPieces::open_maps(StateScope& s, const std::string& label, const Points& points,
                                    int apart) {
  const std::size_t rank = points.params.size();
  if (rank == 1 || !random_.chance(apart)) {
    s.builder.open_map(label, names(points.params), join(points.ranges, ", "), points.ends);
    return 1;
  }
  for (std::size_t d = 0; d < rank; ++d)
    s.builder.open_map("outer", points.params[d].name, points.ranges[d],
                       d == 0 ? points.ends : Ports{});
  return rank;
}

/// What is done for each of the points; `place`: the element of `out` to write.
void RandomPieces::body(StateScope& s, const Points& points, std::size_t out,
                        const std::string& place) {
  const Indices& params = points.params;
  const BaseType type = containers_[out].type;
  const bool was_there = containers_[out].is_readable;
  switch (random_.below(11)) {
    case 10:
      if (was_there && read_elsewhere(s, params, out, place)) return;
      break;
    case 8:
      return choose(s, params, out, place);
    case 0:
      return inner_sum(s, params, out, place);
    case 1:
      if (gather(s, params, out, place)) return;
      break;
    case 2:
      if (depth_ < 2) return call(s, params, {out, place, {}, {}});
      break;
    case 3: {  // masked
      const Ports in = inputs(s, params, out);
      if (in.empty() || !was_there) break;
      std::string text = "if " + in[0].connector + " > 0:\n  o = ";
      const bool counts = in.size() > 1 && container_of(in[1]).type != BaseType::Bool;
      text += type == BaseType::Bool ? "True" : counts ? "1 - " + in[1].connector : "3";
      s.builder.tasklet("maybe", in, text, {{"o", place, "", true}});
      return;
    }
    case 4: {  // through a scalar
      const std::string element = local(s, params, out, random_type());
      Ports in = inputs(s, params, out);
      in.push_back({"y", element});
      s.builder.tasklet("second", in, code(in, params, type), {{"o", place}});
      return;
    }
    case 5: {  // in place
      if (!was_there) break;
      Ports in = inputs(s, params, out);
      in.push_back({"y", place});
      containers_[out].was_read = true;
      s.builder.tasklet("update", in, code(in, params, type), {{"o", place}});
      return;
    }
    default:
      break;
  }
  const Ports in = inputs(s, params, out);
  std::string text = code(in, params, type);
  Ports to{{"o", place}};
  if (const std::size_t second = random_.chance(25) ? pick_output(s) : none; second != none) {
    if (const auto other = target(containers_[second], params)) {
      text += "\n" + code(in, params, containers_[second].type, "o2");
      to.push_back({"o2", *other});
      wrote(s, second);
      s.sealed.insert(second);
    }
  }
  s.builder.tasklet("compute", in, text, to);
}

/// A sum that begins with zeros, over points that may be none.
void RandomPieces::inner_sum(StateScope& s, const Indices& around, std::size_t out,
                             const std::string& place) {
  constexpr std::array types{BaseType::Float64, BaseType::Float32, BaseType::Int32,
                             BaseType::Int64};
  const std::size_t local = new_transient({}, types[random_.below(types.size())]);
  const std::string element = containers_[local].name + "[0]";
  const NodeId node = s.builder.access(containers_[local].name);
  s.builder.state().get<AccessNode>(node).setzero = true;
  Index index{fresh("r"), random_domain()};
  bool all = true;
  const std::string over = range(index.domain, index, all);
  Indices more = around;
  more.push_back(index);
  s.builder.open_map("sum", index.name, over);
  const Ports in = inputs(s, more, out);
  // Sums of whole numbers only where the sum is one.
  std::string text = code(in, more, BaseType::Float64);
  if (is_whole_number(containers_[local].type))
    text = in.empty() ? "o = " + index.name : "o = 2 if " + in[0].connector + " > 1 else -1";
  s.builder.tasklet("add", in, text, {{"o", element, "lambda x, y: x + y"}});
  s.builder.close_map();
  Ports last = inputs(s, around, out);
  last.push_back({"y", element});
  s.builder.tasklet("take", last, code(last, around, containers_[out].type), {{"o", place}});
}

/// An element that a table names, if it is there.
bool RandomPieces::gather(StateScope& s, const Indices& around, std::size_t out,
                          const std::string& place) {
  const std::size_t from = pick_input(s, out), table = pick_input(s, out);
  if (from == none || table == none || containers_[from].dims.size() != 1 ||
      containers_[from].dims[0].domain == of_halves)
    return false;
  const BaseType type = containers_[table].type;
  if (!is_whole_number(type)) return false;
  const auto where = element(containers_[table], around);
  if (!where) return false;
  read(s, from), read(s, table);
  std::string length = size(containers_[from].dims[0]);
  if (length[0] == 'M' && length[1] == 'a') length[0] = 'm';  // as Python calls it
  const std::string j = random_.chance(50) ? "(j - 1)" : "j";
  const std::string otherwise = containers_[out].type == BaseType::Bool ? "False" : "7";
  s.builder.tasklet("gather", {{"f", whole(containers_[from])}, {"j", *where}},
                    "o = f[" + j + "] if " + j + " >= 0 and " + j + " < " +
                        length + " else " + otherwise,
                    {{"o", place}});
  return true;
}

/// One piece of code may change the element, another one reads it where that does not: in no order.
bool RandomPieces::read_elsewhere(StateScope& s, const Indices& params, std::size_t out,
                                  const std::string& place) {
  const Ports in = inputs(s, params, out);
  const std::size_t other = in.empty() ? none : pick_output(s);
  if (other == none || containers_[out].type == BaseType::Bool) return false;
  const auto to = target(containers_[other], params);
  if (!to) return false;
  const std::string& decides = in[0].connector;
  Ports reads = in;
  reads.push_back({"y", place});
  const std::string last = containers_[other].type == BaseType::Bool ? "y > 1" : "y";
  s.builder.tasklet("keep", reads, "o = 0 if " + decides + " > 0 else " + last, {{"o", *to}});
  s.builder.tasklet("change", in, "if " + decides + " > 0:\n  o = 2", {{"o", place, "", true}});
  containers_[out].was_read = true;
  wrote(s, other);
  s.sealed.insert(other);
  return true;
}

/// How values that meet become one.
std::string RandomPieces::wcr(BaseType type) {
  constexpr std::array ofBool{"x and y", "x or y"};
  constexpr std::array of_numbers{"x + y", "x + y", "max(x, y)", "min(x, y)"};
  return std::string("lambda x, y: ") +
         (type == BaseType::Bool ? ofBool[random_.below(2)] : of_numbers[random_.below(4)]);
}

/// A value that meets others. Those of whole numbers are some, as otherwise their sum is none.
std::string RandomPieces::summand(const Ports& in, const Indices& params, BaseType type) {
  if (!is_whole_number(type)) return code(in, params, type);
  return in.empty() ? "o = 1" : "o = 2 if " + in[0].connector + " > 1 else -1";
}

/// Conflicting writes along one more dimension.
void RandomPieces::accumulate(StateScope& s) {
  const Points points = random_points(s);
  Indices own = points.params;
  own.pop_back();
  for (int tries = 0; tries < 6; ++tries) {
    const std::size_t out = pick_output(s);
    const auto place = out == none ? std::nullopt : target(containers_[out], own);
    if (!place) continue;
    s.touched.insert(out);
    containers_[out].was_read = true;
    accumulate(s, points, out, *place, wcr(containers_[out].type));
    return wrote(s, out);
  }
}

void RandomPieces::accumulate(StateScope& s, const Points& points, std::size_t out,
                              const std::string& place, const std::string& wcr) {
  const std::size_t maps = open_maps(s, "accumulate", points, 50);
  const Ports in = inputs(s, points.params, out);
  s.builder.tasklet("accumulate", in, summand(in, points.params, containers_[out].type),
                    {{"o", place, wcr}});
  for (std::size_t m = 0; m < maps; ++m) s.builder.close_map();
}

/// A new container of zeros, and what many points add to an element, a row or all of it.
void RandomPieces::from_zeros(RegionBuilder& r) {
  std::vector<Extent> dims = plain_dims();
  for (Extent& e : dims) e.before = int(random_.below(2));
  constexpr std::array types{BaseType::Float64, BaseType::Float32, BaseType::Int64};
  const std::size_t out = new_transient(dims, types[random_.below(types.size())]);
  Points points;
  const auto add = [&](std::size_t domain) {
    Index index{fresh("i"), domain};
    points.ranges.push_back(range(domain, index, points.all));
    points.params.push_back(std::move(index));
  };
  for (const Extent& e : dims)
    if (e.before == 0 || random_.chance(50)) add(e.domain);
  const auto place = target(containers_[out], points.params);
  if (!place) return;
  if (points.params.empty() || random_.chance(60)) add(random_domain());
  const std::string name = containers_[out].name, resolution = wcr(containers_[out].type);
  StateScope s = open(r);
  if (random_.chance(30)) {
    s.builder.state().get<AccessNode>(s.builder.access(name)).setzero = true;
  } else {
    fill(s, out, "0");
    if (random_.chance(40)) {
      close(s);
      s = open(r);
    }
  }
  for (std::size_t steps = 1 + random_.below(2); steps > 0; --steps) {
    const NodeId before = last_node(s, name);
    accumulate(s, points, out, *place, resolution);
    const NodeId sums = last_node(s, name);
    if (!before || before == sums) continue;
    State& state = s.builder.state();
    const NodeId exit = state.source(state.in(sums).front());
    state.connect(before, state.get<MapExit>(exit).entry, {});
  }
  wrote(s, out);
  pointwise(s);
  close(s);
}

/// Two maps of one state write parts of a container that do not meet.
void RandomPieces::two_parts(StateScope& s) {
  const std::size_t out = pick_output(s);
  if (out == none || containers_[out].dims.empty()) return;
  const std::size_t domain = containers_[out].dims[0].domain;
  Index index{fresh("i"), domain};
  const std::string small = from_0_to_2();
  const auto place = target(containers_[out], {index});
  if (!place) return;
  s.touched.insert(out);
  const std::string &begin = domains_[domain].begin, &end = domains_[domain].end;
  const std::string middle = begin + " + " + small;
  for (const std::string& part :
       {begin + ":Min(" + end + ", " + middle + ")", middle + ":" + end}) {
    s.builder.open_map("part", index.name, part);
    const Ports in = inputs(s, {index}, out);
    s.builder.tasklet("part", in, code(in, {index}, containers_[out].type), {{"o", *place}});
    s.builder.close_map();
  }
  if (random_.chance(50))
    join_writes(s, containers_[out].name);
  else
    s.sealed.insert(out);
  wrote(s, out);
}

/// A window, or every second element, into a container of another shape or type.
void RandomPieces::copy(StateScope& s) {
  const std::size_t from = pick_input(s, none);
  if (from == none) return;
  std::vector<std::string> parts;
  std::vector<Extent> dims;
  for (const Extent& e : containers_[from].dims) {
    if (const auto some = random_.chance(30) ? constant(e) : std::nullopt) {
      parts.push_back(*some);
    } else if (e.domain == 0 && e.fixed() == 0 && random_.chance(40)) {
      parts.push_back(part(e, true) + ":2");
      dims.push_back({of_halves});
    } else {
      const bool all = random_.chance(50);
      parts.push_back(part(e, all));
      dims.push_back(all ? e : Extent{e.domain});
    }
  }
  read(s, from);
  // The points, or all, of what has as many.
  const auto fits = [](const Extent& from, const Extent& to) {
    return to.domain == from.domain &&
           (from.fixed() == 0 || (to.before == from.before && to.behind == from.behind));
  };
  std::size_t out = random_.chance(40) ? pick_output(s) : none;
  if (out == none || !std::ranges::equal(dims, containers_[out].dims, fits))
    out = new_transient(dims, containers_[from].type);
  std::vector<std::string> to;
  for (std::size_t d = 0; d < dims.size(); ++d)
    to.push_back(part(containers_[out].dims[d], dims[d].fixed() > 0));
  s.builder.copy(subset(containers_[from].name, parts), subset(containers_[out].name, to));
  wrote(s, out);
}

/// Out of maps: a scalar or one element.
void RandomPieces::scalar(StateScope& s) {
  const bool small = random_.chance(50);
  Container from_0_to_2{.name = fresh("t"), .type = BaseType::Int64, .is_scalar = true};
  from_0_to_2.is_small = true;
  const std::size_t out =
      small ? declare(std::move(from_0_to_2), true) : new_transient({}, random_type());
  const Ports in = inputs(s, {}, out);
  std::string text = code(in, {}, containers_[out].type);
  if (containers_[out].is_small)
    text = in.empty() ? "o = 2" : "o = 1 if " + in[0].connector + " > 1 else 2 if " +
                                      in.back().connector + " > 0 else 0";
  s.builder.tasklet("scalar", in, text, {{"o", containers_[out].name + "[0]"}});
  wrote(s, out);
}

/// All of a container with one value.
void RandomPieces::fill(StateScope& s, std::size_t c, const std::string& value) {
  std::vector<std::string> names, ranges;
  for (const Extent& e : containers_[c].dims) {
    names.push_back(fresh("q"));
    ranges.push_back(part(e, true));
  }
  const Ports to{{"o", subset(containers_[c].name, names)}};
  if (names.empty())
    s.builder.tasklet("fill", {}, "o = " + value, to);
  else
    s.builder.map("fill", join(names, ", "), join(ranges, ", "), {}, "o = " + value, to);
  containers_[c].was_written = true;
}

/// np.where, np.roll or np.broadcast_to of the points of a container.
void RandomPieces::library(StateScope& s) {
  const std::size_t from = pick_input(s, none);
  if (from == none || containers_[from].dims.empty()) return;
  std::vector<Extent> dims;
  std::vector<std::string> parts;
  for (const Extent& e : containers_[from].dims) {
    dims.push_back({e.domain});
    parts.push_back(part(e, false));
  }
  const std::string values = subset(containers_[from].name, parts);
  const BaseType type = containers_[from].type;
  read(s, from);
  const auto made = [&](BaseType type) {
    const std::size_t c = new_transient(dims, type);
    everywhere(s, c);
    wrote(s, c), read(s, c);
    return whole(containers_[c]);
  };
  const auto call = [&](const std::string& name, const Ports& in, const std::string& result,
                        Extras properties) {
    const std::size_t out = new_transient(dims, type);
    LibraryNode node;
    node.classpath = "dace.libraries.standard.nodes." + name;
    node.label = node.name = "pointwise";
    s.builder.library(std::move(node), in, {{result, whole(containers_[out])}},
                      std::move(properties));
    wrote(s, out);
  };
  const std::size_t axis = random_.below(dims.size());
  const std::string count = std::to_string(axis + 1);
  switch (random_.below(3)) {
    case 0: {
      const std::string mask = made(BaseType::Bool);
      call("merge_node.MergeLibraryNode",
           {{"_mrg_mask", mask}, {"_mrg_t", values}, {"_mrg_f", made(type)}}, "_mrg_out", {});
      break;
    }
    case 1: {
      Extras how{{"dim", count}, {"shift", std::to_string(random_.between(-2, 3))}};
      if (random_.chance(50)) how.emplace_back("direction", "\"NUMPY\"");
      call("cshift.CShift", {{"_x", values}}, "_out", std::move(how));
      break;
    }
    default: {
      const Extent more{random_domain()};
      if (dims.size() > 1 || more == dims[0]) return;
      dims.insert(dims.begin() + std::ptrdiff_t(random_.below(2)), more);
      call("broadcast.Broadcast", {{"_src", values}}, "_dst",
           {{"dim", dims[0] == more ? "1" : "2"}});
    }
  }
  pointwise(s);
}

}  // namespace sdfg
