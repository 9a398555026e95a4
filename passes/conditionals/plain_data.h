#pragma once

#include "ir/data.h"

namespace sdfg {

/// Is it a container whose name is all that its memory is known by? (Null: no.)
inline bool is_plain(const Data* data) {
  return data && data->role() == Role::Plain && !data->is_stream() && !data->is_structure();
}
/// Do accesses to it cost what there is to save? Integers are neighbour tables.
inline bool moves_bytes(const Data* data) {
  return is_plain(data) && !data->is_scalar() && !data->dtype.is_integer();
}

}  // namespace sdfg
