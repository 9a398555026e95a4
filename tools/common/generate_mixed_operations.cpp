// What the states of random programs do.

#include <algorithm>

#include "tools/common/generate_mixed.h"

namespace sdfg {

void RandomProgram::operation(StateScope& s) {
  switch (random_.below(depth_ < max_depth ? 16 : 15)) {
    case 0:
      return update_in_place(s);
    case 1:
      return accumulate(s);
    case 2:
      return reduce(s);
    case 3:
      return copy(s);
    case 4:
      return scalar(s);
    case 5:
      return dynamic_range(s);
    case 6:
      return branch_per_element(s);
    case 7:
      return nested_per_row(s);
    case 15:
      return nested(s);
    default:
      return pointwise(s);
  }
}

void RandomProgram::pointwise(StateScope& s) {
  const std::size_t out = pick_output(s, false);
  const Container& c = at(out);
  const std::vector<Dimension> domain = domain_of(c, c.is_readable);
  if (domain.empty()) return scalar(s);
  if (random_.chance(20)) {
    through_local(s, out, domain);
  } else {
    const Ports in = inputs(s, domain, c.is_float, out);
    const Ports to{{"o", output(at(out), domain)}};
    const std::string text = code(in, domain, at(out).is_float);
    if (domain.size() > 1 && random_.chance(30)) {
      open_maps(s.builder, domain);
      s.builder.tasklet("inner", in, text, to);
      for (std::size_t d = 0; d < domain.size(); ++d) s.builder.close_map();
    } else {
      s.builder.map("compute", params_text(domain), range_text(domain), in, text, to);
    }
  }
  wrote(s, out, true);
}

/// Two tasklets in one map, with a scalar that lives inside.
void RandomProgram::through_local(StateScope& s, std::size_t out,
                                  const std::vector<Dimension>& domain) {
  const bool is_float = at(out).is_float;
  const std::size_t local = new_transient({}, is_float);
  const Ports first = inputs(s, domain, is_float, out), second = inputs(s, domain, is_float, out);
  s.builder.open_map("two_steps", params_text(domain), range_text(domain));
  s.builder.access(at(local).name);
  s.builder.tasklet("first", first, code(first, domain, is_float), {{"o", at(local).name + "[0]"}});
  Ports in{{"a", at(local).name + "[0]"}};
  if (!second.empty()) in.push_back({"b", second.front().memlet});
  s.builder.tasklet("second", in, code(in, domain, is_float), {{"o", output(at(out), domain)}});
  s.builder.close_map();
}

void RandomProgram::update_in_place(StateScope& s) {
  const std::size_t out = pick_output(s, true);
  if (out == none || at(out).dims.empty()) return;
  const std::vector<Dimension> domain = domain_of(at(out), true);
  const std::string element = output(at(out), domain);
  at(out).was_read = true;
  const Ports in{{"a", element}};
  s.builder.map("update", params_text(domain), range_text(domain), in,
                code(in, domain, at(out).is_float), {{"o", element}});
  wrote(s, out, true);
}

/// Conflicting writes along one more dimension.
void RandomProgram::accumulate(StateScope& s) {
  const std::size_t out = pick_output(s, true);
  if (out == none) return;
  std::vector<Dimension> domain = domain_of(at(out), true);
  const std::string element = output(at(out), domain);
  const int symbol = int(random_.below(3));
  domain.push_back({{symbol, 0, 0}, 0, 0, "r"});
  const Ports in = inputs(s, domain, at(out).is_float, out);
  at(out).was_read = true;
  const std::size_t kind = random_.below(3);
  constexpr std::array wcr{"lambda x, y: x + y", "lambda x, y: max(x, y)",
                           "lambda x, y: min(x, y)"};
  s.builder.map("accumulate", params_text(domain), range_text(domain), in,
                code(in, domain, at(out).is_float), {{"o", element, wcr[kind]}});
  wrote(s, out, kind != 0);
}

void RandomProgram::reduce(StateScope& s) {
  const std::size_t source = pick_input(true, true);
  if (source == none || at(source).dims.empty()) return;
  for (const Extent& e : at(source).dims)
    if (e.origin != 0) return;  // a Reduce counts from 0
  std::vector<Extent> dims = at(source).dims;
  const std::size_t axis = random_.below(dims.size());
  dims.erase(dims.begin() + std::ptrdiff_t(axis));
  const std::size_t out = new_transient(dims, true);
  const bool sum = random_.chance(50);
  s.builder.reduce(whole_text(at(source)), whole_text(at(out)),
                   sum ? "lambda a, b: a + b" : "lambda a, b: max(a, b)", {int(axis)},
                   sum ? "0" : "-64");
  read(s, source);
  wrote(s, out, !sum);
}

void RandomProgram::copy(StateScope& s) {
  const std::size_t source = pick_input(random_.chance(80), true);
  if (source == none || at(source).dims.empty()) return;
  std::vector<Extent> dims = at(source).dims;
  for (Extent& e : dims) e.origin = e.pad && random_.chance(30) ? 1 : 0;
  const std::size_t out = new_transient(dims, at(source).is_float);
  s.builder.copy(whole_text(at(source)), whole_text(at(out)));
  read(s, source);
  wrote(s, out, true);
}

void RandomProgram::scalar(StateScope& s) {
  const std::size_t out = new_transient({}, true);
  const Ports in = inputs(s, {}, true, out);
  s.builder.tasklet("scalar", in, code(in, {}, true), {{"o", at(out).name + "[0]"}});
  wrote(s, out, true);
}

/// A map whose end comes from data: `limit` is from 0 to 3.
void RandomProgram::dynamic_range(StateScope& s) {
  if (depth_ > 0) return pointwise(s);
  const std::size_t out = pick_output(s, true);
  if (out == none || at(out).dims.empty()) return;
  const Container& c = at(out);
  const std::vector<Dimension> domain{{c.dims[0], 0, -1, "i0"}};
  std::string element = c.name + "[i0";
  for (std::size_t d = 1; d < c.dims.size(); ++d)
    element += ", " + std::to_string(-c.dims[d].origin);
  const bool is_float = c.is_float;
  const Ports in = inputs(s, domain, is_float, out);
  s.builder.open_map("dynamic", "i0", "0:end", {{"end", "limit"}});
  s.builder.tasklet("up_to_limit", in, code(in, domain, is_float), {{"o", element + "]"}});
  s.builder.close_map();
  wrote(s, out, true);
}

/// Calls another random program with some of our containers.
void RandomProgram::nested(StateScope& s) {
  const std::size_t out = pick_output(s, true);
  if (out == none) return;
  RandomProgram inner("nested_" + std::to_string(depth_) + "_" + std::to_string(counter_++),
                      random_, depth_ + 1);
  std::vector<std::size_t> ours{out};
  for (int i = 0; i < 3; ++i) {
    const std::size_t c = pick_input(random_.chance(80), false);
    if (c != none && std::ranges::find(ours, c) == ours.end()) ours.push_back(c);
  }
  for (const std::size_t c : ours) {
    Container container = at(c);
    container.writable = c == out;
    container.was_read = container.was_written = false;
    container.is_readable = true;
    // The same memory: the same strides and origin as outside.
    Data data = *builder_.sdfg().find_data(container.name);
    data.transient = false;
    inner.builder_.sdfg().arrays.set(container.name, std::move(data));
    inner.containers_.push_back(std::move(container));
    inner.readable_.push_back(inner.containers_.size() - 1);
  }
  inner.region(inner.builder_, 10 + random_.below(30), 1 + depth_);
  {
    StateScope last{inner.builder_.state("last"), {}};
    const std::vector<Dimension> domain = inner.domain_of(inner.at(0), true);
    const Ports in{{"a", inner.output(inner.at(0), domain)}};
    const Ports to{{"o", inner.output(inner.at(0), domain)}};
    const std::string text = inner.code(in, domain, inner.at(0).is_float);
    if (domain.empty())
      last.builder.tasklet("last", in, text, to);
    else
      last.builder.map("last", inner.params_text(domain), inner.range_text(domain), in, text, to);
    inner.at(0).was_read = inner.at(0).was_written = true;
  }
  nodes_ += inner.nodes_;

  Ports in, to;
  Sdfg called = inner.builder_.take();
  bool bounded = true;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const Container& theirs = inner.at(i);
    if (!theirs.was_read && !theirs.was_written) {
      called.arrays.erase(theirs.name);
      continue;
    }
    in.push_back({theirs.name, whole_text(at(ours[i]))});
    read(s, ours[i]);
    if (!theirs.was_written) continue;
    bounded &= theirs.bounded;
    to.push_back({theirs.name, whole_text(at(ours[i]))});
  }
  s.builder.nested(std::move(called), in, to);
  wrote(s, out, bounded);
}

/// A map around a nested SDFG that takes one branch or the other for each element.
void RandomProgram::branch_per_element(StateScope& s) {
  const std::size_t out = pick_output(s, false), a = pick_input(true, false),
                    b = pick_input(true, false);
  if (at(out).dims.empty() || !at(out).is_float || a == none || b == none || a == out || b == out)
    return pointwise(s);
  const std::vector<Dimension> domain = domain_of(at(out), at(out).is_readable);
  Builder inner("branch_" + std::to_string(depth_) + "_" + std::to_string(counter_++));
  for (const char* name : {"x", "y", "z"}) inner.scalar(name, BaseType::Float64);
  ConditionalBuilder choice = inner.conditional();
  RegionBuilder then = choice.branch("x > " + std::to_string(random_.below(3)));
  then.state().tasklet("then", {{"a", "x"}, {"b", "y"}}, code(Ports(2), {}, true), {{"o", "z"}});
  RegionBuilder otherwise = choice.otherwise();
  otherwise.state().tasklet("otherwise", {{"a", "y"}}, code(Ports(1), {}, true), {{"o", "z"}});
  s.builder.open_map("elements", params_text(domain), range_text(domain));
  s.builder.nested(inner.take(), {{"x", access(at(a), domain)}, {"y", access(at(b), domain)}},
                   {{"z", output(at(out), domain)}});
  s.builder.close_map();
  read(s, a), read(s, b);
  wrote(s, out, true);
}

/// A map over the first dimension around a nested SDFG that works on a row: a slice of the outer
/// container with its strides, counted from 0.
void RandomProgram::nested_per_row(StateScope& s) {
  const std::size_t source = pick_input(true, false);
  if (source == none || at(source).dims.size() != 2) return pointwise(s);
  const std::size_t out = new_transient(at(source).dims, true);
  const Extent row = at(source).dims[1];
  const std::vector<Dimension> domain{domain_of(at(source), false)[0]};
  const std::string symbol = size_symbols[std::size_t(row.symbol)], length = plus(symbol, row.pad);

  Builder inner("row_" + std::to_string(depth_) + "_" + std::to_string(counter_++));
  inner.symbol(symbol);
  for (const std::size_t c : {source, out}) {
    const Data& outer = *builder_.sdfg().find_data(at(c).name);
    Data& data = inner.array(c == source ? "x" : "y", BaseType::Float64, length);
    // Symbols in strides are sizes, which the inner SDFG has to know.
    data.as_array()->strides = {outer.as_array()->strides[1]};
    for (const std::string& name : free_symbols(outer.as_array()->strides[1])) inner.symbol(name);
  }
  inner.state().map("row", "q", "0:" + length, {{"a", "x[q]"}, {"b", "x[0]"}},
                    code(Ports(2), {}, true), {{"o", "y[q]"}});
  const std::string slice =
      "[i0, " + std::to_string(-row.origin) + ":" + plus(symbol, row.pad - row.origin) + "]";
  s.builder.open_map("rows", params_text(domain), range_text(domain));
  s.builder.nested(inner.take(), {{"x", at(source).name + slice}}, {{"y", at(out).name + slice}});
  s.builder.close_map();
  read(s, source);
  wrote(s, out, true);
}

}  // namespace sdfg
