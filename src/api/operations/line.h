#pragma once

#include <string>
#include <string_view>

#include "api/operations/operations.h"
#include "base/json/reader.h"

namespace spoor::api::operations {

/// One line of a stream of requests, parsed. Borrows the text.
class Line {
 public:
  explicit Line(std::string_view text) : document_(json::parse(text)) {}

  /// Runs the request and returns its answer, with a line end: `{"id":…,"result":…}` or
  /// `{"id":…,"error":{code, message, hint}}`. `id` is present if the request has one. Never fails
  /// or throws because of the line's contents.
  std::string answer(Context& context) const;

  /// Returns the answer for a request that was not run.
  std::string failure(const Error& error) const;

  bool is_short_write() const { return operations::is_short_write(request()); }

 private:
  // Returns no value if the line is not JSON.
  json::Value request() const { return document_ ? document_.value().root() : json::Value(); }
  json::Value id() const { return request().find("id"); }

  Result<json::Document> document_;
};

/// Returns the answer to one line; see Line::answer().
std::string answer_line(Context& context, std::string_view line);

}  // namespace spoor::api::operations
