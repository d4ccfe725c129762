#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/reader.h"
#include "base/result.h"

namespace spoor::llm {

/// A place where a value does not fit a schema.
struct SchemaProblem {
  std::string path;     ///< a JSON pointer (RFC 6901) into the value; empty: the value itself
  std::string message;  ///< `expected string, got number`

  /// Returns, for example, `/steps/0/id: expected string, got number`.
  std::string text() const;

  bool operator==(const SchemaProblem&) const = default;
};

/// A JSON Schema, limited to the keywords that tools and structured outputs use. Source:
/// json-schema.org, draft 2020-12, and `nullable` of OpenAPI 3.0. Checked keywords:
///
///   type (a word or a list), nullable, enum, const
///   properties, required, additionalProperties, minProperties, maxProperties
///   items, prefixItems, minItems, maxItems, uniqueItems
///   minLength, maxLength (code points), minimum, maximum, exclusiveMinimum, exclusiveMaximum
///   allOf, anyOf, oneOf, not, $ref within the schema (`#`, `#/$defs/name`)
///
/// All other keywords are accepted and not checked; unchecked() lists them. `pattern` is one of
/// them: the standard library's regular expressions overflow the stack on long texts, and no other
/// engine is linked.
///
/// A schema may be untrusted: it cannot cause a crash, a hang or unbounded recursion. Immutable;
/// safe to use from any thread.
class Schema {
 public:
  /// Parses a schema. Code::invalid, with the place, if it is longer than kMaxText, not JSON, not a
  /// schema (an object, true or false), if a checked keyword has an invalid value, or if a $ref has
  /// no target.
  static Result<Schema> parse(std::string_view text);

  Schema(Schema&&) noexcept;
  Schema& operator=(Schema&&) noexcept;
  ~Schema();

  /// Returns the places where `value` does not fit, at most kMaxProblems, in the order of the
  /// value's members; empty if it fits. Code::denied if the check needs too much work or depth.
  Result<std::vector<SchemaProblem>> check(const json::Value& value) const;

  /// Like check(), for JSON text. Code::invalid if it is not a JSON value.
  Result<std::vector<SchemaProblem>> check_text(std::string_view json) const;

  /// Returns the schema's keywords that check() ignores and that are not annotations (`title`,
  /// `description`, `default`, …), sorted.
  const std::vector<std::string>& unchecked() const;

  json::Value root() const;

  /// Returns the target of a schema's $ref; a missing value if it has none.
  json::Value target_of(const json::Value& schema) const;

  static constexpr std::size_t kMaxProblems = 20;
  static constexpr std::size_t kMaxText = 1U << 20U;

 private:
  struct Parts;
  explicit Schema(std::unique_ptr<const Parts> parts);

  std::unique_ptr<const Parts> parts_;
};

}  // namespace spoor::llm
