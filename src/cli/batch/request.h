#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/reader.h"
#include "cli/error.h"
#include "compile/turn.h"

namespace spoor::cli::batch {

/// What a member of a request may hold.
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

  bool has(std::string_view name) const { return static_cast<bool>(value_.find(name)); }
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

/// Code::invalid unless every member of `object` is one of `members` or of those
/// that all requests have (op, id, as), holds what it must, and none is missing.
/// A member that is null counts as absent.
Result<void> check_members(std::string_view operation, const json::Value& object,
                           std::span<const Member> members);

/// `[{id, name, arguments}]`; arguments that are no string are kept as the JSON
/// text they are. Code::invalid.
Result<std::vector<compile::ToolCall>> read_calls(const json::Value& list);

}  // namespace spoor::cli::batch
