// Containers of kernels, and containers on the device that the host declares.

#include <algorithm>

#include "codegen/sdfg_function.h"

namespace sdfg {

namespace {

/// What one thread may have when there is no other way; kernel_arrays.cpp moves out what it can.
constexpr std::int64_t thread_limit = 65536;
/// Static shared memory of a block, on every device.
constexpr std::int64_t shared_limit = 49152;

}  // namespace

/// A container of one thread, or of the block, in a kernel.
void SdfgFunction::declare_in_kernel(Writer& out, const std::string& name, const Place& place) {
  const Data& data = *sdfg_.find_data(name);
  const std::string type = type_name(data.dtype, place), text = cpp_name(name);
  const bool block = data.storage == Storage::GpuShared;
  Binding bound{kind_of(data), text, &data};
  bound.own = !block;
  bound.device = true;
  bindings_[name] = bound;
  if (belongs_to_program(data))
    return fail(place, "a container of a kernel cannot outlive it (lifetime " +
                           std::string(to_text(data.lifetime)) + ")");
  if (data.is_scalar())
    return out.line(block ? "__shared__ " + type + " " + text + ";" : type + " " + text + "{};");
  const Array* array = data.as_array();
  if (!array || data.is_structure() || data.is_stream())
    return fail(place, "no code in kernels for containers of kind " + data.json_type());
  if (data.is_reference()) return out.line(type + "* " + text + " = nullptr;");
  const auto count = array->total_size.as_integer();
  const auto bytes = data.dtype.bytes();
  const std::int64_t limit = block ? shared_limit : thread_limit;
  if (!count || !bytes || *count * *bytes > limit)
    return fail(
        place,
        count ? "an array of " + std::to_string(*count) + " elements is too large for one " +
                    (block ? "block" : "thread") + " of a kernel, which has " +
                    std::to_string(limit) + " bytes"
        : has_setzero(name)
            ? "an array inside a kernel that is set to zero needs a constant size"
            : "an array inside a kernel needs a size that is known when the kernel is launched",
        "let the array live outside of the map, with an index for each iteration");
  out.line((block ? "__shared__ " : "") + type + " " + text + "[" +
           std::to_string(std::max<std::int64_t>(*count, 1)) + "]" +
           (has_setzero(name) && !block ? "{}" : "") + ";");
  if (block && has_setzero(name)) {
    out.line("for (int i = threadIdx.x; i < " + std::to_string(*count) + "; i += blockDim.x) " +
             text + "[i] = 0;");
    out.line("__syncthreads();");
  }
}

void SdfgFunction::declare_on_device(Writer& out, const std::string& name, const Place& place) {
  const Data& data = *sdfg_.find_data(name);
  const Array* array = data.as_array();
  const std::string type = type_name(data.dtype, place), text = cpp_name(name);
  Binding bound{kind_of(data), text, &data};
  bound.device = true;
  bound.row = bound.kind == Binding::Pointer;
  if (data.is_scalar()) bound.text = "(*" + text + ")";
  bindings_[name] = bound;
  if (data.storage == Storage::GpuShared)
    return fail(place, "shared memory exists only inside a kernel",
                "move '" + name + "' into the map that uses it");
  if ((!array && !data.is_scalar()) || data.is_structure() || data.is_stream())
    return fail(place, "no code for containers of kind " + data.json_type() + " on the GPU");
  if (data.is_reference()) return out.line(type + "* " + text + " = nullptr;");
  const std::string count = array ? print(array->total_size, place) : "1";
  if (const auto known = device_addresses_.find(name); known != device_addresses_.end()) {
    out.line(type + "* const " + text + " = reinterpret_cast<" + type + "*>(" + known->second +
             ");");
    if (has_setzero(name)) out.line("sdfg::gpu::zero(__state->gpu, " + text + ", " + count + ");");
    return;
  }
  const std::string field = program_.fresh_name(name_ + "_" + name);
  program_.state_fields.push_back("sdfg::gpu::Arena " + field + ";");
  program_.device_memory.push_back(field);
  if (is_late(data) && std::ranges::find(function_level_, name) != function_level_.end()) {
    declare_late(out, name, "__state->" + field, true, place);
    return;
  }
  program_.slots.push_back({{name}, "sdfg::gpu::slice<" + type + ">(" + count + ")"});
  out.line(type + "* const " + text + " = __state->" + field + ".get<" + type + ">(__state->gpu, " +
           count + ");");
  out.line("if (!" + text + ") return;");
  if (has_setzero(name)) out.line("sdfg::gpu::zero(__state->gpu, " + text + ", " + count + ");");
}

}  // namespace sdfg
