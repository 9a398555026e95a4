#pragma once

#include "ir/sdfg.h"

namespace sdfg {

/// A transient of lifetime Scope is allocated with the SDFG where several states or conditions use
/// it, and with the one state that does otherwise (docs/ir.md), and begins with zeros then if an
/// access node has `setzero`. Where it is the former, and a state that uses it can run again, this
/// gives it the lifetime SDFG: what passes take away must not make it begin with zeros each time.
/// Linear in the SDFG.
void fix_zeroed_lifetimes(Sdfg& sdfg);

}  // namespace sdfg
