#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/reader.h"
#include "base/result.h"

namespace spoor::llm {

/// One place where a value does not fit a schema.
struct SchemaProblem {
  std::string path;     ///< a JSON pointer (RFC 6901) into the value; empty: the value itself
  std::string message;  ///< `expected string, got number`

  /// `/steps/0/id: expected string, got number`
  std::string text() const;

  bool operator==(const SchemaProblem&) const = default;
};

/// A JSON Schema, as far as tools and structured outputs use it. Source: json-schema.org, draft
/// 2020-12, and `nullable` of OpenAPI 3.0. What is checked:
///
///   type (a word or a list), nullable, enum, const
///   properties, required, additionalProperties, minProperties, maxProperties
///   items, prefixItems, minItems, maxItems, uniqueItems
///   minLength, maxLength (code points), minimum, maximum, exclusiveMinimum, exclusiveMaximum
///   allOf, anyOf, oneOf, not, $ref within the schema (`#`, `#/$defs/name`)
///
/// Everything else is accepted and not checked; unchecked() names it. `pattern` is among that: the
/// standard library's expressions overflow the stack on long texts, and no other engine is linked.
///
/// A schema may come from anywhere: nothing in it crashes, hangs or recurses without end.
/// Immutable; safe to use from any thread.
class Schema {
 public:
  /// Code::invalid, with the place, when it is longer than kMaxText, no JSON, no schema (an object,
  /// true or false), a keyword that is checked has no meaning there, or a $ref leads nowhere.
  static Result<Schema> parse(std::string_view text);

  Schema(Schema&&) noexcept;
  Schema& operator=(Schema&&) noexcept;
  ~Schema();

  /// Where `value` does not fit, at most kMaxProblems, in the order of the value's members; empty:
  /// it fits. Code::denied when the schema asks for more work or depth than is reasonable.
  Result<std::vector<SchemaProblem>> check(const json::Value& value) const;

  /// The same for a text. Code::invalid when it is no JSON value.
  Result<std::vector<SchemaProblem>> check_text(std::string_view json) const;

  /// Keywords in it that check() does not look at and that are no mere remarks (`title`,
  /// `description`, `default`, …), sorted.
  const std::vector<std::string>& unchecked() const;

  json::Value root() const;

  /// Where the $ref of a schema leads; missing when it has none.
  json::Value target_of(const json::Value& schema) const;

  static constexpr std::size_t kMaxProblems = 20;
  static constexpr std::size_t kMaxText = 1U << 20U;

 private:
  struct Parts;
  explicit Schema(std::unique_ptr<const Parts> parts);

  std::unique_ptr<const Parts> parts_;
};

}  // namespace spoor::llm
