#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace spoor {

/// The reason of a failure. A value, never thrown: a broken internal invariant throws
/// std::logic_error, every other failure is an Error.
struct Error {
  enum class Code {
    not_found,    ///< the name matches nothing, or nothing in this history
    ambiguous,    ///< a prefix names several objects
    conflict,     ///< the state of the store does not allow it
    corrupt,      ///< stored bytes do not match their name
    invalid,      ///< malformed, or makes no sense here
    denied,       ///< refused by a limit or a missing key
    io,           ///< the disk refused
    unavailable,  ///< not now: busy, or an optional part is missing
    interrupted,  ///< cancelled by the user
  };

  Code code;              ///< for programs: branch on it, map it to an exit status
  std::string message;    ///< for people: lower case, no full stop, subject 'quoted'
  std::string hint = {};  ///< what to try next; may be empty
};

/// Returns the word for programs: "not_found", "ambiguous", … Never empty.
constexpr const char* name_of(Error::Code code) {
  switch (code) {
    case Error::Code::not_found:
      return "not_found";
    case Error::Code::ambiguous:
      return "ambiguous";
    case Error::Code::conflict:
      return "conflict";
    case Error::Code::corrupt:
      return "corrupt";
    case Error::Code::invalid:
      return "invalid";
    case Error::Code::denied:
      return "denied";
    case Error::Code::io:
      return "io";
    case Error::Code::unavailable:
      return "unavailable";
    case Error::Code::interrupted:
      return "interrupted";
  }
  return "unknown";
}

inline Error not_found(std::string message, std::string hint = {}) {
  return {Error::Code::not_found, std::move(message), std::move(hint)};
}
inline Error ambiguous(std::string message, std::string hint = {}) {
  return {Error::Code::ambiguous, std::move(message), std::move(hint)};
}
inline Error conflict(std::string message, std::string hint = {}) {
  return {Error::Code::conflict, std::move(message), std::move(hint)};
}
inline Error corrupt(std::string message, std::string hint = {}) {
  return {Error::Code::corrupt, std::move(message), std::move(hint)};
}
inline Error invalid(std::string message, std::string hint = {}) {
  return {Error::Code::invalid, std::move(message), std::move(hint)};
}
inline Error denied(std::string message, std::string hint = {}) {
  return {Error::Code::denied, std::move(message), std::move(hint)};
}
inline Error io_error(std::string message, std::string hint = {}) {
  return {Error::Code::io, std::move(message), std::move(hint)};
}
inline Error unavailable(std::string message, std::string hint = {}) {
  return {Error::Code::unavailable, std::move(message), std::move(hint)};
}
inline Error interrupted(std::string message, std::string hint = {}) {
  return {Error::Code::interrupted, std::move(message), std::move(hint)};
}

/// A T or an Error. Converts from both, so a failure is written `return not_found("no branch
/// 'x'");`. `value()` of an error throws std::bad_variant_access: a bug of the caller.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: converts
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: converts

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  // Returns by value, so that `for (x : list().value())` does not use a dead temporary.
  T value() && { return std::get<0>(std::move(state_)); }

  Error& error() & { return std::get<1>(state_); }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }

 private:
  std::variant<T, Error> state_;
};

/// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: converts

  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }
  void value() const {
    if (error_) throw std::bad_variant_access();
  }

  Error& error() & { return error_.value(); }
  const Error& error() const& { return error_.value(); }
  Error&& error() && { return std::move(error_).value(); }

 private:
  std::optional<Error> error_;
};

}  // namespace spoor

/// Evaluates to the value of a Result, or returns its error from the calling function. The
/// project's only macro (a GNU statement expression: g++ and clang).
#define TRY(expression) SPOOR_TRY_NAMED(expression, SPOOR_TRY_JOIN(spoor_try_, __COUNTER__))
#define SPOOR_TRY_JOIN(a, b) SPOOR_TRY_JOIN_NOW(a, b)
#define SPOOR_TRY_JOIN_NOW(a, b) a##b
#define SPOOR_TRY_NAMED(expression, result)                    \
  __extension__({                                              \
    auto&& result = (expression);                              \
    if (!result.has_value()) return std::move(result).error(); \
    std::move(result).value();                                 \
  })
