#include "tools/common/history.h"

#include <nlohmann/json.hpp>

#include "serialize/save.h"

namespace sdfg {
namespace {

using Json = nlohmann::ordered_json;

Json as_json(const Sdfg& sdfg) {
  const Result<std::string> text = save(sdfg, {SaveProfile::Head});
  return text ? Json::parse(*text) : Json();
}

std::string escaped(const std::string& key) {
  std::string out;
  for (char c : key) out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return out;
}

/// A state is replaced as a whole: finer patches would list every edge whose position moved.
bool is_unit(const Json& value) {
  return value.is_object() && value.contains("type") && value["type"] == "SDFGState";
}

void add_patch(const Json& before, const Json& after, const std::string& path, Json& patch) {
  if (before == after) return;
  const auto replace = [&] {
    patch.push_back({{"op", "replace"}, {"path", path}, {"value", after}});
  };
  if (before.type() != after.type() || is_unit(before)) return replace();
  if (before.is_array()) {
    if (before.size() != after.size()) return replace();
    for (std::size_t i = 0; i < before.size(); ++i)
      add_patch(before[i], after[i], path + '/' + std::to_string(i), patch);
    return;
  }
  if (!before.is_object()) return replace();
  for (const auto& [key, value] : before.items()) {
    const std::string inner = path + '/' + escaped(key);
    if (!after.contains(key)) patch.push_back({{"op", "remove"}, {"path", inner}});
    else add_patch(value, after[key], inner, patch);
  }
  for (const auto& [key, value] : after.items())
    if (!before.contains(key))
      patch.push_back({{"op", "add"}, {"path", path + '/' + escaped(key)}, {"value", value}});
}

}  // namespace

struct History::Trees {
  Json last, history;
};

History::~History() = default;

History::History(const Sdfg& sdfg) : trees_(std::make_unique<Trees>()) {
  auto& [last, history] = *trees_;
  last = as_json(sdfg);
  history = {{"type", "SDFGHistory"}, {"version", 1}, {"name", sdfg.name}, {"initial", last},
              {"steps", Json::array()}};
}

void History::after(const PassRun& run, const Sdfg& sdfg, Changed changed,
                    const PassContext& context) {
  if (changed == Changed::No) return;
  auto& [last, history] = *trees_;
  Json now = as_json(sdfg), patch = Json::array();
  add_patch(last, now, "", patch);
  std::string places, remarks;
  std::size_t applied = 0;
  for (const Remark& remark : context.remarks) {
    if (!remark.applied) continue;
    if (applied++ == 0) places = remark.place;
    if (applied <= 20)
      remarks += (remarks.empty() ? "" : "\n") + remark.place + ": " + remark.message;
  }
  if (applied > 1) places += " and " + std::to_string(applied - 1) + " more";
  if (applied > 20) remarks += "\n… " + std::to_string(applied - 20) + " more";
  history["steps"].push_back(
      {{"pass", run.options.empty() ? std::string(run.pass)
                                    : std::string(run.pass) + "{" + std::string(run.options) + "}"},
       {"place", places},
       {"remark", remarks},
       {"patch", std::move(patch)}});
  last = std::move(now);
}

std::string History::text() const { return trees_->history.dump() + "\n"; }

}  // namespace sdfg
