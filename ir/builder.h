#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ir/sdfg.h"
#include "support/by_name.h"

namespace sdfg {

/// A connector of code and the data that comes in or goes out there: {"a", "A[i, 0:N]"}, and how
/// conflicting writes are resolved.
struct Port {
  std::string connector;
  std::string memlet;  ///< container and subset as in the text form; no subset: all of it
  std::string wcr{};   ///< "lambda old, new: old + new"; empty: plain
  bool dynamic = false;
};
using Ports = std::vector<Port>;

class StateBuilder;
class ConditionalBuilder;

/// Adds blocks one after the other: each is reached from the one before, when that ends. Texts
/// that do not parse and names that are not declared are the caller's bugs (InternalError).
class RegionBuilder {
 public:
  /// A state. What is done in it is ordered by its data only: to read a container that something
  /// else in the same state writes, or the other way round without a path, take another state.
  StateBuilder state(std::string label = {});
  /// for (variable = init; condition; variable = next) { the returned region }
  RegionBuilder loop(const std::string& variable, std::string_view init, std::string_view condition,
                     std::string_view next, std::string label = {});
  /// while (condition) { the returned region }
  RegionBuilder while_loop(std::string_view condition, std::string label = {});
  ConditionalBuilder conditional(std::string label = {});
  /// Assigns symbols, all at once, on the way to a new empty state: {{"k", "k + 1"}}.
  void assign(const std::vector<std::pair<std::string, std::string>>& assignments);
  void break_loop() { append(Block{fresh_label("break"), BreakBlock{}}); }
  void continue_loop() { append(Block{fresh_label("continue"), ContinueBlock{}}); }
  void return_() { append(Block{fresh_label("return"), ReturnBlock{}}); }

  Region& region() { return *region_; }
  Sdfg& sdfg() { return *sdfg_; }

 protected:
  friend class ConditionalBuilder;
  RegionBuilder(Sdfg& sdfg, Region& region) : sdfg_(&sdfg), region_(&region) {}
  Block& append(Block block, InterstateEdge edge = {});
  /// The label, or one made from `base` when there is none.
  std::string fresh_label(std::string_view base, std::string label = {}) const;

 private:
  Sdfg* sdfg_;
  Region* region_;
  BlockId last_;  ///< what the next block follows
};

/// The alternatives of a conditional, tried in order.
class ConditionalBuilder {
 public:
  RegionBuilder branch(std::string_view condition);
  RegionBuilder otherwise();

 private:
  friend class RegionBuilder;
  ConditionalBuilder(Sdfg& sdfg, Block& block) : sdfg_(&sdfg), block_(&block) {}
  RegionBuilder add(std::optional<Code> condition);
  Sdfg* sdfg_;
  Block* block_;
};

/// Adds dataflow to a state. Access nodes appear as they are needed: reading takes the node that
/// wrote the container last, if there is one; writing adds a node. Between `open_map` and
/// `close_map` everything is inside the map, and memlets are carried through it: outside they
/// name all that the iterations touch.
class StateBuilder {
 public:
  /// "i" or "i, j" in "0:N" or "0:N, 0:M:2". Ports of `dynamic` define symbols for the ranges.
  NodeId open_map(std::string label, std::string_view params, std::string_view ranges,
                  const Ports& dynamic = {}, Schedule schedule = Schedule::Default);
  void close_map();
  NodeId tasklet(std::string label, const Ports& in, std::string_view python, const Ports& out);
  /// A tasklet in a map of its own.
  NodeId map(std::string label, std::string_view params, std::string_view ranges, const Ports& in,
             std::string_view python, const Ports& out);
  /// "A[0:N]" to "B[1:N + 1]".
  void copy(std::string_view from, std::string_view to);
  /// Calls an SDFG; connectors name its containers. Symbols of the same name are passed on unless
  /// `symbols` says otherwise.
  NodeId nested(Sdfg inner, const Ports& in, const Ports& out,
                const std::map<std::string, std::string>& symbols = {});
  /// Reduces "A[0:N, 0:M]" along axes (none given: all) into "B[0:N]". No identity: starts from
  /// what B holds.
  NodeId reduce(std::string_view from, std::string_view to, std::string_view wcr,
                const std::vector<int>& axes = {}, std::string_view identity = {});
  NodeId library(LibraryNode node, const Ports& in, const Ports& out, Extras properties = {});
  /// An access node in the current scope, for a transient that lives inside a map.
  NodeId access(const std::string& data);

  State& state() { return *state_; }

 private:
  friend class RegionBuilder;
  struct Scope {
    NodeId entry, exit;
    ByName<NodeId> last;  ///< access nodes inside, by container
  };
  StateBuilder(Sdfg& sdfg, State& state) : sdfg_(&sdfg), state_(&state), scopes_(1) {}
  NodeId add_code(Node node, const Ports& in, const Ports& out);
  void connect(NodeId node, const Ports& in, const Ports& out);
  void read(NodeId node, const std::string& connector, Memlet memlet);
  void write(NodeId node, const std::string& connector, Memlet memlet);
  Memlet outside(const Scope& scope, const Memlet& inside) const;
  Memlet memlet(const Port& port, bool source) const;
  std::size_t level_of(std::string_view data) const;

  Sdfg* sdfg_;
  State* state_;
  std::vector<Scope> scopes_;  ///< the state, then the open maps
};

/// Builds an SDFG:
///
///   Builder b("vadd");
///   b.symbol("N");
///   for (const char* name : {"A", "B", "C"}) b.array(name, BaseType::Float64, "N");
///   b.state("main").map("add", "i", "0:N", {{"a", "A[i]"}, {"b", "B[i]"}}, "c = a + b",
///                       {{"c", "C[i]"}});
///   Sdfg vadd = b.take();
class Builder : public RegionBuilder {
 public:
  explicit Builder(std::string name);
  void symbol(const std::string& name, Type type = BaseType::Int64);
  /// Shapes as text: "N, M + 1".
  Data& array(const std::string& name, Type type, std::string_view shape);
  Data& transient(const std::string& name, Type type, std::string_view shape);
  Data& scalar(const std::string& name, Type type, bool transient = false);
  /// Its value as JSON text.
  void constant(const std::string& name, Data data, std::string value);
  Sdfg take() { return std::move(*owned_); }

 private:
  explicit Builder(std::unique_ptr<Sdfg> owned);
  Data& add(const std::string& name, Data data);
  std::unique_ptr<Sdfg> owned_;
};

}  // namespace sdfg
