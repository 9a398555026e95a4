#include "passes/pipelines/gt4py.h"

#include "passes/options.h"

namespace sdfg {
namespace {

using Options = Gt4py::Options;
using Steps = std::vector<PlannedStep>;

/// "name{a=1 b}" of the options that are not empty.
std::string with(std::string name, std::initializer_list<std::string> options) {
  std::string all;
  for (const std::string& option : options)
    if (!option.empty()) all += (all.empty() ? "" : " ") + option;
  return all.empty() ? name : name + '{' + all + '}';
}
std::string flag(bool on, std::string text) { return on ? text : ""; }
template <class T>
std::string option(std::string_view name, const T& value, const T& neutral) {
  const std::string text = detail::print_option(value);
  if (text == detail::print_option(neutral)) return "";
  const bool quote = text.find(' ') != std::string::npos;
  return std::string(name) + '=' + (quote ? "'" + text + "'" : text);
}

/// A hook: passes by name, at a place of the caller's choice.
void hook(const std::vector<std::string>& passes, Steps& steps) {
  for (const std::string& pass : passes) steps.push_back({pass, "asked for by the caller", {}});
}

/// What maps are made of is left alone: simplification between rounds sees whole states only.
constexpr std::string_view between_rounds =
    "skip=constant-propagation,inline-multistate-sdfg,inline-sdfg,inline-control-flow-regions,"
    "control-flow-raising,prune-empty-branches,map-to-copy,slice-view-elimination,"
    "consolidate-edges,unused-symbol-elimination";
/// The same while containers do not share storage yet.
constexpr std::string_view between_fusions =
    "skip=constant-propagation,inline-multistate-sdfg,inline-sdfg,inline-control-flow-regions,"
    "control-flow-raising,prune-empty-branches,map-to-copy,slice-view-elimination,"
    "consolidate-edges,unused-symbol-elimination,redundant-array-elimination";

/// A version for what the caller says of symbols, in place of that for likely orders.
bool has_stated_versions(const Options& o) { return !o.typical.empty() || !o.when.empty(); }
bool has_likely_versions(const Options& o) {
  return !has_stated_versions(o) && o.versions == GuardedVersions::Likely;
}
bool has_versions(const Options& o) { return has_stated_versions(o) || has_likely_versions(o); }

std::string vertical_fusion(const Options& o, std::string more = {}) {
  return with("map-fusion-vertical",
              {"only_toplevel_maps", "shrink", more, "consolidate_edges_only_if_not_extending",
               flag(o.assume_pointwise, "assume_pointwise")});
}
std::string horizontal_fusion(const Options& o, std::string more = {}) {
  return with("map-fusion-horizontal",
              {"only_toplevel_maps", more, "consolidate_edges_only_if_not_extending",
               flag(o.assume_pointwise, "assume_pointwise")});
}

/// Maps that belong together, whichever conditionals stand between them.
PlannedStep fused_maps(const Options& o) {
  const std::string pointwise = flag(o.assume_pointwise, "assume_pointwise");
  const std::string top = "only_toplevel_maps", keep = "consolidate_edges_only_if_not_extending";
  const std::string vertical = vertical_fusion(o);
  PlannedStep loop{"fixed-point", "whole maps first: cut ones meet fewer others", {}};
  Steps& steps = loop.repeated;
  steps.push_back({with("trivial-dimension-folding", {top}),
                   "first, because t[c] and t[i] must be seen to meet", {}});
  steps.push_back({vertical_fusion(o, "require_exclusive_intermediates"),
                   "producers whose results go, before siblings tie unrelated maps together", {}});
  steps.push_back({"double-write-elimination", "maps write the copies of what they write", {}});
  steps.push_back(
      {with("map-promotion", {top, "promote_vertical promote_horizontal", keep, pointwise}),
       "1-d producers join 2-d consumers before they join other 1-d maps",
       {}});
  steps.push_back({"fixed-point", "joined siblings may be producers of one consumer",
                   {{horizontal_fusion(o, "producers_first"), "maps that share what they read", {}},
                    {vertical, "again", {}}}});
  steps.push_back({"conditional-into-maps{leave_copies}",
                   "or it keeps the maps before it from those behind it", {}});
  steps.push_back({"move-before-conditional", "past those that stay, when others are gone", {}});
  steps.push_back({with("simplify", {std::string(between_fusions), pointwise}),
                   "what fusion has left without readers", {}});
  return loop;
}

/// Maps and the containers between them, until nothing changes.
PlannedStep whole_maps(const Options& o) {
  const std::string pointwise = flag(o.assume_pointwise, "assume_pointwise");
  const std::string vertical = vertical_fusion(o), horizontal = horizontal_fusion(o);
  PlannedStep loop{"fixed-point", "each kind of step makes room for the others", {}};
  Steps& steps = loop.repeated;
  steps.push_back(fused_maps(o));
  if (!o.disable_splitting)
    steps.push_back(
        {"fixed-point", "containers and maps are taken apart where parts have their own readers",
         {{"split-consumer-memlets", "copies are cut where producers meet", {}},
          {"split-access-nodes", "so that each part has a container of its own", {}},
          {"map-dead-range-elimination", "a map that writes more than is read writes less", {}},
          {"map-split-vertical", "maps that meet in a part, where it pays", {}},
          {vertical, "again", {}},
          {"map-split-horizontal", "maps that read the same data in part, where it pays", {}},
          {horizontal, "again", {}}}});
  steps.push_back({with("redundant-array-elimination", {pointwise}),
                   "buffers between maps and arguments, when fusion has done what it can", {}});
  if (has_versions(o))
    steps.push_back({"min-max-elimination", "splitting makes new bounds", {}});
  steps.push_back({"conditional-into-maps", "whose copies are left, too", {}});
  steps.push_back({with("simplify", {std::string(between_rounds), pointwise}),
                   "what has no readers left", {}});
  hook(o.step_hook, steps);
  return loop;
}

/// Copies whose source a map uses anyway.
void copies(const Options& o, Steps& steps) {
  steps.push_back(
      {"copy-to-map{only_beside_maps}", "what a map has read or made it can store twice", {}});
  steps.push_back({vertical_fusion(o), "copies of results", {}});
  steps.push_back({horizontal_fusion(o), "copies of what is read", {}});
  steps.push_back({"map-to-copy", "the others stay copies", {}});
}

/// Values between maps that are not worth storing.
void recomputation(const Options& o, Steps& steps) {
  steps.push_back({"recompute-at-reads{only_toplevel_maps}",
                   "no fusion has room for these values: neighbours of them are read", {}});
  steps.push_back({"inline-sdfg", "what is computed whatever the place is part of the map", {}});
  steps.push_back({"fixed-point", "maps that had to wait for these values may be one now",
                   {{vertical_fusion(o), "they may still hand on others", {}},
                    {"map-split-horizontal", "they may meet in a part", {}},
                    {horizontal_fusion(o), "they read the same inputs", {}}}});
  steps.push_back({"fixed-point", "cuts in several dimensions leave many parts over: last",
                   {{"map-split-horizontal{dimensions=3}", "they may meet in a box", {}},
                    {vertical_fusion(o), "one may read there what another has written", {}},
                    {"map-dead-range-elimination", "other parts may have no readers left", {}},
                    {horizontal_fusion(o), "again", {}}}});
}

void inside_maps(const Options& o, Steps& steps) {
  if (!o.blocking_dims.empty() && o.blocking_size > 0)
    steps.push_back(
        {with("loop-blocking",
              {option("blocking_parameters", o.blocking_dims, {}),
               option("blocking_size", o.blocking_size, std::int64_t(0)),
               o.blocking_only_if_independent_nodes ? "" : "require_independent_nodes=false",
               flag(o.promote_independent_memlets_for_blocking, "promote_independent_memlets"),
               option("independent_node_threshold", o.blocking_independent_node_threshold,
                      std::int64_t(0))}),
         "before tasklets are joined, or what is independent melts into the rest", {}});
  if (o.fuse_tasklets) steps.push_back({"tasklet-fusion", "before conditionals are filled", {}});
  steps.push_back({"move-tasklet-into-map", "constants become part of the kernel", {}});
  steps.push_back({"scalar-copy-elimination", "fewer nodes to move", {}});
  steps.push_back({"fuse-conditionals", "before dataflow moves into branches", {}});
  steps.push_back({"move-into-if-body", "work that one branch needs is done there", {}});
  steps.push_back({"dead-dataflow-elimination", "what moved in may leave something behind", {}});
  if (o.scan_loop_unrolling)
    steps.push_back({with("scan-unrolling", {option("unroll_factor", o.scan_loop_unrolling_factor,
                                                    std::int64_t(0))}),
                     "a mark for the code generator", {}});
}

void for_target(const Options& o, Steps& steps) {
  const bool gpu = o.target != OptimizationTarget::Cpu;
  DimensionKind kind = o.unit_strides_kind;
  if (gpu && kind == DimensionKind::Unspecified) kind = DimensionKind::Horizontal;
  if (kind != DimensionKind::Unspecified) {
    const std::string which = "unit_strides_kind=" + std::string(to_text(kind));
    steps.push_back(
        {with("map-iteration-order", {which}), "neighbours in neighbouring threads", {}});
    steps.push_back({with("set-strides", {which}), "before memory is placed", {}});
  }
  steps.push_back({"shrink-transients", "what went into maps need not lie in memory", {}});
  using Sizes = std::vector<std::int64_t>;
  if (gpu) {
    steps.push_back(
        {"copy-to-map{only_strided}", "one call of the GPU cannot make these copies", {}});
    steps.push_back({with("gpu-transformation",
                          {option("gpu_block_size", o.gpu_block_size, Sizes{}),
                           option("gpu_block_size_1d", o.gpu_block_size_1d, Sizes{}),
                           option("gpu_block_size_2d", o.gpu_block_size_2d, Sizes{}),
                           option("gpu_block_size_3d", o.gpu_block_size_3d, Sizes{}),
                           option("gpu_launch_bounds", o.gpu_launch_bounds, std::int64_t(0)),
                           option("gpu_launch_factor", o.gpu_launch_factor, 0.0),
                           option("gpu_maxnreg", o.gpu_maxnreg, std::int64_t(0))}),
                     "arrays and maps move to the device", {}});
    hook(o.after_to_gpu_hook, steps);
  }
  if (o.reuse_transients)
    steps.push_back(
        {"transient-reuse", "after all that tells values apart by their containers", {}});
  steps.push_back({with("configure-transients", {"transient_memory_mode=" +
                                                 std::string(to_text(o.transient_memory_mode))}),
                   "late: passes would keep lifetimes that no longer fit", {}});
  steps.push_back({"kernel-order", "last: it is the order in which kernels run", {}});
}

/// The form that everything else expects.
Steps in_form(const Options& o) {
  const std::string pointwise = flag(o.assume_pointwise, "assume_pointwise");
  Steps steps;
  if (!o.symbols.empty())
    steps.push_back({with("substitute-symbols", {option("symbols", o.symbols, {})}),
                     "known sizes make more questions decidable", {}});
  steps.push_back({with("simplify", {"skip=constant-propagation", pointwise, "keep_versions"}),
                   "the form that the rest expects", {}});
  if (!o.demote_fields.empty()) {
    steps.push_back({with("demote-fields", {option("fields", o.demote_fields, {})}),
                     "nobody needs these arguments outside", {}});
    steps.push_back({with("simplify", {"skip=constant-propagation", pointwise}), "again", {}});
  }
  hook(o.pre_hook, steps);
  return steps;
}

/// From that form to the program for the target.
Steps optimize(const Options& o) {
  Steps steps;
  if (has_versions(o))
    steps.push_back({"min-max-elimination", "what a version assumes decides bounds", {}});
  steps.push_back({"fixed-point", "maps behind a conditional that belong to those before it",
                   {{"move-before-conditional", "past it, if nothing forbids it", {}},
                    {"state-fusion", "into the state there", {}}}});
  steps.push_back(whole_maps(o));
  steps.push_back(
      {"composed-copy-elimination", "what is composed of parts is read from its parts", {}});
  copies(o, steps);
  if (!o.disable_splitting) recomputation(o, steps);
  steps.push_back(
      {"map-fusion-into-scan{only_toplevel_maps}", "no map that is left takes these inputs", {}});
  hook(o.post_hook, steps);
  steps.push_back({"local-double-buffering", "elements read and written in one iteration", {}});
  inside_maps(o, steps);
  if (!o.demote_fields.empty())
    steps.push_back({"restore-fields", "the signature is the caller's", {}});
  steps.push_back({"expand-reduce", "reductions become loops the compiler sees", {}});
  for_target(o, steps);
  return steps;
}

}  // namespace

Result<Steps> Gt4py::steps(const Options& o) {
  if (o.gpu_launch_bounds != 0 && o.gpu_launch_factor != 0)
    return Diagnostic{"", "options 'gpu_launch_bounds' and 'gpu_launch_factor' exclude each other"};
  Steps first = in_form(o), steps = optimize(o);
  if (has_likely_versions(o)) {
    first.push_back(
        {"versions{likely}", "bounds that ranges suggest are seldom others", std::move(steps)});
    return first;
  }
  first.insert(first.end(), steps.begin(), steps.end());
  if (!has_stated_versions(o)) return first;
  const std::string guards =
      with("versions", {option("typical", o.typical, {}), option("when", o.when, {})});
  return Steps{{guards, "most calls have sizes and choices of one kind", std::move(first)}};
}

}  // namespace sdfg
