#pragma once

#include <functional>
#include <string>

#include "compile/json/reader.h"
#include "llm/import/lines.h"
#include "llm/import/report.h"

namespace spoor::llm::import::claude_code {

namespace json = compile::json;

/// Reads the records of one line after the other: one as a rule, several where
/// they were glued together, none where nothing can be read. What cannot be read,
/// and what is odd, is remarked on with its place.
class LineRecords {
 public:
  LineRecords(std::string source, LossReport& report)
      : source_(std::move(source)), report_(report) {}

  /// Called with each object; the value lives until it returns.
  using Visitor = std::function<store::Result<void>(const json::Value& record)>;

  store::Result<void> read(const Line& line, const Visitor& visit);

 private:
  void skip_between(std::string_view text, std::size_t& at, std::uint64_t line);
  store::Result<void> visit_record(const Line& line, const Visitor& visit);
  store::Result<void> give_up(const Line& line, std::size_t begin, const json::Reading& reading,
                              const Visitor& visit);
  void remark_oddities(const json::Value& record, std::uint64_t line);
  void remark(Remark::Kind kind, std::uint64_t line, std::string text);

  std::string source_;
  LossReport& report_;
  json::Document document_;
};

/// Has a string in this JSON text half a surrogate pair as an escape?
bool has_lone_surrogate(std::string_view json_text);

}  // namespace spoor::llm::import::claude_code
