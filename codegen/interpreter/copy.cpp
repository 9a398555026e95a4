#include "codegen/interpreter/copy.h"

#include <algorithm>

namespace sdfg::interpreter {
namespace {

struct Extent {
  std::int64_t begin, step, tile, size;
};

/// A box with known numbers, and a walk over its points.
struct Box {
  std::vector<Extent> dims;

  std::int64_t count() const {
    std::int64_t n = 1;
    for (const Extent& e : dims) n *= e.size;
    return n;
  }
  static std::int64_t at(const Extent& e, std::int64_t i) {
    return e.tile == 1 ? e.begin + i * e.step : e.begin + i / e.tile * e.step + i % e.tile;
  }
};

Box evaluate(const Side& side) {
  Box box;
  for (const Side::Dimension& d : side.subset) {
    Extent e{d.begin(), d.step(), d.tile(), 0};
    if (e.step == 0) throw Stop("a subset has the step 0");
    // Steps until end, inclusive; a negative step walks down.
    const std::int64_t reach = e.step > 0 ? d.end() - e.begin : e.begin - d.end();
    const std::int64_t stride = e.step > 0 ? e.step : -e.step;
    e.size = reach < 0 ? 0 : (reach / stride + 1) * e.tile;
    box.dims.push_back(e);
  }
  return box;
}

Box whole(Container& c) {
  c.make_ready();
  Box box;
  for (std::int64_t extent : c.shape) box.dims.push_back({0, 1, 1, extent});
  return box;
}

/// The subset that a memlet leaves out: the whole container if that has as many elements, else a
/// box at 0 of the other side's shape, with or without its dimensions of one element.
Box implied(Container& c, const Box& other) {
  Box box = whole(c);
  if (box.count() == other.count()) return box;
  std::vector<Extent> sizes = other.dims;
  if (sizes.size() != box.dims.size())
    std::erase_if(sizes, [](const Extent& e) { return e.size == 1; });
  if (sizes.size() != box.dims.size()) return box;
  for (std::size_t d = 0; d < sizes.size(); ++d) box.dims[d] = {0, 1, 1, sizes[d].size};
  return box;
}

/// Walks over the elements of a box in row-major order.
class Walk {
 public:
  Walk(Container& container, const Box& box, const Where* place)
      : container_(container), box_(box), place_(place), counter_(box.dims.size()),
        index_(box.dims.size()) {
    for (std::size_t d = 0; d < box.dims.size(); ++d) index_[d] = Box::at(box.dims[d], 0);
  }
  Address here() const { return locate(container_, index_, place_); }
  void next() {
    for (std::size_t d = counter_.size(); d-- > 0;) {
      const Extent& e = box_.dims[d];
      if (++counter_[d] == e.size) counter_[d] = 0;
      index_[d] = Box::at(e, counter_[d]);
      if (counter_[d]) return;
    }
  }

 private:
  Container& container_;
  const Box& box_;
  const Where* place_;
  std::vector<std::int64_t> counter_, index_;
};

std::deque<Number>& queue_of(Container& stream, const Box& box, const Where* place) {
  stream.make_ready();
  std::int64_t at = 0;
  for (std::size_t d = 0; d < box.dims.size(); ++d) {
    const std::int64_t index = box.dims[d].begin;
    if (std::uint64_t(index) >= std::uint64_t(stream.shape[d]))
      throw Stop("access out of bounds: queue " + std::to_string(index) + " of '" + stream.name +
                 "', which has " + std::to_string(stream.shape[d]));
    at = at * stream.shape[d] + index;
  }
  if (!stream.queues) throw Stop("the stream '" + stream.name + "' is not bound");
  (void)place;
  return stream.queues[at];
}

}  // namespace

Side compile_side(Container* container, const std::optional<Subset>& subset,
                  const Context& context) {
  Side side{container, {}, subset.has_value()};
  if (!subset) return side;
  if (subset->rank() != container->data->shape.size())
    throw Stop("the memlet of '" + container->name + "' has " + std::to_string(subset->rank()) +
               " dimensions, the container " + std::to_string(container->data->shape.size()));
  for (const Range& r : subset->ranges)
    side.subset.push_back({compile_index(r.begin, context), compile_index(r.end, context),
                           compile_index(r.step, context), compile_index(r.tile, context)});
  return side;
}

namespace {
Box box_of(const Side& side) {
  side.container->make_ready();
  return side.given ? evaluate(side) : whole(*side.container);
}
}  // namespace

std::vector<std::int64_t> shape_of(const Side& side) {
  std::vector<std::int64_t> shape;
  for (const Extent& e : box_of(side).dims) shape.push_back(e.size);
  return shape;
}

Gathered gather(Machine& machine, const Side& side, const Where* place) {
  const Box box = box_of(side);
  Gathered result;
  for (const Extent& e : box.dims) result.shape.push_back(e.size);
  Walk walk(*side.container, box, place);
  for (std::int64_t n = box.count(); n > 0; --n, walk.next())
    result.values.push_back(read(machine, walk.here(), place));
  return result;
}

void scatter(Machine& machine, const Side& side, std::span<const Number> values,
             const Combine& combine, const Where* place) {
  const Box box = box_of(side);
  if (box.count() != std::int64_t(values.size()))
    throw Stop(std::to_string(values.size()) + " values are computed for " +
               std::to_string(box.count()) + " elements of '" + side.container->name + "'");
  Walk walk(*side.container, box, place);
  for (const Number& value : values) {
    const Address at = walk.here();
    write(at, combine ? combine(read(machine, at, place), value) : value);
    walk.next();
  }
}

void Copy::run() const {
  Container &source = *from.container, &target = *to.container;
  machine->step();
  if (source.is_stream() && target.is_stream()) {
    std::deque<Number>& in = queue_of(source, from.given ? evaluate(from) : whole(source), place);
    std::deque<Number>& out = queue_of(target, to.given ? evaluate(to) : whole(target), place);
    for (; !in.empty(); in.pop_front()) out.push_back(in.front());
    return;
  }
  if (source.type == BaseType::Unknown || target.type == BaseType::Unknown)
    throw Stop("values of '" + source.name + "' are of a type that cannot be copied");
  if (source.record != target.record)
    throw Stop("'" + source.name + "' and '" + target.name + "' hold different structures");
  const Unary cast = conversion(source.type, target.type);
  if (target.is_stream()) {
    const Box box = from.given ? evaluate(from) : whole(source);
    std::deque<Number>& out = queue_of(target, to.given ? evaluate(to) : Box{}, place);
    Walk walk(source, box, place);
    for (std::int64_t n = box.count(); n > 0; --n, walk.next()) {
      const Number value = read(*machine, walk.here(), place);
      out.push_back(cast ? cast(value) : value);
    }
    return;
  }
  if (source.is_stream()) {
    // Takes what is there, as far as there is room.
    std::deque<Number>& in = queue_of(source, from.given ? evaluate(from) : Box{}, place);
    const Box box = to.given ? evaluate(to) : whole(target);
    Walk walk(target, box, place);
    for (std::int64_t n = box.count(); n > 0 && !in.empty(); --n, walk.next(), in.pop_front())
      write(walk.here(), cast ? cast(in.front()) : in.front());
    return;
  }
  Box source_box = from.given ? evaluate(from) : Box{},
      target_box = to.given ? evaluate(to) : Box{};
  if (!from.given && !to.given) {
    source_box = whole(source);
    target_box = implied(target, source_box);
  } else if (!from.given) {
    source_box = implied(source, target_box);
  } else if (!to.given) {
    target_box = implied(target, source_box);
  }
  const std::int64_t count = source_box.count();
  if (count != target_box.count())
    throw Stop("a copy from '" + source.name + "' to '" + target.name + "' has " +
               std::to_string(count) + " elements on one side and " +
               std::to_string(target_box.count()) + " on the other");
  Walk in(source, source_box, place), out(target, target_box, place);
  for (std::int64_t n = 0; n < count; ++n, in.next(), out.next()) {
    const Address source_at = in.here(), target_at = out.here();
    const bool written = is_written(source_at);
    note_read(source_at);
    Number value = source.load(source_at.at());
    if (cast) value = cast(value);
    if (combine) value = combine(read(*machine, target_at, place), value);
    write(target_at, value);
    if (written) continue;
    // In a transient it does no harm until somebody computes with it.
    if (target.buffer->of_argument) machine->warn_unwritten(source, place);
    mark_unwritten(target_at);
  }
}

}  // namespace sdfg::interpreter
