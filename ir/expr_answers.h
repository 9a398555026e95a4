#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ir/subset.h"

// Internal to ir/: the answers that assumptions remember.

namespace sdfg {
namespace detail {

/// Answers to questions about pairs of expressions or of subsets, under assumptions that do not
/// change.
class Answers {
 public:
  enum class About : std::uint8_t {
    Truth, Less, LessEqual, QuickLess, QuickLessEqual, Covers, Intersects
  };
  using Key = std::vector<Expr>;  ///< the parts of both sides; as many from each

  static Key key(const Expr& a, const Expr& b) { return {a, b}; }
  static Key key(const Subset& a, const Subset& b);

  /// The answer from the last time, or else what `decide()` says.
  template <class Decide>
  Truth get(About about, Key key, Decide decide) {
    Question question{about, std::move(key)};
    if (const auto known = answers_.find(question); known != answers_.end()) return known->second;
    const Truth truth = decide();
    if (answers_.size() >= most_answers) answers_.clear();
    answers_.emplace(std::move(question), truth);
    return truth;
  }

 private:
  /// A budget of memory; what has been answered is forgotten then.
  static constexpr std::size_t most_answers = 1 << 16;

  struct Question {
    About about;
    Key key;
    bool operator==(const Question&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Question& question) const;
  };
  std::unordered_map<Question, Truth, Hash> answers_;  ///< looked up, never iterated
};

}  // namespace detail

/// Null where none are kept.
inline detail::Answers* answers_kept(const Assumptions& assumptions) {
  return assumptions.answers_.get();
}

/// What `decide()` says; once for equal questions where the assumptions keep answers.
template <class Side, class Decide>
Truth answer(detail::Answers::About about, const Side& a, const Side& b,
             const Assumptions& assumptions, Decide decide) {
  detail::Answers* answers = answers_kept(assumptions);
  return answers ? answers->get(about, detail::Answers::key(a, b), decide) : decide();
}

}  // namespace sdfg
