#include "codegen/interpreter/machine.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "codegen/interpreter/counter.h"
#include "ir/place.h"

namespace sdfg::interpreter {
namespace {

/// Ranks beyond this do not occur; indices live on the stack.
constexpr std::size_t max_rank = 32;

[[noreturn]] void stop_at(const Where* place, std::string message, std::string hint = {}) {
  Stop stop(std::move(message), std::move(hint));
  if (place) stop.why.place = place->text();
  throw stop;
}

std::string index_text(std::span<const std::int64_t> values) {
  std::string text;
  for (std::int64_t v : values) text += (text.empty() ? "" : ", ") + std::to_string(v);
  return text;
}

[[noreturn]] void out_of_bounds(const Container& c, std::span<const std::int64_t> index,
                                const Where* place) {
  stop_at(place,
          "access out of bounds: " + c.name + "[" + index_text(index) + "], whose shape is [" +
              index_text(c.shape) + "]",
          "check the subset or index, and the values of its symbols");
}

std::int64_t byte_offset(const Container& c, std::span<const std::int64_t> index) {
  std::int64_t element = c.start_offset;
  for (std::size_t d = 0; d < index.size(); ++d)
    element += (index[d] + c.offset[d]) * c.strides[d];
  return c.base + element * c.element_size;
}

bool inside_buffer(const Container& c, std::int64_t offset) {
  return offset >= 0 && offset + c.element_size <= std::int64_t(c.buffer->bytes.size());
}

}  // namespace

std::string Where::text() const {
  std::vector<std::string> parts;
  for (const Where* w = this; w; w = w->outer)
    if (!w->part.empty()) parts.push_back(w->part);
  std::ranges::reverse(parts);
  return place_text(parts);
}

Number* Machine::new_slot(const Record* record) {
  Number* slot = new_slot();
  if (record) slot->record = memories.emplace_back(std::size_t(record->size)).data();
  return slot;
}

const Record* Machine::record(const Type& type) {
  auto layout = layout_of(type);
  if (!layout) return nullptr;
  std::string name = layout->name;
  return &records.try_emplace(std::move(name), *std::move(layout)).first->second;
}

void Machine::out_of_steps() {
  throw Stop("the step limit is reached", "the program may not end, or the limit is too low");
}

void Machine::warn_unwritten(const Container& container, const Where* place) {
  std::string text = place->text();
  if (!warned.insert({container.name, text}).second) return;
  warnings.push_back({std::move(text),
                      "reads an element of '" + container.name + "' that was never written", "",
                      Severity::Warning});
}

Address locate(Container& c, std::span<const std::int64_t> index, const Where* place) {
  c.make_ready();
  if (!c.buffer) stop_at(place, "'" + c.name + "' is not given but accessed");
  for (std::size_t d = 0; d < index.size(); ++d)
    if (std::uint64_t(index[d] + c.offset[d]) >= std::uint64_t(c.shape[d]))
      out_of_bounds(c, index, place);
  const std::int64_t offset = byte_offset(c, index);
  if (!inside_buffer(c, offset))
    stop_at(place,
            "access outside the memory of '" + c.name + "': [" + index_text(index) + "] is byte " +
                std::to_string(offset) + " of " + std::to_string(c.buffer->bytes.size()),
            "check the strides of the container and the size of the one it stands for");
  return {&c, offset};
}

Address locate_unchecked(Container& c, std::span<const std::int64_t> index) {
  c.make_ready();
  if (!c.buffer) return {&c, 0};
  return {&c, byte_offset(c, index)};
}

Number read(Machine& machine, Address address, const Where* place) {
  const Buffer& buffer = *address.container->buffer;
  if (!buffer.written.empty() &&
      !buffer.written[std::size_t(address.offset >> buffer.granule_shift)])
    machine.warn_unwritten(*address.container, place);
  note_read(address);
  return address.container->load(address.at());
}

namespace {
void mark(Address address, std::uint8_t flag) {
  Buffer& buffer = *address.container->buffer;
  if (buffer.written.empty()) return;
  const auto first = std::size_t(address.offset >> buffer.granule_shift);
  const auto last = std::size_t((address.offset + address.container->element_size - 1) >>
                                buffer.granule_shift);
  for (std::size_t i = first; i <= last; ++i) buffer.written[i] = flag;
}
}  // namespace

void write(Address address, Number value) {
  mark(address, 1);
  if (Trace* trace = address.container->buffer->trace)
    trace->note_write(address.offset, address.container->element_size);
  if (const Record* record = address.container->record)
    std::memmove(address.at(), value.record, std::size_t(record->size));
  else
    address.container->store(address.at(), value);
}

void note_read(Address address) {
  if (Trace* trace = address.container->buffer->trace)
    trace->note_read(address.offset, address.container->element_size);
}

bool is_written(Address address) {
  const Buffer& buffer = *address.container->buffer;
  return buffer.written.empty() ||
         buffer.written[std::size_t(address.offset >> buffer.granule_shift)];
}

void mark_unwritten(Address address) { mark(address, 0); }

void allocate(Machine& machine, Container& c, std::int64_t elements, bool zero) {
  constexpr std::int64_t limit = std::int64_t(1) << 36;
  if (elements < 0 || elements > limit / std::max<std::int64_t>(c.element_size, 1))
    throw Stop("'" + c.name + "' needs " + std::to_string(elements) + " elements",
               "check the sizes that are passed");
  const auto size = std::size_t(elements * c.element_size);
  c.own.granule_shift = unsigned(std::countr_zero(std::uint64_t(c.element_size)));
  // Without `zero` the content is arbitrary; keeping what was there is as good as anything.
  c.own.bytes.resize(size);
  if (zero || machine.adverse)
    std::fill(c.own.bytes.begin(), c.own.bytes.end(), zero ? std::byte{0} : std::byte{0xff});
  c.own.written.assign(zero ? 0 : (size >> c.own.granule_shift), 0);
  c.buffer = &c.own;
  c.base = 0;
}

Address Window::at(std::span<const std::int64_t> index) const {
  std::int64_t full[max_rank];
  const std::size_t rank = begin.size();
  for (std::size_t d = 0; d < rank; ++d) full[d] = begin[d]();
  if (index.size() == wide.size()) {
    for (std::size_t i = 0; i < index.size(); ++i) full[wide[i]] += index[i] * step[wide[i]]();
  } else if (index.size() == rank) {
    for (std::size_t d = 0; d < rank; ++d) full[d] += index[d] * step[d]();
  } else if (index.size() == 1) {
    full[rank - 1] += index[0];
  }
  return locate(*container, {full, rank}, place);
}

bool Window::takes(std::size_t indices) const {
  return begin.size() <= max_rank &&
         (indices == wide.size() || indices == begin.size() || (indices == 1 && wide.empty()));
}

std::deque<Number>& stream_queue(const Window& window) {
  Container& stream = *window.container;
  stream.make_ready();
  if (!stream.queues) stop_at(window.place, "the stream '" + stream.name + "' is not bound");
  std::int64_t at = 0;
  for (std::size_t d = 0; d < window.begin.size(); ++d) {
    const std::int64_t index = window.begin[d]();
    if (std::uint64_t(index) >= std::uint64_t(stream.shape[d]))
      stop_at(window.place, "access out of bounds: queue " + std::to_string(index) + " of '" +
                                stream.name + "', which has " + std::to_string(stream.shape[d]));
    at = at * stream.shape[d] + index;
  }
  return stream.queues[at];
}

Number pop_stream(const Window& window) {
  std::deque<Number>& queue = stream_queue(window);
  if (queue.empty())
    stop_at(window.place, "reads from the stream '" + window.container->name + "', which is empty");
  const Number value = queue.front();
  queue.pop_front();
  return value;
}

void push_stream(const Window& window, Number value) { stream_queue(window).push_back(value); }

void Window::bind(Container& inner) const {
  if (container->is_stream()) {
    std::deque<Number>* queue = &stream_queue(*this);
    inner.queues = queue;
    return;
  }
  // The window may be empty, so that its begin lies outside; only accesses are checked.
  std::int64_t full[max_rank];
  for (std::size_t d = 0; d < begin.size(); ++d) full[d] = begin[d]();
  const bool checked = machine && machine->check_windows && !begin.empty();
  const Address first = checked ? locate(*container, {full, begin.size()}, place)
                                : locate_unchecked(*container, {full, begin.size()});
  inner.buffer = container->buffer;
  inner.base = first.offset;
}

void Window::write(std::span<const std::int64_t> index, Number value) const {
  const Address address = at(index);
  if (combine) value = combine(interpreter::read(*machine, address, place), value);
  interpreter::write(address, value);
}

}  // namespace sdfg::interpreter
