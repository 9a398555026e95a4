#include "ir/verify.h"

#include <algorithm>

#include "ir/analysis/free_symbols.h"
#include "ir/symbol_collector.h"
#include "ir/verify_context.h"
#include "ir/walk.h"
#include "support/text.h"

namespace sdfg {

Diagnostics verify(const Sdfg& sdfg) {
  Verified none;
  return verify(sdfg, none);
}

Diagnostics verify(const Sdfg& sdfg, Verified& before) {
  detail::Findings findings(before);
  const detail::SdfgScope scope(sdfg, nullptr, nullptr);
  detail::verify_sdfg(scope, findings);
  return findings.take();
}

namespace detail {

void Findings::add(Severity severity, const Place& where, std::string message, std::string hint) {
  std::vector<std::string> parts;
  for (const auto& part : parts_) parts.push_back(part());
  std::string text = place_text(parts);
  const std::string rest = where.text();
  if (!rest.empty()) text += (text.empty() ? "" : " / ") + rest;
  all_.push_back({std::move(text), std::move(message), std::move(hint), severity});
}

SdfgScope::SdfgScope(const Sdfg& sdfg, const SdfgScope* outer, const Node* call)
    : sdfg(sdfg), outer(outer), call(call), flow(sdfg) {
  for (const auto& [name, constant] : sdfg.constants) own_constants.insert(name);
  constants = &own_constants;
  if (outer && own_constants.empty()) constants = outer->constants;
  if (outer && !own_constants.empty())
    own_constants.insert(outer->constants->begin(), outer->constants->end());
  SymbolSet symbols;
  SymbolCollector collector(symbols);
  for (const auto& [name, data] : sdfg.arrays) collect_symbols(data, collector);
  size_symbols.insert(symbols.begin(), symbols.end());
  for_each_edge(sdfg, [&](const Edge& edge, const State& state, EdgeId id) {
    if (edge.memlet.empty()) return;
    if (const auto* access = state[state.target(id)].as<AccessNode>())
      if (const std::string_view root = root_of(access->data); !written.contains(root))
        written.emplace(root);
  });
  for (const auto& [name, data] : sdfg.arrays)
    if (data.holds_reference()) {
      find_references(sdfg, 0);
      break;
    }
}

void SdfgScope::find_references(const Region& region, SymbolFlow::RegionIndex index) {
  for (BlockId id : region.nodes()) {
    const Block& block = region[id];
    if (const auto* state = block.as<State>())
      for (EdgeId e : state->edges())
        if (const auto* access = (*state)[state->target(e)].as<AccessNode>())
          if ((*state)[e].dst_connector == "set") flow.define("set:" + access->data, index, id);
    if (const Region* inner = block.region()) find_references(*inner, flow.child(index, id));
    if (const auto* conditional = block.as<ConditionalBlock>())
      for (std::size_t i = 0; i < conditional->branches.size(); ++i)
        find_references(conditional->branches[i].region(), flow.child(index, id, i));
  }
}

bool SdfgScope::knows_symbol(std::string_view name) const {
  if (const std::size_t dot = name.find('.'); dot != std::string_view::npos)
    return sdfg.arrays.contains(root_of(name)) || knows_symbol(name.substr(0, dot));
  return sdfg.symbols.contains(name) || constants->contains(name) ||
         size_symbols.contains(std::string(name)) || name == "__pystate";
}

const Data* StateScope::data_of(NodeId node) const {
  const auto* access = state[node].as<AccessNode>();
  return access ? find_data(access->data) : nullptr;
}

void StateScope::add_undefined(const Expr& expr, NodeId scope, SymbolSet& out) const {
  if (expr.is(Op::Integer)) return;
  const std::uint64_t key = Hasher().add(expr.hash()).add(scope.value).value();
  if (defined.contains(key)) return;
  SymbolSet used;
  collect_symbolic(expr, used);
  bool all = true;
  for (const std::string& name : used)
    if (!defines(name, scope)) out.insert(name), all = false;
  if (all) defined.insert(key);
}

std::uint64_t StateScope::ranges_around(NodeId node) const {
  const NodeId scope = tree.parent_of(node);
  if (!scope) return 0;
  std::uint64_t& known = range_hash[scope.value];
  if (known) return known;
  Hasher hash;
  hash.add(ranges_around(scope));
  if (const auto* map = state[scope].as<MapEntry>()) {
    for (const std::string& param : map->params) hash.add(param);
    for (const Range& range : map->ranges) add(range, hash);
  }
  return known = hash.value() | 1;
}

bool StateScope::defines(std::string_view name, NodeId scope) const {
  for (NodeId at = scope; at; at = tree.parent_of(at)) {
    const Node& entry = state[at];
    if (const auto* map = entry.as<MapEntry>())
      for (const std::string& param : map->params)
        if (param == name) return true;
    if (const auto* consume = entry.as<ConsumeEntry>())
      if (consume->pe_index == name) return true;
    if (!name.starts_with("IN_") && entry.in_connectors.contains(name)) return true;
  }
  return sdfg.defines_symbol(name, point);
}

std::string StateScope::which_are_undefined(const SymbolSet& names) const {
  const auto is_container = [&](const std::string& name) {
    return sdfg.sdfg.arrays.contains(name);
  };
  const std::string which = names.size() == 1 ? ", which is " : ", which are ";
  if (std::ranges::none_of(names, is_container)) return which + "not defined here";
  if (!std::ranges::all_of(names, is_container)) return which + "not defined here, or containers";
  return which + (names.size() == 1 ? "a container, not a symbol" : "containers, not symbols");
}

void add(const Range& range, Hasher& hash) {
  for (const Expr* e : {&range.begin, &range.end, &range.step, &range.tile}) hash.add(e->hash());
}

std::uint64_t SdfgScope::hash_of(const Data& data) const {
  std::uint64_t& known = data_hash[&data];
  if (known) return known;
  Hasher hash;
  hash.add(data.kind.index()).add(std::uint64_t(data.role())).add(data.shape.size());
  for (const Expr& extent : data.shape) hash.add(extent.hash());
  const std::vector<Expr>* offset = offset_of(data);
  hash.add(offset ? offset->size() : 0);
  if (offset)
    for (const Expr& e : *offset) hash.add(e.hash());
  hash.add(std::uint64_t(data.dtype.base()));
  if (data.dtype.base() == BaseType::Vector) hash.add(data.dtype.compound().length);
  return known = hash.value() | 1;
}

const std::vector<Expr>* offset_of(const Data& data) {
  if (const Array* array = data.as_array()) return &array->offset;
  const auto* stream = std::get_if<Stream>(&data.kind);
  return stream ? &stream->offset : nullptr;
}

bool verify_syntax(const Code& code, const Place& where, std::string_view what,
                   Findings& findings) {
  const Diagnostic* error = code.syntax_error();
  if (!error) return true;
  std::string message(what);
  message += " is no Python that can be read: " + error->message;
  if (!error->place.empty()) message += " (at " + error->place + ")";
  findings.error(where, std::move(message), error->hint);
  return false;
}

std::string_view root_of(std::string_view name) { return name.substr(0, name.find('.')); }

std::string quoted_list(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += "'" + names[i] + "'";
  }
  return text;
}

std::string counted(std::size_t n, std::string_view what) {
  return std::to_string(n) + " " + std::string(what) + (n == 1 ? "" : "s");
}

bool is_gpu(Schedule schedule) {
  return schedule == Schedule::GpuDevice || schedule == Schedule::GpuThreadBlock ||
         schedule == Schedule::GpuThreadBlockDynamic || schedule == Schedule::GpuPersistent;
}
bool is_gpu(Storage storage) {
  return storage == Storage::GpuGlobal || storage == Storage::GpuShared;
}

const Schedule* scope_schedule(const Node& node) {
  if (const auto* map = node.as<MapEntry>()) return &map->schedule;
  if (const auto* consume = node.as<ConsumeEntry>()) return &consume->schedule;
  return nullptr;
}

void verify_sdfg(const SdfgScope& scope, Findings& findings) {
  const Sdfg& sdfg = scope.sdfg;
  if (!is_valid_name(sdfg.name))
    findings.error({}, "the SDFG's name '" + sdfg.name + "' is not valid",
                   "use letters, digits and underscores, not starting with a digit");
  for (const auto& [name, type] : sdfg.symbols) {
    const auto where = [&] { return Place().in("symbol '" + name + "'"); };
    // DaCe declares the undefined size, which is no symbol, among them.
    if (!is_valid_name(name) && name != "?") findings.error(where(), "the name is not valid");
    if (sdfg.arrays.contains(name))
      findings.error(where(), "the name is used by a container, too", "rename one of the two");
  }
  for (const auto& [name, constant] : sdfg.constants) {
    const Data* data = sdfg.arrays.get(name);
    const auto symbol = sdfg.symbols.find(name);
    const Type* type = data                           ? &data->dtype
                       : symbol != sdfg.symbols.end() ? &symbol->second
                                                      : nullptr;
    if (type && !(*type == constant.data.dtype))
      findings.warning(Place().in("constant '" + name + "'"),
                       "has type " + constant.data.dtype.text() + ", but the " +
                           (data ? "container" : "symbol") + " of that name has type " +
                           type->text());
  }
  verify_data(scope, findings);
  if (sdfg.node_count() == 0)
    findings.error({}, "the SDFG has no blocks", "add at least one state");
  else
    verify_region(scope, sdfg, 0, false, findings);
}

}  // namespace detail
}  // namespace sdfg
