#pragma once

#include <array>
#include <set>
#include <string>
#include <vector>

#include "ir/builder.h"
#include "tools/common/random.h"

namespace sdfg {

/// One dimension of a container: as long as a size symbol and some more, indexed from `-origin`.
struct Extent {
  int symbol = 0;  ///< index into size_symbols
  int pad = 0, origin = 0;
  bool operator==(const Extent&) const = default;
};
inline constexpr std::array<const char*, 3> size_symbols{"N", "M", "K"};

/// Makes one random SDFG of about `budget` nodes, with others nested in it.
class RandomProgram {
 public:
  RandomProgram(std::string name, Random& random, int depth);
  /// The whole program.
  Sdfg run(std::size_t budget);

 private:
  struct Container {
    std::string name;
    bool is_float = true, is_scalar = false;
    std::vector<Extent> dims;  ///< none: one element, at [0]
    bool bounded = true;       ///< values are small; otherwise only tasklets may read it
    bool writable = true;
    bool is_readable = false;  ///< stands in readable_
    bool was_read = false, was_written = false;
  };
  using Containers = std::vector<std::size_t>;  ///< indices into containers_
  /// What one state has done so far. A container is written at most once, and not after a read.
  struct StateScope {
    StateBuilder builder;
    std::set<std::size_t> touched;
  };
  struct Dimension {
    Extent extent;
    int low = 0, high = 0;  ///< the parameter goes from low to size + high, exclusive
    std::string param;
  };

  // Control flow.
  void region(RegionBuilder& r, std::size_t budget, int depth);
  void state(RegionBuilder& r, std::size_t budget);
  void loop(RegionBuilder& r, std::size_t budget, int depth);
  void conditional(RegionBuilder& r, std::size_t budget, int depth);
  void assignment(RegionBuilder& r);
  std::string condition();

  // Operations of a state.
  void operation(StateScope& s);
  void pointwise(StateScope& s);
  void through_local(StateScope& s, std::size_t out, const std::vector<Dimension>& domain);
  void update_in_place(StateScope& s);
  void accumulate(StateScope& s);
  void reduce(StateScope& s);
  void copy(StateScope& s);
  void scalar(StateScope& s);
  void dynamic_range(StateScope& s);
  void nested(StateScope& s);
  void branch_per_element(StateScope& s);
  void nested_per_row(StateScope& s);

  // Pieces.
  std::size_t declare(Container c, bool transient);
  std::size_t new_transient(std::vector<Extent> dims, bool is_float);
  std::vector<Extent> random_dims();
  std::size_t pick_output(StateScope& s, bool existing_only);
  std::size_t pick_input(bool is_float, bool bounded_only);
  std::vector<Dimension> domain_of(const Container& c, bool partial);
  void open_maps(StateBuilder& b, const std::vector<Dimension>& domain);
  static std::string range_text(const std::vector<Dimension>& domain);
  static std::string params_text(const std::vector<Dimension>& domain);
  static std::string whole_text(const Container& c);
  std::string access(const Container& c, const std::vector<Dimension>& domain);
  std::string output(const Container& c, const std::vector<Dimension>& domain);
  Ports inputs(StateScope& s, const std::vector<Dimension>& domain, bool is_float,
               std::size_t avoid);
  std::string code(const Ports& in, const std::vector<Dimension>& domain, bool is_float);
  void wrote(StateScope& s, std::size_t c, bool bounded);
  void read(StateScope& s, std::size_t c);
  Container& at(std::size_t c) { return containers_[c]; }
  static constexpr std::size_t none = ~std::size_t(0);
  static constexpr int max_depth = 3;  ///< of nested SDFGs and of nested control flow

  Builder builder_;
  Random& random_;
  int depth_;
  std::vector<Container> containers_;
  Containers readable_;               ///< written for certain where we are
  std::vector<std::string> indices_;  ///< symbols from 0 to 3, valid where we are
  std::size_t counter_ = 0, nodes_ = 0;
};

/// "N", "N + 2" or "N - 1".
std::string plus(const std::string& name, std::int64_t shift);

}  // namespace sdfg
