#include "tools/common/generate_pieces.h"

#include <algorithm>

#include "support/text.h"
#include "tools/common/generate_mixed.h"

namespace sdfg {

RandomPieces::RandomPieces(std::string name, Random& random, int depth)
    : builder_(std::move(name)), random_(random), depth_(depth) {
  symbols_ = {"N", "M", "K", "a", "b"};
  // In a nested SDFG, some change places, or have other names.
  if (depth > 0 && random.chance(30)) std::swap(symbols_[0], symbols_[1]);
  if (depth > 0 && random.chance(30)) std::swap(symbols_[3], symbols_[4]);
  if (depth > 0 && random.chance(30)) symbols_[2] = "n";
  for (const std::string& symbol : symbols_) declare_symbol(symbol);
  const std::string &n = symbols_[0], &m = symbols_[1], &k = symbols_[2], &a = symbols_[3],
                    &b = symbols_[4];
  domains_ = {{"0", n}, {"0", m}, {a, b}, {"0", "3"}, {a, n}, {"0", k + " - 2"},
              {"0", "int_ceil(" + n + ", 2)"}};
  least_.assign(domain_count, 0);
  least_[of_three] = 3;
  const std::size_t few = 1 + random.below(3);
  while (chosen_.size() < few) chosen_.push_back(random.below(domain_count));
}

Sdfg RandomPieces::run(std::size_t budget) {
  for (const char* name : {"A", "B", "C", "D"})
    declare({.name = name, .type = random_type(), .dims = random_dims()}, false);
  declare({.name = "I", .type = BaseType::Int64, .dims = {{0, 2, 2}}}, false);
  declare({.name = "s", .is_scalar = true}, false);
  containers_.back().is_writable = false;
  region(builder_, budget, 0);
  // What was computed last shows in the arguments.
  for (std::size_t c = 0; c < 4; ++c) {
    StateScope s = open(builder_);
    Points points;
    for (const Extent& e : containers_[c].dims) {
      Index index{fresh("r"), e.domain};
      points.ranges.push_back(domains_[e.domain].text());
      points.params.push_back(std::move(index));
    }
    const auto place = target(containers_[c], points.params);
    if (!place) continue;
    s.builder.open_map("results", points.params[0].name, points.ranges[0]);
    for (std::size_t d = 1; d < points.params.size(); ++d)
      s.builder.open_map("results", points.params[d].name, points.ranges[d]);
    Ports in = inputs(s, points.params, c);
    in.push_back({"z", *place});
    s.builder.tasklet("result", in, code(in, points.params, containers_[c].type),
                      {{"o", *place}});
    for (std::size_t d = 0; d < points.params.size(); ++d) s.builder.close_map();
    wrote(s, c);
  }
  return builder_.take();
}

// ---- Control flow.

void RandomPieces::region(RegionBuilder& r, std::size_t budget, int depth) {
  const std::size_t end = nodes_ + budget;
  const std::size_t first = readable_.size(), index = indices_.size(), small = smalls_.size();
  do {
    block(r, std::min<std::size_t>(end > nodes_ ? end - nodes_ : 1, 4 + random_.below(40)), depth);
    ++nodes_;
  } while (nodes_ < end);
  if (depth == 0) return;
  // What is first written or assigned in here need not have been elsewhere.
  forget(first);
  indices_.resize(index);
  smalls_.resize(small);
}

/// Only what was readable first of all is readable from here on.
void RandomPieces::forget(std::size_t first) {
  for (; readable_.size() > first; readable_.pop_back())
    containers_[readable_.back()].is_readable = false;
}

void RandomPieces::block(RegionBuilder& r, std::size_t budget, int depth) {
  constexpr int deepest = 3;
  switch (depth < deepest ? random_.below(15) : 9) {
    case 0:
    case 1:
      return loop(r, budget, depth);
    case 2:
      return while_loop(r, budget, depth);
    case 3:
    case 4:
      return conditional(r, budget, depth);
    case 5:
      return assignment(r);
    case 10:
      return select(r);
    case 11:
      return by_edges(r, budget, depth);
    case 12:
      return by_reference(r, budget, depth);
    case 13:
      return random_.chance(50) ? queue(r) : from_zeros(r);
    default:
      return state(r, std::min<std::size_t>(budget, 4 + random_.below(16)));
  }
}

void RandomPieces::state(RegionBuilder& r, std::size_t budget) {
  StateScope s = open(r);
  const std::size_t before = nodes_;
  s.is_chain = depth_ == 0 && indices_.empty() && random_.chance(50);
  if (s.is_chain) budget = 60;
  for (int tries = 0; tries < 8 && s.builder.state().node_count() + (nodes_ - before) < budget;
       ++tries)
    operation(s);
  close(s);
  std::erase_if(readable_, [&](std::size_t c) { return containers_[c].is_of_state; });
}

/// Over the points of a domain, from either end, some ends told by data.
void RandomPieces::loop(RegionBuilder& r, std::size_t budget, int depth) {
  Index index{fresh("k"), random_domain(), int(random_.below(2)),
              int(random_.below(2))};
  const Domain& domain = domains_[index.domain];
  const std::string low = plus("(" + domain.begin + ")", index.low);
  std::string end = plus("(" + domain.end + ")", -index.high);
  if (!smalls_.empty() && random_.chance(30))
    end = "min(" + end + ", " + low + " + " + smalls_[random_.below(smalls_.size())] + ")";
  const std::string& k = index.name;
  declare_symbol(k);
  RegionBuilder body = random_.chance(30) ? r.loop(k, end + " - 1", k + " >= " + low, k + " - 1")
                                          : r.loop(k, low, k + " < " + end,
                                                   k + (random_.chance(20) ? " + 2" : " + 1"));
  indices_.push_back(index);
  const bool outer = std::exchange(in_loop_, true);
  const int known = std::exchange(least_[index.domain], std::max(1, least_[index.domain]));
  region(body, budget, depth + 1);
  least_[index.domain] = known;
  in_loop_ = outer;
  if (random_.chance(15)) body.conditional().branch(condition()).break_loop();
  indices_.pop_back();
}

void RandomPieces::while_loop(RegionBuilder& r, std::size_t budget, int depth) {
  const std::string w = fresh("w");
  r.assign({{w, "0"}});
  const std::string more = random_.chance(60) ? " and " + condition() : "";
  RegionBuilder body = r.while_loop(w + " < 3" + more);
  rounds(body, w, budget, depth);
}

/// What a loop does in each round, which counts them.
void RandomPieces::rounds(RegionBuilder& body, const std::string& counter, std::size_t budget,
                          int depth) {
  smalls_.push_back(counter);
  const bool outer = std::exchange(in_loop_, false);
  region(body, budget, depth + 1);
  in_loop_ = outer;
  smalls_.pop_back();
  body.assign({{counter, counter + " + 1"}});
}

/// A choice, or a loop, by conditions of edges between blocks.
void RandomPieces::by_edges(RegionBuilder& r, std::size_t budget, int depth) {
  Region& blocks = r.region();
  const auto state = [&] {
    r.state();
    BlockId added;
    for (BlockId b : blocks.nodes()) added = b;
    return added;
  };
  const auto not_taken = [](const std::string& test) {
    return InterstateEdge{Code("not (" + test + ")")};
  };
  const auto leads_on_if = [&](BlockId from, const std::string& test) {
    blocks[blocks.out(from).front()].condition = Code(test);
  };
  const std::string test = condition();
  if (random_.chance(50)) {
    const BlockId fork = state();
    region(r, budget / 2, depth + 1);
    const BlockId end = state();
    leads_on_if(fork, test);
    if (random_.chance(50)) {
      const BlockId other = state();
      region(r, budget / 2, depth + 1);
      blocks.set_target(blocks.out(end).front(), state());
      blocks.connect(fork, other, not_taken(test));
    } else {
      blocks.connect(fork, end, not_taken(test));
    }
    return;
  }
  const std::string w = fresh("w");
  r.assign({{w, "0"}});
  const BlockId guard = state();
  const bool may_leave = random_.chance(40);
  const BlockId fork = may_leave ? state() : guard;
  rounds(r, w, budget, depth);
  const BlockId last = state(), behind = state();
  const std::string more = w + " < 3";
  blocks.set_source(blocks.out(last).front(), guard);
  blocks[blocks.in(behind).front()].condition = not_taken(more).condition;
  blocks.connect(last, guard, {});
  leads_on_if(guard, more);
  if (!may_leave) return;
  leads_on_if(fork, test);
  blocks.connect(fork, behind, not_taken(test));
}

void RandomPieces::conditional(RegionBuilder& r, std::size_t budget, int depth) {
  ConditionalBuilder choice = r.conditional();
  const std::size_t branches = 1 + random_.below(3);
  for (std::size_t i = 0; i < branches; ++i) {
    const std::vector<int> known = least_;
    const std::size_t domain = random_domain();
    const int points = 1 + int(random_.below(2));
    const bool by_size = domain != of_halves && random_.chance(40);
    const bool last = i > 0 && i + 1 == branches;
    std::string test = condition();
    if (by_size) {
      test = "(" + domains_[domain].end + ") - (" + domains_[domain].begin + ") > " +
             std::to_string(points - 1);
      if (!last) least_[domain] = std::max(least_[domain], points);
    }
    RegionBuilder branch = last ? choice.otherwise() : choice.branch(test);
    if (random_.chance(12) && depth > 0) {
      if (in_loop_ && random_.chance(70))
        random_.chance(50) ? branch.break_loop() : branch.continue_loop();
      else if (!in_loop_ && random_.chance(30))
        branch.return_();
      else
        region(branch, budget / branches, depth + 1);
    } else {
      region(branch, budget / branches, depth + 1);
    }
    least_ = known;
  }
}

/// Branches that write a container, each all of it, and a copy to where it is needed.
void RandomPieces::select(RegionBuilder& r) {
  const std::size_t to = random_.below(4);
  if (to >= containers_.size() || !containers_[to].is_writable || containers_[to].is_scalar)
    return state(r, 10);
  std::vector<Extent> dims;
  std::vector<std::string> parts;
  for (const Extent& e : containers_[to].dims) {
    dims.push_back({e.domain});
    parts.push_back(part(e, false));
  }
  const std::size_t t = new_transient(dims, containers_[to].type);
  ConditionalBuilder choice = r.conditional();
  for (const bool first : {true, false}) {
    RegionBuilder branch = first ? choice.branch(condition()) : choice.otherwise();
    StateScope s = open(branch);
    everywhere(s, t);
    close(s);
  }
  StateScope s = open(r);
  wrote(s, t);
  if (!s.touched.contains(to)) {
    s.builder.copy(whole(containers_[t]), subset(containers_[to].name, parts));
    read(s, t), wrote(s, to);
  }
  pointwise(s);
  close(s);
}

std::string RandomPieces::condition() {
  for (int tries = 0; tries < 4; ++tries) {
    const std::size_t c = readable_[random_.below(readable_.size())];
    const auto place = element(containers_[c], {});
    if (!place || place->find("int_ceil") != std::string::npos || containers_[c].is_member())
      continue;
    containers_[c].was_read = true;
    const std::string value = containers_[c].is_scalar ? containers_[c].name : *place;
    if (containers_[c].type == BaseType::Bool) return random_.chance(50) ? value : "not " + value;
    return value + (random_.chance(50) ? " > " : " <= ") + std::to_string(random_.below(3));
  }
  if (!smalls_.empty() && random_.chance(50))
    return smalls_[random_.below(smalls_.size())] + " != " + std::to_string(random_.below(3));
  return symbols_[random_.below(5)] + " < " + symbols_[random_.below(5)];
}

/// A symbol from 0 to 2, mostly from data.
void RandomPieces::assignment(RegionBuilder& r) {
  const std::string symbol = fresh("j");
  std::string value = std::to_string(random_.below(3));
  if (!smalls_.empty() && random_.chance(50))
    value = "(" + smalls_[random_.below(smalls_.size())] + " + 1) % 3";
  Container& c = containers_[readable_[random_.below(readable_.size())]];
  if (const auto place = element(c, {});
      c.type == BaseType::Int64 && !c.is_member() && place &&
      place->find("int_ceil") == std::string::npos) {
    c.was_read = true;
    value = c.is_scalar ? c.name : *place;
    if (!c.is_small) value = "max(0, min(2, " + value + "))";
  }
  declare_symbol(symbol);
  r.assign({{symbol, value}});
  smalls_.push_back(symbol);
}

}  // namespace sdfg
