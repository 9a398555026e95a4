// Maps that run on the GPU: the host computes their bounds and launches; the body becomes a kernel.

#include <algorithm>

#include "codegen/constants.h"
#include "codegen/kernel_text.h"
#include "codegen/program_file.h"
#include "codegen/scope_nodes.h"
#include "codegen/sdfg_function.h"
#include "support/text.h"

namespace sdfg {

namespace {

/// The kernel as it was compiled for the values that the flags have: `a ? f<true> : f<false>`.
std::string instance(const std::string& kernel, std::span<const std::string> flags,
                     const std::string& values = "") {
  if (flags.empty()) return values.empty() ? kernel : kernel + "<" + values + ">";
  const auto with = [&](const std::string& value) {
    return instance(kernel, flags.subspan(1), values + (values.empty() ? "" : ", ") + value);
  };
  return "(" + flags.front() + " ? " + with("true") + " : " + with("false") + ")";
}

}  // namespace

/// What the host knows before it launches: where each dimension begins and how many points it has.
void SdfgFunction::index_space(At& at, NodeId id, KernelText& kernel) {
  const Place place = at.node_place(id);
  for (const std::string& param : kernel.plan.params) {
    const auto d =
        std::size_t(std::ranges::find(kernel.map.params, param) - kernel.map.params.begin());
    const Range& r = kernel.map.ranges[d];
    KernelText::Dimension dim{.param = param, .count = {}, .step = {}, .begin = r.begin};
    const std::string stem = cpp_name(param);
    const auto value = [&](const std::string& what, const std::string& text) {
      const std::string name = local_name(stem + "_" + what);
      at.out.line("[[maybe_unused]] const int64_t ", name, " = ", text, ";");
      kernel.values.push_back({"int64_t " + name, name, name});
      return name;
    };
    if (!r.begin.as_integer() && (!r.begin.is(Op::Symbol) || !uniform(r.begin)))
      dim.begin = Expr::symbol(value("begin", print(r.begin, place)));
    dim.fixed_step = r.step.as_integer().value_or(0);
    dim.step = dim.fixed_step ? cpp_integer(dim.fixed_step) : value("step", print(r.step, place));
    const Expr count =
        r.step.as_integer() == 1 ? r.end - r.begin + 1 : floor_div(r.end - r.begin, r.step) + 1;
    dim.fixed_count = count.as_integer();
    dim.count =
        dim.fixed_count ? cpp_integer(*dim.fixed_count) : value("count", print(count, place));
    kernel.dims.push_back(std::move(dim));
  }
  const std::int64_t least = kernel.plan.rows_first;
  if (least == 0 || kernel.dims.size() != 2) return;
  const KernelText::Dimension& x = kernel.dims[0];
  if (x.fixed_count ? *x.fixed_count >= least : least == 1) {
    kernel.rows_first = "true";
  } else if (!x.fixed_count) {
    kernel.rows_first = local_name("rows_first");
    at.out.line("const bool " + kernel.rows_first + " = " + x.count + " >= " +
                cpp_integer(least) + ";");
    kernel.values.push_back({"bool " + kernel.rows_first, kernel.rows_first, kernel.rows_first});
  }
}

void SdfgFunction::emit_kernel(At& at, NodeId id) {
  const MapEntry& map = at.state.get<MapEntry>(id);
  const KernelPlan* plan = program_.target.gpu->find(at.state, id);
  if (!plan) return fail(at.node_place(id), "no plan for this kernel");
  if (!is_rectangular(map))
    return fail(at.node_place(id), "a range of the kernel depends on another parameter of it",
                "run --gpu-transformation, which starts a box of threads");
  KernelText kernel{.map = map,
                    .plan = *plan,
                    .nodes = nodes_in_scope(at.state, at.plan.tree, id),
                    .name = program_.fresh_name(plan->name),
                    .dims = {},
                    .rows_first = {},
                    .values = {},
                    .arguments = {},
                    .written = {},
                    .named = {},
                    .flags = {},
                    .declarations = {},
                    .passed = {}};
  kernel.named = named_in_kernel(at, id, kernel.nodes);
  const std::optional<Expr>& launched_if = plan->launched_if;
  at.out.open(launched_if ? "if (" + interstate_expr(*launched_if, at.node_place(id)) + ")" : "");
  read_dynamic_inputs(at, id);
  index_space(at, id, kernel);
  if (const auto here = at.plan.declared.find(id); here != at.plan.declared.end())
    for (const std::string& container : here->second)
      if (sdfg_.find_data(container)->storage == Storage::GpuGlobal)
        declare(at.out, container, at.place, at.where);

  bindings_.open();
  const auto outer_lanes = lanes_;
  const std::size_t outer_names = used_names_.mark();
  for (const std::string& param : map.params) bindings_.erase(param);
  bind_for_kernel(at, id, kernel);
  Writer body(1);
  At inner{body,          at.state, at.plan, at.place,           at.where, {},
           at.view_names, {},       {},      at.parallel_params, at.params};
  inner.kernel = id;
  inner.views = at.views;
  for (auto& [node, view] : inner.views) view.row = view.device && view.kind == Binding::Pointer;
  inner.where.parallel = inner.where.in_scope = inner.where.device = true;
  inner.parallel_params.insert(map.params.begin(), map.params.end());
  inner.params.insert(map.params.begin(), map.params.end());
  on_device_ = true;
  const bool blocks = plan->kind == KernelClass::Blocks;
  inner.where.shared_block = blocks;
  in_kernel_itself_ = true;
  kernel_writes_ = &kernel.written;
  inner.where.batch = int(plan->batch);
  const std::string text = blocks ? block_body(inner, id, kernel) : thread_body(inner, id, kernel);
  in_kernel_itself_ = on_device_ = false;
  kernel_writes_ = nullptr;
  for (const auto& [value, name] : host_values_)
    kernel.values.push_back(
        {value.first + (value.first.ends_with('*') ? " __restrict__ " : " ") + name, name, name});
  kernel_parameters(inner, kernel, text);
  bindings_.close();
  lanes_ = outer_lanes;
  used_names_.back_to(outer_names);
  for (const auto& [value, name] : host_values_)
    at.out.line(value.first.ends_with('*') ? "" : "const ", value.first, " ", name, " = ",
                value.second, ";");
  host_values_.clear();
  lane_params_.clear();
  row_param_.reset();
  host_pointers_.clear();

  Writer function;
  std::string order;
  for (std::size_t d = 0; d < kernel.dims.size(); ++d)
    order.append(d ? ", " : "").append(1, "xyz"[std::min<std::size_t>(d, 2)]).append(" = ").append(
        kernel.dims[d].param);
  function.line("// ", map.label, ": ", to_text(plan->kind), ", ", order,
                launched_if ? "; launched only if " + print_python(*launched_if) : "");
  const std::string bounds = std::to_string(plan->threads()) +
                             (plan->min_blocks > 0 ? ", " + std::to_string(plan->min_blocks) : "");
  if (!kernel.flags.empty()) function.line("template <bool " + join(kernel.flags, ", bool ") + ">");
  function.open("__global__ void __launch_bounds__(", bounds, ") ", kernel.name, "(",
                kernel.declarations, ")");
  Writer constants(1);
  const Words used(sdfg_.constants.empty() ? std::string_view() : text);
  for (const auto& [constant, value] : sdfg_.constants)
    if (used.contains(cpp_name(constant)))
      if (const auto definition = constant_definition(constant, value))
        constants.line(definition->starts_with("static ") ? definition->substr(7) : *definition);
  function.raw(constants.text());
  function.raw(text);
  function.close();
  program_.functions.push_back(function.take());

  for (const std::string& line : around_launch(program_.target.gpu->plan, *plan)) at.out.line(line);
  at.out.line("sdfg::gpu::launch(__state->gpu, \"", kernel.name, "\", ",
              instance(kernel.name, kernel.flags), ", ", grid(kernel), kernel.passed, ");");
  at.out.close();
}

/// Blocks in x, y and z, and the block.
std::string SdfgFunction::grid(const KernelText& kernel) const {
  const KernelPlan& plan = kernel.plan;
  const auto each = [](const std::string& count, std::int64_t points) {
    return points == 1 ? count : "sdfg::gpu::blocks(" + count + ", " + std::to_string(points) + ")";
  };
  // A gather over a few levels has no threads that wait for the rest of their block.
  const bool few = plan.kind == KernelClass::Gather && plan.block[1] > 1 &&
                   kernel.dims.size() > 1 && !kernel.dims[1].fixed_count;
  const std::string most = std::to_string(plan.block[1]);
  const std::string deep = few ? "sdfg::gpu::rows(" + kernel.dims[1].count + ", " +
                                     std::to_string(plan.levels) + ", " + most + ")"
                               : most;
  const std::string block = "dim3{" + std::to_string(plan.block[0]) + ", " + deep + ", " +
                            std::to_string(plan.block[2]) + "}";
  if (plan.kind == KernelClass::Blocks) {
    std::string x = kernel.dims[0].count, y = kernel.dims.size() > 1 ? kernel.dims[1].count : "1",
                z = "1";
    for (std::size_t d = 2; d < kernel.dims.size(); ++d)
      z = d == 2 ? kernel.dims[d].count : z + " * " + kernel.dims[d].count;
    return x + ", " + y + ", " + z + ", " + block;
  }
  std::string x = each(kernel.dims[0].count, plan.block[0]);
  if (kernel.dims.size() == 1) return x + ", 1, 1, " + block;
  std::string y = each(kernel.dims[1].count, plan.block[1] * plan.levels);
  if (kernel.rows_first == "true") {
    std::swap(x, y);
  } else if (const std::string& rows_first = kernel.rows_first; !rows_first.empty()) {
    std::string first = rows_first + " ? " + y + " : " + x;
    y = rows_first + " ? " + x + " : " + y;
    x = std::move(first);
  }
  std::string rest = "1";
  for (std::size_t d = 2; d < kernel.dims.size(); ++d)
    rest = d == 2 ? kernel.dims[d].count : rest + " * " + kernel.dims[d].count;
  return x + ", " + y + ", " + rest + ", " + block;
}

/// One thread per point of the map, or per `levels` points along the second dimension.
std::string SdfgFunction::thread_body(At& at, NodeId id, KernelText& kernel) {
  const KernelPlan& plan = kernel.plan;
  const std::string x = local_name("x");
  const auto lane = [&](const KernelText::Dimension& dim, const std::string& name) {
    lanes_.insert(name);
    lanes_.insert(dim.param);
    if (dim.fixed_step > 0) lane_params_[dim.param] = {dim.begin, dim.fixed_step, name};
  };
  lane(kernel.dims[0], x);
  const bool deep = kernel.dims.size() > 1, wide_y = deep && plan.block[1] > 1,
             levels = plan.levels > 1;
  const std::string y = deep ? local_name("y") : "";
  if (deep && kernel.dims[1].fixed_step > 0)
    row_param_.emplace(kernel.dims[1].param,
                       LaneParam{kernel.dims[1].begin, kernel.dims[1].fixed_step, y});
  const auto index = [&](const KernelText::Dimension& dim, const std::string& at_index) {
    const CppExpr printer = symbolic();
    const std::string scaled = dim.step == "1" ? at_index : dim.step + " * " + at_index;
    return "const int64_t " + cpp_name(dim.param) + " = " +
           (dim.begin.as_integer() == 0 ? scaled : printer.operand(dim.begin) + " + " + scaled) +
           ";";
  };

  Writer inner(levels ? 2 : 1);
  Writer rows(1);
  std::vector<std::string> in_thread;
  for (std::size_t d = 1; d < kernel.dims.size(); ++d) in_thread.push_back(kernel.dims[d].param);
  if (deep) in_thread.push_back(y);
  open_frame(rows, in_thread);
  if (levels) open_frame(inner, {kernel.dims[1].param, y});
  {
    At body{inner,         at.state, at.plan, at.place,           at.where, at.views,
            at.view_names, {},       {},      at.parallel_params, at.params};
    body.kernel = at.kernel;
    body.kernel_params = at.params.size();
    declare_scope(body, id);
    emit_children(body, id);
  }
  if (levels) close_frame(inner);
  close_frame(rows);
  const auto uses = [&](const std::string& word) {
    return has_word(rows.text(), word) || has_word(inner.text(), word);
  };
  Writer out(1);
  const std::string bx = std::to_string(plan.block[0]);
  const std::string block_x = kernel.rows_first.empty()
                                  ? "int(blockIdx.x)"
                                  : "sdfg::gpu::block_x(" + kernel.rows_first + ")";
  out.line("const int ", x, " = ", block_x, " * ", bx, " + int(threadIdx.x);");
  out.line("if (", x, " >= ", kernel.dims[0].count, ") return;");
  if (uses(cpp_name(kernel.dims[0].param))) out.line(index(kernel.dims[0], x));
  if (kernel.dims.size() > 2) {
    std::string rest = "int(blockIdx.z)";
    if (kernel.dims.size() > 3) {
      rest = local_name("z");
      out.line("int64_t " + rest + " = blockIdx.z;");
    }
    for (std::size_t d = 2; d < kernel.dims.size(); ++d) {
      const bool last = d + 1 == kernel.dims.size();
      out.line(
          index(kernel.dims[d], last ? rest : "(" + rest + " % " + kernel.dims[d].count + ")"));
      if (!last) out.line(rest + " /= " + kernel.dims[d].count + ";");
    }
  }
  if (deep) {
    const KernelText::Dimension& dim = kernel.dims[1];
    // More rows of blocks than a grid has along y go on along z, which two dimensions leave free.
    constexpr std::int64_t max_rows = 65535;
    const bool many = kernel.dims.size() == 2 &&
                      (!dim.fixed_count || !kernel.rows_first.empty() ||
                       *dim.fixed_count / (plan.block[1] * plan.levels) >= max_rows);
    std::string first =
        many ? "sdfg::gpu::block_row(" + kernel.rows_first + ")" : "int(blockIdx.y)";
    const bool whole_waves = program_.target.gpu->scalar_rows() && plan.block[0] % 64 == 0;
    if (wide_y)
      first += " * " + std::to_string(plan.block[1]) + " + " +
               (whole_waves ? "sdfg::gpu::thread_row()" : "int(threadIdx.y)");
    if (levels) {
      const std::string row0 = local_name(y + "_first"), u = local_name("u");
      const std::string l = std::to_string(plan.levels);
      out.line("const int " + row0 + " = " + (wide_y ? "(" + first + ")" : first) + " * " + l +
               ";");
      out.raw(rows.text());
      out.flush_left("#pragma unroll");
      out.open("for (int " + u + " = 0; " + u + " < " + l + "; ++" + u + ")");
      out.line("const int " + y + " = " + row0 + " + " + u + ";");
      out.line("if (" + y + " >= " + dim.count + ") break;");
      if (uses(cpp_name(dim.param))) out.line(index(dim, y));
      out.raw(inner.text());
      out.close();
      return out.take();
    }
    const bool bounded = wide_y || many, named = bounded || uses(y);
    if (named) out.line("const int " + y + " = " + first + ";");
    if (bounded) out.line("if (" + y + " >= " + dim.count + ") return;");
    if (uses(cpp_name(dim.param))) out.line(index(dim, named ? y : first));
  }
  out.raw(rows.text());
  out.raw(inner.text());
  return out.take();
}

/// One block per point; the maps inside share its threads.
std::string SdfgFunction::block_body(At& at, NodeId id, KernelText& kernel) {
  Writer out(1);
  static constexpr std::string_view axes[] = {"blockIdx.x", "blockIdx.y", "blockIdx.z"};
  const CppExpr printer = symbolic();
  std::string rest = "z";
  if (kernel.dims.size() > 3) {
    rest = local_name("z");
    out.line("int64_t " + rest + " = blockIdx.z;");
  }
  for (std::size_t d = 0; d < kernel.dims.size(); ++d) {
    const KernelText::Dimension& dim = kernel.dims[d];
    std::string index = std::string(axes[std::min<std::size_t>(d, 2)]);
    const bool last = d + 1 == kernel.dims.size();
    if (d >= 2 && kernel.dims.size() > 3)
      index = last ? rest : "(" + rest + " % " + dim.count + ")";
    const std::string scaled =
        dim.step == "1" ? "int64_t(" + index + ")" : dim.step + " * int64_t(" + index + ")";
    out.line("[[maybe_unused]] const int64_t " + cpp_name(dim.param) + " = " +
             (dim.begin.as_integer() == 0 ? scaled : printer.operand(dim.begin) + " + " + scaled) +
             ";");
    if (d >= 2 && !last) out.line(rest + " /= " + dim.count + ";");
  }
  for (const std::string& param : kernel.map.params) lanes_.insert(param);
  Writer inner(1);
  open_frame(inner, kernel.map.params);
  At body{inner,         at.state, at.plan, at.place,           at.where, at.views,
          at.view_names, {},       {},      at.parallel_params, at.params};
  body.kernel = at.kernel;
  declare_scope(body, id);
  emit_children(body, id);
  close_frame(inner);
  out.raw(inner.text());
  return out.take();
}

}  // namespace sdfg
