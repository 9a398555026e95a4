#include "codegen/lowering.h"
#include "codegen/program_file.h"

#include <algorithm>
#include <cctype>

#include "codegen/runtime_text.h"
#include "codegen/sdfg_function.h"
#include "ir/analysis/connector_types.h"
#include "ir/control_views.h"
#include "ir/hiding_names.h"
#include "ir/walk.h"
#include "support/text.h"

namespace sdfg {

namespace {

/// What a parameter of an entry point looks like, and how it goes on to the program's function.
struct EntryParameter {
  std::string declaration, widened, identifier;
};

EntryParameter entry_parameter(Program& program, const Argument& argument) {
  const std::string identifier = cpp_name(argument.name);
  const Place place = Place().in("argument '" + argument.name + "'");
  if (argument.data) {
    const Data& data = *argument.data;
    if (const auto* structure = std::get_if<Structure>(&data.kind)) {
      const std::string text = program.structure_type(*structure, place) + "* " + identifier;
      return {text, text, identifier};
    }
    if (data.is_stream()) {
      program.fail(place, "streams cannot be passed into a program");
      return {"void*", "void*", identifier};
    }
    const std::string type = program.type_name(data.dtype, place);
    if (!argument.pointer)
      return {type + " " + identifier, "[[maybe_unused]] " + type + " " + identifier, identifier};
    const Array* array = data.as_array();
    const std::string text =
        type + "* " + (array && array->may_alias ? "" : "__restrict__ ") + identifier;
    return {text, text, identifier};
  }
  if (argument.type.base() == BaseType::Callback) {
    const std::string text = program.callback_declaration(argument.type, identifier, place);
    return {text, text, identifier};
  }
  return {program.type_name(argument.type, place) + " " + identifier,
          SdfgFunction::symbol_type(argument.type) + " " + identifier, identifier};
}

std::vector<EntryParameter> entry_parameters(Program& program,
                                             const std::vector<Argument>& arguments) {
  std::vector<EntryParameter> out;
  for (const Argument& a : arguments) out.push_back(entry_parameter(program, a));
  return out;
}

/// "State* __state, int N, [[maybe_unused]] double x"
std::string list(const Program& program, const std::vector<EntryParameter>& parameters,
                 const Words& used, bool state) {
  std::string out;
  if (state) out = program.state_type + "* __state";
  for (const EntryParameter& p : parameters)
    out += (out.empty() ? "" : ", ") +
           std::string(used.contains(p.identifier) ? "" : "[[maybe_unused]] ") + p.declaration;
  return out;
}

std::string names(const std::vector<EntryParameter>& parameters) {
  std::string out;
  for (const EntryParameter& p : parameters) out += ", " + p.identifier;
  return out;
}

/// The program's function, printed; returns the statement that calls it.
std::string emit_root(Program& program, const std::vector<Argument>& arguments,
                      const std::vector<EntryParameter>& entries) {
  const std::string name = program.fresh_name("run_" + program.root.name);
  SdfgFunction function(program, program.root, name, {}, Place());
  std::vector<SdfgFunction::Parameter> parameters;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& a = arguments[i];
    const std::string identifier = entries[i].identifier;
    if (a.data) {
      const Array* array = a.data->as_array();
      Binding bound{a.data->is_structure() ? Binding::Struct
                    : a.data->is_scalar()  ? Binding::Value
                                           : Binding::Pointer,
                    identifier, a.data};
      bound.aliased = array && array->may_alias;
      bound.device = program.target.gpu && a.data->storage == Storage::GpuGlobal;
      bound.row = bound.device && bound.kind == Binding::Pointer;
      if (a.data->is_scalar() && a.pointer) bound.text = "(*" + identifier + ")";
      function.bind(a.name, bound);
    }
    parameters.push_back({entries[i].widened, identifier, identifier});
  }
  const std::vector<std::string> passed = function.emit(std::move(parameters), false);
  return name + "(" + join(passed, ", ") + ");";
}

void add_side_code(Program& program) {
  for_each_sdfg(program.root, [&](const Sdfg& sdfg) {
    const auto add = [&](const std::map<std::string, Code>& code, std::vector<std::string>& lines) {
      const bool gpu = program.target.gpu != nullptr;
      for (const auto& [target, text] : code)
        if ((target == "frame" || target == "cpu" || (gpu && target == "cuda") || target.empty()) &&
            !text.empty())
          program.foreign_code = true, Program::add_once(lines, text.text());
    };
    add(sdfg.global_code, program.global_lines);
    add(sdfg.init_code, program.init_lines);
    add(sdfg.exit_code, program.exit_lines);
  });
}

void emit_init(Writer& out, Program& program, const std::vector<EntryParameter>& init) {
  const std::string prepare = program.fresh_name("prepare_" + program.name);
  if (!program.init_lines.empty()) {
    Writer body(1);
    for (const std::string& line : program.init_lines) body.verbatim(line);
    std::string parameters = program.state_type + "* __state";
    for (const EntryParameter& p : init) parameters += ", [[maybe_unused]] " + p.widened;
    out.line("// What happens once, before the first call.");
    out.open("static int " + prepare + "([[maybe_unused]] " + parameters + ")");
    out.line("int __result = 0;");
    out.raw(body.text());
    out.line("return __result;");
    out.close();
    out.blank();
  }
  const std::string passed = program.init_lines.empty() ? "" : names(init);
  const Words used(passed);
  out.open("SDFG_EXPORT " + program.state_type + "* __dace_init_" + program.name + "(" +
           list(program, init, used, false) + ")");
  if (program.target.gpu) out.line("if (!sdfg::gpu::device_present()) return nullptr;");
  out.line("auto* const __state = new (std::nothrow) " + program.state_type + "();");
  if (!program.init_lines.empty()) {
    out.open("if (__state && " + prepare + "(__state" + names(init) + ") != 0)");
    out.line("delete __state;");
    out.line("return nullptr;");
    out.close();
  }
  out.line("return __state;");
  out.close();
  out.blank();
}

void emit_externals(Writer& out, Program& program, const std::vector<EntryParameter>& init) {
  // Callers whose SDFG leaves the storage open ask for Default, others for what was filled in.
  std::set<Storage> storages;
  for (const Program::External& e : program.externals) {
    storages.insert(e.storage);
    if (e.storage == Storage::Default) storages.insert(Storage::CpuHeap);
  }
  for (const Storage storage : storages) {
    // Slices lie back to back, each padded to 256 bytes.
    Writer size(1), set(1);
    size.line("size_t bytes = 0;");
    set.line("size_t bytes = 0;");
    for (const Program::External& e : program.externals) {
      const bool left_open = e.storage == Storage::Default && storage == Storage::CpuHeap;
      if (e.storage != storage && !left_open) continue;
      const std::string step =
          "bytes += (size_t(" + e.count + ") * sizeof(" + e.type + ") + 255) / 256 * 256;";
      size.line(step);
      set.line("__state->" + e.field + " = reinterpret_cast<" + e.type + "*>(base + bytes);");
      set.line(step);
    }
    std::string parameters;
    for (const EntryParameter& p : init) parameters += ", [[maybe_unused]] " + p.widened;
    const std::string get = program.fresh_name("workspace_size"),
                      put = program.fresh_name("set_workspace");
    out.open("static size_t " + get + "([[maybe_unused]] " + program.state_type + "* __state" +
             parameters + ")");
    out.raw(size.text());
    out.line("return bytes;");
    out.close();
    out.open("static void " + put + "(" + program.state_type + "* __state, char* base" +
             parameters + ")");
    out.raw(set.text());
    out.close();
    std::string declared;
    for (const EntryParameter& p : init) declared += ", " + p.declaration;
    const std::string suffix(to_text(storage));
    out.open("SDFG_EXPORT size_t __dace_get_external_memory_size_" + suffix + "(" +
             program.state_type + "* __state" + declared + ")");
    out.line("return " + get + "(__state" + names(init) + ");");
    out.close();
    out.open("SDFG_EXPORT void __dace_set_external_memory_" + suffix + "(" + program.state_type +
             "* __state, char* base" + declared + ")");
    out.line("if (__state) " + put + "(__state, base" + names(init) + ");");
    if (program.target.gpu) out.line("if (__state) ++__state->gpu.moved;");
    out.close();
    out.blank();
  }
}

/// Whether the text names anything of the C++ library but its clocks and what `new` takes.
bool uses_library(std::string_view text) {
  const auto in_word = [&](size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
  };
  for (size_t at = text.find("std"); at != text.npos; at = text.find("std", at + 1)) {
    const std::string_view name = text.substr(at);
    if (!in_word(at - 1) && !in_word(at + 3) && !name.starts_with("std::chrono::") &&
        !name.starts_with("std::nothrow"))
      return true;
  }
  return false;
}

/// For the CPU first, then for the GPU.
std::vector<std::string> needed_headers(const std::string& text, bool foreign_code) {
  bool complex = false, half = false, algebra = false, updates = false, streams = false,
       device_library = false;
  constexpr std::string_view ours = "sdfg::";
  for (std::size_t at = text.find(ours); at != text.npos; at = text.find(ours, at)) {
    const std::string_view name = std::string_view(text).substr(at += ours.size());
    complex |= name.starts_with("complex");
    half |= name.starts_with("float16") || name.starts_with("bfloat16");
    algebra |= name.starts_with("Matrix") || name.starts_with("dot");
    updates |= name.starts_with("update");
    streams |= name.starts_with("Stream");
    device_library |= name.starts_with("gpu::reduce(") || name.starts_with("gpu::gemm(") ||
                      name.starts_with("gpu::dot(") || name.starts_with("gpu::HostCopy<");
  }
  std::vector<std::string> headers;
  if (foreign_code) {
    const auto uses = [&](std::string_view word) { return text.find(word) != std::string::npos; };
    const bool all = uses_library(text) || uses("complex") || uses("LAPACK") || uses("lapack");
    headers.push_back(all ? "sdfg_compat.h" : "sdfg_names.h");
  } else {
    headers.push_back("sdfg_math.h");
    if (complex) headers.push_back("sdfg_complex.h");
    if (algebra) headers.push_back("sdfg_blas.h");
    if (updates || streams) headers.push_back("sdfg_reduce.h");
    if (streams) headers.push_back("sdfg_stream.h");
  }
  if (half) headers.push_back("sdfg_half.h");
  if (device_library) headers.push_back("sdfg_gpu_library.h");
  return headers;
}

}  // namespace

namespace {

/// The body of __program_NAME.
void emit_program(Writer& out, const Program& program, const std::string& call,
                  const std::vector<EntryParameter>& entries) {
  const Words used(call);
  out.open("SDFG_EXPORT void __program_" + program.name + "(" + list(program, entries, used, true) +
           ")");
  out.line("if (!__state) return;");
  if (program.target.gpu && program.target.gpu->plan.ranges)
    out.line("const sdfg::gpu::Range range(\"" + program.name + "\");");
  if (program.target.gpu && program.target.gpu->plan.graph) {
    std::vector<std::string> values;
    for (const EntryParameter& p : entries)
      if (used.contains(p.identifier)) values.push_back("sdfg::gpu::bits(" + p.identifier + ")");
    out.line("const uint64_t arguments[] = {" + (values.empty() ? "0" : join(values, ", ")) + "};");
    out.line("__state->graphs.call(__state->gpu, arguments, [&] { " + call + " });");
  } else {
    out.line(call);
  }
  out.close();
  out.blank();
}

/// How many arguments tell calls of a program with graphs apart.
std::size_t distinguishing(const std::string& call, const std::vector<EntryParameter>& entries) {
  const Words used(call);
  const auto count =
      std::ranges::count_if(entries, [&](const auto& p) { return used.contains(p.identifier); });
  return std::max<std::size_t>(1, std::size_t(count));
}

}  // namespace

Result<Bundle> generate(const Sdfg& sdfg, const Dataflows& flows, const Target& target,
                        GpuPlan* found) {
  SDFG_TRY(std::vector<Argument> arguments,
           target.gpu ? target.gpu->arguments : signature(sdfg));
  std::vector<Argument> init_arguments;  // of init_signature(): the symbols
  std::ranges::copy_if(arguments, std::back_inserter(init_arguments),
                       [](const Argument& argument) { return !argument.data; });

  Program program(sdfg, flows, target);
  const auto entries = entry_parameters(program, arguments);
  const auto init = entry_parameters(program, init_arguments);
  const std::string call = emit_root(program, arguments, entries);
  add_side_code(program);
  if (!program.errors.empty()) return program.errors.front();
  const bool graph = target.gpu && target.gpu->plan.graph;
  if (graph)
    if (auto status = check_graph(program, arguments); !status) return status.error();

  Writer out;
  if (target.gpu && program.foreign_code) {
    // A program's own code may call these before they are defined.
    out.line("struct " + program.state_type + ";");
    out.raw(gpu_declarations(program));
    out.blank();
  }
  if (!program.global_lines.empty()) {
    for (const std::string& line : program.global_lines) out.verbatim(line);
    out.blank();
  }
  for (const std::string& type : program.types) {
    out.raw(type + "\n");
    out.blank();
  }
  out.line("// Lives from __dace_init_" + program.name + " to __dace_exit_" + program.name + ".");
  out.open("struct " + program.state_type);
  for (const std::string& field : program.state_pointers) out.line(field);
  if (target.gpu) out.line("sdfg::gpu::Context gpu;");
  if (target.gpu && target.gpu->plan.timers) out.line("sdfg::gpu::Timers timers;");
  if (graph)
    out.line("sdfg::gpu::Graphs<" + std::to_string(distinguishing(call, entries)) + "> graphs;");
  for (const std::string& field : program.state_fields) out.line(field);
  out.close("};");
  out.blank();
  for (const std::string& function : program.functions) {
    out.raw(function);
    out.blank();
  }
  emit_init(out, program, init);
  emit_program(out, program, call, entries);
  out.open("SDFG_EXPORT int __dace_exit_" + program.name + "(" + program.state_type + "* __state)");
  if (!program.exit_lines.empty()) {
    out.open("if (__state)");
    for (const std::string& line : program.exit_lines) out.verbatim(line);
    out.close();
  }
  if (target.gpu) {
    out.raw(gpu_exit(program));
  } else {
    out.line("delete __state;");
    out.line("return 0;");
  }
  out.close();
  emit_externals(out, program, init);
  if (target.gpu) out.raw(gpu_entry_points(program, list(program, init, {}, true)));
  if (!program.errors.empty()) return program.errors.front();

  if (found) {
    found->memory = program.slots;
    found->waits = program.waits;
  }
  std::string head = "// " + program.name + ": generated from an SDFG.\n";
  std::vector<std::string> headers = needed_headers(out.text(), program.foreign_code);
  if (graph) headers.insert(headers.begin(), "sdfg_gpu_graph.h");
  if (target.gpu && target.gpu->plan.timers) headers.insert(headers.begin(), "sdfg_gpu_timers.h");
  if (target.gpu && target.gpu->plan.ranges) headers.insert(headers.begin(), "sdfg_gpu_ranges.h");
  if (target.gpu) headers.insert(headers.begin(), "sdfg_gpu.h");
  for (const std::string& header : headers) head += "#include \"" + header + "\"\n";

  Bundle bundle;
  bundle.name = program.name;
  bundle.files.push_back({program.name + target.extension(), head + "\n" + out.text()});
  for (const RuntimeHeader& header : runtime_headers())
    bundle.files.push_back({std::string(header.name), std::string(header.text)});
  bundle.arguments = std::move(arguments);
  bundle.init_arguments = std::move(init_arguments);
  bundle.warnings = std::move(program.warnings);
  for (auto* list : {&bundle.arguments, &bundle.init_arguments})
    for (Argument& argument : *list) argument.data = nullptr;
  return bundle;
}

Result<Bundle> generate_cpu(Sdfg sdfg, const CpuOptions& options) {
  rename_hiding_names(sdfg);
  if (const auto referred = refer_to_views(sdfg); !referred) return referred.error();
  SDFG_TRY(const Dataflows flows, dataflows(sdfg));
  if (auto status = infer_connector_types(sdfg, flows); !status) return status.error();
  Target target;
  target.openmp = options.openmp;
  return generate(sdfg, flows, target);
}

std::string single_file(const Bundle& bundle) {
  NameSet done;
  const auto append = [&](const auto& self, std::string_view text, std::string& out) -> void {
    for (std::string_view line : split(text, '\n')) {
      constexpr std::string_view include = "#include \"";
      if (line == "#pragma once") continue;
      const GeneratedFile* header = nullptr;
      if (line.starts_with(include))
        for (const GeneratedFile& file : bundle.files)
          if (line.substr(include.size()) == file.name + "\"") header = &file;
      if (!header)
        out.append(line).append("\n");
      else if (done.insert(header->name).second)
        self(self, header->text, out);
    }
    while (out.ends_with("\n\n")) out.pop_back();
  };
  std::string out;
  append(append, bundle.files.front().text, out);
  return out;
}

}  // namespace sdfg
