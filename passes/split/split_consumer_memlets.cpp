#include "passes/split/split_consumer_memlets.h"

#include <algorithm>
#include <map>
#include <set>

#include "ir/analysis/scope_tree.h"
#include "ir/expr_budget.h"
#include "passes/common/assume.h"
#include "passes/common/state_trails.h"
#include "passes/split/container_split.h"
#include "passes/split/copy_pieces.h"

namespace sdfg {
namespace {

/// A copy out of the container, cut along the borders of what is written.
struct CutCopy {
  std::size_t use;
  CopySidesMatched sides;
  std::vector<Subset> pieces;  ///< of the source side
};

/// A budget, or as many as there are writers: where the order of borders is not known each of them
/// multiplies the pieces.
constexpr std::size_t most_pieces = 32;

/// Cuts the box along the borders of each of the others that it meets; where the order of borders
/// is not known, pieces are clamped.
Refusal refine(const Subset& box, const std::vector<Subset>& by, BoxIndex& index,
               const Assumptions& assumptions, std::vector<Subset>& pieces) {
  const std::size_t most = std::max(most_pieces, by.size());
  pieces = {box};
  for (std::size_t i : index.may_intersect(box)) {
    std::vector<Subset> next;
    for (const Subset& piece : pieces) {
      auto cut_piece = cut(piece, by[i], assumptions, Undecided::Clamp);
      if (!cut_piece) return "it, or what is written, has a step";
      if (cut_piece->inside) next.push_back(*std::move(cut_piece->inside));
      for (Subset& rest : cut_piece->outside) next.push_back(std::move(rest));
    }
    pieces = std::move(next);
    if (pieces.size() > most)
      return "it would become more than " + std::to_string(most) + " pieces";
  }
  return {};
}

class Cutter {
 public:
  Cutter(Sdfg& sdfg, const Trail& trail, const SplitConsumerMemlets::Options& options,
         const LazyAssumptions& known, PassContext& context)
      : sdfg_(sdfg), states_(sdfg, trail), accesses_(sdfg), options_(options),
        known_(known), context_(context) {}

  Changed run() {
    Changed changed = Changed::No;
    for (const std::string& name : candidates()) {
      if (!context_.may_apply()) break;
      const AccessSite& site = accesses_.sites(name).front();
      const Trail here = states_.of(*site.state).in(*site.state, site.node);
      std::string done;
      if (Refusal why = try_to_cut(name, done)) context_.refused(here, why);
      else context_.applied(here, done), changed = Changed::Yes;
    }
    return changed;
  }

 private:
  /// Transient arrays with at least two writing edges and a copy out of them.
  std::vector<std::string> candidates() const {
    std::map<std::string, std::pair<std::size_t, bool>> found;
    for (const auto& [state, trail] : states_.states())
      for (NodeId n : state->nodes_of<AccessNode>()) {
        const auto* access = (*state)[n].as<AccessNode>();
        auto& [writers, copied] = found[access->data];
        writers += state->in(n).size();
        for (EdgeId e : state->out(n))
          copied = copied || (*state)[state->target(e)].is<AccessNode>();
      }
    std::vector<std::string> out;
    for (const auto& [name, data] : sdfg_.arrays)
      if (const auto at = found.find(name); data.transient && at != found.end() &&
                                            at->second.first >= 2 && at->second.second)
        out.push_back(name);
    return out;
  }

  Refusal try_to_cut(const std::string& name, std::string& done) {
    FoundUses found = find_uses(sdfg_, accesses_, name, known_.get());
    if (found.refusal) return found.refusal;
    const ContainerUses& uses = found.value;
    for (const ContainerUse& use : uses.uses)
      if (!has_at_most(most_terms_cut, use.subset))
        return "a border of what is used of '" + name + "' has more than " +
               std::to_string(most_terms_cut) + " terms";
    std::vector<CutCopy> copies;
    if (Refusal why = cut_copies(uses, copies)) return why;
    if (copies.empty()) return "no copy out of '" + name + "' crosses a border of what is written";
    return keep_useful_cuts(uses, copies, done);
  }

  Refusal cut_copies(const ContainerUses& uses, std::vector<CutCopy>& copies) const {
    std::vector<Subset> written;
    for (const ContainerUse& use : uses.uses)
      if (use.write) written.push_back(use.subset);
    BoxIndex index(written, known_.get());
    Refusal last;
    for (std::size_t u = 0; u < uses.uses.size(); ++u) {
      const ContainerUse& use = uses.uses[u];
      const State& state = *use.state;
      const auto* target = state[state.target(use.edge)].as<AccessNode>();
      if (use.write || !target || target->data == uses.name || state[use.edge].memlet.wcr) continue;
      auto sides = match_copy(sdfg_, state, use.edge, known_.get());
      if (!sides) {
        last = "the two sides of the copy to '" + target->data + "' cannot be matched";
        continue;
      }
      std::vector<Subset> pieces;
      if (const Refusal why = refine(sides->src, written, index, known_.get(), pieces))
        last = "the copy of '" + uses.name + "[" + to_text(sides->src) +
               "]' is not cut: " + why.reason();
      else if (std::ranges::any_of(pieces, [&](const Subset& p) { return sides->hides(p); }))
        last = "the copy of '" + uses.name + "[" + to_text(sides->src) +
               "]' is not cut: a part may be empty in a dimension that '" + target->data +
               "' does not have";
      else if (pieces.size() > 1)
        copies.push_back({u, *std::move(sides), std::move(pieces)});
    }
    return copies.empty() ? last : Refusal();
  }

  /// Puts together again what stays in one container, and applies the rest.
  Refusal keep_useful_cuts(const ContainerUses& uses, std::vector<CutCopy>& copies,
                           std::string& done) {
    if (tied_by_others(uses, copies))
      return "the parts of '" + uses.name + "' stay tied together by other uses";
    ContainerUses with_cuts = uses;
    std::vector<std::pair<std::size_t, std::size_t>> piece_of;  // by added use: copy, piece
    for (std::size_t c = 0; c < copies.size(); ++c) {
      with_cuts.uses[copies[c].use].subset = copies[c].pieces[0];
      for (std::size_t p = 1; p < copies[c].pieces.size(); ++p) {
        with_cuts.uses.push_back(uses.uses[copies[c].use]);
        with_cuts.uses.back().subset = copies[c].pieces[p];
        piece_of.emplace_back(c, p);
      }
    }
    const FragmentPlan before = find_fragments(uses, known_.get());
    const FragmentPlan after = find_fragments(with_cuts, known_.get());
    if (after.refusal) return after.refusal;
    if (after.fragments.size() <= before.fragments.size())
      return "the parts of '" + uses.name + "' stay tied together by other uses";

    std::vector<std::size_t> fragment_of(with_cuts.uses.size()), readers(after.fragments.size());
    for (std::size_t f = 0; f < after.fragments.size(); ++f)
      for (std::size_t u : after.fragments[f].uses)
        fragment_of[u] = f, readers[f] += !with_cuts.uses[u].write;
    // Pieces by copy and fragment.
    std::vector<std::map<std::size_t, std::vector<Subset>>> parts(copies.size());
    for (std::size_t c = 0; c < copies.size(); ++c)
      parts[c][fragment_of[copies[c].use]].push_back(copies[c].pieces[0]);
    for (std::size_t i = 0; i < piece_of.size(); ++i) {
      const auto [c, p] = piece_of[i];
      parts[c][fragment_of[uses.uses.size() + i]].push_back(copies[c].pieces[p]);
    }
    std::size_t pieces = 0, stay = 0, cut_copies = 0;
    for (auto& by_fragment : parts) {
      if (by_fragment.size() < 2) continue;
      ++cut_copies;
      for (auto& [f, boxes] : by_fragment) {
        const std::size_t own = boxes.size();
        boxes = merge_adjacent(std::move(boxes), known_.get());
        pieces += boxes.size();
        if (readers[f] > own) stay += boxes.size();
      }
    }
    if (std::int64_t(stay) > std::int64_t(cut_copies) + options_.extra_copies)
      return "of " + std::to_string(cut_copies) + " copies out of '" + uses.name + "' " +
             std::to_string(stay) +
             " would stay after cutting, because their parts are read elsewhere";
    for (std::size_t c = 0; c < copies.size(); ++c)
      if (parts[c].size() > 1) apply(uses.uses[copies[c].use], copies[c].sides, parts[c]);
    done = "cut " + std::to_string(cut_copies) + (cut_copies == 1 ? " copy" : " copies") +
           " out of '" + uses.name + "' into " + std::to_string(pieces) + " pieces, of which " +
           std::to_string(stay) + " stay copies";
    return {};
  }

  /// Is there one fragment only without the copies? Then each of their pieces belongs to it, or
  /// nobody writes it.
  bool tied_by_others(const ContainerUses& uses, const std::vector<CutCopy>& copies) const {
    ContainerUses others{.name = uses.name};
    for (std::size_t u = 0, c = 0; u < uses.uses.size(); ++u) {
      if (c < copies.size() && copies[c].use == u) ++c;
      else others.uses.push_back(uses.uses[u]);
    }
    return find_fragments(others, known_.get()).fragments.size() < 2;
  }

  static void apply(const ContainerUse& use, const CopySidesMatched& sides,
                    const std::map<std::size_t, std::vector<Subset>>& parts) {
    State& state = *use.state;
    std::vector<Subset> boxes;
    for (const auto& [f, list] : parts) boxes.insert(boxes.end(), list.begin(), list.end());
    const Edge old = state[use.edge];
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const EdgeId e = i == 0 ? use.edge
                              : state.connect(state.source(use.edge), state.target(use.edge), old);
      restrict_copy(state[e].memlet, sides, boxes[i]);
    }
  }

  Sdfg& sdfg_;
  StateTrails states_;
  Accesses accesses_;
  const SplitConsumerMemlets::Options& options_;
  const LazyAssumptions& known_;
  PassContext& context_;
};

}  // namespace

Result<Changed> SplitConsumerMemlets::run(Sdfg& sdfg, const Options& options,
                                          PassContext& context) {
  return on_each_sdfg(sdfg, {}, LazyAssumptions(context),
                      [&](Sdfg& inner, const Trail& trail, const LazyAssumptions& known) {
                        return Cutter(inner, trail, options, known, context).run();
                      });
}

}  // namespace sdfg
