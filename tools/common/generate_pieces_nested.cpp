// Nested SDFGs of programs of pieces: calls, choices and scans.

#include <algorithm>

#include "support/text.h"
#include "tools/common/generate_pieces.h"

namespace sdfg {

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

/// A call in the making.
struct RandomPieces::Call {
  RandomPieces program;
  Indices around{};                               ///< our points where it is
  std::map<std::string, std::string> symbols{};   ///< those of the program, told by ours
  std::vector<Window> windows{};                  ///< of our containers, in the order of its own
};

/// The program gets our symbols and points, some under other names or from elsewhere.
void RandomPieces::give_symbols(Call& call) {
  RandomPieces& program = call.program;
  for (std::size_t i = 0; i < symbols_.size(); ++i)
    call.symbols[program.symbols_[i]] = symbols_[i];
  program.least_ = least_;
  program.chosen_ = chosen_;
  for (Index index : call.around) {
    std::string value = index.name;
    index.name = random_.chance(50) ? index.name : program.fresh("p");
    if (index.high > 0 && random_.chance(50)) {
      value += " + 1";
      ++index.low, --index.high;
    }
    program.declare_symbol(index.name);
    call.symbols[index.name] = value;
    program.indices_.push_back(std::move(index));
  }
  for (const std::string& small : smalls_) {
    const std::string name = random_.chance(50) ? small : program.fresh("j");
    program.declare_symbol(name);
    call.symbols[name] = random_.chance(50) ? small : "2 - " + small;
    program.smalls_.push_back(name);
  }
}

/// The program gets a container, some under another name.
void RandomPieces::give(Call& call, Window window, bool is_written) {
  RandomPieces& program = call.program;
  Container theirs = containers_[window.of];
  theirs.is_scalar = window.dims.empty() && random_.chance(60);
  if (!theirs.is_scalar) theirs.is_small = false;
  theirs.is_of_state = false;
  theirs.dims = window.dims;
  theirs.strides = window.strides;
  theirs.is_writable = is_written;
  theirs.was_read = theirs.was_written = false;
  if (random_.chance(50) || theirs.is_member() || program.builder_.sdfg().find_data(theirs.name) ||
      call.symbols.contains(theirs.name))
    theirs.name = program.fresh("x");
  program.declare(std::move(theirs), false);
  call.windows.push_back(std::move(window));
}

/// What the call writes first of all, and sometimes another container.
std::size_t RandomPieces::give_outputs(StateScope& s, Call& call, const Indices& params,
                                       Window out) {
  const bool all = params.empty();
  const std::size_t second = random_.chance(30) ? pick_output(s) : none;
  const bool is_one = second != none && second != out.of;
  give(call, std::move(out), true);
  if (!is_one) return none;
  const auto place = all ? std::nullopt : target(containers_[second], params);
  if (!all && !place) return none;
  give(call, all ? whole_window(second) : Window{second, *place, {}, {}}, true);
  s.touched.insert(second), s.sealed.insert(second);
  return second;
}

/// Calls another program of pieces with windows of our containers, some of them under two names,
/// and symbols under others. `out`: what belongs to the points of `params`.
void RandomPieces::call(StateScope& s, const Indices& params, const Window& out) {
  Call call{RandomPieces(fresh("inner"), random_, depth_ + 1), indices_};
  RandomPieces& program = call.program;
  call.around.insert(call.around.end(), params.begin(), params.end());
  give_symbols(call);
  const std::size_t second = give_outputs(s, call, params, out);
  for (int i = 0; i < 3; ++i)
    if (const std::size_t c = pick_input(s, out.of); c != none)
      give(call, window(c, call.around), false);

  const bool was_there = containers_[out.of].is_readable;
  const auto fill_first = [&] {
    StateScope first = program.open(program.builder_);
    program.fill(first, 0, program.containers_[0].type == BaseType::Bool ? "True" : "1");
  };
  if (!was_there) fill_first();
  program.region(program.builder_, 4 + random_.below(20), 1);
  if (!program.containers_[0].was_written) fill_first();
  nodes_ += program.nodes_;

  Ports in, to;
  Sdfg called = program.builder_.take();
  for (std::size_t i = 0; i < call.windows.size(); ++i) {
    const Container& theirs = program.containers_[i];
    if (!theirs.was_read && !theirs.was_written) {
      called.arrays.erase(theirs.name);
      continue;
    }
    if (i > 0 || was_there) {
      in.push_back({theirs.name, call.windows[i].text});
      read(s, call.windows[i].of);
    }
    if (theirs.was_written) to.push_back({theirs.name, call.windows[i].text});
  }
  s.builder.nested(std::move(called), in, to, call.symbols);
  if (params.empty()) wrote(s, out.of);
  if (second != none) wrote(s, second);
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

}  // namespace sdfg
