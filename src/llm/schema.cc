#include "llm/schema.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/json/equal.h"
#include "base/json/writer.h"
#include "base/text.h"

namespace spoor::llm {

using json::Document;
using json::Type;
using json::Value;

struct Schema::Parts {
  std::string text;
  Document document;
  std::map<std::size_t, Value> targets;  // The target of each $ref, by the offset of its schema.
  std::vector<std::string> unchecked;
};

namespace {

// ---- Keywords ----

// The value that a keyword must have to be checked.
enum class Takes {
  schema,
  schemas,           // a list of them, not empty
  schemas_by_name,   // an object of them
  schema_or_others,  // a schema; anything else is not checked
  types,             // a type's name, or a list of them
  names,             // a list of strings
  values,            // a list of anything
  value,
  count,
  number,
  number_or_others,  // a number; anything else is not checked
  boolean,
  reference,
};

struct Keyword {
  std::string_view name;
  Takes takes;
};

constexpr std::array kKeywords = {
    Keyword{"$defs", Takes::schemas_by_name},
    Keyword{"$ref", Takes::reference},
    Keyword{"additionalProperties", Takes::schema},
    Keyword{"allOf", Takes::schemas},
    Keyword{"anyOf", Takes::schemas},
    Keyword{"const", Takes::value},
    Keyword{"definitions", Takes::schemas_by_name},
    Keyword{"enum", Takes::values},
    Keyword{"exclusiveMaximum", Takes::number_or_others},
    Keyword{"exclusiveMinimum", Takes::number_or_others},
    Keyword{"items", Takes::schema_or_others},
    Keyword{"maxItems", Takes::count},
    Keyword{"maxLength", Takes::count},
    Keyword{"maxProperties", Takes::count},
    Keyword{"maximum", Takes::number},
    Keyword{"minItems", Takes::count},
    Keyword{"minLength", Takes::count},
    Keyword{"minProperties", Takes::count},
    Keyword{"minimum", Takes::number},
    Keyword{"not", Takes::schema},
    Keyword{"nullable", Takes::boolean},
    Keyword{"oneOf", Takes::schemas},
    Keyword{"prefixItems", Takes::schemas},
    Keyword{"properties", Takes::schemas_by_name},
    Keyword{"required", Takes::names},
    Keyword{"type", Takes::types},
    Keyword{"uniqueItems", Takes::boolean},
};

// Keywords without constraints.
constexpr std::array<std::string_view, 13> kRemarks = {
    "$comment", "$schema",  "default",          "deprecated", "description", "example", "examples",
    "id",       "readOnly", "propertyOrdering", "title",      "writeOnly",   "strict"};

constexpr std::array<std::string_view, 7> kTypes = {"array",  "boolean", "integer", "null",
                                                    "number", "object",  "string"};

bool is_type(std::string_view word) { return std::ranges::find(kTypes, word) != kTypes.end(); }

bool is_schema(const Value& value) { return value.is_object() || value.is(Type::boolean); }

bool all_elements(const Value& list, bool (*holds)(const Value&)) {
  if (!list.is_array()) return false;
  for (const Value element : list.elements()) {
    if (!holds(element)) return false;
  }
  return true;
}

bool is_a_type(const Value& value) { return value.is_string() && is_type(value.text()); }
bool is_a_string(const Value& value) { return value.is_string(); }

bool is_understood(Takes takes, const Value& value) {
  switch (takes) {
    case Takes::schema:
      return is_schema(value);
    case Takes::schemas:
      return value.size() > 0 && all_elements(value, is_schema);
    case Takes::schemas_by_name:
      if (!value.is_object()) return false;
      for (const auto& [key, member] : value.members()) {
        if (!is_schema(member)) return false;
      }
      return true;
    case Takes::schema_or_others:
    case Takes::number_or_others:
    case Takes::value:
      return true;
    case Takes::types:
      return is_a_type(value) || all_elements(value, is_a_type);
    case Takes::names:
      return all_elements(value, is_a_string);
    case Takes::values:
      return value.is_array();
    case Takes::count:
      return value.is_number() && json::is_whole(value.raw()) &&
             json::compare_numbers(value.raw(), "0") >= 0;
    case Takes::number:
      return value.is_number();
    case Takes::boolean:
      return value.is(Type::boolean);
    case Takes::reference:
      return value.is_string();
  }
  return false;
}

// ---- Pointers ----

std::string pointer_token(std::string name) {
  return replaced(replaced(std::move(name), "~", "~0"), "/", "~1");
}

// Decodes `%24` and other escapes of a pointer in a URI.
std::string without_percents(std::string_view text) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 &&
        digit(text[i + 2]) >= 0) {
      out.push_back(static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2])));
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

Value element_at(const Value& array, std::string_view index) {
  std::size_t wanted = 0;
  if (index.empty() || index.size() > 9) return {};
  for (const char c : index) {
    if (c < '0' || c > '9') return {};
    wanted = wanted * 10 + static_cast<std::size_t>(c - '0');
  }
  for (const Value element : array.elements()) {
    if (wanted-- == 0) return element;
  }
  return {};
}

// Returns the value that `reference` (`#`, `#/a/b`) points to in `root`; missing if there is none.
Value look_up(const Value& root, std::string_view reference) {
  if (!reference.starts_with('#')) return {};
  const std::string pointer = without_percents(reference.substr(1));
  Value at = root;
  std::string_view rest = pointer;
  while (!rest.empty() && at) {
    if (rest.front() != '/') return {};
    rest.remove_prefix(1);
    const std::size_t end = std::min(rest.find('/'), rest.size());
    const std::string token =
        replaced(replaced(std::string(rest.substr(0, end)), "~1", "/"), "~0", "~");
    rest.remove_prefix(end);
    at = at.is_array() ? element_at(at, token) : at.find(token);
  }
  return at;
}

// ---- Reading a schema ----

// Visits all schemas that can be reached from a root, and checks their keywords.
class Reader {
 public:
  Reader(Value root, std::map<std::size_t, Value>& targets) : root_(root), targets_(targets) {}

  Result<void> run() {
    visit(root_, "");
    while (!waiting_.empty()) {
      const auto [schema, path] = std::move(waiting_.back());
      waiting_.pop_back();
      TRY(read(schema, path));
    }
    return {};
  }

  std::vector<std::string> unchecked() const { return {unchecked_.begin(), unchecked_.end()}; }

 private:
  void visit(const Value& schema, std::string path) {
    if (!schema.is_object() || !seen_.insert(schema.offset()).second) return;
    waiting_.emplace_back(schema, std::move(path));
  }

  Result<void> read(const Value& schema, const std::string& path) {
    for (const auto& [key, value] : schema.members()) {
      const std::string name = key.text();
      const std::string place = path + "/" + pointer_token(name);
      const auto keyword = std::ranges::find(kKeywords, std::string_view(name), &Keyword::name);
      if (keyword == kKeywords.end()) {
        const bool is_remark = std::ranges::find(kRemarks, name) != kRemarks.end();
        if (!is_remark) unchecked_.insert(name);
        continue;
      }
      if (!is_understood(keyword->takes, value)) {
        return invalid(fmt::format("the schema's '{}' is not understood", place),
                       "look up the keyword at json-schema.org");
      }
      TRY(follow(*keyword, schema, value, place));
    }
    return {};
  }

  Result<void> follow(const Keyword& keyword, const Value& schema, const Value& value,
                      const std::string& place) {
    switch (keyword.takes) {
      case Takes::schema:
        visit(value, place);
        break;
      case Takes::schema_or_others:
        if (is_schema(value)) {
          visit(value, place);
        } else {
          unchecked_.insert(std::string(keyword.name));
        }
        break;
      case Takes::number_or_others:
        if (!value.is_number()) unchecked_.insert(std::string(keyword.name));
        break;
      case Takes::schemas: {
        std::size_t index = 0;
        for (const Value element : value.elements()) {
          visit(element, fmt::format("{}/{}", place, index++));
        }
        break;
      }
      case Takes::schemas_by_name:
        for (const auto& [name, member] : value.members()) {
          visit(member, place + "/" + pointer_token(name.text()));
        }
        break;
      case Takes::reference: {
        const Value target = look_up(root_, value.text());
        if (!is_schema(target)) {
          return invalid(
              fmt::format("the schema's '{}' refers to '{}', which is not a schema in it", place,
                          value.text()),
              "move that schema to '$defs' and write '#/$defs/NAME'");
        }
        targets_[schema.offset()] = target;
        visit(target, value.text().substr(1));
        break;
      }
      case Takes::types:
      case Takes::names:
      case Takes::values:
      case Takes::value:
      case Takes::count:
      case Takes::number:
      case Takes::boolean:
        break;
    }
    return {};
  }

  Value root_;
  std::map<std::size_t, Value>& targets_;
  std::set<std::size_t> seen_;
  std::vector<std::pair<Value, std::string>> waiting_;
  std::set<std::string> unchecked_;
};

// ---- Checking a value ----

constexpr std::size_t kMaxSteps = 20'000'000;  // some seconds in the worst case
constexpr int kMaxDepth = 500;                 // of recursion

std::string_view kind_of(const Value& value) { return json::name_of(value.type()); }

// True if `value` has the type `word`.
bool is_of(std::string_view word, const Value& value) {
  if (word == "integer") return value.is_number() && json::is_whole(value.raw());
  return word == kind_of(value);
}

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

// Returns a value for a message: short, on one line.
std::string shown(const Value& value) {
  constexpr std::size_t kMost = 60;
  std::string text;
  json::append_compact(text, value);
  if (text.size() <= kMost) return text;
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return text.substr(0, end) + "…";
}

class Check {
 public:
  explicit Check(const Schema& schema) : schema_(schema) {}

  // Checks `value` against `schema` and adds the problems. too_much() is true if it gave up.
  void run(const Value& schema, const Value& value) {
    if (is_done()) return;
    if (depth_ == kMaxDepth) too_much_ = true;
    if (!pay(1 + schema.size() / 4)) return;
    if (!schema.is_object()) {
      if (schema.is_false()) add("nothing is allowed here");
      return;
    }
    ++depth_;
    keywords(schema, value);
    --depth_;
  }

  bool too_much() const { return too_much_; }
  std::vector<SchemaProblem> take() { return std::move(problems_); }

 private:
  bool is_done() const { return too_much_ || problems_.size() >= Schema::kMaxProblems; }

  // Counts work before it is done. Returns false if the limit is exceeded.
  bool pay(std::size_t steps) {
    steps_ += steps;
    if (steps_ > kMaxSteps) too_much_ = true;
    return !too_much_;
  }

  void add(std::string message) {
    if (problems_.size() < Schema::kMaxProblems) problems_.push_back({path_, std::move(message)});
  }

  void keywords(const Value& schema, const Value& value) {
    if (schema.find("nullable").is_true() && value.type() == Type::null) return;
    if (const Value target = schema_.target_of(schema)) run(target, value);
    const bool is_right_type = check_type(schema, value);
    check_given(schema, value);
    if (is_right_type) {
      if (value.is_object()) check_object(schema, value);
      if (value.is_array()) check_array(schema, value);
      if (value.is_string()) check_string(schema, value);
      if (value.is_number()) check_number(schema, value);
    }
    check_combined(schema, value);
  }

  // Returns false if the type is wrong, so that its details are not checked.
  bool check_type(const Value& schema, const Value& value) {
    const Value types = schema.find("type");
    if (!types) return true;
    std::string expected;
    const auto fits = [&](const Value& type) {
      const std::string word = type.text();
      if (is_of(word, value)) return true;
      if (!expected.empty()) expected += " or ";
      expected += word;
      return false;
    };
    if (types.is_string()) {
      if (fits(types)) return true;
    } else {
      if (!pay(types.size())) return true;
      for (const Value type : types.elements()) {
        if (fits(type)) return true;
      }
    }
    add(fmt::format("expected {}, got {}", expected, kind_of(value)));
    return false;
  }

  // Checks `enum` and `const`.
  void check_given(const Value& schema, const Value& value) {
    if (const Value constant = schema.find("const")) {
      if (!are_equal(constant, value)) add(fmt::format("expected {}", shown(constant)));
    }
    const Value choices = schema.find("enum");
    if (!choices) return;
    std::string listed;
    for (const Value choice : choices.elements()) {
      if (too_much_ || are_equal(choice, value)) return;
      if (listed.size() < 200) {
        listed += (listed.empty() ? "" : ", ") + shown(choice);
      } else if (!listed.ends_with("…")) {
        listed += ", …";
      }
    }
    add(fmt::format("expected one of {}, got {}", listed, shown(value)));
  }

  bool are_equal(const Value& a, const Value& b) {
    const std::size_t size = std::min(a.raw().size(), b.raw().size());
    // Comparing members takes quadratic time, so the size is squared; small for scalars.
    const bool is_deep = a.is_object() || a.is_array();
    if (!pay(1 + (is_deep ? size * size / 256 : size / 16))) return false;
    return json::equal(a, b);
  }

  // Checks a count against its lower and upper bound.
  void check_count(const Value& schema, std::size_t count, const char* least, const char* most,
                   std::string_view what) {
    const std::string token = fmt::format("{}", count);
    if (const Value bound = schema.find(least);
        bound && json::compare_numbers(token, bound.raw()) < 0) {
      add(fmt::format("expected at least {} {}, got {}", shown(bound), what, count));
    }
    if (const Value bound = schema.find(most);
        bound && json::compare_numbers(token, bound.raw()) > 0) {
      add(fmt::format("expected at most {} {}, got {}", shown(bound), what, count));
    }
  }

  void inside(const std::string& step, const Value& schema, const Value& value) {
    const std::size_t before = path_.size();
    path_ += "/" + pointer_token(step);
    run(schema, value);
    path_.resize(before);
  }

  void check_object(const Value& schema, const Value& object) {
    const Value properties = schema.find("properties");
    const Value others = schema.find("additionalProperties");
    std::map<std::string, Value> members;  // The last of duplicate names counts.
    for (const auto& [key, value] : object.members()) members[key.text()] = value;
    if (!pay(members.size() * (8 + properties.size()) / 8)) return;

    check_count(schema, members.size(), "minProperties", "maxProperties", "members");
    if (const Value required = schema.find("required")) {
      for (const Value name : required.elements()) {
        if (!members.contains(name.text())) add(fmt::format("'{}' is missing", name.text()));
      }
    }
    for (const auto& [key, unused] : object.members()) {
      if (is_done()) return;
      const auto member = members.extract(key.text());
      if (member.empty()) continue;  // Already checked.
      if (const Value property = properties.find(member.key())) {
        inside(member.key(), property, member.mapped());
      } else if (others.is_false()) {
        add(fmt::format("'{}' is not allowed", member.key()));
      } else if (others.is_object()) {
        inside(member.key(), others, member.mapped());
      }
    }
  }

  void check_array(const Value& schema, const Value& array) {
    const std::size_t size = array.size();
    check_count(schema, size, "minItems", "maxItems", "elements");
    if (schema.find("uniqueItems").is_true()) check_unique(array);
    const Value prefix = schema.find("prefixItems");
    const Value items = schema.find("items");
    std::vector<Value> first;
    if (prefix) {
      for (const Value element : prefix.elements()) first.push_back(element);
    }
    std::size_t index = 0;
    for (const Value element : array.elements()) {
      if (is_done()) return;
      const Value& own = index < first.size() ? first[index] : items;
      if (is_schema(own)) inside(fmt::format("{}", index), own, element);
      ++index;
    }
  }

  void check_unique(const Value& array) {
    std::vector<Value> before;
    for (const Value element : array.elements()) {
      for (const Value& other : before) {
        if (too_much_) return;
        if (are_equal(other, element)) return add("expected no element twice");
      }
      before.push_back(element);
    }
  }

  void check_string(const Value& schema, const Value& string) {
    if (!schema.find("minLength") && !schema.find("maxLength")) return;
    check_count(schema, code_points(string.text()), "minLength", "maxLength", "characters");
  }

  void check_number(const Value& schema, const Value& number) {
    const auto order = [&](const Value& bound) {
      return json::compare_numbers(number.raw(), bound.raw());
    };
    if (const Value bound = schema.find("minimum"); bound && order(bound) < 0) {
      add(fmt::format("expected at least {}, got {}", shown(bound), shown(number)));
    }
    if (const Value bound = schema.find("maximum"); bound && order(bound) > 0) {
      add(fmt::format("expected at most {}, got {}", shown(bound), shown(number)));
    }
    if (const Value bound = schema.find("exclusiveMinimum");
        bound.is_number() && order(bound) <= 0) {
      add(fmt::format("expected more than {}, got {}", shown(bound), shown(number)));
    }
    if (const Value bound = schema.find("exclusiveMaximum");
        bound.is_number() && order(bound) >= 0) {
      add(fmt::format("expected less than {}, got {}", shown(bound), shown(number)));
    }
  }

  // Returns the problems of `value` under another schema, without adding them to ours.
  std::vector<SchemaProblem> apart(const Value& schema, const Value& value) {
    std::vector<SchemaProblem> ours;
    std::swap(ours, problems_);
    run(schema, value);
    std::swap(ours, problems_);
    return ours;
  }

  void check_combined(const Value& schema, const Value& value) {
    if (const Value all = schema.find("allOf")) {
      for (const Value one : all.elements()) run(one, value);
    }
    if (const Value any = schema.find("anyOf")) check_alternatives(any, value, false);
    if (const Value one = schema.find("oneOf")) check_alternatives(one, value, true);
    if (const Value other = schema.find("not")) {
      if (apart(other, value).empty() && !too_much_) add("fits a schema that it must not fit");
    }
  }

  void check_alternatives(const Value& alternatives, const Value& value, bool is_only_one) {
    std::size_t fitting = 0;
    std::vector<SchemaProblem> nearest;
    for (const Value alternative : alternatives.elements()) {
      std::vector<SchemaProblem> problems = apart(alternative, value);
      if (too_much_) return;
      if (problems.empty()) {
        ++fitting;
        if (!is_only_one) return;
      } else if (nearest.empty() || problems.front().path.size() > nearest.front().path.size()) {
        nearest = std::move(problems);  // The alternative whose first problem is deepest.
      }
    }
    if (fitting == 1) return;
    if (fitting > 1) {
      return add(fmt::format("fits {} of the alternatives, expected one", fitting));
    }
    add(fmt::format("fits none of {} alternatives; of the nearest one: {}", alternatives.size(),
                    nearest.front().text()));
  }

  const Schema& schema_;
  std::string path_;
  std::vector<SchemaProblem> problems_;
  std::size_t steps_ = 0;
  int depth_ = 0;
  bool too_much_ = false;
};

}  // namespace

std::string SchemaProblem::text() const {
  return (path.empty() ? "the value" : path) + ": " + message;
}

Result<Schema> Schema::parse(std::string_view text) {
  if (text.size() > kMaxText) {
    return invalid("the schema is longer than 1 MiB", "use a smaller one");
  }
  auto parts = std::make_unique<Parts>();
  parts->text = text;
  parts->document = TRY(json::parse(parts->text));
  const Value root = parts->document.root();
  if (!is_schema(root)) {
    return invalid(fmt::format("a schema is an object, not {}", kind_of(root)),
                   R"(write such as {"type":"object","properties":{}})");
  }
  Reader reader(root, parts->targets);
  TRY(reader.run());
  parts->unchecked = reader.unchecked();
  return Schema(std::move(parts));
}

Schema::Schema(std::unique_ptr<const Parts> parts) : parts_(std::move(parts)) {}
Schema::Schema(Schema&&) noexcept = default;
Schema& Schema::operator=(Schema&&) noexcept = default;
Schema::~Schema() = default;

Result<std::vector<SchemaProblem>> Schema::check(const Value& value) const {
  Check check(*this);
  check.run(root(), value);
  if (check.too_much()) {
    return denied("the schema asks for too much work to check this value",
                  "use fewer alternatives and less nesting in the schema");
  }
  return check.take();
}

Result<std::vector<SchemaProblem>> Schema::check_text(std::string_view json) const {
  const Document document = TRY(json::parse(json));
  return check(document.root());
}

const std::vector<std::string>& Schema::unchecked() const { return parts_->unchecked; }

Value Schema::root() const { return parts_->document.root(); }

Value Schema::target_of(const Value& schema) const {
  const auto found = parts_->targets.find(schema.offset());
  return found == parts_->targets.end() ? Value() : found->second;
}

}  // namespace spoor::llm
