#include "ir/expr_answers.h"
#include "support/hash.h"

namespace sdfg {

const Assumptions::Content& Assumptions::content() const {
  static const Content nothing;
  return content_ ? *content_ : nothing;
}
Assumptions::Content& Assumptions::changing() {
  answers_.reset();
  if (content_.use_count() != 1)
    content_ = content_ ? std::make_shared<Content>(*content_) : std::make_shared<Content>();
  return *content_;
}

const Assumptions::BoundsTable& Assumptions::bounds() const { return content().bounds; }
const std::vector<Expr>& Assumptions::facts() const { return content().facts; }
const Assumptions::Bounds* Assumptions::bounds_of(std::string_view symbol) const {
  const auto found = bounds().find(symbol);
  return found == bounds().end() ? nullptr : &found->second;
}

void Assumptions::assume(std::string_view symbol, std::optional<Expr> low,
                         std::optional<Expr> high) {
  changing().bounds.insert_or_assign(std::string(symbol), Bounds{std::move(low), std::move(high)});
}
void Assumptions::forget(std::string_view symbol) {
  if (!bounds_of(symbol)) return;
  auto& bounds = changing().bounds;
  bounds.erase(bounds.find(symbol));
}
void Assumptions::add_fact(Expr condition) { changing().facts.push_back(std::move(condition)); }
void Assumptions::keep_facts(std::size_t count) {
  if (count < facts().size()) changing().facts.resize(count);
}

void Assumptions::keep_answers() {
  if (!content_) content_ = std::make_shared<Content>();
  if (!answers_) answers_ = std::make_shared<detail::Answers>();
}

namespace detail {

Answers::Key Answers::key(const Subset& a, const Subset& b) {
  Key out;
  out.reserve(4 * (a.rank() + b.rank()));
  for (const Subset* side : {&a, &b})
    for (const Range& range : side->ranges)
      out.insert(out.end(), {range.begin, range.end, range.step, range.tile});
  return out;
}

std::size_t Answers::Hash::operator()(const Question& question) const {
  Hasher hash;
  hash.add(std::uint64_t(question.about));
  for (const Expr& part : question.key) hash.add(part.hash());
  return hash.value();
}

}  // namespace detail
}  // namespace sdfg
