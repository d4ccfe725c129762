#include "tests/vectors_runner/rename.h"

namespace spoor::vectors {
namespace {

constexpr std::string_view kPrefix = "other_";

std::string rename(const std::string& name) { return std::string(kPrefix) + name; }

// Every `$name`; a `$$` stays, as does a `$` before anything else.
std::string rename_references(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] != '$' || i + 1 == text.size()) continue;
    if (text[i + 1] == '$') {
      out += text[++i];
    } else if (text[i + 1] >= 'a' && text[i + 1] <= 'z') {
      out += kPrefix;
    }
  }
  return out;
}

Json rename_deep(const Json& value) {
  if (value.is_string()) return rename_references(value.get<std::string>());
  if (!value.is_array() && !value.is_object()) return value;
  Json copy = value;
  for (auto& item : copy) item = rename_deep(item);
  return copy;
}

bool is_state(const std::string& path) {
  return path == "head" || path == "branch" || path == "detached" || path == "branches" ||
         path == "tags";
}

Json rename_expectations(const Json& expect) {
  Json copy = Json::object();
  for (const auto& [key, value] : expect.items()) {
    std::string name = key;
    if (key.starts_with("exists.")) {
      name = rename_references(key);
    } else if (!is_state(parse_key(key).path)) {
      name = rename(key);
    }
    copy[name] = rename_deep(value);
  }
  return copy;
}

Json rename_op(const Json& op) {
  Json copy = op;
  for (auto& [field, value] : copy.items()) {
    if (takes_references(op, field)) value = rename_deep(value);
  }
  if (op.contains("id")) copy["id"] = rename(op["id"]);
  if (op.contains("that")) copy["that"] = rename_expectations(op["that"]);
  if (op.contains("do")) copy["do"] = rename_op(op["do"]);
  if (op.contains("ops")) {
    for (auto& inner : copy["ops"]) inner = rename_op(Json(inner));
  }
  return copy;
}

}  // namespace

Vector renamed(const Vector& vector) {
  Vector copy{vector.name, Json::array(), rename_expectations(vector.expect)};
  for (const Json& op : vector.ops) copy.ops.push_back(rename_op(op));
  return copy;
}

}  // namespace spoor::vectors
