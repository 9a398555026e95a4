#pragma once

#include "ir/sdfg.h"

namespace sdfg {

/// A transient of lifetime Scope is allocated with the SDFG where several states or conditions use
/// it, and with the one state that does otherwise (docs/ir.md), and begins with zeros then if an
/// access node has `setzero`. Where it is the former, and a state that uses it can run again, this
/// gives it the lifetime SDFG: what passes take away must not make it begin with zeros each time.
/// Linear in the SDFG.
void fix_zeroed_lifetimes(Sdfg& sdfg);

/// Containers that access nodes in the block set to zero.
void collect_zeroed(const Block& block, NameSet& out);
/// For passes that took such nodes away: those of the containers that no access node of the SDFG
/// sets to zero any more are set to zero by another one, which is made if only names on edges, in
/// conditions and the like are left.
void set_to_zero(Sdfg& sdfg, const NameSet& containers);

}  // namespace sdfg
