#include "codegen/interpreter/counter.h"

#include <algorithm>
#include <functional>
#include <map>

#include "codegen/interpreter/machine.h"
#include "ir/walk.h"

namespace sdfg {

namespace {
template <class Member>
std::uint64_t sum(const std::vector<KernelCounts>& kernels, Member member) {
  std::uint64_t total = 0;
  for (const KernelCounts& k : kernels) total += k.*member;
  return total;
}
}  // namespace

std::uint64_t ExecutionCounts::launches() const { return sum(kernels, &KernelCounts::launches); }
std::uint64_t ExecutionCounts::bytes_read() const {
  return sum(kernels, &KernelCounts::bytes_read);
}
std::uint64_t ExecutionCounts::bytes_written() const {
  return sum(kernels, &KernelCounts::bytes_written);
}

namespace interpreter {
namespace {

bool is_device(Storage storage) {
  return storage == Storage::GpuGlobal || storage == Storage::GpuShared;
}

bool is_device(Schedule schedule) {
  switch (schedule) {
    case Schedule::GpuDevice:
    case Schedule::GpuThreadBlock:
    case Schedule::GpuThreadBlockDynamic:
    case Schedule::GpuPersistent:
    case Schedule::GpuDefault: return true;
    default: return false;
  }
}

bool by_value(const Container& c) {
  return c.data->is_scalar() && !is_device(c.data->storage);
}

}  // namespace

bool uses_device(const Sdfg& sdfg) {
  bool found = false;
  for_each_sdfg(sdfg, [&](const Sdfg& s) {
    for (const auto& [name, data] : s.arrays) found |= is_device(data.storage);
    for_each_node(s, [&](const Node& node) {
      const auto* map = node.as<MapEntry>();
      found |= map && is_device(map->schedule);
    });
  });
  return found;
}

/// After the running kernel has moved more bytes than `bytes_before`: they were this container's.
void Trace::note(Users& users, std::uint64_t bytes_before) {
  if (!first) first = counter->launch_;
  last = counter->launch_;
  if (counter->current_ == &counter->host_) return;
  moved += counter->current_->bytes() - bytes_before;
  if (users.launch == counter->launch_) return;
  users.launch = counter->launch_;
  if (std::ranges::find(users.kernels, counter->current_) == users.kernels.end())
    users.kernels.push_back(counter->current_);
}

void Trace::note_read(std::int64_t offset, std::int64_t size) {
  const auto begin = std::size_t(offset >> granule_shift);
  const auto end = std::size_t((offset + size - 1) >> granule_shift) + 1;
  const std::uint64_t bytes = std::uint64_t(1) << granule_shift,
                      before = counter->current_->bytes();
  for (std::size_t i = begin; i < end; ++i) {
    if (read[i] == counter->launch_) continue;
    if (argument && read[i] == 0 && written[i] == 0) {
      counter->argument_bytes_read_ += bytes;
      needed += bytes;
    }
    read[i] = counter->launch_;
    counter->current_->bytes_read += bytes;
  }
  note(readers, before);
}

void Trace::note_write(std::int64_t offset, std::int64_t size) {
  const auto begin = std::size_t(offset >> granule_shift);
  const auto end = std::size_t((offset + size - 1) >> granule_shift) + 1;
  const std::uint64_t bytes = std::uint64_t(1) << granule_shift,
                      before = counter->current_->bytes();
  for (std::size_t i = begin; i < end; ++i) {
    if (written[i] == counter->launch_) continue;
    if (argument && written[i] == 0) {
      counter->argument_bytes_written_ += bytes;
      needed += bytes;
    }
    written[i] = counter->launch_;
    counter->current_->bytes_written += bytes;
  }
  note(writers, before);
}

bool Counter::is_kernel(Schedule schedule) const { return !device_ || is_device(schedule); }

bool Counter::is_kernel_copy(const Container& from, const Container& to) const {
  if (device_) return is_device(from.data->storage) || is_device(to.data->storage);
  return !from.data->is_scalar() || !to.data->is_scalar();
}

KernelCounts* Counter::new_kernel(std::string kind, std::string place) {
  return &kernels_.emplace_back(KernelCounts{std::move(place), std::move(kind)});
}

void Counter::watch(Container& c, bool argument) {
  if (by_value(c)) return;
  Buffer& buffer = c.own;
  if (!buffer.trace) {
    buffer.trace = &traces_.emplace_back();
    buffer.trace->counter = this;
    buffer.trace->name = c.name;
    buffer.trace->argument = argument;
  }
  Trace& trace = *buffer.trace;
  retire(trace);
  trace.granule_shift = buffer.granule_shift;
  trace.bytes = buffer.bytes.size();
  const std::size_t granules = (buffer.bytes.size() >> buffer.granule_shift) + 1;
  trace.read.assign(granules, 0);
  trace.written.assign(granules, 0);
}

void Counter::retire(Trace& trace) {
  if (trace.first && !trace.argument) {
    lives_.push_back({trace.first, trace.last, trace.bytes});
    trace.largest = std::max(trace.largest, trace.bytes);
  }
  trace.first = trace.last = 0;
}

void Counter::begin(KernelCounts& kernel) {
  ++launch_;
  current_ = &kernel;
  before_ = kernel;
}

void Counter::end() {
  const bool launched = current_->kind == "map" || current_->kind == "consume"
                            ? current_->points != before_.points
                            : current_->bytes() != before_.bytes();
  if (launched) ++current_->launches;
  ++launch_;
  current_ = &host_;
}

std::uint64_t Counter::peak() const {
  std::map<std::uint32_t, std::int64_t> change;
  for (const Life& life : lives_) {
    change[life.first] += std::int64_t(life.bytes);
    change[life.last + 1] -= std::int64_t(life.bytes);
  }
  std::int64_t now = 0, most = 0;
  for (const auto& [launch, difference] : change) most = std::max(most, now += difference);
  return std::uint64_t(most);
}

ExecutionCounts Counter::finish() {
  ExecutionCounts counts;
  const auto places = [](const Trace::Users& users) {
    std::vector<std::string> out;
    for (const KernelCounts* k : users.kernels) out.push_back(k->place);
    return out;
  };
  for (Trace& trace : traces_) {
    retire(trace);
    counts.transient_bytes += trace.largest;
    if (trace.moved > trace.needed)
      counts.containers.push_back({trace.name, trace.argument, trace.moved, trace.needed,
                                   places(trace.writers), places(trace.readers)});
  }
  std::ranges::stable_sort(counts.containers, std::greater{}, &ContainerCounts::excess);
  counts.peak_transient_bytes = peak();
  for (const KernelCounts& kernel : kernels_)
    if (kernel.launches) counts.kernels.push_back(kernel);
  counts.host_bytes_read = host_.bytes_read;
  counts.host_bytes_written = host_.bytes_written;
  counts.argument_bytes_read = argument_bytes_read_;
  counts.argument_bytes_written = argument_bytes_written_;
  return counts;
}

}  // namespace interpreter
}  // namespace sdfg
