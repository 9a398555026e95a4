#include <utility>

#include "ir/dace_version.h"
#include "ir/graph_algorithms.h"
#include "serialize/loader.h"
#include "serialize/saver.h"

namespace sdfg::detail {

namespace {

void put_interstate_edge(Members& m, const InterstateEdge& edge, std::uint32_t src,
                         std::uint32_t dst) {
  Saver& to = m.saver();
  m.put("type", [&] { to.raw("\"Edge\""); });
  m.put_object("attributes", [&](Members& a) {
    a.put_object("data", [&](Members& d) {
      d.put("type", [&] { to.raw("\"InterstateEdge\""); });
      d.put_object("attributes", [&](Members& own) {
        put_properties(own, edge, edge.extras);
        put_extras(own, edge.extras, "", [&](std::string_view name) { return is_set(edge, name); });
      });
    });
    put_extras(a, edge.extras, "//", never);
  });
  m.put_index("src", src, true);
  m.put_index("dst", dst, true);
  put_extras(m, edge.extras, "/", never);
}

/// Where control enters: as stored, else where it must be. What the file says stays if it says no
/// block of the region.
void put_start(Members& m, const Region& region) {
  Saver& to = m.saver();
  if (to.own_only) return;
  const auto position = positions(static_cast<const RegionGraph&>(region));
  std::string_view name = "start_block";
  if (m.original_has("start_state")) name = "start_state";  // before 0.16
  const json::Value was = m.original().valid() ? m.original().find(name) : json::Value();
  if (!region.start_block && was.valid() && !read_index(was, position.size()))
    return m.put_always(name, [&] { to.raw(was.raw()); });
  std::optional<std::uint32_t> index;
  if (region.start_block && region.contains(*region.start_block))
    index = position[region.start_block->value];
  else if (const auto block = start(region))
    index = position[block->value];
  m.put_index(name, index, false);
}

/// `nodes`, `edges`; numbers are given before what is inside gets its own.
void put_graph(Members& m, const Region& region, std::size_t record) {
  Saver& to = m.saver();
  if (to.own_only) return;
  const RegionGraph& graph = region;
  const auto position = positions(graph);
  m.put_always("nodes", [&] {
    to.out += '[';
    bool first = true;
    for (const BlockId id : graph.nodes()) {
      if (!first) to.out += ',';
      first = false;
      save_block(to, graph[id], position[id.value], record);
      record = to.end_of(record);
    }
    to.out += ']';
  });
  m.put_always("edges", [&] {
    to.out += '[';
    bool first = true;
    for (const InterstateEdgeId id : graph.edges()) {
      if (!first) to.out += ',';
      first = false;
      const InterstateEdge& edge = graph[id];
      const std::uint32_t src = position[graph.source(id).value],
                          dst = position[graph.target(id).value];
      if (!to.copy_unchanged(edge.origin, record))
        save_merged(
            to, edge, edge.origin,
            [&](json::Value original, InterstateEdge& old) {
              return read_interstate_edge(*to.loader, original, old);
            },
            [&](Members& inner, const InterstateEdge& e) {
              put_interstate_edge(inner, e, src, dst);
            });
      record = to.end_of(record);
    }
    to.out += ']';
  });
}

void put_graph_number(Members& m, std::int64_t number) {
  const bool old_name = m.original_has("sdfg_list_id");  // before 0.16
  m.put_index(old_name ? "sdfg_list_id" : "cfg_list_id", std::uint32_t(number), false);
}

void put_attributes(Members& m, const Block& block) {
  Saver& to = m.saver();
  m.put_object("attributes", [&](Members& a) {
    std::visit(
        [&](const auto& kind) {
          if constexpr (requires { kind.properties; }) put_properties(a, kind, block.extras);
        },
        block.kind);
    if (const auto* region = block.as<ControlFlowRegion>(); region && !region->arguments->empty())
      a.put("arguments", [&] { write_value(to, region->arguments); });
    if (block.debuginfo) a.put("debuginfo", [&] { write_value(to, block.debuginfo); });
    if (!block.guid.empty()) a.put("guid", [&] { to.text(block.guid); });
    if (block.is_collapsed) a.put("is_collapsed", [&] { to.raw("true"); });
    put_extras(a, block.extras, "", [&](std::string_view name) {
      return std::visit([&](const auto& kind) { return is_set(kind, name); }, block.kind);
    });
  });
}

void put_block(Members& m, const Block& block, std::optional<std::uint32_t> index,
               std::size_t record) {
  Saver& to = m.saver();
  std::int64_t number = 0;
  const bool is_graph = block.region() || block.is<ConditionalBlock>();
  if (is_graph && !to.own_only) number = to.next_cfg++;
  m.put("type", [&] { to.text(block.kind_name()); });
  m.put("label", [&] { to.text(block.label); });
  if (const bool branch = !index; branch && m.original_has("id"))
    m.put_always("id", [&] { to.raw(m.original().find("id").raw()); });
  else
    m.put_index("id", index, false);
  m.put("collapsed", [&] { to.raw(block.is_collapsed ? "true" : "false"); });
  put_attributes(m, block);
  put_extras(m, block.extras, "/", never);
  if (to.own_only) return;
  if (const auto* state = block.as<State>()) return save_state(m, *state, record + 1);
  if (const Region* region = block.region()) {
    put_graph_number(m, number);
    put_start(m, *region);
    return put_graph(m, *region, record + 1);
  }
  if (const auto* conditional = block.as<ConditionalBlock>()) {
    put_graph_number(m, number);
    m.put_index("start_block", std::nullopt, false);
    std::size_t inner = record + 1;
    m.put_always("branches", [&] {
      to.out += '[';
      bool first = true;
      for (const Branch& branch : conditional->branches) {
        to.raw(first ? "[" : ",[");
        first = false;
        write_value(to, branch.condition);
        to.out += ',';
        save_block(to, branch.block, std::nullopt, inner);
        inner = to.end_of(inner);
        to.out += ']';
      }
      to.out += ']';
    });
    // Old files repeat the branches here; their readers want the keys, ours never look.
    if (m.original().valid() ? m.original_has("nodes") : to.plain) {
      m.put_always("nodes", [&] { to.raw("[]"); });
      m.put_always("edges", [&] { to.raw("[]"); });
    }
    return;
  }
  m.put_always("nodes", [&] { to.raw("[]"); });
  m.put_always("edges", [&] { to.raw("[]"); });
}

}  // namespace

void save_block(Saver& to, const Block& block, std::optional<std::uint32_t> index,
                std::size_t record) {
  if (to.copy_unchanged(block.origin, record)) return;
  if (block.is<OtherBlock>()) {
    const std::string* json = find_extra(block.extras, "");
    return json ? to.raw(*json) : to.raw("null");
  }
  save_merged(
      to, block, block.origin,
      [&](json::Value original, Block& old) {
        return read_block(*to.loader, original, Sdfg{}, old) &&
               old.kind_name() == block.kind_name();
      },
      [&](Members& m, const Block& b) { put_block(m, b, index, record); });
}

namespace {

/// Attributes of an SDFG that say how it came about. They are left out of what DaCe is to read.
bool is_history(std::string_view name) {
  return name == "hash" || name == "orig_sdfg" || name == "transformation_hist";
}

void put_sdfg_attributes(Members& m, const Sdfg& sdfg, std::size_t& record) {
  Saver& to = m.saver();
  // Containers and constants come after the arguments: the order DaCe has.
  const auto put_own = [&](bool first_two) {
    static const Sdfg fallback{};
    for_each_property(sdfg, [&](const auto& p, const auto& value) {
      if ((p.name == "name" || p.name == "arg_names") == first_two)
        put_property(m, p, value, fallback.*(p.member), sdfg.extras, p.name == "name");
    });
  };
  put_own(true);
  if (!sdfg.constants.empty())
    m.put("constants_prop", [&] {
      to.out += '{';
      bool first = true;
      for (const auto& [name, constant] : sdfg.constants) {
        if (!first) to.out += ',';
        first = false;
        to.text(name);
        to.raw(":[");
        Saver inner = to.for_base();
        inner.own_only = false, inner.index_files = false;
        save_data(inner, constant.data, 0);
        to.raw(inner.out);
        to.out += ',';
        to.carried("", constant.value);
        to.out += ']';
      }
      to.out += '}';
    });
  if (!to.own_only && (!sdfg.arrays.empty() || m.original_has("_arrays")))
    m.put_always("_arrays", [&] {
      to.out += '{';
      bool first = true;
      for (const auto& [name, data] : sdfg.arrays) {
        if (!first) to.out += ',';
        first = false;
        to.text(name);
        to.out += ':';
        save_data(to, data, record);
        record = to.end_of(record);
      }
      to.out += '}';
    });
  put_own(false);
  put_extras(m, sdfg.extras, "",
             [&](std::string_view name) {
               return name == "hash" || (!to.keep && is_history(name)) || is_set(sdfg, name);
             });
  if (m.original().valid()) m.drop("hash");
}

/// That of the profile. A later DaCe of the same format keeps its own: the arguments of a program
/// depend on it (signature.h). From 2.0.0b1 on, memlets of nested SDFGs have another meaning
/// (whole_containers.h).
std::string version_written(const Saver& to, const Sdfg& sdfg) {
  if (to.keep) return sdfg.dace_version;
  if (to.plain) return "1.0.0";
  const auto own = parse_dace_version(sdfg.dace_version);
  return own > DaceVersion::alpha(6) && own < DaceVersion::beta(1) ? sdfg.dace_version : "2.0.0a6";
}

void put_sdfg(Members& m, const Sdfg& sdfg, std::size_t record, bool root) {
  Saver& to = m.saver();
  std::int64_t number = 0;
  if (!to.own_only) number = to.next_cfg++;
  ++record;
  m.put("type", [&] { to.raw("\"SDFG\""); });
  m.put_object("attributes", [&](Members& a) { put_sdfg_attributes(a, sdfg, record); });
  m.put("label", [&] { to.raw("\"\""); });
  m.put("id", [&] { to.raw("null"); });
  m.put("collapsed", [&] { to.raw(sdfg.is_collapsed ? "true" : "false"); });
  put_extras(m, sdfg.extras, "/", never);
  if (!to.own_only) {
    put_graph_number(m, number);
    put_start(m, sdfg);
    put_graph(m, sdfg, record);
  }
  if (!root) return;
  if (to.index_files) m.put("source_files", [&] { write_value(to, to.files); });
  for (const auto& [name, value] : sdfg.root_extras)
    if (to.keep || (name != "error" && name != "source_files"))
      m.put(name, [&] { to.carried(name, value); });
  const std::string version = version_written(to, sdfg);
  if (!version.empty()) m.put("dace_version", [&] { to.text(version); });
}

Saver::Lost lost_symbols(const Saver& to, const Sdfg& sdfg) {
  Saver::Lost lost;
  const json::Value original = to.original(sdfg.origin);
  const json::Value attributes = original.valid() ? original.find("attributes") : original;
  const json::Value symbols = attributes.valid() ? attributes.find("symbols") : attributes;
  if (symbols.valid() && symbols.is_object())
    for (const json::Value member : symbols)
      if (const std::string name = member.key(); !sdfg.symbols.contains(name))
        lost.insert(name);
  return lost;
}

}  // namespace

void save_sdfg(Saver& to, const Sdfg& sdfg, std::size_t record, bool root) {
  if (to.copy_unchanged(sdfg.origin, record)) return;
  Saver::Lost around = std::exchange(to.lost, lost_symbols(to, sdfg));
  save_merged(
      to, sdfg, sdfg.origin,
      [&](json::Value original, Sdfg& old) {
        if (!read_sdfg(*to.loader, original, old)) return false;
        if (root) {
          old.root_extras = sdfg.root_extras, old.dace_version = sdfg.dace_version;
          std::erase_if(old.extras, [](const auto& e) { return e.first.starts_with('/'); });
        }
        return true;
      },
      [&](Members& m, const Sdfg& s) { put_sdfg(m, s, record, root); });
  to.lost = std::move(around);
}

}  // namespace sdfg::detail
