#include "passes/simplify/demote_fields.h"

#include <algorithm>

#include "ir/replace.h"
#include "ir/walk.h"

namespace sdfg {
namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

/// Does any data come to the node? Empty memlets only say when.
bool is_written(const State& state, NodeId node) {
  return std::ranges::any_of(state.in(node), [&](EdgeId e) { return !state[e].memlet.empty(); });
}

/// Is the field read in the first state that uses it, at a node that nothing has written?
bool is_read_first(const Sdfg& sdfg, const std::string& field) {
  bool seen = false, read = false;
  for_each_state(sdfg, [&](const State& state) {
    bool here = false;
    for (NodeId n : state.nodes_of<AccessNode>()) {
      const auto* access = state[n].as<AccessNode>();
      if (access->data != field) continue;
      here = true;
      const auto reads = [&](EdgeId e) { return !state[e].memlet.empty(); };
      if (!seen && !is_written(state, n) && std::ranges::any_of(state.out(n), reads)) read = true;
    }
    seen |= here;
  });
  return read;
}

Refusal check(const Sdfg& sdfg, const std::string& field) {
  const Data* data = sdfg.arrays.get(field);
  if (!data || data->transient) return quoted(field) + " is no argument";
  if (!data->as_array() || data->role() != Role::Plain) return quoted(field) + " is no array";
  if (is_read_first(sdfg, field))
    return quoted(field) + " is read before it is written, so its values come from outside";
  return {};
}

}  // namespace

Result<Changed> DemoteFields::run(Sdfg& sdfg, const Options& options, PassContext& context) {
  Changed changed = Changed::No;
  for (const std::string& field : options.fields) {
    if (is_demoted(sdfg, field)) continue;
    if (const Refusal why = check(sdfg, field)) {
      context.refused({}, why);
      continue;
    }
    if (!context.may_apply()) break;
    context.applied({}, quoted(field) + " is a transient for now");
    Data& data = sdfg.arrays.at(field);
    sdfg.arrays.insert(std::string(demoted_prefix) + field, Data(data));
    sdfg.arrays.at(field).transient = true;
    changed = Changed::Yes;
  }
  return changed;
}

Result<Changed> RestoreFields::run(Sdfg& sdfg, const Options&, PassContext& context) {
  std::vector<std::string> demoted;
  for (const auto& [name, data] : sdfg.arrays)
    if (name.starts_with(demoted_prefix)) demoted.push_back(name);
  Changed changed = Changed::No;
  for (const std::string& name : demoted) {
    const std::string field = name.substr(demoted_prefix.size());
    Data original = sdfg.arrays.at(name);
    if (Data* data = sdfg.arrays.get(field)) {
      Data same = *data;
      same.transient = false;
      same.lifetime = original.lifetime;
      if (same.as_array() && original.as_array())
        same.as_array()->optional = original.as_array()->optional;
      if (!(same == original)) {
        context.refused({},
                        quoted(field) + " has been laid out anew, so it cannot be the caller's");
        continue;
      }
    }
    if (!context.may_apply()) break;
    // A field that has become a symbol on the way: the name is the caller's.
    if (sdfg.symbols.contains(field)) rename_symbol(sdfg, field, sdfg.fresh_name(field));
    context.applied(
        {}, quoted(field) + (sdfg.arrays.contains(field) ? " is an argument again"
                                                         : " is gone; the argument is unused"));
    sdfg.arrays.set(field, std::move(original));
    sdfg.arrays.erase(name);
    changed = Changed::Yes;
  }
  return changed;
}

}  // namespace sdfg
