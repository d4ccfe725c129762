#include "llm/structured.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/json/finder.h"
#include "base/json/reader.h"
#include "base/json/writer.h"
#include "llm/json_values.h"

namespace spoor::llm {
namespace {

using json::append_compact;
using json::Document;
using json::Finder;
using json::Object;
using json::Value;

// Sources: platform.openai.com/docs/guides/structured-outputs,
// platform.claude.com/docs/en/build-with-claude/structured-outputs,
// ai.google.dev/api/generate-content (GenerationConfig), docs.ollama.com/capabilities/
// structured-outputs, api-docs.deepseek.com/guides/json_mode.

std::string compact(const Value& value) {
  std::string out;
  append_compact(out, value);
  return out;
}

// ---- Limits of the wires ----

bool is_one_of(std::string_view word, std::span<const std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

// Keywords that contain schemas: by name, in a list, or a single one.
constexpr std::array<std::string_view, 3> kByName = {"properties", "$defs", "definitions"};
constexpr std::array<std::string_view, 4> kInList = {"anyOf", "allOf", "oneOf", "prefixItems"};
constexpr std::array<std::string_view, 3> kSingle = {"items", "additionalProperties", "not"};

// Calls `visit` for each direct subschema of `schema`.
template <class Visit>
void for_each_inside(const Value& schema, Visit visit) {
  for (const auto& [key, value] : schema.members()) {
    const std::string word = key.text();
    if (is_one_of(word, kByName)) {
      for (const auto& [name, member] : value.members()) visit(member);
    } else if (is_one_of(word, kInList)) {
      for (const Value element : value.elements()) visit(element);
    } else if (is_one_of(word, kSingle) && value.is_object()) {
      visit(value);
    }
  }
}

bool may_be_object(const Value& schema) {
  const Value type = schema.find("type");
  if (type.is_string()) return type.equals("object");
  if (type.is_array()) {
    for (const Value word : type.elements()) {
      if (word.equals("object")) return true;
    }
    return false;
  }
  return static_cast<bool>(schema.find("properties"));
}

bool is_closed_object(const Value& schema) {
  if (!schema.find("additionalProperties").is_false()) return false;
  std::set<std::string> required;
  if (const Value names = schema.find("required")) {
    for (const Value name : names.elements()) required.insert(name.text());
  }
  if (const Value properties = schema.find("properties")) {
    for (const auto& [name, member] : properties.members()) {
      if (!required.contains(name.text())) return false;
    }
  }
  return true;
}

bool is_closed_inside(const Value& schema) {
  constexpr std::array<std::string_view, 6> kRefused = {"allOf",       "oneOf",       "not",
                                                        "prefixItems", "uniqueItems", "nullable"};
  if (!schema.is_object()) return false;
  for (const std::string_view word : kRefused) {
    if (schema.find(word)) return false;
  }
  if (may_be_object(schema) && !is_closed_object(schema)) return false;
  bool is_closed = true;
  for_each_inside(schema, [&](const Value& inner) { is_closed &= is_closed_inside(inner); });
  return is_closed;
}

// Finds schemas with a $ref to themselves or to a schema around them.
class Circles {
 public:
  explicit Circles(const Schema& schema) : schema_(schema) {}

  bool are_in(const Value& schema) {
    if (!schema.is_object() || done_.contains(schema.offset())) return false;
    if (open_.size() >= kDeepest) return true;  // Too deep: treated as endless.
    if (!open_.insert(schema.offset()).second) return true;
    bool found = false;
    if (const Value target = schema_.target_of(schema)) found = are_in(target);
    for_each_inside(schema, [&](const Value& inner) { found = found || are_in(inner); });
    open_.erase(schema.offset());
    done_.insert(schema.offset());
    return found;
  }

 private:
  static constexpr std::size_t kDeepest = 200;

  const Schema& schema_;
  std::set<std::size_t> open_;
  std::set<std::size_t> done_;
};

// True if the schema contains anything that Anthropic rejects, such as an object with members other
// than the named ones.
bool is_beyond_anthropic(const Value& schema) {
  constexpr std::array<std::string_view, 4> kNotTaken = {"oneOf", "not", "prefixItems", "nullable"};
  for (const std::string_view word : kNotTaken) {
    if (schema.find(word)) return true;
  }
  const Value others = schema.find("additionalProperties");
  if (others && !others.is_false()) return true;
  if (may_be_object(schema) && !others && !schema.find("properties")) return true;
  bool found = false;
  for_each_inside(schema, [&](const Value& inner) { found = found || is_beyond_anthropic(inner); });
  return found;
}

// Appends a schema in Anthropic's form: without bounds, objects closed.
void append_for_anthropic(std::string& out, const Value& schema) {
  constexpr std::array<std::string_view, 13> kBounds = {"minimum",
                                                        "maximum",
                                                        "exclusiveMinimum",
                                                        "exclusiveMaximum",
                                                        "multipleOf",
                                                        "minLength",
                                                        "maxLength",
                                                        "minItems",
                                                        "maxItems",
                                                        "minProperties",
                                                        "maxProperties",
                                                        "uniqueItems",
                                                        "additionalProperties"};
  if (!schema.is_object()) {
    append_compact(out, schema);
    return;
  }
  char before = '{';
  const auto member = [&](std::string_view word) {
    out.push_back(std::exchange(before, ','));
    json::append_string(out, word);
    out.push_back(':');
  };
  for (const auto& [key, value] : schema.members()) {
    const std::string word = key.text();
    if (is_one_of(word, kBounds) || value.offset() != schema.find(word).offset()) continue;
    member(word);
    if (is_one_of(word, kByName)) {
      char between = '{';
      for (const auto& [name, inner] : value.members()) {
        out.push_back(std::exchange(between, ','));
        json::append_string(out, name.text());
        out.push_back(':');
        append_for_anthropic(out, inner);
      }
      if (between == '{') out.push_back('{');
      out.push_back('}');
    } else if (is_one_of(word, kInList)) {
      char between = '[';
      for (const Value inner : value.elements()) {
        out.push_back(std::exchange(between, ','));
        append_for_anthropic(out, inner);
      }
      out.push_back(']');
    } else if (is_one_of(word, kSingle)) {
      append_for_anthropic(out, value);
    } else {
      append_compact(out, value);
    }
  }
  if (may_be_object(schema)) {
    member("additionalProperties");
    out += "false";
  }
  if (before == '{') out.push_back('{');
  out.push_back('}');
}

std::string told(const Schema& schema) {
  return "Answer with one JSON value and nothing else: no explanation, no code fence. It must fit "
         "this JSON Schema:\n" +
         compact(schema.root());
}

StructuredRequest ask_anthropic(const Schema& schema) {
  const Value root = schema.root();
  const bool is_taken =
      root.is_object() && !is_beyond_anthropic(root) && !Circles(schema).are_in(root);
  if (!is_taken) return {"{}", told(schema)};
  std::string sent;
  append_for_anthropic(sent, root);
  Object format;
  format.add_string("type", "json_schema");
  format.add_json("schema", std::move(sent));
  return {json::write_object("output_config", json::write_object("format", format.write())), ""};
}

// Returns the description of a schema, which is the same for both OpenAI wires.
Object named_schema(const Schema& schema, std::string_view name) {
  Object object;
  object.add_string("name", name);
  object.add_json("schema", compact(schema.root()));
  object.add_boolean("strict", is_closed(schema));
  return object;
}

StructuredRequest ask_chat(const Profile& profile, const Schema& schema, std::string_view name) {
  Object format;
  if (profile.name == "deepseek") {
    format.add_string("type", "json_object");
    return {json::write_object("response_format", format.write()), told(schema)};
  }
  format.add_string("type", "json_schema");
  format.add_json("json_schema", named_schema(schema, name).write());
  return {json::write_object("response_format", format.write()), ""};
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

// ---- Merging ----

void append_merged(std::string& out, const Value& a, const Value& b) {
  if (!a.is_object() || !b.is_object()) return append_compact(out, b);
  char before = '{';
  const auto member = [&](const std::string& name, const Value& ours, const Value& theirs) {
    out.push_back(std::exchange(before, ','));
    json::append_string(out, name);
    out.push_back(':');
    if (!theirs) return append_compact(out, ours);
    append_merged(out, ours, theirs);
  };
  std::set<std::string> done;
  for (const auto& [key, unused] : a.members()) {
    const std::string name = key.text();
    if (done.insert(name).second) member(name, a.find(name), b.find(name));
  }
  for (const auto& [key, unused] : b.members()) {
    const std::string name = key.text();
    if (done.insert(name).second) member(name, Value(), b.find(name));
  }
  if (before == '{') out.push_back('{');
  out.push_back('}');
}

}  // namespace

Result<StructuredRequest> ask_for(const Profile& profile, const Schema& schema,
                                  std::string_view name) {
  if (!is_name(name)) {
    return invalid(fmt::format("a schema cannot be named '{}'", name),
                   "use letters, digits, '_' and '-', at most 64");
  }
  switch (profile.wire) {
    case Wire::openai_chat:
      return ask_chat(profile, schema, name);
    case Wire::openai_responses: {
      Object format = named_schema(schema, name);
      format.add_string("type", "json_schema");
      return StructuredRequest{
          json::write_object("text", json::write_object("format", format.write())), ""};
    }
    case Wire::anthropic:
      return ask_anthropic(schema);
    case Wire::gemini: {
      Object config;
      config.add_string("responseMimeType", "application/json");
      config.add_json("responseJsonSchema", compact(schema.root()));
      return StructuredRequest{json::write_object("generationConfig", config.write()), ""};
    }
    case Wire::ollama:
      return StructuredRequest{json::write_object("format", compact(schema.root())), told(schema)};
  }
  return invalid("unknown wire");
}

bool is_closed(const Schema& schema) {
  const Value root = schema.root();
  return root.find("type").equals("object") && !root.find("anyOf") && is_closed_inside(root) &&
         schema.unchecked().empty();
}

Result<std::string> merge_params(std::string_view params, std::string_view more) {
  const Document a = TRY(json::parse(params));
  const Document b = TRY(json::parse(more));
  if (!a.root().is_object() || !b.root().is_object()) {
    return invalid("the parameters of a request are not a JSON object",
                   R"(write such as {"temperature":0})");
  }
  std::string out;
  append_merged(out, a.root(), b.root());
  return out;
}

Result<StructuredAnswer> read_structured(std::string_view text, const Schema& schema) {
  std::vector<std::string_view> values;
  const std::string_view whole = without_preface(text);
  if (const auto document = json::parse(whole)) {
    values.push_back(document->root().raw());
  } else {
    values = json_values(text);
    Finder finder(whole);
    std::size_t from = 0;
    while (const Value list = finder.first_of("[", from)) {
      values.push_back(list.raw());
      from = finder.end_of(list);
    }
  }
  StructuredAnswer first;
  for (const std::string_view value : values) {
    StructuredAnswer answer;
    answer.json = value;
    answer.problems = TRY(schema.check_text(value));
    if (answer.fits()) return answer;
    if (first.json.empty()) first = std::move(answer);
  }
  return first;
}

std::string nudge(const StructuredAnswer& answer) {
  constexpr std::string_view kAgain = "Answer again with the JSON value alone.";
  if (answer.json.empty()) return fmt::format("Your answer holds no JSON value. {}", kAgain);
  std::string text = "Your answer does not fit the JSON Schema:\n";
  for (const SchemaProblem& problem : answer.problems) text += "- " + problem.text() + "\n";
  return text.append(kAgain);
}

}  // namespace spoor::llm
