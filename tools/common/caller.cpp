#include "tools/common/caller.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "codegen/runtime/sdfg_call_file.h"
#include "ir/expr.h"
#include "tools/common/process.h"

namespace sdfg {

namespace {

/// The bundle with one more file, the one to compile: a `main` that calls the entry points.
Bundle with_main(const Bundle& bundle) {
  const std::string& program = bundle.files.front().name;
  const std::string ending = program.substr(bundle.name.size());
  Bundle out = bundle;
  out.files.insert(out.files.begin(),
                   {bundle.name + "_call" + ending,
                    fmt::format("#include \"{}\"\n#include \"sdfg_call.h\"\n\nSDFG_MAIN({})\n",
                                program, bundle.name)});
  return out;
}

/// Memory of one argument; empty: a null pointer.
struct Passed {
  std::span<std::byte> bytes;
  bool on_device = false;
};

/// A file in memory that has no name: the process finds it by the number of its descriptor.
class CallFile {
 public:
  static Result<CallFile> make(const std::vector<Passed>& init,
                               const std::vector<Passed>& arguments) {
    CallFile file;
    const auto padded = [](std::size_t bytes) { return (bytes + 63) / 64 * 64; };
    std::size_t end =
        padded(sizeof(call::Header) + (init.size() + arguments.size()) * sizeof(call::Slot));
    for (const auto* list : {&init, &arguments})
      for (const Passed& p : *list) {
        const std::int64_t at = p.bytes.empty() ? 0 : std::int64_t(end);
        file.slots_.push_back({at, std::int64_t(p.bytes.size()), p.on_device});
        end += padded(p.bytes.size());
      }
    file.size_ = end;
    file.descriptor_ = memfd_create("arguments", 0);
    if (file.descriptor_ < 0 || ftruncate(file.descriptor_, off_t(end)) != 0) return no_memory(end);
    void* const memory =
        mmap(nullptr, end, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor_, 0);
    if (memory == MAP_FAILED) return no_memory(end);
    file.begin_ = static_cast<std::byte*>(memory);
    file.header() = {call::not_called, std::int64_t(init.size()), std::int64_t(arguments.size()),
                     {-1, -1, -1, -1, -1, 0}};
    if (!file.slots_.empty())
      std::memcpy(file.begin_ + sizeof(call::Header), file.slots_.data(),
                  file.slots_.size() * sizeof(call::Slot));
    file.copy(init, arguments, true);
    return Result<CallFile>(std::move(file));
  }
  CallFile(CallFile&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)),
        begin_(std::exchange(other.begin_, nullptr)),
        size_(other.size_),
        slots_(std::move(other.slots_)) {}
  CallFile& operator=(CallFile&&) = delete;
  ~CallFile() {
    if (begin_) munmap(begin_, size_);
    if (descriptor_ >= 0) close(descriptor_);
  }

  int descriptor() const { return descriptor_; }
  call::Header& header() { return *reinterpret_cast<call::Header*>(begin_); }
  void give_back(const std::vector<Passed>& init, const std::vector<Passed>& arguments) {
    copy(init, arguments, false);
  }

 private:
  CallFile() = default;
  static Diagnostic no_memory(std::size_t bytes) {
    return {"", fmt::format("there is no memory for {} bytes of arguments: {}", bytes,
                            std::error_code(errno, std::generic_category()).message())};
  }
  void copy(const std::vector<Passed>& init, const std::vector<Passed>& arguments, bool in) {
    std::size_t i = 0;
    for (const auto* list : {&init, &arguments})
      for (const Passed& p : *list) {
        std::byte* const there = begin_ + slots_[i++].at;
        if (!p.bytes.empty())
          std::memcpy(in ? there : p.bytes.data(), in ? p.bytes.data() : there, p.bytes.size());
      }
  }

  int descriptor_ = -1;
  std::byte* begin_ = nullptr;
  std::size_t size_ = 0;
  std::vector<call::Slot> slots_;
};

/// Initializes, calls and finalizes in a process. Programs for a GPU are called twice. The error
/// says what failed.
Result<call::Again> call_program(const std::string& path, const std::vector<Passed>& init,
                                 const std::vector<Passed>& arguments) {
  SDFG_TRY(CallFile file, CallFile::make(init, arguments));
  const int ended = run_command({path, fmt::to_string(file.descriptor())}, "");
  if (ended > 128)
    return Diagnostic{"",
                      fmt::format("the program was ended by signal {} ({})", ended - 128,
                                  sigdescr_np(ended - 128) ? sigdescr_np(ended - 128) : "unknown"),
                      "--backend=interpreter checks bounds and says where"};
  const std::int64_t status = file.header().status;
  if (status == call::not_initialized)
    return Diagnostic{
        "", "the program could not be initialized",
        "a program for a GPU needs one; without: --backend=cuda-on-cpu or hip-on-cpu"};
  if (status != 0 || ended != 0)
    return Diagnostic{"",
                      fmt::format("the program ended with status {}", status > 0 ? status : ended)};
  file.give_back(init, arguments);
  return file.header().again;
}

using Environment = ByName<std::int64_t>;

/// The value of a scalar argument as raw bytes of the type asked for, if it fits.
std::optional<std::vector<std::byte>> scalar_bytes(const NdArray& value, const Type& type) {
  const auto size = type.bytes();
  if (!size || value.count() != 1) return std::nullopt;
  std::vector<std::byte> out(std::size_t(*size), std::byte{0});
  if (value.type == type) {
    std::memcpy(out.data(), value.bytes.data(), out.size());
    return out;
  }
  // Data files often hold every integer as int64 and every float as float64.
  long double number = 0;
  const auto load = [&](auto sample) {
    std::memcpy(&sample, value.bytes.data(), sizeof sample);
    number = static_cast<long double>(sample);
  };
  switch (value.type.base()) {
    case BaseType::Bool: load(bool()); break;
    case BaseType::Int8: load(std::int8_t()); break;
    case BaseType::Int16: load(std::int16_t()); break;
    case BaseType::Int32: load(std::int32_t()); break;
    case BaseType::Int64: load(std::int64_t()); break;
    case BaseType::UInt8: load(std::uint8_t()); break;
    case BaseType::UInt16: load(std::uint16_t()); break;
    case BaseType::UInt32: load(std::uint32_t()); break;
    case BaseType::UInt64: load(std::uint64_t()); break;
    case BaseType::Float32: load(float()); break;
    case BaseType::Float64: load(double()); break;
    default: return std::nullopt;
  }
  bool fits = true;
  const auto store = [&](auto sample) {
    using T = decltype(sample);
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      fits = number >= std::numeric_limits<T>::min() && number <= std::numeric_limits<T>::max() &&
             number == std::trunc(number);
    if (!fits) return;
    sample = static_cast<T>(number);
    std::memcpy(out.data(), &sample, sizeof sample);
  };
  switch (type.base()) {
    case BaseType::Bool: store(bool()); break;
    case BaseType::Int8: store(std::int8_t()); break;
    case BaseType::Int16: store(std::int16_t()); break;
    case BaseType::Int32: store(std::int32_t()); break;
    case BaseType::Int64: store(std::int64_t()); break;
    case BaseType::UInt8: store(std::uint8_t()); break;
    case BaseType::UInt16: store(std::uint16_t()); break;
    case BaseType::UInt32: store(std::uint32_t()); break;
    case BaseType::UInt64: store(std::uint64_t()); break;
    case BaseType::Float32: store(float()); break;
    case BaseType::Float64: store(double()); break;
    default: return std::nullopt;
  }
  return fits ? std::optional(std::move(out)) : std::nullopt;
}

/// One call: arguments in the layout that the program declares, and back.
class Call {
 public:
  Call(const Sdfg& sdfg, NamedArrays arguments) : sdfg_(sdfg), given_(std::move(arguments)) {}

  /// `device`: what the program expects in a GPU's memory is put there.
  Result<NamedArrays> run(const Bundle& bundle, const std::string& program, bool device,
                          call::Again& again) {
    infer_sizes();
    for (const auto& [name, value] : given_)
      if (const auto bytes = scalar_bytes(value, BaseType::Int64)) {
        std::int64_t number = 0;
        std::memcpy(&number, bytes->data(), sizeof number);
        environment_[name] = number;
      }
    std::vector<Passed> init, arguments;
    for (const Argument& a : bundle.init_arguments) {
      SDFG_TRY(const std::span<std::byte> bytes, pass(a));
      init.push_back({bytes});
    }
    for (const Argument& a : bundle.arguments) {
      SDFG_TRY(const std::span<std::byte> bytes, pass(a));
      const Data* data = sdfg_.find_data(a.name);
      arguments.push_back({bytes, device && data && data->storage == Storage::GpuGlobal &&
                                      layouts_.contains(a.name)});
    }
    SDFG_TRY(again, call_program(program, init, arguments));
    for (const auto& [name, layout] : layouts_) give_back(name, layout);
    return std::move(given_);
  }

 private:
  struct Layout {
    std::vector<std::int64_t> shape, strides;
    std::int64_t first = 0;
    std::vector<std::byte> bytes;
    std::size_t size = 0;
  };

  void infer_sizes() {
    for (const auto& [name, data] : sdfg_.arrays) {
      const auto given = given_.find(name);
      if (data.transient || given == given_.end() ||
          given->second.shape.size() != data.shape.size())
        continue;
      const auto infer = [&](const Expr& e, std::int64_t value) {
        if (!e.is(Op::Symbol) || given_.contains(e.name())) return;
        NdArray number = NdArray::zeros(BaseType::Int64, {});
        std::memcpy(number.bytes.data(), &value, sizeof value);
        given_.emplace(e.name(), std::move(number));
      };
      for (std::size_t d = 0; d < data.shape.size(); ++d) {
        infer(data.shape[d], given->second.shape[d]);
        if (const Array* array = data.as_array(); array && d < array->strides.size())
          infer(array->strides[d], given->second.strides[d]);
      }
    }
  }

  static Diagnostic wrong(const std::string& name, std::string what, std::string hint = {}) {
    return {"argument '" + name + "'", std::move(what), std::move(hint)};
  }

  /// Its memory, filled; empty: a null pointer.
  Result<std::span<std::byte>> pass(const Argument& a) {
    if (!a.pointer) {
      const auto given = given_.find(a.name);
      if (given == given_.end())
        return wrong(a.name, "the program needs it, but it is not given",
                     "add in:" + a.name + " to the data, or --set=" + a.name + "=VALUE");
      auto bytes = scalar_bytes(given->second, a.type);
      if (!bytes)
        return wrong(a.name, "expected one value of type " + a.type.text() + ", found " +
                                 given->second.type.text() +
                                 (given->second.count() == 1 ? " that does not fit in it" : ""));
      scalars_.push_back(*std::move(bytes));
      return std::span<std::byte>(scalars_.back());
    }
    const Data* data = sdfg_.find_data(a.name);
    if (!data || !(data->as_array() || data->is_scalar()))
      return wrong(a.name, "only arrays and scalars can be passed here");
    Layout layout;
    SDFG_TRY([[maybe_unused]] const Ok ok, lay_out(a.name, *data, layout));
    auto given = given_.find(a.name);
    if (given == given_.end()) {
      const Array* array = data->as_array();
      if (array && array->optional.value_or(false)) return std::span<std::byte>();
      if (!a.name.starts_with("__return"))
        return wrong(a.name, "the program needs it, but it is not given",
                     "add in:" + a.name + " to the data");
      given = given_.emplace(a.name, NdArray::zeros(data->dtype, layout.shape)).first;
    }
    const NdArray& value = given->second;
    if (!(value.type == data->dtype))
      return wrong(
          a.name, "expected values of type " + data->dtype.text() + ", found " + value.type.text());
    std::int64_t elements = 1;
    for (std::int64_t extent : layout.shape) elements *= extent;
    if (std::int64_t(value.count()) != elements)
      return wrong(a.name, fmt::format("expected {} elements, found {}", elements, value.count()));
    const auto [stored, is_new] = layouts_.insert_or_assign(a.name, std::move(layout));
    move(stored->second, given->second, true);
    return std::span<std::byte>(stored->second.bytes);
  }

  Status lay_out(const std::string& name, const Data& data, Layout& layout) {
    const Array* array = data.as_array();
    const auto number = [&](const Expr& e) { return evaluate(e, environment_); };
    layout.size = std::size_t(data.dtype.bytes().value_or(0));
    if (layout.size == 0) return wrong(name, "its type " + data.dtype.text() + " cannot be passed");
    std::int64_t last = 0;
    if (array) {
      const auto start = number(array->start_offset);
      if (!start) return wrong(name, "its layout cannot be computed from what is given");
      layout.first = *start;  // of the element whose index is -offset
    }
    for (std::size_t d = 0; d < data.shape.size(); ++d) {
      const auto extent = number(data.shape[d]);
      const auto stride = array && d < array->strides.size() ? number(array->strides[d])
                                                             : std::optional<std::int64_t>(1);
      if (!extent || !stride || *extent < 0)
        return wrong(name, "its layout cannot be computed from what is given");
      layout.shape.push_back(*extent);
      layout.strides.push_back(*stride);
      last += (*extent - 1) * *stride;
    }
    const std::int64_t total = std::max({array ? number(array->total_size).value_or(0) : 0,
                                         layout.first + last + 1, std::int64_t(1)});
    constexpr std::int64_t limit = std::int64_t(1) << 36;
    if (total > limit) return wrong(name, "its layout needs too much memory");
    layout.bytes.assign(std::size_t(total) * layout.size, std::byte{0});
    return Ok{};
  }

  /// Between the caller's layout and the program's, element by element in row-major order.
  static void move(Layout& layout, NdArray& value, bool in) {
    std::vector<std::int64_t> inside(layout.shape.size(), 0), outside(value.shape.size(), 0);
    const auto advance = [](std::vector<std::int64_t>& index,
                            const std::vector<std::int64_t>& shape,
                            const std::vector<std::int64_t>& strides, std::int64_t at) {
      for (std::size_t d = shape.size(); d-- > 0;) {
        at += strides[d];
        if (++index[d] < shape[d]) return at;
        at -= strides[d] * shape[d];
        index[d] = 0;
      }
      return at;
    };
    std::int64_t a = 0, b = 0;
    for (std::size_t n = value.count(); n > 0; --n) {
      std::byte* mine = layout.bytes.data() + std::size_t(layout.first + a) * layout.size;
      std::byte* theirs = value.bytes.data() + std::size_t(b) * layout.size;
      in ? std::memcpy(mine, theirs, layout.size) : std::memcpy(theirs, mine, layout.size);
      a = advance(inside, layout.shape, layout.strides, a);
      b = advance(outside, value.shape, value.strides, b);
    }
  }
  void give_back(const std::string& name, const Layout& layout) {
    move(const_cast<Layout&>(layout), given_.at(name), false);
  }

  const Sdfg& sdfg_;
  NamedArrays given_;
  Environment environment_;
  std::map<std::string, Layout> layouts_;
  std::vector<std::vector<std::byte>> scalars_;
};

Diagnostics findings(const call::Again& again) {
  Diagnostics found;
  const auto say = [&](Severity severity, std::string message) {
    found.push_back({"", std::move(message), "", severity});
  };
  if (again.different_bytes > 0)
    say(Severity::Warning, fmt::format("a second call with the same arguments gives {} other bytes",
                                       again.different_bytes));
  if (again.allocations > 0 || again.synchronizations > 0)
    say(Severity::Note,
        fmt::format("a second call with the same arguments allocates memory {} times and "
                    "waits for the device {} times",
                    again.allocations, again.synchronizations));
  if (again.graphs > 0)
    say(Severity::Note,
        fmt::format("a third call with the same arguments launches {} graph and {} kernels",
                    again.graphs, again.launches));
  return found;
}

Result<Executed> execute(const Sdfg& sdfg, const Bundle& generated, NamedArrays arguments,
                         const BuildOptions& options, bool device) {
  for (const Argument& a : generated.arguments)
    if (a.type.base() == BaseType::Callback)
      return Diagnostic{"argument '" + a.name + "'",
                        "a callback, which only a caller from outside can give",
                        "call the program through DaCe, or give the callback's result as data"};
  const Bundle bundle = with_main(generated);
  SDFG_TRY(const Built program, build(bundle, options));
  call::Again again{};
  SDFG_TRY(NamedArrays results,
           Call(sdfg, std::move(arguments)).run(bundle, program.path, device, again));
  return Executed{std::move(results), findings(again)};
}

}  // namespace

Backend cpu_backend(const BuildOptions& options) {
  return [options](const Sdfg& sdfg, NamedArrays arguments) -> Result<Executed> {
    SDFG_TRY(const Bundle generated, generate_cpu(sdfg));
    return execute(sdfg, generated, std::move(arguments), options, false);
  };
}

Backend gpu_backend(const Generator& generator, const BuildOptions& options) {
  return [generator, options](const Sdfg& sdfg, NamedArrays arguments) -> Result<Executed> {
    SDFG_TRY(const Bundle generated, generator(sdfg));
    return execute(sdfg, generated, std::move(arguments), options, true);
  };
}

}  // namespace sdfg
