#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "codegen/local_names.h"
#include "ir/sdfg.h"
#include "support/by_name.h"

namespace sdfg {

/// How a container is reached in the generated code.
struct Binding {
  enum Kind {
    Value,    ///< `text` is a variable that holds the value
    Pointer,  ///< `text` points to element 0
    Stream,   ///< `text` is a stream
    Struct    ///< `text` points to a structure
  };
  Kind kind = Pointer;
  std::string text;
  const Data* data = nullptr;
  bool shared = false;  ///< several threads may write the same element at the same time
  bool aliased = false; ///< another name may reach the same memory
  std::string root{};   ///< the variable whose memory this is part of; empty: `text`
  bool device = false;  ///< memory of the GPU
  bool own = false;     ///< of one thread of a kernel
  bool row = false;  ///< of the GPU, and the whole function knows `text`: rows can begin there

  /// Parameters of the parallel maps around the declaration: each of their iterations has its own.
  std::set<std::string> private_to{};

  const std::string& memory() const { return root.empty() ? text : root; }
};

/// Those of one function, by container. A kernel sees some of them differently and has its own: it
/// changes them between open() and close(), which undoes that in time by the number of changes.
class Bindings {
 public:
  /// Looked up, never iterated: each kernel asks for all words of its text.
  using Map = std::unordered_map<std::string, Binding, TextHash, std::equal_to<>>;

  auto find(std::string_view container) const { return map_.find(container); }
  auto end() const { return map_.end(); }
  bool contains(std::string_view container) const { return map_.contains(container); }
  /// To change; made if there is none.
  Binding& operator[](const std::string& container) {
    remember(container);
    return map_[container];
  }
  void erase(const std::string& container) {
    remember(container);
    map_.erase(container);
  }

  void open() { open_ = true; }
  void close() {
    for (auto& [container, binding] : before_)
      if (binding)
        map_.insert_or_assign(container, *std::move(binding));
      else
        map_.erase(container);
    before_.clear();
    open_ = false;
  }
  /// Was it there at open()?
  bool is_outer(std::string_view container) const {
    const auto found = before_.find(container);
    return found == before_.end() ? contains(container) : found->second.has_value();
  }

 private:
  void remember(const std::string& container) {
    if (!open_ || before_.contains(container)) return;
    const auto found = map_.find(container);
    before_.emplace(container, found == map_.end() ? std::nullopt : std::optional(found->second));
  }

  Map map_;
  bool open_ = false;
  ByName<std::optional<Binding>> before_;  ///< of those changed since
};

}  // namespace sdfg
