// Which programs can be recorded once and replayed: what a call sends to the device must follow
// from its arguments alone, and the host must do nothing else.

#include "codegen/program_file.h"

namespace sdfg {

namespace {

const char* const way_out = "write graph = off in the plan";

bool on_device(const Data& data) {
  return data.storage == Storage::GpuGlobal || data.storage == Storage::GpuShared;
}

class GraphCheck {
 public:
  explicit GraphCheck(const Dataflows& flows) : flows_(flows) {}

  Status sdfg(const Sdfg& sdfg, const Place& place) {
    for (const auto& [name, data] : sdfg.arrays) {
      const bool kept =
          data.lifetime == Lifetime::Persistent || data.lifetime == Lifetime::External;
      if (kept && !on_device(data))
        return no(place.data(name), "it keeps what the host knows from call to call");
      if (data.is_stream()) return no(place.data(name), "the host fills and empties it");
    }
    return region(sdfg, sdfg, place);
  }

 private:
  static Diagnostic no(const Place& place, const std::string& why) {
    return {place.text(), "the program cannot be a graph: " + why, way_out};
  }

  Status region(const Sdfg& sdfg, const Region& region, const Place& place) {
    for (BlockId id : region.nodes()) {
      const Block& block = region[id];
      const Place here = place.block(block);
      Status status = Ok{};
      if (const auto* state = block.as<State>()) {
        status = this->state(sdfg, *state, here);
      } else if (const auto* conditional = block.as<ConditionalBlock>()) {
        for (const Branch& branch : conditional->branches)
          if (status) status = this->region(sdfg, branch.region(), here.in(branch.block.label));
      } else if (const Region* inner = block.region()) {
        status = this->region(sdfg, *inner, here);
      }
      if (!status) return status;
    }
    return Ok{};
  }

  Status state(const Sdfg& sdfg, const State& state, const Place& place) {
    const ScopeTree& tree = flows_.at(&state).tree;
    const auto is_kernel = [&](NodeId id) {
      const auto* map = state[id].as<MapEntry>();
      return map && (map->schedule == Schedule::GpuDevice || map->schedule == Schedule::GpuDefault);
    };
    for (NodeId id : state.nodes()) {
      if (tree.any_around(id, is_kernel)) continue;
      if (auto status = node(sdfg, state, id, place.node(state, id)); !status) return status;
    }
    return Ok{};
  }

  Status node(const Sdfg& sdfg, const State& state, NodeId id, const Place& place) {
    const Node& node = state[id];
    const auto data_of = [&](NodeId n) {
      const auto* access = state[n].as<AccessNode>();
      return access ? sdfg.find_data(access->data) : nullptr;
    };
    if (const auto* nested = node.as<NestedSdfg>(); nested && nested->sdfg)
      return this->sdfg(**nested->sdfg, place);
    if (node.is<LibraryNode>()) return no(place, "the library node runs on the host");
    const auto* tasklet = node.as<Tasklet>();
    if (tasklet &&
        (tasklet->side_effects.value_or(false) || tasklet->code.language() != Language::Python))
      return no(place, "the host runs code whose effects are not known");
    for (EdgeId e : state.out(id)) {
      const Data* to = data_of(state.target(e));
      const Data* from = data_of(id);
      if (tasklet && to && on_device(*to)) return no(place, "the host writes to the device");
      if (to && from && on_device(*to) != on_device(*from))
        return no(place,
                  "what it copies lies on the host, where other calls may find something else");
    }
    return Ok{};
  }

  const Dataflows& flows_;
};

}  // namespace

Status check_graph(const Program& program, const std::vector<Argument>& arguments) {
  for (const Argument& a : arguments) {
    const Place place = Place().in("argument '" + a.name + "'");
    if (a.type.base() == BaseType::Callback)
      return Diagnostic{place.text(), "the program cannot be a graph: it calls back", way_out};
    if (a.data && a.pointer && !on_device(*a.data))
      return Diagnostic{
          place.text(),
          "the program cannot be a graph: this is memory of the host, and what it holds may change",
          way_out};
  }
  if (!program.waits.empty())
    return Diagnostic{
        "",
        "the program cannot be a graph: the host waits for the device; " + program.waits.front(),
        way_out};
  return GraphCheck(program.flows).sdfg(program.root, Place());
}

}  // namespace sdfg
