// Containers of programs of pieces that are no arrays of their own: views and references, streams
// and structures.

#include <algorithm>
#include <array>

#include "tools/common/generate_pieces.h"

namespace sdfg {

/// All of a container.
RandomPieces::Window RandomPieces::whole_window(std::size_t c) const {
  return {c, whole(containers_[c]), containers_[c].dims, containers_[c].strides};
}

/// A part of a container: of each dimension the points, or all, or one element, mostly at one of
/// the points around.
RandomPieces::Window RandomPieces::window(std::size_t c, const Indices& around) {
  const Container& whole_one = containers_[c];
  Window part_of{c, {}, {}, {}};
  std::vector<std::string> parts;
  for (std::size_t d = 0; d < whole_one.dims.size(); ++d) {
    const Extent& e = whole_one.dims[d];
    const auto point = std::ranges::find(around, e.domain, &Index::domain);
    if (point != around.end() && random_.chance(60)) {
      parts.push_back(at_point(e, *point, 0));
    } else if (const auto some = random_.chance(20) ? constant(e) : std::nullopt) {
      parts.push_back(*some);
    } else {
      const bool all = random_.chance(50);
      parts.push_back(part(e, all));
      part_of.dims.push_back(all ? e : Extent{e.domain});
      part_of.strides.push_back(whole_one.strides[d]);
    }
  }
  part_of.text = subset(whole_one.name, parts);
  return part_of;
}

/// A container that has no memory but that of the window.
std::size_t RandomPieces::declare_alias(const Window& window, Role role) {
  Container alias{.name = fresh(role == Role::View ? "v" : "ref"),
                  .type = containers_[window.of].type,
                  .dims = window.dims,
                  .strides = window.strides,
                  .is_of_state = role == Role::View,
                  .is_writable = containers_[window.of].is_writable};
  for (Extent& e : alias.dims) e.origin = 0;
  const std::size_t c = declare(std::move(alias), true);
  builder_.sdfg().find_data(containers_[c].name)->as_array()->role = role;
  return c;
}

/// A copy, or what looks like one.
EdgeId RandomPieces::copy_edge(StateScope& s, const std::string& from, const std::string& to) {
  s.builder.copy(from, to);
  EdgeId added;
  for (EdgeId e : s.builder.state().edges()) added = e;
  return added;
}

/// A part of a container by another name, read or written.
void RandomPieces::view(StateScope& s) {
  const bool writes = random_.chance(40);
  const std::size_t viewed = writes ? pick_output(s) : pick_input(s, none);
  if (viewed == none || containers_[viewed].is_of_state) return;
  const Window shown = window(viewed, indices_);
  if (shown.dims.empty()) return;
  const std::size_t c = declare_alias(shown, Role::View);
  State& state = s.builder.state();
  if (!writes) {
    const EdgeId e = copy_edge(s, shown.text, whole(containers_[c]));
    state[e].dst_connector = "views";
    state[state.target(e)].in_connectors["views"];
    read(s, viewed), wrote(s, c);
    return pointwise(s);
  }
  s.touched.insert(viewed), s.sealed.insert(viewed);
  pointwise(s, c);
  if (!s.touched.contains(c)) return;
  s.sealed.insert(c);
  const EdgeId e = copy_edge(s, whole(containers_[c]), shown.text);
  state[e].src_connector = "views";
  state[state.source(e)].out_connectors["views"];
  wrote(s, viewed);
}

// ---- References.

/// A state; each reference is used in it, or else what it may point to.
RandomPieces::StateScope RandomPieces::open(RegionBuilder& r) {
  StateScope s{r.state()};
  for (const Reference& reference : references_) {
    std::vector<std::size_t> hidden{reference.name};
    if (random_.chance(60)) hidden = reference.targets;
    s.touched.insert(hidden.begin(), hidden.end());
    s.sealed.insert(hidden.begin(), hidden.end());
  }
  return s;
}

void RandomPieces::set_reference(RegionBuilder& r, std::size_t name, const std::string& to) {
  StateScope s = open(r);
  const EdgeId e = copy_edge(s, to, whole(containers_[name]));
  State& state = s.builder.state();
  state[e].memlet = Memlet::read(state[e].memlet.data, *state[e].memlet.src_subset);
  state[e].dst_connector = "set";
  state[state.target(e)].in_connectors["set"];
  s.touched.insert(name);  // to write it here would have no order
  if (!s.sealed.contains(name) && random_.chance(50)) pointwise(s);
  close(s);
}

/// For a while, a part of a container has another name, too; later perhaps, that name is one for
/// the same part of another container.
void RandomPieces::by_reference(RegionBuilder& r, std::size_t budget, int depth) {
  const std::size_t of = readable_[random_.below(std::min<std::size_t>(readable_.size(), 8))];
  const auto has_two_names = [&](const Reference& reference) {
    return reference.name == of || std::ranges::count(reference.targets, of) > 0;
  };
  const Window shown = window(of, indices_);
  if (shown.dims.empty() || std::ranges::any_of(references_, has_two_names))
    return state(r, budget);
  std::vector<std::size_t> targets{of};
  std::string other;
  if (containers_[of].strides == c_strides(containers_[of].dims) && random_.chance(60)) {
    Container like = containers_[of];
    like.name = fresh("t");
    like.is_readable = false;
    other = like.name + shown.text.substr(containers_[of].name.size());
    targets.push_back(declare(std::move(like), true));
    StateScope s = open(r);
    fill(s, targets[1], containers_[of].type == BaseType::Bool ? "True" : "2");
    wrote(s, targets[1]);
    close(s);
  }
  const std::size_t name = declare_alias(shown, Role::Reference);
  containers_[of].was_read = true;
  references_.push_back({name, targets});
  set_reference(r, name, shown.text);
  containers_[name].is_readable = true;
  readable_.push_back(name);
  region(r, budget / 2, depth + 1);
  if (!other.empty()) {
    if (random_.chance(50)) {
      const std::size_t first = readable_.size();
      RegionBuilder branch = r.conditional().branch(condition());
      set_reference(branch, name, other);
      forget(first);
    } else {
      set_reference(r, name, other);
    }
    region(r, budget / 2, depth + 1);
  }
  references_.pop_back();
  containers_[name].is_readable = false;
  std::erase(readable_, name);
}

// ---- Streams.

/// Something for each point of a domain, in a loop or a map, which goes in order or not.
void RandomPieces::for_points(RegionBuilder& r, std::size_t domain, bool in_order,
                              const std::function<void(StateScope&, const Index&)>& what) {
  const Index index{fresh("k"), domain};
  const auto& [begin, end] = domains_[domain];
  if (in_order && random_.chance(50)) {
    declare_symbol(index.name);
    RegionBuilder body = r.loop(index.name, begin, index.name + " < " + end, index.name + " + 1");
    StateScope s = open(body);
    indices_.push_back(index);
    what(s, index);
    indices_.pop_back();
    return close(s);
  }
  StateScope s = open(r);
  s.builder.open_map("points", index.name, domains_[domain].text(), {},
                     in_order ? Schedule::Sequential : Schedule::Default);
  what(s, index);
  s.builder.close_map();
  close(s);
}

/// What points push is popped in the same order, or combined by what consumes it.
void RandomPieces::queue(RegionBuilder& r) {
  const std::size_t domain = random_domain();
  const BaseType type = random_.chance(50) ? BaseType::Float64 : BaseType::Int64;
  const std::string name = fresh("q");
  builder_.sdfg().arrays.set(name, Data{.kind = Stream{{Expr(0)}, Expr(0)},
                                        .dtype = type,
                                        .shape = {Expr(1)},
                                        .transient = true});
  const std::string first = name + "[0]";
  const bool in_order = random_.chance(60);
  for_points(r, domain, in_order, [&](StateScope& s, const Index& index) {
    const Ports in = inputs(s, {index}, none);
    s.builder.tasklet("push", in, code(in, {index}, type), {{"o", first}});
  });
  if (!in_order) return consume(r, name, type);
  const std::size_t out = new_transient({{domain}}, type);
  if (random_.chance(50)) {
    StateScope s = open(r);
    const EdgeId e = copy_edge(s, first, whole(containers_[out]));
    Memlet& memlet = s.builder.state()[e].memlet;
    memlet.volume = num_elements(*memlet.dst_subset);
    wrote(s, out);
    pointwise(s);
    return close(s);
  }
  for_points(r, domain, true, [&](StateScope& s, const Index& index) {
    Ports in = inputs(s, {index}, none);
    in.push_back({"y", whole(containers_[out])});  // of the type of what is popped
    const std::string text = code(in, {index}, type);
    in.back().memlet = first;
    s.builder.tasklet("pop", in, text,
                      {{"o", subset(containers_[out].name, {at_point({domain}, index, 0)})}});
  });
  containers_[out].is_readable = true;
  readable_.push_back(out);
}

/// All elements of a queue, in any order, into a sum or an extreme.
void RandomPieces::consume(RegionBuilder& r, const std::string& queue, BaseType type) {
  const std::size_t out = new_transient({}, type);
  const std::string& name = containers_[out].name;
  StateScope s = open(r);
  fill(s, out, "0");
  close(s);
  s = open(r);
  State& state = s.builder.state();
  const NodeId from = s.builder.access(queue), to = s.builder.access(name);
  const NodeId entry = state.add(Node{ConsumeEntry{.label = "drain", .pe_index = fresh("p")}});
  const NodeId take = state.add(Node{Tasklet{.label = "take", .code = Code("o = x + 1")}});
  const NodeId exit = state.add(Node{ConsumeExit{entry}});
  for (const NodeId n : {entry, take, exit}) {
    state[n].in_connectors[n == entry ? "IN_stream" : n == take ? "x" : "IN_o"];
    state[n].out_connectors[n == entry ? "OUT_stream" : n == take ? "o" : "OUT_o"];
  }
  Memlet popped = Memlet::read(queue, Subset::index({0}));
  state.connect(entry, take, Edge{"OUT_stream", "x", popped});
  popped.volume = 0, popped.dynamic = true;
  state.connect(from, entry, Edge{"", "IN_stream", std::move(popped)});
  Memlet sum = Memlet::write(name, Subset::index({0}));
  sum.wcr = Code(wcr(type));
  state.connect(take, exit, Edge{"o", "IN_o", sum});
  sum.volume = 0, sum.dynamic = true;
  state.connect(exit, to, Edge{"OUT_o", "", std::move(sum)});
  wrote(s, out);
  pointwise(s);
  close(s);
}

// ---- Structures.

/// Two containers that are members of a structure.
void RandomPieces::record(StateScope& s) {
  const std::vector<Extent> dims = plain_dims();
  const std::string name = fresh("s");
  Structure members{.name = "pair_" + name};
  std::vector<std::pair<std::string, Type>> pointers;
  std::vector<std::size_t> declared;
  for (const std::string member : {"x", "y"}) {
    Container c{.name = name + "." + member, .type = random_type(), .dims = dims};
    c.strides = c_strides(dims);
    members.members.emplace_back(member, Box<Data>(described(c, true)));
    pointers.emplace_back(member, Type::pointer(c.type));
    containers_.push_back(std::move(c));
    declared.push_back(containers_.size() - 1);
  }
  const Type type = Type::structure(members.name, std::move(pointers), {}, 16);
  builder_.sdfg().arrays.set(name, Data{.kind = std::move(members),
                                        .dtype = Type::pointer(type),
                                        .shape = {Expr(1)},
                                        .transient = true});
  for (const std::size_t c : declared) {
    everywhere(s, c);
    wrote(s, c);
  }
  pointwise(s);
}

}  // namespace sdfg
