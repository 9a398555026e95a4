#include "passes/pass.h"

namespace sdfg {

Place Trail::place() const {
  std::vector<const Trail*> steps;
  for (const Trail* step = this; step; step = step->up) steps.push_back(step);
  Place place;
  for (auto it = steps.rbegin(); it != steps.rend(); ++it) {
    if ((*it)->block) place = place.block(*(*it)->block);
    if ((*it)->state) place = place.node(*(*it)->state, (*it)->node);
  }
  return place;
}

const Assumptions& PassContext::assumptions() {
  if (!assumptions_) assumptions_ = assume_ ? assume_() : Assumptions();
  return *assumptions_;
}
void PassContext::applied(const Trail& where, std::string_view what) {
  ++applied_;
  if (collect_remarks)
    remarks.push_back({std::string(pass_), where.text(), std::string(what), true});
}

void PassContext::refused(const Trail& where, const Refusal& why) {
  ++refused_;
  if (collect_remarks) remarks.push_back({std::string(pass_), where.text(), why.reason(), false});
}

void PassContext::warn(const Trail& where, std::string message) {
  warnings.push_back({where.text(), std::move(message), {}, Severity::Warning});
}

std::string Remark::text() const {
  return pass + ": " + (place.empty() ? "" : place + ": ") + message;
}

std::string PassRun::title() const {
  std::string out(pass);
  if (!options.empty()) out += "{" + std::string(options) + "}";
  return out + " (run " + std::to_string(number) + ")";
}

}  // namespace sdfg
