#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "passes/buffers/box_algebra.h"
#include "passes/buffers/reachability.h"
#include "passes/buffers/shared_storage.h"

namespace sdfg {

/// check_sharing for one pair: what uses them, and the two rules. Members of one class because
/// every question needs the uses of both containers, and the order of a state that is asked about.
class SharingCheck : BoxAlgebra {
 public:
  SharingCheck(BufferProgram& program, Sharing& sharing, bool assume_pointwise)
      : BoxAlgebra{program.assumptions},
        p_(program),
        sharing_(sharing),
        pointwise_(assume_pointwise),
        nodes_of_to_(program.nodes(sharing.to)) {}

  Refusal run();

 private:
  using Point = StateFlow::Point;
  /// Budgets: uses of the two containers compared with each other in one state; and for following
  /// one value, states passed and boxes compared with those that came there before.
  static constexpr std::size_t most_uses = 16384, most_steps = 1000000;
  /// With so many uses in one state, and so many pairs of them for each of its nodes (that is what
  /// finding them takes), all answers about their order are found at once.
  static constexpr std::size_t many_uses = 64, many_pairs = 16;

  /// A use in the coordinates of `to`.
  struct Placed : Use {
    bool link = false;  ///< copies elements between the two containers onto themselves
  };

  const std::string& from() const { return sharing_.from; }
  const std::string& to() const { return sharing_.to; }
  std::string where(Point p) const { return "state " + p_.flow.block(p)->label; }
  Order& order(Point p) { return p_.order(p); }
  /// What one code node does is in no order, but for access nodes: there, writes come first.
  bool before(Point p, const Use& a, const Use& b) {
    if (a.end == b.begin) return p_.flow.state(p)->operator[](a.end).is<AccessNode>();
    return reaches(p, a.end, b.begin);
  }
  bool reaches(Point p, NodeId from, NodeId to) {
    const auto [at, is_new] = reach_.try_emplace(p);
    if (is_new) at->second = find_reach(p);
    const auto known = at->second ? at->second->reaches(from, to) : std::nullopt;
    return known ? *known : order(p).reaches(from, to);
  }
  /// Of the uses of both containers in one state, if they are many.
  std::optional<Reachability> find_reach(Point p);

  /// A box as other states see it: one whose symbols get other values on the way may be any.
  bool varies(const Subset& box) const {
    SymbolSet symbols;
    collect_symbols(box, symbols);
    return std::ranges::any_of(symbols, [&](const auto& s) { return p_.varying.contains(s); });
  }
  std::optional<Subset> abroad(const std::optional<Subset>& box) const {
    return box && !varies(*box) ? box : std::nullopt;
  }

  Refusal check_containers();
  Refusal collect_from();
  void place(Placed& use);
  void find_twin(Point p, Placed& use, std::vector<Subset>& copied);
  Refusal check_bounds(const Placed& use, const std::vector<Subset>& copied);
  bool grow(const Subset& all);
  bool is_link(Point p, EdgeId e) const { return links_.contains({p, e}); }
  /// Is the use of `to` still there?
  bool fresh(Point p, Use& use) { return refresh(*p_.flow.state(p), order(p), use); }

  // Rule 1 (sharing_rules.cpp).
  Refusal check_read(Point p, const Placed& read);
  Refusal define_after(Point p, const Use& write, const Use& read);
  Refusal search_back(Point p, std::vector<Subset> boxes);
  bool defined_before(Point p) const;

  // Rule 2 (sharing_rules.cpp).
  Refusal check_write(Point p, const Placed& write);
  bool is_copied(Point p, const Use& write, const Placed& link, const Use* read);
  std::vector<Subset> early(Point p, const Use& write, const Use* read, std::vector<Use>& writes);
  Refusal check_write_and_read(Point p, const Use& write, const Use& read,
                               std::vector<Use>& writes);
  Refusal search_ahead(Point p, std::vector<Subset> boxes);
  Refusal pass(Point p, std::vector<Subset>& boxes);

  /// Is `to`, or what may be the same memory, used there?
  bool touched(Point p) const {
    return nodes_of_to_.contains(p) || p_.aliases.contains(to());
  }
  /// No path leads from a point of a higher rank to one where it is.
  std::size_t last_touch() const;
  bool uses_neither(Point p) const { return !from_.contains(p) && !touched(p); }
  /// Straight on from p (ahead or back), to where one of the two is used, paths part or meet, or
  /// the ranks searched end.
  struct Ranks {
    std::size_t first = 0, last = ~std::size_t(0);
  };
  Point straight_on(Point p, bool ahead, Ranks ranks, std::size_t& steps) const;

  class Walk;

  Refusal check_edges();
  bool plan(Point p, NodeId before, NodeId after);
  bool closes_cycle(Point p, NodeId before, NodeId after);
  /// Do one map (or tasklet) read and write as the two uses say, element by element?
  enum class Together : std::uint8_t { Apart, Fine, Wrong };
  Together together(Point p, const Use& read, bool read_in_from, const Use& write);

  BufferProgram& p_;
  Sharing& sharing_;
  bool pointwise_;
  const std::map<Point, std::vector<NodeId>>& nodes_of_to_;
  std::map<Point, std::vector<Placed>> from_;
  std::map<Point, std::optional<Reachability>> reach_;  ///< once all uses of `from` are known
  std::set<std::pair<Point, EdgeId>> links_;
  std::vector<Point> defining_;  ///< points that write `from`
  std::size_t first_definition_ = ~std::size_t(0);
};

}  // namespace sdfg
