#include "guard/check/run_constraints.h"

#include <utility>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "guard/check/event.h"

namespace spoor::guard::check {

Result<Rules> RunConstraints::rules() const {
  Rules typed;
  for (const std::string& text : texts) {
    typed.rules.push_back(TRY(constraint_from_text(text, typed.rules.size() + 1)));
  }
  if (file.empty()) return typed;
  return joined(TRY(read_constraints(file, "constraints")), std::move(typed));
}

std::string write_run_constraints(const RunConstraints& kept) {
  json::Object object;
  if (!kept.file.empty()) object.add_string("file", kept.file);
  if (!kept.texts.empty()) object.add_json("texts", json::write_strings(kept.texts));
  if (kept.is_enforced) object.add_boolean("enforce", true);
  return object.write();
}

RunConstraints read_run_constraints(std::string_view options) {
  RunConstraints kept;
  const auto document = json::parse(options);
  if (!document) return kept;
  const json::Value object = document->root().find("caller").find("constraints");
  kept.file = object.find("file").text();
  for (const json::Value text : object.find("texts").elements()) kept.texts.push_back(text.text());
  kept.is_enforced = object.find("enforce").is_true();
  return kept;
}

std::vector<Constraint> constraints_in(std::string_view options) {
  const auto rules = read_run_constraints(options).rules();
  if (rules) return rules->constraints();
  return {{kUnknown, Constraint::Type::other, kUnknown}};
}

}  // namespace spoor::guard::check
