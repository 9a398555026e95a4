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

std::string Remark::text() const {
  return pass + ": " + (place.empty() ? "" : place + ": ") + message;
}

std::string PassRun::title() const {
  std::string out(pass);
  if (!options.empty()) out += "{" + std::string(options) + "}";
  return out + " (run " + std::to_string(number) + ")";
}

}  // namespace sdfg
