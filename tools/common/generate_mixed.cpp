#include "tools/common/generate_mixed.h"

#include <algorithm>

#include "support/text.h"

namespace sdfg {

std::string plus(const std::string& name, std::int64_t shift) {
  if (shift == 0) return name;
  return name + (shift < 0 ? " - " : " + ") + std::to_string(shift < 0 ? -shift : shift);
}

RandomProgram::RandomProgram(std::string name, Random& random, int depth)
    : builder_(std::move(name)), random_(random), depth_(depth) {
  for (const char* symbol : size_symbols) builder_.symbol(symbol);
}

Sdfg RandomProgram::run(std::size_t budget) {
  for (int i = 0; i < 3; ++i)
    declare({.name = "A" + std::to_string(i), .dims = random_dims()}, false);
  declare({.name = "I0", .is_float = false, .dims = random_dims()}, false);
  builder_.scalar("limit", BaseType::Int64);
  builder_.array("index", BaseType::Int64, "4");
  region(builder_, budget, 0);
  // What was computed last shows in the arguments.
  StateScope s{builder_.state("results"), {}};
  for (std::size_t c = 0; c < 3; ++c) {
    const std::vector<Dimension> domain = domain_of(at(c), false);
    Ports in;
    for (std::size_t n = 0; n < 3 && n < readable_.size(); ++n) {
      const std::size_t source = readable_[readable_.size() - 1 - n];
      if (source == c || !at(source).is_float || s.touched.contains(c)) continue;
      in.push_back({std::string(1, char('a' + in.size())), access(at(source), domain)});
      read(s, source);
    }
    if (s.touched.contains(c)) continue;
    open_maps(s.builder, domain);
    s.builder.tasklet("result", in, code(in, domain, true), {{"o", output(at(c), domain)}});
    for (std::size_t d = 0; d < domain.size(); ++d) s.builder.close_map();
    wrote(s, c, true);
  }
  return builder_.take();
}

// ---- Control flow.

void RandomProgram::region(RegionBuilder& r, std::size_t budget, int depth) {
  const std::size_t end = nodes_ + budget;
  const std::size_t first_readable = readable_.size(), first_index = indices_.size();
  do {
    const std::size_t left = end > nodes_ ? end - nodes_ : 1;
    const std::size_t share = std::min(left, 10 + random_.below(200));
    const std::size_t kind = random_.below(10);
    if (kind == 0 && depth < max_depth)
      loop(r, share, depth);
    else if (kind == 1 && depth < max_depth)
      conditional(r, share, depth);
    else if (kind == 2)
      assignment(r);
    else
      state(r, std::min<std::size_t>(share, 8 + random_.below(32)));
  } while (nodes_ < end);
  if (depth == 0) return;
  // What is first written or assigned in here need not have been elsewhere.
  while (readable_.size() > first_readable) {
    at(readable_.back()).is_readable = false;
    readable_.pop_back();
  }
  indices_.resize(first_index);
}

void RandomProgram::state(RegionBuilder& r, std::size_t budget) {
  StateScope s{r.state(), {}};
  const std::size_t before = nodes_;
  while (s.builder.state().node_count() + (nodes_ - before) < budget) operation(s);
  nodes_ += s.builder.state().node_count();
}

void RandomProgram::loop(RegionBuilder& r, std::size_t budget, int depth) {
  const std::string variable = "it" + std::to_string(depth_) + "_" + std::to_string(counter_++);
  const bool is_while = random_.chance(20);
  if (is_while) r.assign({{variable, "0"}});
  RegionBuilder body = is_while ? r.while_loop(variable + " < 3")
                                : r.loop(variable, "0", variable + " < 3", variable + " + 1");
  // At least one iteration is certain, so testing afterwards is the same.
  if (!is_while && random_.chance(20)) static_cast<LoopRegion&>(body.region()).inverted = true;
  indices_.push_back(variable);
  region(body, budget, depth + 1);
  if (is_while)
    body.assign({{variable, variable + " + 1"}});
  else if (random_.chance(20))
    body.conditional().branch(variable + " == 1").break_loop();
  indices_.pop_back();
}

void RandomProgram::conditional(RegionBuilder& r, std::size_t budget, int depth) {
  ConditionalBuilder choice = r.conditional();
  const std::size_t branches = 1 + random_.below(3);
  for (std::size_t i = 0; i < branches; ++i) {
    RegionBuilder branch =
        i > 0 && i + 1 == branches ? choice.otherwise() : choice.branch(condition());
    region(branch, budget / branches, depth + 1);
  }
}

std::string RandomProgram::condition() {
  const std::string bound = std::to_string(1 + random_.below(3));
  if (indices_.empty() || random_.chance(30))
    return std::string(size_symbols[random_.below(3)]) + " > " +
           std::to_string(4 + random_.below(4));
  const std::string& index = indices_[random_.below(indices_.size())];
  switch (random_.below(3)) {
    case 0:
      return index + " < " + bound;
    case 1:
      return index + " % 2 == 0";
    default:
      return "not (" + index + " == " + bound + " and N >= 4)";
  }
}

void RandomProgram::assignment(RegionBuilder& r) {
  const std::string symbol = "s" + std::to_string(depth_) + "_" + std::to_string(counter_++);
  std::string value = std::to_string(random_.below(4));
  if (depth_ == 0 && random_.chance(40))
    value = "index[" + (indices_.empty() ? value : indices_[random_.below(indices_.size())]) + "]";
  else if (!indices_.empty() && random_.chance(50))
    value = "(" + indices_[random_.below(indices_.size())] + " + 1) % 4";
  r.assign({{symbol, value}});
  indices_.push_back(symbol);
}

// ---- Containers.

std::size_t RandomProgram::declare(Container c, bool transient) {
  const Type type = c.is_float ? BaseType::Float64 : BaseType::Int64;
  std::vector<std::string> shape;
  for (const Extent& e : c.dims) shape.push_back(plus(size_symbols[std::size_t(e.symbol)], e.pad));
  if (c.is_scalar) {
    builder_.scalar(c.name, type, transient);
  } else {
    const std::string text = shape.empty() ? "1" : join(shape, ", ");
    Data& data =
        transient ? builder_.transient(c.name, type, text) : builder_.array(c.name, type, text);
    Array& array = *data.as_array();
    for (std::size_t d = 0; d < c.dims.size(); ++d) array.offset[d] = c.dims[d].origin;
    if (c.dims.size() == 2 && random_.chance(30))  // the other memory order
      array.strides = {Expr(1), data.shape[0]};
  }
  containers_.push_back(std::move(c));
  if (!transient) {
    containers_.back().is_readable = true;
    readable_.push_back(containers_.size() - 1);
  }
  return containers_.size() - 1;
}

std::size_t RandomProgram::new_transient(std::vector<Extent> dims, bool is_float) {
  const bool is_scalar = dims.empty() && random_.chance(70);
  return declare({.name = "t" + std::to_string(depth_) + "_" + std::to_string(containers_.size()),
                  .is_float = is_float,
                  .is_scalar = is_scalar,
                  .dims = std::move(dims)},
                 true);
}

std::vector<Extent> RandomProgram::random_dims() {
  std::vector<Extent> dims(1 + random_.below(3));
  for (Extent& e : dims) {
    e.symbol = int(random_.below(3));
    e.pad = random_.chance(50) ? 0 : int(random_.below(4));
    e.origin = e.pad && random_.chance(30) ? 1 : 0;
  }
  return dims;
}

/// Something to write: an existing container that this state has not touched, or a new one.
std::size_t RandomProgram::pick_output(StateScope& s, bool existing_only) {
  for (int attempt = 0; attempt < (existing_only ? 8 : 2); ++attempt) {
    if (!existing_only && random_.chance(50)) continue;
    const std::size_t c = readable_[random_.below(readable_.size())];
    if (at(c).writable && !s.touched.contains(c)) return c;
  }
  return existing_only ? none : new_transient(random_dims(), random_.chance(80));
}

std::size_t RandomProgram::pick_input(bool is_float, bool bounded_only) {
  for (int attempt = 0; attempt < 8; ++attempt) {
    // Recent results more often than old ones.
    const std::size_t recent = std::min<std::size_t>(readable_.size(), 20);
    const std::size_t back =
        random_.chance(70) ? random_.below(recent) : random_.below(readable_.size());
    const std::size_t c = readable_[readable_.size() - 1 - back];
    if (at(c).is_float == is_float && (at(c).bounded || !bounded_only)) return c;
  }
  return none;
}

void RandomProgram::wrote(StateScope& s, std::size_t c, bool bounded) {
  s.touched.insert(c);
  Container& container = at(c);
  container.was_written = true;
  container.bounded = container.bounded && bounded;
  if (std::exchange(container.is_readable, true)) return;
  readable_.push_back(c);
}

void RandomProgram::read(StateScope& s, std::size_t c) {
  s.touched.insert(c);
  at(c).was_read = true;
}

// ---- Maps and subsets.

std::vector<RandomProgram::Dimension> RandomProgram::domain_of(const Container& c, bool partial) {
  std::vector<Dimension> domain;
  for (std::size_t d = 0; d < c.dims.size(); ++d) {
    const Extent& e = c.dims[d];
    Dimension dim{e, -e.origin, e.pad - e.origin, "i" + std::to_string(d)};
    if (partial) dim.low += int(random_.below(2)), dim.high -= int(random_.below(2));
    domain.push_back(std::move(dim));
  }
  return domain;
}

std::string RandomProgram::range_text(const std::vector<Dimension>& domain) {
  std::vector<std::string> parts;
  for (const Dimension& d : domain)
    parts.push_back(std::to_string(d.low) + ":" +
                    plus(size_symbols[std::size_t(d.extent.symbol)], d.high));
  return join(parts, ", ");
}

std::string RandomProgram::params_text(const std::vector<Dimension>& domain) {
  std::vector<std::string> parts;
  for (const Dimension& d : domain) parts.push_back(d.param);
  return join(parts, ", ");
}

/// A map per dimension.
void RandomProgram::open_maps(StateBuilder& b, const std::vector<Dimension>& domain) {
  for (const Dimension& d : domain) b.open_map("outer", d.param, range_text({d}));
}

std::string RandomProgram::whole_text(const Container& c) {
  std::vector<std::string> parts;
  for (const Extent& e : c.dims)
    parts.push_back(std::to_string(-e.origin) + ":" +
                    plus(size_symbols[std::size_t(e.symbol)], e.pad - e.origin));
  return c.name + "[" + (parts.empty() ? "0" : join(parts, ", ")) + "]";
}

/// An element to read at a point of the domain: shifted along its parameters where the container
/// is large enough, at some index otherwise.
std::string RandomProgram::access(const Container& c, const std::vector<Dimension>& domain) {
  std::vector<std::string> parts;
  for (const Extent& e : c.dims) {
    std::string index;
    for (const Dimension& d : domain) {
      if (d.extent.symbol != e.symbol) continue;
      const int low = -e.origin - d.low, high = e.pad - e.origin - d.high;
      if (low > high) continue;
      index = plus(d.param, random_.between(low, high));
      if (random_.chance(70)) break;
    }
    if (index.empty() && !indices_.empty() && random_.chance(50))
      index = indices_[random_.below(indices_.size())];
    if (index.empty()) index = std::to_string(random_.between(-e.origin, 3 - e.origin));
    parts.push_back(index);
  }
  return c.name + "[" + (parts.empty() ? "0" : join(parts, ", ")) + "]";
}

std::string RandomProgram::output(const Container& c, const std::vector<Dimension>& domain) {
  return c.name + "[" + (domain.empty() ? "0" : params_text(domain)) + "]";
}

Ports RandomProgram::inputs(StateScope& s, const std::vector<Dimension>& domain, bool is_float,
                            std::size_t avoid) {
  Ports ports;
  const std::size_t count = random_.below(4);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t c = pick_input(is_float, false);
    if (c == none || c == avoid) continue;
    ports.push_back({std::string(1, char('a' + ports.size())), access(at(c), domain)});
    read(s, c);
  }
  return ports;
}

/// Computes `o` from what is there. All results are multiples of 1/8 between -64 and 64.
std::string RandomProgram::code(const Ports& in, const std::vector<Dimension>& domain,
                                bool is_float) {
  std::string value = is_float ? "0.5" : "1";
  if (!domain.empty() && random_.chance(40))
    value = domain[random_.below(domain.size())].param + (is_float ? " * 0.125" : " * 2");
  if (in.size() == 1) value = random_.chance(50) ? "1 - a" : "abs(a) + 1";
  if (in.size() == 2)
    value = random_.chance(30) ? "a if a < b else b" : random_.chance(50) ? "a + b" : "2 * a - b";
  if (in.size() == 3) {
    if (random_.chance(30))
      // DaCe declares a variable where it is first assigned, which must not be inside the if.
      return "v = a\nif a > b:\n    v = c\n"
             "o = 64 if v > 64 else (-64 if v < -64 else v)";
    value = random_.chance(50) ? "a + b - c" : "b if a > 0 else c";
  }
  return "v = " + value + "\no = 64 if v > 64 else (-64 if v < -64 else v)";
}

}  // namespace sdfg
