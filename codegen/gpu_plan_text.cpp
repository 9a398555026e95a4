// Plans as text and JSON, and back. Both list the properties of each kernel; reading takes those
// that may be chosen and checks them against what was planned.

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "codegen/gpu_plan.h"
#include "codegen/lowering.h"
#include "support/text.h"

namespace sdfg {

namespace {

using Json = nlohmann::ordered_json;

Json to_json_value(const std::string& text) { return text; }
Json to_json_value(std::int64_t value) { return value; }
Json to_json_value(KernelClass value) { return std::string(to_text(value)); }
Json to_json_value(const std::optional<Expr>& condition) {
  return condition ? print_python(*condition) : "";
}
template <class T>
Json to_json_value(const std::vector<T>& values) {
  Json out = Json::array();
  for (const T& v : values) out.push_back(to_json_value(v));
  return out;
}

Json kernel_json(const KernelPlan& kernel) {
  Json out;
  for_each_property(kernel, [&](const auto& property, const auto& value) {
    out[std::string(property.name)] = to_json_value(value);
  });
  return out;
}

/// `text` of a property's value as it stands in the text form: JSON without quotes around words.
std::string plain(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string out = "[";
  for (const Json& v : value) out += (out.size() > 1 ? ", " : "") + plain(v);
  return out + "]";
}

Diagnostic wrong(std::string message, std::string hint = {}) {
  return {"plan", std::move(message), std::move(hint)};
}

Result<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return wrong("expected a whole number, found '" + std::string(text) + "'");
  return value;
}

std::vector<std::string> words(std::string_view list) {
  std::vector<std::string> out;
  if (list.starts_with('[')) list.remove_prefix(1);
  if (list.ends_with(']')) list.remove_suffix(1);
  for (std::string_view part : split(list, ',')) {
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    if (!part.empty()) out.emplace_back(part);
  }
  return out;
}

/// A plan as read: for the program and each kernel named, texts of its properties.
struct Entry {
  std::string kernel;  ///< empty: the program
  std::vector<std::pair<std::string, std::string>> values;
};

Result<std::vector<Entry>> read_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object() || !json.contains("kernels") ||
      !json["kernels"].is_array())
    return wrong("the plan is no JSON with a list of \"kernels\"",
                 "--emit=plan-json writes one to start from");
  std::vector<Entry> out{{"", {}}};
  for (const auto& [key, value] : json.items())
    if (!value.is_structured() && key != "program")
      out.back().values.emplace_back(key, plain(value));
  for (const Json& kernel : json["kernels"]) {
    if (!kernel.is_object() || !kernel.contains("name") || !kernel["name"].is_string())
      return wrong("a kernel of the plan has no \"name\"");
    Entry entry{kernel["name"].get<std::string>(), {}};
    for (const auto& [key, value] : kernel.items()) entry.values.emplace_back(key, plain(value));
    out.push_back(std::move(entry));
  }
  return out;
}

Result<std::vector<Entry>> read_text(std::string_view text) {
  std::vector<Entry> out{{"", {}}};
  std::size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    if (const std::size_t comment = line.find('#'); comment != line.npos)
      line = line.substr(0, comment);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with("plan ")) continue;
    constexpr std::string_view kernel = "kernel ";
    if (line.starts_with(kernel)) {
      out.push_back({std::string(line.substr(kernel.size())), {}});
      continue;
    }
    const std::size_t equals = line.find(" = ");
    if (equals == line.npos || !line.starts_with("  "))
      return wrong("line " + std::to_string(number) +
                       ": expected 'kernel NAME' or '  PROPERTY = VALUE', found '" +
                       std::string(line) + "'",
                   "--emit=plan writes one to start from");
    out.back().values.emplace_back(line.substr(2, equals - 2), line.substr(equals + 3));
  }
  return out;
}

Status limit(const KernelPlan& kernel, std::string_view what, std::int64_t value, std::int64_t low,
             std::int64_t high) {
  if (value >= low && value <= high) return Ok{};
  return wrong("kernel " + kernel.name + ": " + std::string(what) + " = " + std::to_string(value) +
               " is not between " + std::to_string(low) + " and " + std::to_string(high));
}

Status check(const KernelPlan& kernel) {
  const auto one = [&](std::string_view what, std::int64_t value, std::int64_t low,
                       std::int64_t high) { return limit(kernel, what, value, low, high); };
  if (kernel.block.size() != 3)
    return wrong(
        "kernel " + kernel.name + ": block has " + std::to_string(kernel.block.size()) + " numbers",
        "write [x, y, z]");
  SDFG_TRY([[maybe_unused]] const Ok x, one("block's x", kernel.block[0], 1, 1024));
  SDFG_TRY([[maybe_unused]] const Ok y, one("block's y", kernel.block[1], 1, 1024));
  SDFG_TRY([[maybe_unused]] const Ok z, one("block's z", kernel.block[2], 1, 64));
  if (kernel.threads() > 1024)
    return wrong("kernel " + kernel.name + ": a block of " + std::to_string(kernel.block[0]) +
                     " x " + std::to_string(kernel.block[1]) + " x " +
                     std::to_string(kernel.block[2]) + " has " + std::to_string(kernel.threads()) +
                     " threads, and devices run at most 1024",
                 "make it smaller, and give each thread more with levels");
  const bool blocks = kernel.kind == KernelClass::Blocks;
  if (!blocks && kernel.block[2] != 1)
    return wrong("kernel " + kernel.name + ": threads along z have nothing to do",
                 "write [x, y, 1]");
  if (!blocks && kernel.block[1] != 1 && kernel.params.size() < 2)
    return wrong("kernel " + kernel.name + ": the map has one dimension, so its block has, too",
                 "write [x, 1, 1]");
  SDFG_TRY([[maybe_unused]] const Ok levels, one("levels", kernel.levels, 1, 64));
  if (kernel.levels > 1 && (blocks || kernel.params.size() < 2))
    return wrong("kernel " + kernel.name + ": there is no second dimension for levels",
                 "write levels = 1");
  SDFG_TRY([[maybe_unused]] const Ok batch, one("batch", kernel.batch, 1, 64));
  SDFG_TRY([[maybe_unused]] const Ok least, one("min_blocks", kernel.min_blocks, 0, 32));
  SDFG_TRY([[maybe_unused]] const Ok order, one("rows_first", kernel.rows_first, 0, 1LL << 40));
  if (kernel.rows_first > 0 && (blocks || kernel.params.size() != 2))
    return wrong("kernel " + kernel.name + ": only maps of two dimensions have rows of blocks",
                 "write rows_first = 0");
  return Ok{};
}

Status set(KernelPlan& kernel, const std::string& key, const std::string& value) {
  const auto numeric = [&](std::int64_t& field) -> Status {
    SDFG_TRY(field, number(value));
    return Ok{};
  };
  if (key == "levels") return numeric(kernel.levels);
  if (key == "batch") return numeric(kernel.batch);
  if (key == "min_blocks") return numeric(kernel.min_blocks);
  if (key == "rows_first") return numeric(kernel.rows_first);
  if (key == "block") {
    kernel.block.clear();
    for (const std::string& word : words(value)) {
      SDFG_TRY(const std::int64_t n, number(word));
      kernel.block.push_back(n);
    }
    return Ok{};
  }
  if (key == "params") {
    const std::vector<std::string> order = words(value);
    if (!std::ranges::is_permutation(order, kernel.params))
      return wrong("kernel " + kernel.name + ": params must be " + join(kernel.params, ", ") +
                   " in some order, found " + value);
    kernel.params = order;
    return Ok{};
  }
  bool known = false;
  std::vector<std::string_view> names;
  for_each_property(kernel, [&](const auto& property, const auto&) {
    known |= property.name == key;
    names.push_back(property.name);
  });
  if (known) return Ok{};  // what was found out cannot be chosen
  const std::string_view near = nearest(key, names);
  return wrong("kernel " + kernel.name + ": there is no '" + key + "'",
               near.empty()
                   ? "block, levels, batch, min_blocks, rows_first and params can be chosen"
                   : "did you mean '" + std::string(near) + "'?");
}

Status set(GpuPlan& plan, const std::string& key, const std::string& value) {
  bool known = false;
  std::vector<std::string> names;
  for_each_property(plan, [&](const auto& property, bool& field) {
    names.emplace_back(property.name);
    if (property.name != key) return;
    known = true;
    field = value == "on" || value == "true";
  });
  if (!known) {
    const std::vector<std::string_view> views(names.begin(), names.end());
    const std::string_view near = nearest(key, views);
    return wrong("the program has no '" + key + "'",
                 near.empty() ? "it has " + join(names, ", ") +
                                    "; what belongs to a kernel stands below 'kernel NAME'"
                              : "did you mean '" + std::string(near) + "'?");
  }
  for (std::string_view word : {"on", "off", "true", "false"})
    if (value == word) return Ok{};
  return wrong(key + ": expected on or off, found '" + value + "'");
}

Status override_with(GpuPlan& plan, const Entry& entry) {
  if (entry.kernel.empty()) {
    for (const auto& [key, value] : entry.values) {
      SDFG_TRY([[maybe_unused]] const Ok ok, set(plan, key, value));
    }
    if (plan.graph && plan.timers)
      return wrong(
          "graph and timers exclude each other: the kernels of a graph are not timed one by one",
          "switch one of them off");
    return Ok{};
  }
  const auto kernel = std::ranges::find(plan.kernels, entry.kernel, &KernelPlan::name);
  if (kernel == plan.kernels.end()) {
    std::vector<std::string_view> names;
    for (const KernelPlan& known : plan.kernels) names.push_back(known.name);
    const std::string_view near = nearest(entry.kernel, names);
    return wrong(
        "there is no kernel '" + entry.kernel + "' in " + plan.program,
        near.empty() ? "--emit=plan lists them" : "did you mean '" + std::string(near) + "'?");
  }
  for (const auto& [key, value] : entry.values) {
    SDFG_TRY([[maybe_unused]] const Ok ok, set(*kernel, key, value));
  }
  return check(*kernel);
}

/// Products of sizes, each with what it is multiplied by; in order of appearance.
class SumOfProducts {
 public:
  void add(std::int64_t factor, const std::vector<Expr>& sizes) {
    std::string product;
    for (const Expr& size : sizes) {
      if (const auto number = size.as_integer()) {
        factor *= *number;
        continue;
      }
      const bool sum = size.is(Op::Add) || size.is(Op::Sub);
      product += (product.empty() ? "" : "*") + (sum ? "(" + to_text(size) + ")" : to_text(size));
    }
    add(factor, std::move(product));
  }
  void add(std::int64_t factor, std::string product) {
    const auto [at, is_new] = place_.emplace(product, terms_.size());
    if (is_new) terms_.emplace_back(std::move(product), 0);
    terms_[at->second].second += factor;
  }
  std::string text() const {
    std::string out;
    for (const auto& [product, factor] : terms_) {
      if (factor == 0) continue;
      if (!out.empty()) out += factor < 0 ? " - " : " + ";
      const std::string number = std::to_string(out.empty() ? factor : std::abs(factor));
      out += product.empty() ? number : number == "1" ? product : number + "*" + product;
    }
    return out.empty() ? "0" : out;
  }

 private:
  std::vector<std::pair<std::string, std::int64_t>> terms_;
  std::map<std::string, std::size_t> place_;
};

}  // namespace

std::string points_text(const MapEntry& map) {
  SumOfProducts points;
  std::vector<Expr> sizes;
  for (const Range& r : map.ranges) sizes.insert(sizes.begin(), r.size());  // x first
  points.add(1, sizes);
  return points.text();
}

std::string bytes_text(const std::vector<TouchedElements>& touched) {
  SumOfProducts bytes;
  for (const TouchedElements& elements : touched) {
    if (elements.boxes.size() == 1) {
      bytes.add(elements.bytes, elements.boxes[0]);
      continue;
    }
    SumOfProducts boxes, whole;
    for (const std::vector<Expr>& box : elements.boxes) boxes.add(1, box);
    whole.add(1, elements.container);
    bytes.add(elements.bytes, "Min(" + boxes.text() + ", " + whole.text() + ")");
  }
  return bytes.text();
}

std::string to_text(const GpuPlan& plan) {
  std::string out = "plan of " + plan.program + "\n";
  for_each_property(plan, [&](const auto& property, bool value) {
    out += "  " + std::string(property.name) + " = " + (value ? "on" : "off") + "\n";
  });
  for (const KernelPlan& kernel : plan.kernels) {
    out += "kernel " + kernel.name + "\n";
    for_each_property(kernel, [&](const auto& property, const auto& value) {
      const std::string text = plain(to_json_value(value));
      if (property.name != "name" && !text.empty())
        out += "  " + std::string(property.name) + " = " + text + "\n";
    });
  }
  for (const MemorySlot& slot : plan.memory)
    out += "# memory: " + join(slot.containers, ", ") + ": " + slot.size + "\n";
  for (const std::string& wait : plan.waits) out += "# the host waits: " + wait + "\n";
  return out;
}

std::string to_json(const GpuPlan& plan) {
  Json out;
  out["program"] = plan.program;
  for_each_property(
      plan, [&](const auto& property, bool value) { out[std::string(property.name)] = value; });
  out["kernels"] = Json::array();
  for (const KernelPlan& kernel : plan.kernels) out["kernels"].push_back(kernel_json(kernel));
  out["memory"] = Json::array();
  for (const MemorySlot& slot : plan.memory)
    out["memory"].push_back({{"containers", slot.containers}, {"size", slot.size}});
  out["waits"] = plan.waits;
  return out.dump(2) + "\n";
}

Status override_plan(GpuPlan& plan, std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  SDFG_TRY(const std::vector<Entry> entries,
           first != text.npos && text[first] == '{' ? read_json(text) : read_text(text));
  for (const Entry& entry : entries) {
    SDFG_TRY([[maybe_unused]] const Ok ok, override_with(plan, entry));
  }
  return Ok{};
}

}  // namespace sdfg
