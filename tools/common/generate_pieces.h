#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/builder.h"
#include "tools/common/random.h"

namespace sdfg {

/// Makes one random SDFG of small statements that stand in and beside each other. Its sizes may be
/// anything from 0 and its bounds `a` and `b` anything from below 0, in any order: each domain may
/// have no points, and nothing is read that need not exist. Values are multiples of 1/8.
class RandomPieces {
 public:
  RandomPieces(std::string name, Random& random, int depth);
  /// The whole program.
  Sdfg run(std::size_t budget);

 private:
  static constexpr std::size_t none = ~std::size_t(0);  ///< no container
  /// Points begin <= p < end, perhaps none.
  struct Domain {
    std::string begin, end;
    std::string text() const { return begin + ":" + end; }
  };
  // Some of `domains_`.
  static constexpr std::size_t of_three = 3;       ///< three points
  static constexpr std::size_t of_difference = 5;  ///< its size may be below 0: no points
  static constexpr std::size_t of_halves = 6;      ///< half of the points of the first one
  static constexpr std::size_t domain_count = 7;
  /// One dimension of a container: an element for each point of a domain, and some around them.
  struct Extent {
    std::size_t domain = 0;
    int before = 0, behind = 0;
    int origin = 0;  ///< how far below 0 its first index lies
    int fixed() const { return before + behind; }
    bool operator==(const Extent&) const = default;
  };
  using Strides = std::vector<std::vector<Extent>>;  ///< each the product of sizes
  struct Container {
    std::string name;  ///< "s.x": the member of a structure
    BaseType type = BaseType::Float64;
    std::vector<Extent> dims;
    Strides strides;
    bool is_scalar = false;
    bool is_small = false;     ///< a scalar from 0 to 2
    bool is_of_state = false;  ///< not used outside of the state that declares it
    bool is_writable = true, is_readable = false, was_read = false, was_written = false;
    bool is_member() const { return name.find('.') != std::string::npos; }
  };
  /// A part of a container, and what that is as a container of its own.
  struct Window {
    std::size_t of = none;
    std::string text;
    std::vector<Extent> dims;
    Strides strides;
  };
  /// One that is alive, and all that it may point to.
  struct Reference {
    std::size_t name;
    std::vector<std::size_t> targets;
  };
  struct Call;
  /// A name with begin + low <= name < end - high.
  struct Index {
    std::string name;
    std::size_t domain = 0;
    int low = 0, high = 0;
  };
  using Indices = std::vector<Index>;
  struct Points {
    Indices params;
    std::vector<std::string> ranges;
    Ports ends{};     ///< values from data that ranges name
    bool all = true;  ///< of their domains
  };
  /// What one state has done so far. A container is written at most once, and not after a read.
  struct StateScope {
    StateBuilder builder;
    std::set<std::size_t> touched;
    std::set<std::size_t> sealed;  ///< not to be read any more: written at two access nodes
    bool is_chain = false;         ///< mostly of steps that hand transients on
  };

  // Control flow.
  void region(RegionBuilder& r, std::size_t budget, int depth);
  void block(RegionBuilder& r, std::size_t budget, int depth);
  void state(RegionBuilder& r, std::size_t budget);
  void loop(RegionBuilder& r, std::size_t budget, int depth);
  void while_loop(RegionBuilder& r, std::size_t budget, int depth);
  void by_edges(RegionBuilder& r, std::size_t budget, int depth);
  void rounds(RegionBuilder& body, const std::string& counter, std::size_t budget, int depth);
  void conditional(RegionBuilder& r, std::size_t budget, int depth);
  void by_reference(RegionBuilder& r, std::size_t budget, int depth);
  void set_reference(RegionBuilder& r, std::size_t name, const std::string& to);
  void assignment(RegionBuilder& r);
  void select(RegionBuilder& r);
  void from_zeros(RegionBuilder& r);
  void queue(RegionBuilder& r);
  void for_points(RegionBuilder& r, std::size_t domain, bool in_order,
                  const std::function<void(StateScope&, const Index&)>& what);
  void consume(RegionBuilder& r, const std::string& queue, BaseType type);
  StateScope open(RegionBuilder& r);
  void close(StateScope& s) { nodes_ += s.builder.state().node_count(); }
  void forget(std::size_t first);
  std::string condition();

  // Operations of a state.
  void operation(StateScope& s);
  void pointwise(StateScope& s, std::size_t out = none);
  void body(StateScope& s, const Points& points, std::size_t out, const std::string& place);
  void inner_sum(StateScope& s, const Indices& around, std::size_t out, const std::string& place);
  bool gather(StateScope& s, const Indices& around, std::size_t out, const std::string& place);
  bool read_elsewhere(StateScope& s, const Indices& params, std::size_t out,
                      const std::string& place);
  void accumulate(StateScope& s);
  void accumulate(StateScope& s, const Points& points, std::size_t out, const std::string& place,
                  const std::string& wcr);
  void two_parts(StateScope& s);
  void copy(StateScope& s);
  void scalar(StateScope& s);
  void library(StateScope& s);
  void concat(StateScope& s);
  void update(StateScope& s);
  void copy_out_and_back(StateScope& s);
  void rows(StateScope& s);
  void reduce(StateScope& s);
  void reshape(StateScope& s);
  void view(StateScope& s);
  void record(StateScope& s);
  void fill(StateScope& s, std::size_t c, const std::string& value);
  void everywhere(StateScope& s, std::size_t out, std::size_t from = none);
  std::string source(StateScope& s, std::vector<Extent> dims, int count, BaseType type);
  std::size_t open_maps(StateScope& s, const std::string& label, const Points& points, int apart);
  static NodeId last_node(StateScope& s, const std::string& name);
  static void join_writes(StateScope& s, const std::string& name);
  static EdgeId copy_edge(StateScope& s, const std::string& from, const std::string& to);

  // Nested SDFGs.
  void call(StateScope& s, const Indices& params, const Window& out);
  void give_symbols(Call& call);
  void give(Call& call, Window window, bool is_written);
  std::size_t give_outputs(StateScope& s, Call& call, const Indices& params, Window out);
  void scan(StateScope& s);
  void choose(StateScope& s, const Indices& params, std::size_t out, const std::string& place);
  std::string local(StateScope& s, const Indices& params, std::size_t avoid, BaseType type);
  Data argument(const Container& c);
  std::map<std::string, std::string> names_here(const Indices& params) const;

  // Pieces.
  std::size_t declare(Container c, bool transient);
  std::size_t declare_alias(const Window& window, Role role);
  Data described(const Container& c, bool transient) const;
  static Strides c_strides(const std::vector<Extent>& dims);
  std::size_t new_transient(std::vector<Extent> dims, BaseType type);
  std::vector<Extent> random_dims();
  std::vector<Extent> plain_dims();
  Window window(std::size_t c, const Indices& around);
  Window whole_window(std::size_t c) const;
  std::size_t random_domain() { return chosen_[random_.below(chosen_.size())]; }
  BaseType random_type();
  Points random_points(StateScope& s);
  std::string from_0_to_2();
  /// "name[i, j]"; of no parts, the one element.
  static std::string subset(const std::string& name, const std::vector<std::string>& parts);
  static std::string names(const Indices& indices);  ///< "i, j"
  std::string range(std::size_t domain, Index& index, bool& all);
  std::size_t pick_output(StateScope& s);
  std::size_t pick_input(const StateScope& s, std::size_t avoid);
  std::string points(std::size_t domain, int more) const;
  std::string size(const Extent& e) const { return points(e.domain, e.fixed()); }
  std::string part(const Extent& e, bool all) const;
  std::string whole(const Container& c) const;
  std::string at_point(const Extent& e, const Index& index, int shift) const;
  std::optional<std::string> constant(const Extent& e);
  std::optional<std::string> element(const Container& c, const Indices& more);
  std::optional<std::string> target(const Container& c, const Indices& params);
  Ports inputs(StateScope& s, const Indices& more, std::size_t avoid);
  std::string wcr(BaseType type);
  std::string summand(const Ports& in, const Indices& params, BaseType type);
  std::string code(const Ports& in, const Indices& more, BaseType type,
                   const std::string& to = "o");
  const Container& container_of(const Port& port) const;
  void wrote(StateScope& s, std::size_t c);
  void read(StateScope& s, std::size_t c);
  std::string fresh(const std::string& stem);
  void declare_symbol(const std::string& name);
  Builder builder_;
  Random& random_;
  int depth_;
  std::vector<std::string> symbols_;  ///< what N, M, K, a and b are called here
  std::vector<Domain> domains_;
  std::vector<std::size_t> chosen_;  ///< the few that this program has
  std::vector<int> least_;  ///< how many points each domain has at least, where we are
  std::vector<Container> containers_;
  std::vector<std::size_t> readable_;  ///< written for certain where we are
  std::vector<Reference> references_;  ///< those alive where we are
  Indices indices_;                    ///< symbols that are points, where we are
  std::vector<std::string> smalls_;    ///< symbols from 0 to 2, where we are
  std::size_t counter_ = 0, nodes_ = 0;
  bool in_loop_ = false;
};

}  // namespace sdfg
