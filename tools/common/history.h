#pragma once

#include <memory>
#include <string>

#include "passes/observers.h"

namespace sdfg {

/// Writes down what each pass changed, for the viewer's time line: the SDFG before the first pass
/// and a JSON patch per pass that changed something (viewer/docs/history-format.md).
class History : public Observer {
 public:
  explicit History(const Sdfg& sdfg);
  ~History() override;
  void after(const PassRun&, const Sdfg&, Changed, const PassContext&) override;
  /// The file's content.
  std::string text() const;

 private:
  struct Trees;  ///< the JSON of the last step and of the file
  std::unique_ptr<Trees> trees_;
};

}  // namespace sdfg
