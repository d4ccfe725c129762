#pragma once

#include <memory>
#include <string_view>

#include "store/store.h"

namespace spoor::store {

/// Returns a view of a store as of one operation: its refs and its log end there. All objects are
/// visible, since they are immutable. Writes are Code::invalid, except that data cached by callers
/// is passed through.
///
/// `operation` is parsed by find_operation(), whose errors are returned.
Result<std::unique_ptr<Store>> as_of(std::unique_ptr<Store> store, std::string_view operation);

}  // namespace spoor::store
