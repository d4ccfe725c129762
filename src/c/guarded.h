#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#if __has_include(<cxxabi.h>)
#include <cxxabi.h>
#endif
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "spoor/c.h"

namespace spoor::c {

/// Keeps an error for spoor_last_error() of this thread, and returns its code. `noexcept`: without
/// memory for the texts, the code alone is kept.
int32_t fail(const Error& error) noexcept;
int32_t fail_with_bug(std::string_view what) noexcept;

/// Returns the number of a code in the C interface.
constexpr int32_t number_of(Error::Code code) { return 1 + static_cast<int32_t>(code); }

/// Runs the body of a function of the C interface: returns its code, or that of its error. The body
/// returns Result<int32_t>. No exception leaves this, but the end of a thread does: a callback of
/// the program may end its own (pthread_exit), as Python does with threads that run at its end.
template <class Body>
int32_t guarded(Body&& body) {
  try {
    const Result<int32_t> done = std::forward<Body>(body)();
    return done ? *done : fail(done.error());
  } catch (const std::bad_alloc&) {
    return fail(unavailable("out of memory"));
  } catch (const std::exception& bug) {
    return fail_with_bug(bug.what());
#ifdef __GLIBCXX__  // Elsewhere `catch (...)` does not stop it.
  } catch (const abi::__forced_unwind&) {
    throw;
#endif
  } catch (...) {
    return fail_with_bug("an exception without a description");
  }
}

/// Returns borrowed text.
inline std::string_view text(spoor_str from) { return {from.data, from.data ? from.size : 0}; }
inline spoor_str borrowed(std::string_view from) { return {from.data(), from.size()}; }

/// Copies bytes for the caller, who frees them.
Result<int32_t> give(std::string_view bytes, spoor_buffer& to);

/// Returns Code::invalid if an output parameter is NULL; else clears it.
template <class T>
Result<void> clear(T* out, const char* name) {
  if (out == nullptr) return invalid("'" + std::string(name) + "' is NULL");
  *out = T{};
  return {};
}

/// Returns a struct that begins with its `size`, as a program of any version passes it: members
/// that it does not know are 0. All members are 0 for NULL. Code::invalid if `size` is too small.
template <class T>
Result<T> taken(const T* given) {
  T whole{};
  if (given == nullptr) return whole;
  if (given->size < sizeof(std::size_t) + sizeof(spoor_str)) {
    return invalid("the member 'size' of a struct is not set", "set it to sizeof");
  }
  const auto* bytes = reinterpret_cast<const char*>(given);
  std::copy_n(bytes, std::min(given->size, sizeof(T)), reinterpret_cast<char*>(&whole));
  return whole;
}

}  // namespace spoor::c
