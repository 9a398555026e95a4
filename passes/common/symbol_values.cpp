#include "passes/common/symbol_values.h"

#include <algorithm>
#include <utility>

#include "ir/graph_algorithms.h"
#include "passes/common/blocks.h"
#include "passes/common/decide.h"

namespace sdfg {
namespace {

constexpr SymbolValues::RegionIndex none = ~SymbolValues::RegionIndex(0);
/// Assignments that lead back to one another are followed so far; an expression grows so long.
constexpr std::size_t most_steps = 200, most_nodes = 64;

std::size_t node_count(const Expr& e) {
  std::size_t count = 1;
  for (const Expr& a : e.args()) {
    count += node_count(a);
    if (count > most_nodes) break;
  }
  return count;
}

}  // namespace

// ---- Numbering.

SymbolValues::SymbolValues(const Sdfg& sdfg, const TypeTable& types, Substitution entry)
    : sdfg_(sdfg), types_(types), entry_(std::move(entry)) {
  add_region(sdfg, nullptr, 0, {}, none);
}

SymbolValues::RegionIndex SymbolValues::child(RegionIndex region, BlockId block,
                                              std::size_t branch) const {
  const auto& children = regions_[region].children;
  const auto found =
      std::ranges::lower_bound(children, block, {}, [](const auto& c) { return c.first; });
  return found->second[branch];
}

void SymbolValues::define(const std::string& name, Definition definition) {
  if (unreachable_) return;
  const auto [at, is_new] = symbols_.emplace(name, Symbol(names_.size()));
  if (is_new) names_.push_back(name), definitions_.emplace_back();
  definition.position = next_++;
  definitions_[at->second].push_back(std::move(definition));
}

SymbolValues::RegionIndex SymbolValues::add_region(const Region& region, const LoopRegion* loop,
                                                   RegionIndex parent, BlockId block,
                                                   RegionIndex innermost_loop) {
  const RegionIndex index = regions_.size();
  regions_.emplace_back();
  if (loop) innermost_loop = index;
  {
    RegionInfo& info = regions_[index];
    info.region = &region, info.loop = loop, info.parent = parent, info.block = block;
    info.begin = next_++;
    info.order = reverse_postorder(region);
    info.extent.resize(region.id_bound());
    info.chain = info.order.size() == region.node_count();
  }
  const std::vector<BlockId> order = regions_[index].order;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const BlockId b = order[i];
    const Position begin = next_++;
    add_block(index, b, innermost_loop);
    regions_[index].extent[b.value] = {begin, next_};
    regions_[index].elements.push_back({begin, next_, b, false});
    const Position edges = next_;
    for (InterstateEdgeId e : region.out(b)) {
      // Only the edge to the next block, always taken, keeps the region a chain.
      if (region.out(b).size() != 1 || !region[e].condition.always_true() ||
          i + 1 == order.size() || region.target(e) != order[i + 1] ||
          region.in(region.target(e)).size() != 1)
        regions_[index].chain = false;
      for (const auto& [name, value] : region[e].assignments)
        define(name, {.position = 0, .region = index, .edge = e, .block = b, .value = value});
    }
    regions_[index].elements.push_back({edges, next_, b, true});
  }
  if (order.size() != region.node_count()) add_unreachable(index);
  auto& children = regions_[index].children;
  std::ranges::sort(children, {}, [](const auto& c) { return c.first; });
  regions_[index].end = next_;
  if (!regions_[index].chain) cut(regions_[index]);
  return index;
}

/// What cannot be reached assigns nothing, but whoever walks through it asks for its regions.
void SymbolValues::add_unreachable(RegionIndex index) {
  const Region& region = *regions_[index].region;
  std::vector<char> reached(region.id_bound(), 0);
  for (BlockId b : regions_[index].order) reached[b.value] = 1;
  const bool around = std::exchange(unreachable_, true);
  for (BlockId b : region.nodes()) {
    if (reached[b.value]) continue;
    add_block(index, b, none);
    regions_[index].extent[b.value] = {next_, next_};
  }
  unreachable_ = around;
}

void SymbolValues::add_block(RegionIndex region, BlockId id, RegionIndex innermost_loop) {
  const Block& block = (*regions_[region].region)[id];
  if (block.is<LoopRegion>()) return add_loop(region, id);
  if (block.is<ConditionalBlock>()) return add_conditional(region, id, innermost_loop);
  if (const Region* inner = block.region()) {
    const RegionIndex index = add_region(*inner, nullptr, region, id, innermost_loop);
    regions_[region].children.push_back({id, {index}});
  }
  if (innermost_loop == none) return;
  if (block.is<BreakBlock>()) regions_[innermost_loop].breaks = true;
  if (block.is<ContinueBlock>()) regions_[innermost_loop].continues = true;
}

void SymbolValues::add_conditional(RegionIndex region, BlockId id, RegionIndex innermost_loop) {
  std::vector<RegionIndex> all;
  for (const Branch& branch : (*regions_[region].region)[id].as<ConditionalBlock>()->branches)
    all.push_back(add_region(branch.region(), nullptr, region, id, innermost_loop));
  regions_[region].children.push_back({id, std::move(all)});
}

void SymbolValues::add_loop(RegionIndex region, BlockId id) {
  const LoopRegion& loop = *(*regions_[region].region)[id].as<LoopRegion>();
  add_statement(region, id, loop.init_statement, false);
  const RegionIndex index = add_region(loop, &loop, region, id, none);
  add_statement(region, id, loop.update_statement, true);
  regions_[index].update_end = next_;
  regions_[region].children.push_back({id, {index}});
}

void SymbolValues::add_statement(RegionIndex region, BlockId block, const RareOptional<Code>& code,
                                 bool update) {
  const Statements* statements = code ? code->statements() : nullptr;
  if (!statements) return;
  for (const Statement& s : *statements) {
    const auto* assign = std::get_if<Assign>(&s.kind);
    if (!assign || !assign->target.is(Op::Symbol)) continue;
    // Several statements see each other's results; only a single one is looked into.
    const Expr value = assign->augmented
                           ? Expr::make(*assign->augmented, {assign->target, assign->value})
                           : assign->value;
    define(assign->target.name(), {.position = 0,
                                   .region = region,
                                   .block = block,
                                   .update = update,
                                   .value = value,
                                   .readable = statements->size() == 1});
  }
}

// ---- Versions.

bool SymbolValues::assigned_in(Symbol s, Position begin, Position end) const {
  return last_in(s, begin, end) != nullptr;
}

const SymbolValues::Definition* SymbolValues::last_in(Symbol s, Position begin,
                                                      Position end) const {
  const auto& all = definitions_[s];
  const auto found = std::ranges::lower_bound(all, end, {}, &Definition::position);
  if (found == all.begin() || std::prev(found)->position < begin) return nullptr;
  return &*std::prev(found);
}

std::span<const SymbolValues::Definition> SymbolValues::all_in(Symbol s, Position begin,
                                                               Position end) const {
  const auto& all = definitions_[s];
  const auto first = std::ranges::lower_bound(all, begin, {}, &Definition::position);
  return {first, std::ranges::lower_bound(first, all.end(), end, {}, &Definition::position)};
}

bool SymbolValues::loop_changes(Symbol s, const RegionInfo& loop) const {
  return assigned_in(s, loop.begin, loop.update_end);
}

bool SymbolValues::fixed_in_loop(std::string_view symbol, RegionIndex region) const {
  const auto found = symbols_.find(symbol);
  return found == symbols_.end() || !loop_changes(found->second, regions_[region]);
}

SymbolValues::Version SymbolValues::version(const Origin& origin) {
  const auto [at, is_new] = versions_.emplace(origin, Version(origins_.size()));
  if (is_new) {
    origins_.push_back(origin);
    values_.emplace_back();
    progress_.push_back(Progress::New);
  }
  return at->second;
}

SymbolValues::Version SymbolValues::assigned(Symbol s, const Definition& definition) {
  return version({Kind::Assigned, s, std::uint32_t(&definition - definitions_[s].data()), 0});
}

/// The version when a block is entered. Walks outward while the regions around do not assign it.
SymbolValues::Version SymbolValues::before(Symbol s, RegionIndex region, BlockId block) {
  std::vector<RegionIndex> passed;
  Version result{};
  for (;;) {
    if (const auto inside = in_region(s, region, block)) {
      result = *inside;
      break;
    }
    // The same as on entering the region.
    if (const auto known = entries_.find({region, s}); known != entries_.end()) {
      result = known->second;
      break;
    }
    passed.push_back(region);
    const RegionInfo& info = regions_[region];
    if (region == 0) {
      result = version({Kind::Entry, s, 0, 0});
      break;
    }
    if (info.loop) {
      if (loop_changes(s, info)) {
        result = version({Kind::Loop, s, std::uint32_t(region), 0});
        break;
      }
      const Position begin = regions_[info.parent].extent[info.block.value].first;
      if (const Definition* init = last_in(s, begin, info.begin)) {
        result = assigned(s, *init);
        break;
      }
    }
    block = info.block, region = info.parent;
  }
  for (RegionIndex r : passed) entries_[{r, s}] = result;
  return result;
}

SymbolValues::Version SymbolValues::after(Symbol s, RegionIndex region, BlockId block) {
  const auto [begin, end] = regions_[region].extent[block.value];
  return assigned_in(s, begin, end) ? after_block(s, region, block) : before(s, region, block);
}

/// The version on entering a block, if the region assigns the symbol on the way; nothing when it is
/// the one that the region began with.
std::optional<SymbolValues::Version> SymbolValues::in_region(Symbol s, RegionIndex region,
                                                             BlockId block) {
  const RegionInfo& info = regions_[region];
  if (!assigned_in(s, info.begin, info.end)) return std::nullopt;
  if (!info.chain) {
    // A block that cannot be reached has no version; any will do.
    const Place place = info.places[block.value];
    return place == nowhere ? version({Kind::End, s, std::uint32_t(region), nowhere})
                            : flow(s, region).at(place);
  }
  const Definition* last = last_in(s, info.begin, info.extent[block.value].first);
  if (!last) return std::nullopt;
  const auto element = std::prev(
      std::ranges::upper_bound(info.elements, last->position, {}, &Element::begin));
  return element->is_edge ? assigned(s, *last) : after_block(s, region, element->block);
}

/// The version behind a block that assigns the symbol somewhere inside.
SymbolValues::Version SymbolValues::after_block(Symbol s, RegionIndex region, BlockId id) {
  const Block& block = (*regions_[region].region)[id];
  if (block.is<ConditionalBlock>())
    return version({Kind::Merge, s, std::uint32_t(region), id.value});
  const RegionIndex inner = child(region, id);
  if (!block.is<LoopRegion>()) return end_of(s, inner);
  const RegionInfo& loop = regions_[inner];
  if (!loop_changes(s, loop)) return loop_init(s, inner);
  if (loop.breaks || loop.loop->inverted)
    return version({Kind::AfterLoop, s, std::uint32_t(inner), 0});
  return version({Kind::Loop, s, std::uint32_t(inner), 0});
}

/// The version that the first iteration of a loop begins with.
SymbolValues::Version SymbolValues::loop_init(Symbol s, RegionIndex loop) {
  const RegionInfo& info = regions_[loop];
  const Position begin = regions_[info.parent].extent[info.block.value].first;
  if (const Definition* init = last_in(s, begin, info.begin)) return assigned(s, *init);
  return before(s, info.parent, info.block);
}

/// The version that a loop's update statement sees.
SymbolValues::Version SymbolValues::after_body(Symbol s, RegionIndex loop) {
  const RegionInfo& info = regions_[loop];
  if (!assigned_in(s, info.begin, info.end))
    return loop_changes(s, info) ? version({Kind::Loop, s, std::uint32_t(loop), 0})
                                 : loop_init(s, loop);
  if (info.continues) return version({Kind::AfterBody, s, std::uint32_t(loop), 0});
  return end_of(s, loop);
}

/// The version when a region that assigns the symbol has ended.
SymbolValues::Version SymbolValues::end_of(Symbol s, RegionIndex region) {
  const RegionInfo& info = regions_[region];
  if (info.chain && !info.order.empty()) return after(s, region, info.order.back());
  return version({Kind::End, s, std::uint32_t(region), 0});
}

SymbolValues::Version SymbolValues::at(Symbol s, const Point& point) {
  switch (point.kind) {
    case Point::Before: return before(s, point.region, point.block);
    case Point::After: return after(s, point.region, point.block);
    case Point::Update: return after_body(s, point.region);
    case Point::Header: break;
  }
  if (loop_changes(s, regions_[point.region]))
    return version({Kind::Loop, s, std::uint32_t(point.region), 0});
  return loop_init(s, point.region);
}

// ---- Values.

std::optional<Expr> SymbolValues::value(std::string_view symbol, const Point& point) {
  const auto found = symbols_.find(symbol);
  if (found == symbols_.end()) {
    const auto known = entry_.find(symbol);
    return known == entry_.end() ? std::nullopt : std::optional(known->second);
  }
  const std::optional<Value> value = value_of(at(found->second, point));
  if (!value || !holds_at(*value, point)) return std::nullopt;
  return value->expr;
}

bool SymbolValues::holds_at(const Value& value, const Point& point) {
  return std::ranges::all_of(
      value.reads, [&](const auto& read) { return at(read.first, point) == read.second; });
}

const std::optional<SymbolValues::Value>& SymbolValues::value_of(Version v) {
  static const std::optional<Value> unknown;
  if (progress_[v] == Progress::Done) return values_[v];
  if (progress_[v] == Progress::Running || depth_ >= most_steps) return unknown;
  progress_[v] = Progress::Running;
  ++depth_;
  std::optional<Value> result = evaluate(Origin(origins_[v]));
  --depth_;
  values_[v] = std::move(result);
  progress_[v] = Progress::Done;
  return values_[v];
}

std::optional<SymbolValues::Value> SymbolValues::evaluate(const Origin& origin) {
  const Symbol s = origin.symbol;
  switch (origin.kind) {
    case Kind::Entry: {
      const auto known = entry_.find(names_[s]);
      if (known == entry_.end()) return std::nullopt;
      return Value{known->second, {}};
    }
    case Kind::Assigned: return resolve(s, definitions_[s][origin.region]);
    // Jumps lead here from anywhere.
    case Kind::AfterBody: case Kind::AfterLoop: return std::nullopt;
    default: return join(inputs(origin));
  }
}

/// The versions that meet in one. Those behind jumps are not told apart: whatever the loop assigns
/// may be meant.
std::vector<SymbolValues::Version> SymbolValues::inputs(const Origin& origin) {
  const Symbol s = origin.symbol;
  const RegionIndex region = origin.region;
  std::vector<Version> out;
  switch (origin.kind) {
    case Kind::Entry: case Kind::Assigned: break;
    case Kind::Loop: {
      const RegionInfo& info = regions_[region];
      const Definition* update = last_in(s, info.end, info.update_end);
      return {loop_init(s, region), update ? assigned(s, *update) : after_body(s, region)};
    }
    case Kind::AfterBody: case Kind::AfterLoop: {
      const RegionInfo& info = regions_[region];
      out.push_back(version({Kind::Loop, s, std::uint32_t(region), 0}));
      for (const Definition& d : all_in(s, info.begin, info.update_end))
        out.push_back(assigned(s, d));
      break;
    }
    case Kind::Merge: {
      const BlockId id{origin.block};
      const auto& branches = (*regions_[region].region)[id].as<ConditionalBlock>()->branches;
      for (std::size_t i = 0; i < branches.size(); ++i) {
        const RegionIndex inner = child(region, id, i);
        const RegionInfo& info = regions_[inner];
        if (info.chain && !info.order.empty() && is_jump((*info.region)[info.order.back()]))
          continue;
        out.push_back(assigned_in(s, info.begin, info.end) ? end_of(s, inner)
                                                           : before(s, region, id));
      }
      if (branches.empty() || branches.back().condition) out.push_back(before(s, region, id));
      break;
    }
    case Kind::Block: return arrivals(s, region, BlockId{origin.block}, flow(s, region));
    case Kind::End: {
      const RegionInfo& info = regions_[region];
      if (origin.block != nowhere)
        for (BlockId b : info.order)
          if (may_end_region(*info.region, b)) out.push_back(after(s, region, b));
      break;
    }
  }
  return out;
}

void SymbolValues::read(std::string_view symbol, const Point& point) {
  const auto found = symbols_.find(symbol);
  if (found == symbols_.end()) return;
  std::vector<Version> open{at(found->second, point)};
  while (!open.empty()) {
    const Version v = open.back();
    open.pop_back();
    if (read_.size() <= v) read_.resize(origins_.size(), 0);
    if (read_[v]) continue;
    read_[v] = 1;
    for (const Version input : inputs(Origin(origins_[v]))) open.push_back(input);
  }
}

bool SymbolValues::carried(std::string_view symbol, RegionIndex region) const {
  const auto found = symbols_.find(symbol);
  if (found == symbols_.end()) return false;
  for (const Kind kind : {Kind::Loop, Kind::AfterLoop}) {
    const auto known = versions_.find({kind, found->second, std::uint32_t(region), 0});
    if (known != versions_.end() && known->second < read_.size() && read_[known->second])
      return true;
  }
  return false;
}

std::optional<SymbolValues::Value> SymbolValues::join(const std::vector<Version>& versions) {
  if (versions.empty()) return std::nullopt;
  const std::optional<Value> first = value_of(versions[0]);
  if (!first) return std::nullopt;
  for (const Version v : versions)
    if (value_of(v) != first) return std::nullopt;
  return first;
}

/// What an assignment's right side is, with the symbols in it replaced where they are known.
std::optional<SymbolValues::Value> SymbolValues::resolve(Symbol target,
                                                         const Definition& definition) {
  if (!definition.readable || !fits(definition.value, names_[target])) return std::nullopt;
  Point point{Point::After, definition.region, definition.block};
  if (!definition.edge) {
    point.kind = definition.update ? Point::Update : Point::Before;
    if (definition.update) point.region = child(definition.region, definition.block);
  }
  Value out{definition.value, {}};
  Substitution known;
  for (const std::string& name : free_symbols(definition.value)) {
    const auto symbol = symbols_.find(name);
    if (symbol == symbols_.end()) {
      if (const auto entry = entry_.find(name); entry != entry_.end())
        known.emplace(name, entry->second);
      continue;
    }
    const Version read = at(symbol->second, point);
    const std::optional<Value> value = value_of(read);
    if (value && holds_at(*value, point) && node_count(value->expr) <= most_nodes) {
      known.emplace(name, value->expr);
      out.reads.insert(out.reads.end(), value->reads.begin(), value->reads.end());
    } else {
      out.reads.push_back({symbol->second, read});
    }
  }
  out.expr = substitute(definition.value, known);
  if (node_count(out.expr) > most_nodes || !fits(out.expr, names_[target])) return std::nullopt;
  std::ranges::sort(out.reads);
  const auto [end, last] = std::ranges::unique(out.reads);
  out.reads.erase(end, last);
  return out;
}

/// Does the symbol hold exactly what the expression says once it has been assigned?
bool SymbolValues::fits(const Expr& value, const std::string& target) const {
  const auto type_of_name = [&](const std::string& name) -> const Type* {
    if (sdfg_.arrays.contains(name)) return nullptr;
    if (const auto symbol = sdfg_.symbols.find(name); symbol != sdfg_.symbols.end())
      return &symbol->second;
    const auto found = types_.find(name);
    return found == types_.end() ? nullptr : &found->second;
  };
  const Type* type = type_of_name(target);
  if (!type) return false;
  const bool boolean = type->base() == BaseType::Bool;
  if (boolean ? !is_integer_condition(value)
              : !type->is_signed_integer() || !is_integer_arithmetic(value))
    return false;
  const std::int64_t bytes = boolean ? 8 : *type->bytes();
  for (const std::string& name : free_symbols(value)) {
    const Type* read = type_of_name(name);
    if (!read || !read->is_signed_integer() || *read->bytes() > bytes) return false;
  }
  if (const auto constant = value.as_integer(); constant && bytes < 8)
    return *constant >= -(std::int64_t(1) << (8 * bytes - 1)) &&
           *constant < (std::int64_t(1) << (8 * bytes - 1));
  return true;
}

}  // namespace sdfg
