// Arrays of a kernel's threads that no thread can hold: of a size that is not known when the code
// is compiled, or too large for local memory. They move out of the map into the program's memory on
// the device, with a slice for each iteration. Slices lie so that neighbouring threads touch
// neighbouring addresses: the map's parameter along the threads is fastest, the array's own
// dimensions are slowest.
//
//   transient c[n] in map (y, x) in [0:Y, 0:X]    c[k] is c_slices[y, x, k], at x + X*y + X*Y*k
//
// So all strides of the array, and of whatever shows it in nested SDFGs, are multiplied by the
// number of iterations, its *pitch*. Nested SDFGs get the pitch as a symbol. Where something relies
// on the array's own layout (code in C++, a view of another type), slices are contiguous instead.

#include <algorithm>
#include <functional>
#include <set>
#include <span>

#include "codegen/lowering.h"
#include "codegen/scope_nodes.h"
#include "codegen/stretch.h"
#include "ir/analysis/assigned_symbols.h"
#include "ir/analysis/memlet_path.h"
#include "ir/analysis/scope_tree.h"
#include "ir/analysis/window.h"
#include "ir/expr_symbols.h"
#include "ir/replace.h"
#include "ir/walk.h"

namespace sdfg {

namespace {

/// Bytes that a thread may have in local memory for one array. Devices set it aside for as many
/// threads as they hold at once, whatever the grid: at 4 KiB 1.1 GB on an H200 (132 x 2048
/// threads).
constexpr std::int64_t local_limit = 4096;

bool moves_out(const Data& data) {
  const Array* array = std::get_if<Array>(&data.kind);
  if (!array || !data.transient || data.is_view() || data.is_reference() ||
      data.storage == Storage::GpuShared ||
      (data.lifetime != Lifetime::Scope && data.lifetime != Lifetime::State))
    return false;
  const auto count = array->total_size.as_integer();
  return !count || *count * std::int64_t(data.dtype.bytes().value_or(1)) > local_limit;
}

/// Iterations of a parallel map, along one parameter.
struct Lane {
  Expr index, count;
  Expr stride = 0;
};

/// Where something of a kernel lies: in a scope of a state, itself inside a nested SDFG of the
/// level above.
struct Level {
  Sdfg* sdfg;
  State* state;
  std::vector<NodeId>
      around;  ///< maps around, innermost first; at the outermost level the kernel is the last
  NodeId node{};               ///< the nested SDFG that holds the next level
};

/// What the array needs at one level, in its symbols.
struct Need {
  Expr size;                ///< elements of a slice of the level below
  std::vector<Lane> lanes;  ///< parallel maps of this level, the fastest first
  Expr points;              ///< slices, those of the levels below included
};

class Mover {
 public:
  Mover(Sdfg& root, const Dataflows& flows) : flows_(flows) { visit(root); }

  bool has_moved() const { return has_moved_; }

 private:
  void visit(Sdfg& sdfg) {
    for_each_state(sdfg, [&](State& state) {
      const std::size_t bound = state.id_bound();
      std::size_t known = bound;
      const ScopeTree* tree = &flows_.at(&state).tree;
      ScopeTree changed;
      for (NodeId id{0}; id.value < bound; ++id.value) {
        if (!state.contains(id)) continue;
        const std::uint8_t kind = state.kind_of(id);
        const bool kernel = kind == Node::number_of<MapEntry> && is_kernel(state[id]);
        if (!kernel && kind != Node::number_of<NestedSdfg>) continue;
        if (state.id_bound() != known) {
          changed = scope_tree_of(state), known = state.id_bound();
          tree = &changed;
        }
        if (tree->any_around(id, [&](NodeId n) { return is_kernel(state[n]); })) continue;
        if (kernel)
          this->kernel(sdfg, state, *tree, id);
        else if (auto& inner = state.get<NestedSdfg>(id).sdfg)
          visit(**inner);
      }
    });
  }

  void kernel(Sdfg& sdfg, State& state, const ScopeTree& tree, NodeId entry) {
    const std::vector<NodeId> nodes = nodes_in_scope(state, tree, entry);
    const auto arrays = used_only_in(sdfg, state, tree, entry, nodes);
    const auto is_nested = [&](NodeId id) { return state[id].is<NestedSdfg>(); };
    if (arrays.empty() && std::ranges::none_of(nodes, is_nested)) return;
    tell_parameters_apart(state, tree, nodes);
    params_.clear();
    kernel_ = [&] { return kernel_params(sdfg, state, tree, entry); };
    for (const auto& [name, around] : arrays) {
      Data& data = *sdfg.find_data(name);
      if (moves_out(data) && move({{&sdfg, &state, around}}, name)) continue;
      // What stays is of one thread, wherever it was said to be, unless it outlives the call.
      if (data.storage == Storage::GpuGlobal && !data.is_view() && data.lifetime <= Lifetime::Sdfg)
        data.storage = Storage::Register;
    }
    for (NodeId id : nodes)
      if (is_nested(id))
        inside({{&sdfg, &state, up_to(tree.enclosing(id), entry), id}});
  }

  void inside(const std::vector<Level>& levels) {
    auto* nested = (*levels.back().state)[levels.back().node].as<NestedSdfg>();
    if (!nested->sdfg) return;
    Sdfg& sdfg = **nested->sdfg;
    std::vector<std::string> names;
    for (const auto& [name, data] : sdfg.arrays)
      if (moves_out(data)) names.push_back(name);
    for (const std::string& name : names) {
      std::vector<Level> all = levels;
      all.push_back({&sdfg, nullptr, {}});
      move(all, name);
    }
    for_each_state(sdfg, [&](State& state) {
      const ScopeTree& tree = flows_.at(&state).tree;
      tell_parameters_apart(state, tree, state.nodes());
      for (NodeId id : state.nodes_of<NestedSdfg>()) {
        std::vector<Level> deeper = levels;
        deeper.push_back({&sdfg, &state, tree.enclosing(id), id});
        inside(deeper);
      }
    });
  }

  /// The index of a slice has parameters of the maps around: a map inside with one of the same name
  /// gets another.
  static void tell_parameters_apart(State& state, const ScopeTree& tree, const auto& nodes) {
    for (NodeId id : nodes) {
      if (!state[id].is<MapEntry>()) continue;
      SymbolSet around;
      for (NodeId outer : tree.enclosing(id))
        if (const auto* map = state[outer].as<MapEntry>())
          around.insert(map->params.begin(), map->params.end());
      rename_bound_names(state, id, around);
    }
  }

  static bool is_kernel(const Node& node) {
    const auto* map = node.as<MapEntry>();
    return map && (map->schedule == Schedule::GpuDevice || map->schedule == Schedule::GpuDefault);
  }

  /// The entries up to and with the last one.
  static std::vector<NodeId> up_to(std::vector<NodeId> around, NodeId last) {
    around.erase(std::ranges::find(around, last) + 1, around.end());
    return around;
  }

  /// Transients that nothing outside of the kernel uses, with the maps around all their uses.
  static std::map<std::string, std::vector<NodeId>> used_only_in(const Sdfg& sdfg,
                                                                 const State& state,
                                                                 const ScopeTree& tree,
                                                                 NodeId entry,
                                                                 std::span<const NodeId> nodes) {
    std::map<std::string, std::vector<NodeId>> found;
    for (NodeId id : nodes) {
      const auto* access = state[id].as<AccessNode>();
      const Data* data = access ? sdfg.find_data(access->data) : nullptr;
      if (!data || !data->transient) continue;
      if (!moves_out(*data) && data->storage != Storage::GpuGlobal) continue;
      const std::vector<NodeId> around = up_to(tree.enclosing(id), entry);
      const auto [known, is_new] = found.try_emplace(access->data, around);
      if (!is_new)
        std::erase_if(known->second,
                      [&](NodeId n) { return std::ranges::find(around, n) == around.end(); });
    }
    if (found.empty()) return found;
    for_each_state(sdfg, [&](const State& other) {
      for (NodeId id : other.nodes())
        if (const auto* access = other[id].as<AccessNode>())
          if (&other != &state || !tree.contains(entry, id)) found.erase(access->data);
    });
    return found;
  }

  /// What each level needs, innermost first; nothing when the host cannot know it at the launch.
  std::vector<Need> needs(const std::vector<Level>& levels, const Data& data) {
    std::vector<Need> out(levels.size());
    Expr size = data.as_array()->total_size, points = 1;
    for (std::size_t i = levels.size(); i-- > 0;) {
      const Level& level = levels[i];
      const bool top = i == 0;
      if (level.node) {
        const Substitution values = mapped_values(*(*level.state)[level.node].as<NestedSdfg>());
        size = substitute(size, values), points = substitute(points, values);
      }
      std::vector<const MapEntry*> maps;
      for (NodeId around : level.around) maps.push_back((*level.state)[around].as<MapEntry>());
      if (std::ranges::find(maps, nullptr) != maps.end()) return {};
      for (const MapEntry* map : maps)
        if (!bound(size, *map) || !bound(points, *map)) return {};
      for (std::size_t m = 0; m < maps.size(); ++m) {
        const bool kernel = top && m + 1 == maps.size();
        if (!kernel && maps[m]->schedule != Schedule::GpuThreadBlock) continue;
        if (kernel && params_.empty()) params_ = kernel_();
        for (const std::string& param : kernel ? params_ : fastest_first(maps[m]->params)) {
          const auto d =
              std::size_t(std::ranges::find(maps[m]->params, param) - maps[m]->params.begin());
          const Range& r = maps[m]->ranges[d];
          Expr count = r.size();
          for (std::size_t outer = m + 1; outer < maps.size(); ++outer)
            if (!bound(count, *maps[outer])) return {};
          const Expr at = Expr::symbol(param) - r.begin;
          out[i].lanes.push_back(
              {r.step.as_integer() == 1 ? at : floor_div(at, r.step), count, points});
          points = points * count;
        }
      }
      out[i].size = size, out[i].points = points;
      if (top) continue;
      const SymbolSet assigned = assigned_symbols(*level.sdfg);
      if (uses_any(size, assigned) || uses_any(points, assigned)) return {};
    }
    return out;
  }

  static std::vector<std::string> fastest_first(std::vector<std::string> params) {
    std::ranges::reverse(params);
    return params;
  }

  /// `Min(a, b) + c` as `Min(a + c, b + c)`.
  static Expr with_choice_outside(const Expr& e) {
    if (!e.is(Op::Add)) return e;
    for (const Expr& term : e.args()) {
      if (!term.is(Op::Min) && !term.is(Op::Max)) continue;
      std::vector<Expr> sums;
      for (const Expr& a : term.args()) sums.push_back(a + (e - term));
      return Expr::make(term.op(), std::move(sums));
    }
    return e;
  }

  /// An upper bound over all iterations of the map.
  static bool bound(Expr& size, const MapEntry& map) {
    const SymbolSet params(map.params.begin(), map.params.end());
    if (!uses_any(size, params)) return true;
    if (const Expr choice = with_choice_outside(size); choice.is(Op::Min) || choice.is(Op::Max)) {
      std::optional<Expr> all;
      for (Expr each : choice.args()) {
        if (!bound(each, map)) return false;
        all = !all ? each : choice.is(Op::Min) ? min(*all, each) : max(*all, each);
      }
      size = *all;
      return true;
    }
    const auto box = image(Subset{{{0, size - 1}}}, map.params, map.ranges);
    if (!box[0] || uses_any(box[0]->end, params)) return false;
    size = box[0]->end + 1;
    return true;
  }

  /// Moves the array from the innermost level to memory of the outermost.
  bool move(const std::vector<Level>& levels, std::string name) {
    Sdfg& home = *levels.back().sdfg;
    const std::vector<Need> needed = needs(levels, *home.find_data(name));
    // What is zeroed at each entry of a nested SDFG cannot be zeroed before the kernel.
    if (needed.empty() || (levels.size() > 1 && has_setzero(home, name))) return false;
    const bool apart = stretchable(home, name);
    std::vector<Expr> pitch{apart ? needed[0].points : 1};
    for (std::size_t i = 1; i < levels.size(); ++i)
      pitch.push_back(pass_down(nested_at(levels[i - 1]), name + "_pitch", pitch.back()));
    if (apart) stretch(home, name, pitch.back());
    const Type type = home.find_data(name)->dtype;
    for (std::size_t i = levels.size(); i-- > 0;) {
      const Level& level = levels[i];
      const Need& need = needed[i];
      if (i + 1 == levels.size()) {
        index_slices(level, name, need);
      } else {
        Data data = Data::array(type, {need.size});
        data.as_array()->strides = {pitch[i]};
        name = pass_up(level, name, std::move(data), need);
      }
      Data& data = *level.sdfg->find_data(name);
      Array& array = *data.as_array();
      for (const Lane& lane : need.lanes) {
        data.shape.insert(data.shape.begin(), lane.count);
        array.strides.insert(array.strides.begin(), lane.stride * (apart ? Expr(1) : need.size));
        array.offset.insert(array.offset.begin(), 0);
      }
      array.total_size = need.size * (apart ? pitch[i] : need.points);
      data.storage = Storage::GpuGlobal;
      data.transient = i == 0;
    }
    has_moved_ = true;
    return true;
  }

  static NestedSdfg& nested_at(const Level& level) {
    return *(*level.state)[level.node].as<NestedSdfg>();
  }

  /// The indices of this iteration's slice.
  static void prepend(Subset& subset, const Need& need) {
    for (const Lane& lane : need.lanes)
      subset.ranges.insert(subset.ranges.begin(), Range::index(lane.index));
  }

  /// Accesses to the array become accesses to the slice.
  static void index_slices(const Level& level, const std::string& name, const Need& need) {
    if (need.lanes.empty()) return;
    State& state = *level.state;
    const Sdfg& sdfg = *level.sdfg;
    for (EdgeId e : state.edges()) {
      Memlet& memlet = state[e].memlet;
      if (memlet.empty()) continue;
      const auto at = [&](NodeId node) {
        const auto* access = state[node].as<AccessNode>();
        return access ? access->data : std::string();
      };
      const std::string source = at(path_source(state, e)), target = at(path_target(state, e));
      const bool reads =
          memlet.data == name ? memlet.data_is_src || source == name : source == name;
      const bool writes =
          memlet.data == name ? !memlet.data_is_src || target == name : target == name;
      if (!reads && !writes) continue;
      // The end that is not said follows from the other one's rank, which is about to change.
      const auto say = [&](std::optional<Subset>& missing, const std::optional<Subset>& given,
                           const std::string& container) {
        const Data* data = container.empty() ? nullptr : sdfg.find_data(container);
        if (missing || !data) return;
        missing = Subset::whole(data->shape);
        if (given && given->rank() == missing->rank())
          for (std::size_t d = 0; d < given->rank(); ++d)
            (*missing)[d] = {0, (*given)[d].size() - 1};
      };
      if (memlet.data == name && !memlet.subset())
        memlet.subset() = Subset::whole(sdfg.find_data(name)->shape);
      if (!source.empty() && !target.empty()) {
        say(memlet.src_subset, memlet.dst_subset, source);
        say(memlet.dst_subset, memlet.src_subset, target);
      }
      if (reads && memlet.src_subset) prepend(*memlet.src_subset, need);
      if (writes && memlet.dst_subset) prepend(*memlet.dst_subset, need);
    }
  }

  /// The nested SDFG works on a slice of a container of its surroundings. Returns that one's name.
  static std::string pass_up(const Level& level, const std::string& inner, Data data,
                             const Need& need) {
    State& state = *level.state;
    const std::string name =
        level.sdfg->fresh_name(inner.ends_with("_slices") ? inner : inner + "_slices");
    level.sdfg->arrays.insert(name, std::move(data));
    Subset slice{{Range{0, need.size - 1}}};
    prepend(slice, need);
    state[level.node].out_connectors[inner] = Type();
    const NodeId access = state.add(Node{AccessNode{name}});
    state.connect(level.node, access, Edge{inner, "", Memlet::write(name, std::move(slice))});
    if (!level.around.empty())
      for (NodeId id : state.nodes_of<MapExit>())
        if (const auto* exit = state[id].as<MapExit>(); exit->entry == level.around.front())
          state.connect(access, id, Edge{});
    return name;
  }

  static bool has_setzero(const Sdfg& sdfg, const std::string& name) {
    bool found = false;
    for_each_node(sdfg, [&](const Node& node) {
      const auto* access = node.as<AccessNode>();
      found |= access && access->data == name && access->setzero;
    });
    return found;
  }

  const Dataflows& flows_;  ///< as it was before anything moved
  bool has_moved_ = false;
  std::vector<std::string> params_;  ///< of the kernel, the one along the threads first
  std::function<std::vector<std::string>()> kernel_;  ///< what they are, before anything moves
};

}  // namespace

bool move_large_arrays_out(Sdfg& sdfg, const Dataflows& flows) {
  return Mover(sdfg, flows).has_moved();
}

}  // namespace sdfg
