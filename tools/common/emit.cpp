#include "tools/common/emit.h"

#include <algorithm>

#include "codegen/codegen.h"
#include "codegen/gpu.h"
#include "ir/print.h"
#include "serialize/dot.h"
#include "tools/common/gpu_report.h"
#include "tools/common/html.h"
#include "tools/common/summary.h"

namespace sdfg {
std::optional<Emit> emit_from_text(std::string_view name) {
  const auto found = std::ranges::find(emit_names, name);
  if (found == emit_names.end()) return std::nullopt;
  return Emit(found - emit_names.begin());
}

std::optional<Emit> emit_from_path(std::string_view path) {
  const auto ends = [&](std::string_view ending) { return path.ends_with(ending); };
  if (ends(".sdfg") || ends(".sdfgz") || ends(".json")) return Emit::Json;
  if (ends(".txt")) return Emit::Text;
  if (ends(".dot") || ends(".gv")) return Emit::Dot;
  if (ends(".graphml")) return Emit::GraphMl;
  if (ends(".html")) return Emit::Html;
  if (ends(".hip.cpp") || ends(".hip")) return Emit::Hip;
  if (ends(".cpp")) return Emit::Cpp;
  if (ends(".cu")) return Emit::Cuda;
  return std::nullopt;
}

bool is_generated(Emit form) {
  switch (form) {
    case Emit::Cpp:
    case Emit::Cuda:
    case Emit::Hip:
    case Emit::Plan:
    case Emit::PlanJson:
    case Emit::Report: return true;
    default: return false;
  }
}

Result<std::string> emit(Sdfg&& sdfg, Emit form, SaveProfile profile,
                         const std::string& plan, Diagnostics* warnings) {
  const auto note = [&](const Bundle& bundle) {
    if (warnings) warnings->insert(warnings->end(), bundle.warnings.begin(), bundle.warnings.end());
  };
  switch (form) {
    case Emit::Cpp: {
      SDFG_TRY(const Bundle bundle, generate_cpu(std::move(sdfg)));
      note(bundle);
      return single_file(bundle);
    }
    case Emit::Cuda:
    case Emit::Hip: {
      GpuOptions options;
      options.plan = plan;
      options.dialect = form == Emit::Hip ? GpuDialect::Hip : GpuDialect::Cuda;
      SDFG_TRY(Bundle bundle, generate_gpu(std::move(sdfg), options));
      note(bundle);
      // Who reads or compiles this for a device has no use for the stand-in.
      std::erase_if(bundle.files,
                    [](const GeneratedFile& f) { return f.name == "sdfg_gpu_on_cpu.h"; });
      return single_file(bundle);
    }
    case Emit::Dot: return to_dot(sdfg);
    case Emit::GraphMl: return to_graphml(sdfg);
    case Emit::Html: {
      SDFG_TRY(std::string json, save(sdfg, {profile}));
      const ViewedFile file{sdfg.name + ".sdfg", std::move(json)};
      return to_html({&file, 1});
    }
    case Emit::Json: return save(sdfg, {profile});
    case Emit::None: return std::string();
    case Emit::Plan:
    case Emit::PlanJson: {
      GpuOptions options;
      options.plan = plan;
      SDFG_TRY(const GpuPlan made, gpu_plan(sdfg, options));
      return form == Emit::Plan ? to_text(made) : to_json(made);
    }
    case Emit::Report: return gpu_report(sdfg, plan);
    case Emit::Summary: return summary(sdfg);
    case Emit::Text: return print(sdfg);
  }
  SDFG_UNREACHABLE();
}

}  // namespace sdfg
