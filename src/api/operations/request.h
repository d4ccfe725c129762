#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/reader.h"
#include "base/result.h"
#include "compile/turn.h"

namespace spoor::api::operations {

/// The type of a request's member.
enum class Holds : unsigned char {
  text,
  integer,
  boolean,
  revision,   ///< a text that names a commit, or `$name`
  revisions,  ///< a list of them
  texts,      ///< a list of texts
  object,
  list,
  anything,
};

/// One member that an operation understands.
struct Member {
  const char* name;
  Holds holds;
  bool is_required = false;
};

/// One request: a JSON object whose members were checked against the table.
class Request {
 public:
  explicit Request(json::Value value) : value_(value) {}

  /// Returns whether the request has the member; null counts as absent.
  bool has(std::string_view name) const {
    const json::Value found = value_.find(name);
    return found && !found.is(json::Type::null);
  }
  json::Value at(std::string_view name) const { return value_.find(name); }
  std::string text(std::string_view name, std::string_view fallback = {}) const;
  bool flag(std::string_view name) const { return value_.find(name).is_true(); }
  std::optional<std::int64_t> integer(std::string_view name) const {
    return value_.find(name).integer();
  }
  std::vector<std::string> texts(std::string_view name) const;

 private:
  json::Value value_;
};

/// Returns Code::invalid unless every member of `object` is in `members` or common to all requests
/// (op, id, as), has the right type, and none is missing. A null member counts as absent.
Result<void> check_members(std::string_view operation, const json::Value& object,
                           std::span<const Member> members);

/// Parses `[{id, name, arguments}]`. Arguments that are not a string are kept as their JSON text.
/// Returns Code::invalid for other input.
Result<std::vector<compile::ToolCall>> read_calls(const json::Value& list);

}  // namespace spoor::api::operations
