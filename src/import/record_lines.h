#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compile/json/reader.h"
#include "import/lines.h"
#include "import/report.h"

namespace spoor::import {

namespace json = compile::json;

/// What a format tells about its records.
struct RecordRules {
  /// Is this surely a record? Asked where a record was cut off and another one may have been
  /// written right behind it.
  bool (*is_sound)(const json::Value& record);

  /// The keys that occur twice where it matters: the last of each counts.
  std::vector<std::string> (*duplicate_keys)(const json::Value& record);

  /// May a record be an array, too?
  bool takes_arrays = false;
};

/// Keys that occur twice in one object, of the record or down to three levels within it.
std::vector<std::string> duplicate_keys(const json::Value& record);

/// Adds the keys that occur twice in `object` itself to `found`.
void collect_duplicate_keys(const json::Value& object, std::vector<std::string>& found);

/// Reads the records of one line after the other: one as a rule, several where
/// they were glued together, none where nothing can be read. What cannot be read,
/// and what is odd, is remarked on with its place.
class LineRecords {
 public:
  LineRecords(std::string source, const RecordRules& rules, LossReport& report)
      : source_(std::move(source)), rules_(rules), report_(report) {}

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
  RecordRules rules_;
  LossReport& report_;
  json::Document document_;
};

/// A record that was read before and kept as text, which the answer borrows.
json::Document read_again(const std::string& record);

/// Has a string in this JSON text half a surrogate pair as an escape?
bool has_lone_surrogate(std::string_view json_text);

}  // namespace spoor::import
