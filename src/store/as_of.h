#pragma once

#include <memory>
#include <string_view>

#include "store/store.h"

namespace spoor::store {

/// A store seen as it was after one operation: its refs and its log end there. Objects are
/// immutable, so those are all there. Nothing can be written (Code::invalid); what callers cache is
/// passed through.
///
/// `operation` names it as find_operation() reads it, with its errors.
Result<std::unique_ptr<Store>> as_of(std::unique_ptr<Store> store, std::string_view operation);

}  // namespace spoor::store
