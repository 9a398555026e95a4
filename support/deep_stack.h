#pragma once

#include <functional>

namespace sdfg {

/// Runs `work` on a stack large enough for programs nested tens of thousands of levels deep
/// (address space is reserved, memory is used as needed), waits for it, and passes on what it
/// throws. Nested calls run in place.
void with_deep_stack(const std::function<void()>& work);

}  // namespace sdfg
