#pragma once

#include <cstdlib>

#include "base/result.h"

namespace fuzz {

/// What was answered; null for an error, which must have a message.
template <class T>
const T* given(const spoor::Result<T>& result) {
  if (result) return &*result;
  if (result.error().message.empty()) std::abort();
  return nullptr;
}

/// Was it done? An error must have a message.
inline bool is_done(const spoor::Result<void>& result) {
  if (!result && result.error().message.empty()) std::abort();
  return result.has_value();
}

}  // namespace fuzz
