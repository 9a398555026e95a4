#pragma once

#include <nlohmann/json.hpp>

#include "passes/observers.h"

namespace sdfg {

/// Writes down what each pass changed, for the viewer's time line: the SDFG before the first pass
/// and a JSON patch per pass that changed something (viewer/docs/history-format.md).
class History : public Observer {
 public:
  explicit History(const Sdfg& sdfg);
  void after(const PassRun&, const Sdfg&, Changed, const PassContext&) override;
  /// The file's content.
  std::string text() const;

 private:
  nlohmann::ordered_json last_, history_;
};

}  // namespace sdfg
