#include "tools/common/stats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

namespace sdfg {

namespace {

constexpr std::size_t most_containers = 10;  // in text; JSON has all

/// "gtir_tmp_7 (transient): written by …; read by …"
std::string to_text(const ContainerCounts& c) {
  std::string text = c.name + (c.argument ? " (argument)" : " (transient)");
  if (!c.writers.empty()) text += fmt::format(": written by {}", fmt::join(c.writers, ", "));
  if (!c.readers.empty())
    text += fmt::format("{} read by {}", c.writers.empty() ? ":" : ";", fmt::join(c.readers, ", "));
  return text;
}

}  // namespace

std::string to_text(const ExecutionCounts& counts) {
  std::string text;
  const auto line = [&](const auto&... columns) {
    text += fmt::format("{:>8} {:>10} {:>13} {:>13} {:>13}  {}\n", columns...);
  };
  line("launches", "points", "bytes read", "written", "total", "");
  for (const KernelCounts& k : counts.kernels)
    line(k.launches, k.points ? std::to_string(k.points) : "-", k.bytes_read, k.bytes_written,
         k.bytes(), k.kind + ": " + k.place);
  line(counts.launches(), "", counts.bytes_read(), counts.bytes_written(), counts.bytes(),
       "all kernels");
  line("", "", counts.argument_bytes_read, counts.argument_bytes_written, counts.lower_bound(),
       "lower bound");
  if (counts.host_bytes_read + counts.host_bytes_written)
    line("", "", counts.host_bytes_read, counts.host_bytes_written,
         counts.host_bytes_read + counts.host_bytes_written, "host");
  if (counts.lower_bound())
    text += fmt::format("ratio to the lower bound: {:.3f}\n",
                        double(counts.bytes()) / double(counts.lower_bound()));
  if (!counts.containers.empty()) text += "more bytes than the lower bound has:\n";
  for (std::size_t i = 0; i < counts.containers.size() && i < most_containers; ++i)
    text += fmt::format("{:>13}  {}\n", counts.containers[i].excess(),
                        to_text(counts.containers[i]));
  if (counts.containers.size() > most_containers)
    text += fmt::format("{:>13}  and {} containers with less\n", "",
                        counts.containers.size() - most_containers);
  text += fmt::format("transients: {} bytes at peak, {} bytes in all\n",
                      counts.peak_transient_bytes, counts.transient_bytes);
  return text;
}

std::string to_text(const ProgramCost& cost,
                    const ByName<std::int64_t>& symbols) {
  const auto shown = [&](const Expr& e) {
    const auto value = evaluate(e, symbols);
    return value ? std::to_string(*value) : to_text(e);
  };
  std::string text;
  for (const KernelCost& k : cost.kernels)
    text += fmt::format("{}: {}\n  launches {}, bytes read {}, written {}, operations {}\n", k.kind,
                        k.place, shown(k.launches), shown(k.bytes_read), shown(k.bytes_written),
                        shown(k.operations));
  return text + fmt::format("launches   {}\nbytes      {}\noperations {}\ntransients {}\n",
                            shown(cost.launches()), shown(cost.bytes()), shown(cost.operations()),
                            shown(cost.transient_bytes));
}

std::string to_json(const ExecutionCounts& counts) {
  using Json = nlohmann::ordered_json;
  const auto bytes = [](std::uint64_t read, std::uint64_t written) {
    return Json{{"bytes_read", read}, {"bytes_written", written}, {"bytes", read + written}};
  };
  Json kernels = Json::array();
  for (const KernelCounts& k : counts.kernels) {
    Json kernel{{"place", k.place}, {"kind", k.kind}, {"launches", k.launches}};
    if (k.points) kernel["points"] = k.points;
    kernel.update(bytes(k.bytes_read, k.bytes_written));
    kernels.push_back(std::move(kernel));
  }
  Json containers = Json::array();
  for (const ContainerCounts& c : counts.containers)
    containers.push_back({{"name", c.name}, {"argument", c.argument}, {"bytes", c.bytes},
                          {"needed", c.needed}, {"writers", c.writers}, {"readers", c.readers}});
  Json total{{"launches", counts.launches()}};
  total.update(bytes(counts.bytes_read(), counts.bytes_written()));
  const Json all{{"kernels", std::move(kernels)},
          {"total", std::move(total)},
          {"lower_bound", bytes(counts.argument_bytes_read, counts.argument_bytes_written)},
          {"excess", std::move(containers)},
          {"host", bytes(counts.host_bytes_read, counts.host_bytes_written)},
          {"transients",
           {{"peak", counts.peak_transient_bytes}, {"sum", counts.transient_bytes}}}};
  return all.dump(1) + "\n";
}

}  // namespace sdfg
