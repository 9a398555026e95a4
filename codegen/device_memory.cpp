// One block of device memory for all transients of a program. A container lives from the first to
// the last launch that touches it, or through all of the program if control flow reads it by name;
// containers whose lives do not meet share a slot, whose size is the larger of theirs. Launches are
// in order on one stream, so nothing else has to be known.

#include <algorithm>
#include <functional>
#include <queue>

#include "codegen/sdfg_function.h"
#include "ir/analysis/used_names.h"
#include "ir/graph_algorithms.h"
#include "support/text.h"

namespace sdfg {
namespace {

/// Positions of launches in the order of the program's text.
struct Life {
  std::size_t first = ~std::size_t(0), last = 0;
  bool of_function = false;  ///< keeps its contents from one round of a loop to the next
  void include(std::size_t a, std::size_t b) {
    first = std::min(first, a);
    last = std::max(last, b);
  }
};

/// A part of the block, and the containers that have it in turn.
struct Slot {
  std::vector<std::string> sizes, tenants;
  bool has(const std::string& size) const { return std::ranges::find(sizes, size) != sizes.end(); }
};

struct Walk {
  const Sdfg& sdfg;
  const std::unordered_map<const State*, StatePlan*>& plans;
  NameSet function_level;  ///< known to the whole function
  ByName<Life> lives{};
  std::size_t position = 0;
  std::vector<Life*> touched{};  ///< those of the function, state by state

  void state(const State& state) {
    const StatePlan& plan = *plans.at(&state);
    std::vector<std::size_t> at(state.id_bound(), position);
    for (NodeId id : plan.order) at[id.value] = ++position;
    const std::size_t begin = plan.order.empty() ? position : at[plan.order[0].value];
    const auto launch = [&](NodeId node) {  // an exit is launched with its entry
      const NodeId around = plan.outermost(node);
      return at[(around ? around : node).value];
    };
    for (const auto& [name, nodes] : plan.accesses) {
      const auto [known, is_new] = lives.try_emplace(std::string(name));
      Life& life = known->second;
      if (is_new) life.of_function = function_level.contains(name);
      if (life.of_function) touched.push_back(&life);
      for (NodeId id : nodes) {
        life.include(launch(id), launch(id));
        const auto touch = [&](NodeId node) {
          life.include(launch(node), launch(node));
          // Who looks through a view is not followed: it may be anyone in the state.
          if (state.kind_of(node) != Node::number_of<AccessNode>) return;
          const Data* data = sdfg.find_data(state.get<AccessNode>(node).data);
          if (data && (data->is_view() || data->is_reference())) life.include(begin, position);
        };
        for (EdgeId e : state.in(id)) touch(state.source(e));
        for (EdgeId e : state.out(id)) touch(state.target(e));
      }
    }
  }

  void region(const Region& region) {
    const std::size_t begin = position + 1, touched_before = touched.size();
    bool repeats = false;
    std::set<BlockId> seen;
    for (BlockId id : reverse_postorder(region)) {
      for (InterstateEdgeId e : region.out(id))
        repeats |= seen.contains(region.target(e)) || region.target(e) == id;
      seen.insert(id);
      const Block& block = region[id];
      if (const auto* state = block.as<State>()) {
        this->state(*state);
      } else if (const auto* conditional = block.as<ConditionalBlock>()) {
        for (const Branch& branch : conditional->branches) this->region(branch.region());
      } else if (const auto* loop = block.as<LoopRegion>()) {
        const std::size_t from = position + 1, before = touched.size();
        this->region(*loop);
        extend(before, from);
      } else if (const Region* deeper = block.region()) {
        this->region(*deeper);
      }
    }
    if (repeats) extend(touched_before, begin);
  }

  /// What a loop that ends here touches lives through all of it.
  void extend(std::size_t first_touched, std::size_t from) {
    for (std::size_t i = first_touched; i < touched.size(); ++i)
      touched[i]->include(from, position);
  }
};

}  // namespace

void SdfgFunction::plan_device_memory(Writer& out) {
  Walk walk{sdfg_, plan_of_, {function_level_.begin(), function_level_.end()}};
  walk.region(sdfg_);
  for (const std::string& name : containers_read_by_name(sdfg_))
    if (const auto life = walk.lives.find(name); life != walk.lives.end())
      life->second.include(0, walk.position);
  // Sizes that only a launch knows, from the dynamic ranges of its map.
  NameSet of_launch;
  for (const StatePlan& plan : plans_)
    for (const auto& [entry, names] : plan.declared)
      for (const std::string& name : names) {
        SymbolSet symbols;
        collect_symbols(*sdfg_.find_data(name), symbols);
        if (entry &&
            std::ranges::any_of(symbols, [&, e = entry](const auto& symbol) {
              return plan.state[e].in_connectors.contains(symbol);
            }))
          of_launch.insert(name);
      }
  std::vector<Slot> slots;
  std::map<std::string, std::size_t> slot_of;
  std::vector<std::pair<Life, std::string>> order;
  for (const auto& [name, data] : sdfg_.arrays) {
    if (!data.transient || data.storage != Storage::GpuGlobal || data.is_view() ||
        data.is_reference() || data.lifetime == Lifetime::Persistent ||
        data.lifetime == Lifetime::External || data.lifetime == Lifetime::Global ||
        (!data.as_array() && !data.is_scalar()) || is_late(data) || of_launch.contains(name) ||
        bindings_.contains(name))
      continue;
    const auto found = walk.lives.find(name);
    if (found == walk.lives.end()) continue;
    if (has_setzero(name)) found->second.include(0, 0);  // that is done first of all
    order.emplace_back(found->second, name);
  }
  std::ranges::stable_sort(order, {}, [](const auto& entry) { return entry.first.first; });
  // Slots that are free, all and by the sizes they have had; the others by when they will be.
  std::set<std::size_t> free;
  std::map<std::string, std::set<std::size_t>> free_of_size;
  using Busy = std::pair<std::size_t, std::size_t>;
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
  for (const auto& [life, name] : order) {
    const Data& data = *sdfg_.find_data(name);
    const std::string size =
        "sdfg::gpu::slice<" + type_name(data.dtype, place_.data(name)) + ">(" +
        (data.as_array() ? print(data.as_array()->total_size, place_.data(name)) : "1") + ")";
    // Lives come in the order of their beginnings, so that a slot is free once its last one has
    // ended.
    for (; !busy.empty() && busy.top().first < life.first; busy.pop()) {
      const std::size_t ended = busy.top().second;
      free.insert(ended);
      for (const std::string& had : slots[ended].sizes) free_of_size[had].insert(ended);
    }
    // A slot of the same size, or any: the larger of two is less than both.
    std::size_t chosen = slots.size();
    if (const auto same = free_of_size.find(size);
        same != free_of_size.end() && !same->second.empty())
      chosen = *same->second.begin();
    else if (!free.empty())
      chosen = *free.begin();
    else
      slots.emplace_back();
    Slot& slot = slots[chosen];
    free.erase(chosen);
    for (const std::string& had : slot.sizes) free_of_size[had].erase(chosen);
    busy.emplace(life.last, chosen);
    slot.tenants.push_back(name);
    if (!slot.has(size)) slot.sizes.push_back(size);
    slot_of[name] = chosen;
  }
  if (slots.empty()) return;

  const std::string field = program_.fresh_name("device_memory"),
                    memory = local_name("device_memory");
  program_.state_fields.push_back("sdfg::gpu::Arena " + field + ";");
  program_.device_memory.push_back(field);
  out.line("// Memory of the device: " + std::to_string(order.size()) + " containers in " +
           std::to_string(slots.size()) + " slots.");
  std::vector<std::string> begins, ends;  // from the beginning of the memory
  for (const Slot& slot : slots) {
    begins.push_back(ends.empty() ? "" : " + " + ends.back());
    const std::string before = ends.empty() ? "" : ends.back() + " + ";
    ends.push_back(local_name("slot_" + std::to_string(ends.size()) + "_end"));
    const std::string sizes = join(slot.sizes, ", ");
    out.line("const size_t ", ends.back(), " = ", before,
             slot.sizes.size() == 1 ? sizes : "sdfg::max(" + sizes + ")", ";  // ",
             join(slot.tenants, ", "));
    program_.slots.push_back({slot.tenants, join(slot.sizes, " or ")});
  }
  out.line("char* const ", memory, " = __state->", field, ".reserve(__state->gpu, ", ends.back(),
           " + 1);");
  out.line("if (!", memory, ") return;");
  for (const auto& [name, slot] : slot_of) device_addresses_[name] = memory + begins[slot];
}

}  // namespace sdfg
