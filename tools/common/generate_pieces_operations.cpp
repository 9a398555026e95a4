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
  switch (random_.below(20)) {
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
      call(s, {}, out, "");
      return;
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
  const std::size_t rank = points.params.size();
  const bool apart = rank > 1 && random_.chance(30);
  if (apart)
    for (std::size_t d = 0; d < rank; ++d)
      s.builder.open_map("outer", points.params[d].name, points.ranges[d],
                         d == 0 ? points.ends : Ports{});
  else
    s.builder.open_map("compute", names(points.params), join(points.ranges, ", "), points.ends);
  s.touched.insert(out);
  body(s, points, out, *place);
  for (std::size_t d = 0; d < (apart ? rank : 1); ++d) s.builder.close_map();
  wrote(s, out);
}

/// What is done for each of the points; `place`: the element of `out` to write.
void RandomPieces::body(StateScope& s, const Points& points, std::size_t out,
                        const std::string& place) {
  const Indices& params = points.params;
  const BaseType type = containers_[out].type;
  const bool was_there = containers_[out].is_readable;
  switch (random_.below(10)) {
    case 8:
      return choose(s, params, out, place);
    case 0:
      return inner_sum(s, params, out, place);
    case 1:
      if (gather(s, params, out, place)) return;
      break;
    case 2:
      if (depth_ < 2) return call(s, params, out, place);
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

/// Conflicting writes along one more dimension.
void RandomPieces::accumulate(StateScope& s) {
  Points points = random_points(s);
  Indices own = points.params;
  own.pop_back();
  for (int tries = 0; tries < 6; ++tries) {
    const std::size_t out = pick_output(s);
    const auto place = out == none ? std::nullopt : target(containers_[out], own);
    if (!place) continue;
    Container& c = containers_[out];
    s.touched.insert(out);
    c.was_read = true;
    s.builder.open_map("accumulate", names(points.params), join(points.ranges, ", "),
                       points.ends);
    const Ports in = inputs(s, points.params, out);
    const BaseType type = containers_[out].type;
    std::string text = code(in, points.params, type), wcr = "lambda x, y: max(x, y)";
    if (type == BaseType::Bool) {
      wcr = random_.chance(50) ? "lambda x, y: x and y" : "lambda x, y: x or y";
    } else if (random_.chance(60)) {
      wcr = "lambda x, y: x + y";
      if (is_whole_number(type))
        text = in.empty() ? "o = 1" : "o = 2 if " + in[0].connector + " > 1 else -1";
    } else if (is_whole_number(type)) {
      text = in.empty() ? "o = 1" : "o = 5 if " + in[0].connector + " > 1 else 2";
    }
    s.builder.tasklet("accumulate", in, text, {{"o", *place, wcr}});
    s.builder.close_map();
    return wrote(s, out);
  }
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

/// All of a container, in a state of its own.
void RandomPieces::fill(RegionBuilder& r, std::size_t c) {
  StateScope s{r.state()};
  const Container& filled = containers_[c];
  std::vector<std::string> names, ranges;
  for (const Extent& e : filled.dims) {
    names.push_back(fresh("q"));
    ranges.push_back(part(e, true));
  }
  const std::string text = filled.type == BaseType::Bool ? "o = True" : "o = 1";
  const std::string place = subset(filled.name, names);
  if (names.empty())
    s.builder.tasklet("fill", {}, text, {{"o", place}});
  else
    s.builder.map("fill", join(names, ", "), join(ranges, ", "), {}, text, {{"o", place}});
  containers_[c].was_written = true;
}

/// Calls another program of pieces with windows of our containers, some of them under two names,
/// and symbols under others. `place`: the element of `out` that belongs to these points; empty:
/// all. `along`: the dimension that it has all of. Sometimes another container is written, too.
void RandomPieces::call(StateScope& s, const Indices& params, std::size_t out,
                        const std::string& place, std::size_t along) {
  RandomPieces inner(fresh("inner"), random_, depth_ + 1);
  std::map<std::string, std::string> symbols;
  for (std::size_t i = 0; i < symbols_.size(); ++i) symbols[inner.symbols_[i]] = symbols_[i];
  inner.least_ = least_;
  inner.chosen_ = chosen_;
  Indices known = indices_;
  known.insert(known.end(), params.begin(), params.end());
  for (Index index : known) {
    std::string value = index.name;
    index.name = random_.chance(50) ? index.name : inner.fresh("p");
    if (index.high > 0 && random_.chance(50)) {
      value += " + 1";
      ++index.low, --index.high;
    }
    inner.declare_symbol(index.name);
    symbols[index.name] = value;
    inner.indices_.push_back(std::move(index));
  }
  for (const std::string& small : smalls_) {
    const std::string name = random_.chance(50) ? small : inner.fresh("j");
    inner.declare_symbol(name);
    symbols[name] = random_.chance(50) ? small : "2 - " + small;
    inner.smalls_.push_back(name);
  }
  struct Window {
    std::size_t ours;
    std::string text;
  };
  std::vector<Window> windows;
  std::size_t second = random_.chance(30) ? pick_output(s) : none;
  if (second == out) second = none;
  const auto add = [&](std::size_t c, std::string text, std::vector<Extent> dims,
                       std::vector<std::vector<Extent>> strides) {
    Container theirs = containers_[c];
    theirs.is_scalar = dims.empty() && random_.chance(60);
    if (!theirs.is_scalar) theirs.is_small = false;
    theirs.dims = std::move(dims);
    theirs.strides = std::move(strides);
    theirs.is_writable = c == out || c == second;
    theirs.was_read = theirs.was_written = false;
    if (random_.chance(50) || inner.builder_.sdfg().find_data(theirs.name) ||
        symbols.contains(theirs.name))
      theirs.name = inner.fresh("x");
    inner.declare(std::move(theirs), false);
    windows.push_back({c, std::move(text)});
  };
  const Container target_box = containers_[out];
  if (place.empty())
    add(out, whole(target_box), target_box.dims, target_box.strides);
  else if (along != none)
    add(out, place, {target_box.dims[along]}, {target_box.strides[along]});
  else
    add(out, place, {}, {});
  if (second != none) {
    const Container box = containers_[second];
    if (place.empty())
      add(second, whole(box), box.dims, box.strides);
    else if (const auto other = target(box, params))
      add(second, *other, {}, {});
    else
      second = none;
    if (second != none) s.touched.insert(second), s.sealed.insert(second);
  }
  for (int i = 0; i < 3; ++i) {
    const std::size_t c = pick_input(s, out);
    if (c == none) continue;
    const Container ours = containers_[c];
    std::vector<std::string> parts;
    std::vector<Extent> dims;
    std::vector<std::vector<Extent>> strides;
    for (std::size_t d = 0; d < ours.dims.size(); ++d) {
      const Extent& e = ours.dims[d];
      const auto point = std::ranges::find(known, e.domain, &Index::domain);
      if (point != known.end() && random_.chance(60)) {
        parts.push_back(at_point(e, *point, 0));
        continue;
      }
      const bool all = random_.chance(50);
      parts.push_back(part(e, all));
      dims.push_back(all ? e : Extent{e.domain});
      strides.push_back(ours.strides[d]);
    }
    add(c, subset(ours.name, parts), std::move(dims), std::move(strides));
  }
  const bool was_there = containers_[out].is_readable;
  if (!was_there) inner.fill(inner.builder_, 0);
  inner.region(inner.builder_, 4 + random_.below(20), 1);
  if (!inner.containers_[0].was_written) inner.fill(inner.builder_, 0);
  nodes_ += inner.nodes_;

  Ports in, to;
  Sdfg called = inner.builder_.take();
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const Container& theirs = inner.containers_[i];
    if (!theirs.was_read && !theirs.was_written) {
      called.arrays.erase(theirs.name);
      continue;
    }
    if (i > 0 || was_there) {
      in.push_back({theirs.name, windows[i].text});
      read(s, windows[i].ours);
    }
    if (theirs.was_written) to.push_back({theirs.name, windows[i].text});
  }
  s.builder.nested(std::move(called), in, to, symbols);
  if (place.empty()) wrote(s, out);
  if (second != none) wrote(s, second);
}

}  // namespace sdfg
