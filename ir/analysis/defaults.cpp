#include "ir/analysis/defaults.h"

#include <algorithm>
#include <set>

#include "ir/analysis/scope_tree.h"
#include "ir/place.h"
#include "ir/walk.h"

namespace sdfg {
namespace {

/// The storage of what is allocated inside a scope. Sequential scopes do not decide.
std::optional<Storage> storage_in(Schedule schedule) {
  switch (schedule) {
    case Schedule::Mpi:
    case Schedule::CpuPersistent:
    case Schedule::SveMap:
      return Storage::CpuHeap;
    case Schedule::CpuMulticore:
    case Schedule::GpuThreadBlock:
    case Schedule::GpuThreadBlockDynamic:
      return Storage::Register;
    case Schedule::GpuPersistent:
      return Storage::GpuGlobal;
    case Schedule::GpuDevice:
      return Storage::GpuShared;
    case Schedule::Snitch:
      return Storage::SnitchTcdm;
    case Schedule::Default:
      return Storage::Default;
    default:
      return std::nullopt;
  }
}

/// The schedule of scopes directly inside a scope.
std::optional<Schedule> schedule_in(Schedule schedule) {
  switch (schedule) {
    case Schedule::Default:
      return Schedule::Default;
    case Schedule::Sequential:
    case Schedule::CpuMulticore:
    case Schedule::GpuThreadBlock:
    case Schedule::GpuThreadBlockDynamic:
    case Schedule::SveMap:
      return Schedule::Sequential;
    case Schedule::Mpi:
    case Schedule::CpuPersistent:
      return Schedule::CpuMulticore;
    case Schedule::GpuPersistent:
      return Schedule::GpuDevice;
    case Schedule::GpuDevice:
      return Schedule::GpuThreadBlock;
    case Schedule::Snitch:
      return Schedule::Snitch;
    case Schedule::SnitchMulticore:
      return Schedule::SnitchMulticore;
    default:
      return std::nullopt;
  }
}

/// What a scope should run on when it touches data stored there.
std::optional<Schedule> schedule_for(Storage storage) {
  switch (storage) {
    case Storage::CpuHeap:
    case Storage::CpuThreadLocal:
      return Schedule::CpuMulticore;
    case Storage::GpuGlobal:
      return Schedule::GpuDevice;
    case Storage::GpuShared:
      return Schedule::GpuThreadBlock;
    case Storage::SveRegister:
      return Schedule::SveMap;
    default:
      return std::nullopt;
  }
}

Schedule* schedule_of(Node& node) {
  if (auto* map = node.as<MapEntry>()) return &map->schedule;
  if (auto* consume = node.as<ConsumeEntry>()) return &consume->schedule;
  if (auto* library = node.as<LibraryNode>()) return &library->schedule;
  return nullptr;
}
const Schedule* schedule_of(const Node& node) { return schedule_of(const_cast<Node&>(node)); }

bool is_thread_block(Schedule s) {
  return s == Schedule::GpuThreadBlock || s == Schedule::GpuThreadBlockDynamic;
}

/// A state with what is needed to walk its scopes.
struct Scopes {
  State& state;
  ScopeTree tree;
  std::vector<std::vector<NodeId>> inside;  ///< direct children by entry; the last: top level

  static Result<Scopes> of(State& state) {
    auto tree = scope_tree(state);
    if (!tree) return tree.error();
    Scopes scopes{state, *std::move(tree), {}};
    scopes.inside.resize(state.id_bound() + 1);
    for (NodeId n : state.nodes()) scopes.children(scopes.tree.parent_of(n)).push_back(n);
    return scopes;
  }
  std::vector<NodeId>& children(NodeId entry) {
    return entry ? inside[entry.value] : inside.back();
  }
};

/// Does a scope within this one, at any depth and through nested SDFGs, have such a schedule?
template <class Predicate>
bool any_inner_schedule(const State& state, const ScopeTree& tree, NodeId entry, bool direct,
                        const Predicate& predicate) {
  for (NodeId n : state.nodes()) {
    const NodeId parent = tree.parent_of(n);
    if (direct ? parent != entry : (entry && !tree.contains(entry, n))) continue;
    const Node& node = state[n];
    if (node.is_entry() && predicate(*schedule_of(node))) return true;
    const auto* nested = node.as<NestedSdfg>();
    if (!nested || !nested->sdfg) continue;
    bool found = false;
    for_each_state(**nested->sdfg, [&](const State& inner) {
      if (found) return;
      const auto inner_tree = scope_tree(inner);
      found = inner_tree && any_inner_schedule(inner, *inner_tree, {}, direct, predicate);
    });
    if (found) return true;
  }
  return false;
}

class Defaults {
 public:
  using Outer = ByName<Storage>;  ///< by connector

  Status sdfg(Sdfg& sdfg, const Outer* outer) {
    std::optional<Diagnostic> error;
    for_each_state(sdfg, [&](State& state, const Block& block) {
      if (error) return;
      auto scopes = Scopes::of(state);
      Status status = Ok{};
      if (scopes)
        status = scope(sdfg, *scopes, {}, outer);
      else
        status = scopes.error();
      if (!status) error = inside(Place().block(block), status.error());
    });
    if (error) return *error;
    for (auto& [name, data] : sdfg.arrays) {
      if (!data.transient && outer) {
        if (const auto found = outer->find(name); found != outer->end())
          data.storage = found->second;
      } else if (data.storage == Storage::Default) {
        data.storage = Storage::Register;
      }
    }
    return Ok{};
  }

 private:
  Status scope(Sdfg& sdfg, Scopes& scopes, NodeId entry, const Outer* outer) {
    set_storages(sdfg, scopes, entry, outer);
    SDFG_TRY([[maybe_unused]] Ok schedules, set_schedules(sdfg, scopes, entry));
    for (NodeId n : std::vector<NodeId>(scopes.children(entry))) {
      Node& node = scopes.state[n];
      if (node.is_entry()) {
        schedules_.push_back(*schedule_of(node));
        auto status = scope(sdfg, scopes, n, outer);
        schedules_.pop_back();
        if (!status) return status;
      } else if (auto* nested = node.as<NestedSdfg>(); nested && nested->sdfg) {
        const Outer storages = storages_outside(sdfg, scopes.state, n);
        if (auto inner = this->sdfg(**nested->sdfg, &storages); !inner)
          return inside(Place().node(scopes.state, n), inner.error());
      }
    }
    return Ok{};
  }

  static Outer storages_outside(const Sdfg& sdfg, const State& state, NodeId nested) {
    Outer storages;
    const auto add = [&](EdgeId e, const std::string& connector) {
      const Data* data = sdfg.find_data(state[e].memlet.data);
      if (data && !connector.empty()) storages.emplace(connector, data->storage);
    };
    for (EdgeId e : state.in(nested)) add(e, state[e].dst_connector);
    for (EdgeId e : state.out(nested)) add(e, state[e].src_connector);
    return storages;
  }

  Storage child_storage(const Scopes& scopes, NodeId entry) const {
    // A kernel without thread-block maps of its own keeps what it allocates in registers.
    const bool in_kernel = std::ranges::count(schedules_, Schedule::GpuDevice) > 0 &&
                           std::ranges::none_of(schedules_, is_thread_block);
    if (in_kernel) {
      const bool blocks =
          any_inner_schedule(scopes.state, scopes.tree, entry, false, is_thread_block) ||
          any_inner_schedule(scopes.state, scopes.tree, entry, true,
                             [](Schedule s) { return s == Schedule::Default; });
      if (!blocks) return Storage::Register;
    }
    for (auto s = schedules_.rbegin(); s != schedules_.rend(); ++s)
      if (const auto storage = storage_in(*s)) return *storage;
    return Storage::CpuHeap;
  }

  void set_storages(Sdfg& sdfg, Scopes& scopes, NodeId entry, const Outer* outer) {
    const Storage standard = child_storage(scopes, entry);
    const auto set = [&](const std::string& name) {
      Data* data = sdfg.find_data(name);
      if (!data) return;
      if (!data->transient && outer) {
        const auto found = outer->find(std::string_view(name).substr(0, name.find('.')));
        if (found != outer->end()) data->storage = found->second;
      } else if (data->storage == Storage::Default) {
        data->storage = standard;
      }
    };
    std::vector<NodeId> members = scopes.children(entry);
    std::vector<bool> inside(scopes.state.id_bound());
    for (NodeId n : scopes.children(entry))
      if (const NodeId exit = scopes.tree.exit_of(n)) members.push_back(exit);
    for (NodeId n : members) inside[n.value] = true;
    for (NodeId n : members)
      if (const auto* access = scopes.state[n].as<AccessNode>()) set(access->data);
    for (NodeId n : members)
      for (EdgeId e : scopes.state.out(n))
        if (inside[scopes.state.target(e).value] && !scopes.state[e].memlet.empty())
          set(scopes.state[e].memlet.data);
  }

  Status set_schedules(const Sdfg& sdfg, Scopes& scopes, NodeId entry) {
    std::optional<Schedule> standard;
    for (auto s = schedules_.rbegin(); s != schedules_.rend() && !standard; ++s)
      standard = schedule_in(*s);
    if (standard == Schedule::GpuThreadBlock &&
        any_inner_schedule(scopes.state, scopes.tree, entry, false,
                           [](Schedule s) { return s == Schedule::GpuThreadBlockDynamic; }))
      standard = Schedule::GpuThreadBlockDynamic;
    for (NodeId n : scopes.children(entry)) {
      Schedule* schedule = schedule_of(scopes.state[n]);
      if (!schedule || *schedule != Schedule::Default) continue;
      if (standard) {
        *schedule = *standard;
        continue;
      }
      SDFG_TRY(*schedule, schedule_from_storage(sdfg, scopes, n));
    }
    return Ok{};
  }

  static Result<Schedule> schedule_from_storage(const Sdfg& sdfg, const Scopes& scopes, NodeId n) {
    const State& state = scopes.state;
    const bool opens = state[n].is_entry();
    const NodeId exit = opens ? scopes.tree.exit_of(n) : n;
    std::set<Schedule> wanted;
    const auto look = [&](EdgeId e) {
      const Data* data = sdfg.find_data(state[e].memlet.data);
      if (!data || data->is_scalar()) return;
      if (const auto schedule = schedule_for(data->storage)) wanted.insert(*schedule);
    };
    for (EdgeId e : state.out(n)) look(e);
    if (exit)
      for (EdgeId e : state.in(exit)) look(e);
    if (wanted.size() > 1) {
      std::string list;
      for (Schedule s : wanted) list += (list.empty() ? "" : ", ") + std::string(to_text(s));
      return Diagnostic{Place().node(state, n).text(),
                        "the schedule cannot be inferred: the storages it touches ask for " + list,
                        "set the schedule"};
    }
    return wanted.empty() ? Schedule::CpuMulticore : *wanted.begin();
  }

  std::vector<Schedule> schedules_;  ///< of the scopes around, through nested SDFGs
};

}  // namespace

Status set_defaults(Sdfg& sdfg) { return Defaults().sdfg(sdfg, nullptr); }

}  // namespace sdfg
