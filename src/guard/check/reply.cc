#include "guard/check/reply.h"

#include <charconv>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/json/number.h"
#include "base/json/reader.h"
#include "base/json/writer.h"
#include "base/utf8.h"
#include "guard/check/action_effects.h"
#include "guard/check/event.h"
#include "guard/check/findings.h"
#include "llm/json_values.h"

namespace spoor::guard::check {

namespace {

constexpr std::size_t kMostViolations = 100;
constexpr std::size_t kMostText = 4'000;  // Code points.

Error wrong(std::string_view problem) {
  return invalid(fmt::format("cannot read the judgement: {}", problem),
                 "see docs/checks.md for its format");
}

Result<std::optional<double>> score_of(const json::Value& value) {
  if (!value) return std::optional<double>();
  if (value.type() == json::Type::null) return std::optional<double>();
  double score = -1;
  const std::string_view raw = value.raw();
  if (value.is_number()) std::from_chars(raw.data(), raw.data() + raw.size(), score);
  if (!(score >= 0 && score <= 1)) return wrong("'score' is not a number from 0 to 1");
  return std::optional(score);
}

// Returns a foreign text, cut if it is very long.
Result<std::string> text_of(const json::Value& value, const char* name, bool is_required) {
  if (!value && !is_required) return std::string();
  if (!value.is_string()) return wrong(fmt::format("'{}' is not a string", name));
  const std::string text = value.text();
  if (is_required && text.empty()) return wrong(fmt::format("'{}' is empty", name));
  return std::string(first_code_points(text, kMostText));
}

Result<Violation> read_violation(const json::Value& value) {
  if (!value.is_object()) return wrong("a violation is not an object");
  Violation violation;
  violation.id = TRY(text_of(value.find("id"), "id", true));
  violation.message = full_content(TRY(text_of(value.find("message"), "message", true)));
  violation.evidence = full_content(TRY(text_of(value.find("evidence"), "evidence", false)));
  if (const json::Value severity = value.find("severity")) {
    const auto read = trace::severity_from(severity.text());
    if (!read) return wrong("'severity' must be info, low, medium, high or critical");
    violation.severity = *read;
  }
  return violation;
}

Result<CheckResult> read_object(const json::Value& root) {
  if (!root.is_object()) return wrong("it is not an object");
  std::set<std::string> names;
  for (const json::Member member : root.members()) {
    if (!names.insert(member.key.text()).second) return wrong("it has a member twice");
  }
  CheckResult result;
  const auto status = trace::status_from(root.find("status").text());
  if (!status) return wrong("'status' must be pass, warn, fail or unknown");
  result.status = *status;
  result.score = TRY(score_of(root.find("score")));
  const json::Value violations = root.find("violations");
  const bool is_list = !violations || violations.is_array();
  if (!is_list) return wrong("'violations' is not a list");
  for (const json::Value each : violations.elements()) {
    if (result.violations.size() == kMostViolations) return wrong("too many violations");
    result.violations.push_back(TRY(read_violation(each)));
    const bool contradicts = *status == CheckStatus::pass &&
                             status_of(result.violations.back().severity) == CheckStatus::fail;
    if (contradicts) return wrong("'status' is pass, but a violation fails");
  }
  return result;
}

}  // namespace

Result<CheckResult> read_reply(std::string_view text) {
  if (text.size() > kMostReply) return wrong("it is too long");
  const auto document = json::parse(text);
  if (!document) return wrong(document.error().message);
  return read_object(document->root());
}

Result<CheckResult> read_reply_in(std::string_view text) {
  if (text.size() > kMostReply) return wrong("it is too long");
  std::optional<CheckResult> result;
  for (const std::string_view value : llm::json_values(text)) {
    const auto document = json::parse(value);
    if (!document || !document->root().find("status")) continue;
    CheckResult read = TRY(read_object(document->root()));
    // One of them may be quoted from what is judged.
    if (result && result->status != read.status) return wrong("it has two verdicts");
    result = std::move(read);
  }
  if (!result) return wrong("it contains no object with a 'status'");
  return std::move(*result);
}

std::string write_result(const CheckResult& result) {
  json::Object object;
  object.add_string("check", result.check);
  object.add_string("type", name_of(result.type));
  object.add_string("status", name_of(result.status));
  if (result.score) object.add_raw_token("score", json::write_number(*result.score));
  std::vector<std::string> violations;
  for (const Violation& violation : result.violations) {
    json::Object each;
    each.add_string("id", violation.id);
    each.add_string("severity", name_of(violation.severity));
    each.add_string("message", violation.message.text);
    if (!violation.evidence.text.empty()) each.add_string("evidence", violation.evidence.text);
    violations.push_back(each.write());
  }
  if (!violations.empty()) object.add_json("violations", json::write_array(violations));
  if (!result.by.empty()) object.add_string("by", result.by);
  return object.write();
}

Result<CheckResult> read_result(std::string_view text) {
  const auto document = json::parse(text);
  if (!document) return corrupt("a recorded judgement is not JSON");
  auto result = read_object(document->root());
  if (!result) return corrupt(result.error().message);
  result->check = document->root().find("check").text();
  result->type = trace::constraint_type_from(document->root().find("type").text())
                     .value_or(Constraint::Type::other);
  result->by = document->root().find("by").text();
  return result;
}

}  // namespace spoor::guard::check
