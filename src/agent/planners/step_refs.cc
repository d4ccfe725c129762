#include "agent/planners/step_refs.h"

#include <charconv>

#include <fmt/format.h>

#include "base/json/reader.h"
#include "base/json/writer.h"

namespace spoor::agent::planners {
namespace {

using json::Value;

constexpr std::string_view kOutput = ".output";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// `$2.output.name`, where it is in a text.
struct Reference {
  std::size_t begin = 0, end = 0;
  bool is_escaped = false;  // `$$2.output`
  std::string_view text;    // Without the escape.
  std::string_view digits;
  std::vector<std::string_view> path;
};

// Reads the reference at `at`, the place of a `$`.
std::optional<Reference> reference_at(std::string_view text, std::size_t at) {
  Reference reference{.begin = at};
  reference.is_escaped = text.substr(at + 1).starts_with('$');
  const std::size_t sign = reference.is_escaped ? at + 1 : at;
  std::size_t end = sign + 1;
  while (end < text.size() && is_digit(text[end])) ++end;
  reference.digits = text.substr(sign + 1, end - sign - 1);
  if (reference.digits.empty() || !text.substr(end).starts_with(kOutput)) return std::nullopt;
  end += kOutput.size();
  if (end < text.size() && is_word(text[end])) return std::nullopt;
  while (end + 1 < text.size() && text[end] == '.' && is_word(text[end + 1])) {
    std::size_t last = end + 1;
    while (last < text.size() && (is_word(text[last]) || text[last] == '-')) ++last;
    reference.path.push_back(text.substr(end + 1, last - end - 1));
    end = last;
  }
  reference.end = end;
  reference.text = text.substr(sign, end - sign);
  return reference;
}

std::optional<Reference> next_reference(std::string_view text, std::size_t at) {
  while ((at = text.find('$', at)) != std::string_view::npos) {
    if (auto reference = reference_at(text, at)) return reference;
    ++at;
  }
  return std::nullopt;
}

std::optional<std::size_t> index_of(std::string_view digits) {
  std::size_t number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

Value element_of(const Value& value, std::string_view key) {
  if (!value.is_array()) return value.find(key);
  const auto index = index_of(key);
  std::size_t at = 0;
  for (const Value element : value.elements()) {
    if (index && at++ == *index) return element;
  }
  return {};
}

// Returns what a reference stands for, as canonical JSON.
Result<std::string> value_of(const Reference& reference, const StepOutputs& outputs) {
  const auto number = index_of(reference.digits);
  const bool exists = number && *number >= 1 && *number <= outputs.size();
  if (!exists) {
    return invalid(fmt::format(
        "'{}' names no earlier step: {}", reference.text,
        outputs.empty()
            ? "none has a result yet"
            : fmt::format("the steps before have the numbers 1 to {}", outputs.size())));
  }
  const auto& output = outputs[*number - 1];
  if (!output) {
    return invalid(fmt::format("'{}' cannot be used: the result of step {} is not known",
                               reference.text, *number));
  }
  if (reference.path.empty()) return *output;
  auto document = TRY(json::parse(*output));
  const std::string text = document.root().text();  // A tool may give JSON as text.
  if (document.root().is_string()) {
    auto inner = json::parse(text);
    if (inner) document = std::move(*inner);
  }
  Value at = document.root();
  for (const std::string_view key : reference.path) at = element_of(at, key);
  if (!at) {
    return invalid(fmt::format("'{}' does not exist: {}", reference.text,
                               document.root().is_object() || document.root().is_array()
                                   ? "the result of that step has no such member"
                                   : "the result of that step is not a JSON object or array"));
  }
  std::string found;
  json::append_canonical(found, at);
  return found;
}

std::string text_of(const std::string& json) {
  const auto document = json::parse(json);
  return document && document->root().is_string() ? document->root().text() : json;
}

Error too_long() {
  return invalid(
      fmt::format("with what its references stand for, it is longer than {} bytes", kMaxResolved));
}

// Copies a value, with its references replaced.
class Resolver {
 public:
  explicit Resolver(const StepOutputs& outputs) : outputs_(outputs) {}

  Result<std::string> resolve(const Value& value) {
    switch (value.type()) {
      case json::Type::string:
        return resolve_string(value.text());
      case json::Type::array: {
        std::vector<std::string> elements;
        for (const Value element : value.elements()) elements.push_back(TRY(resolve(element)));
        return json::write_array(elements);
      }
      case json::Type::object: {
        json::Object object;
        for (const json::Member member : value.members()) {
          object.add_json(member.key.text(), TRY(resolve(member.value)));
        }
        return object.write();
      }
      default: {
        std::string copy;
        json::append_canonical(copy, value);
        return copy;
      }
    }
  }

  Result<std::string> resolve_text(std::string_view text) {
    std::string out;
    std::size_t at = 0;
    while (const auto reference = next_reference(text, at)) {
      out += text.substr(at, reference->begin - at);
      out += reference->is_escaped ? std::string(reference->text)
                                   : text_of(TRY(value_of(*reference, outputs_)));
      if (out.size() > kMaxResolved) return too_long();
      at = reference->end;
    }
    return out.append(text.substr(at));
  }

 private:
  Result<std::string> resolve_string(const std::string& text) {
    const auto reference = next_reference(text, 0);
    const bool is_whole = reference && reference->begin == 0 && reference->end == text.size();
    std::string value = is_whole && !reference->is_escaped
                            ? TRY(value_of(*reference, outputs_))
                            : json::write_string(TRY(resolve_text(text)));
    size_ += value.size();
    if (size_ > kMaxResolved) return too_long();
    return value;
  }

  const StepOutputs& outputs_;
  std::size_t size_ = 0;  // All strings so far.
};

}  // namespace

Result<std::string> resolve_refs(const std::string& json, const StepOutputs& outputs) {
  const auto document = json::parse(json);
  if (!document || json.find(kOutput) == std::string::npos) return json;
  return Resolver(outputs).resolve(document->root());
}

Result<std::string> resolve_refs_in_text(std::string_view text, const StepOutputs& outputs) {
  return Resolver(outputs).resolve_text(text);
}

}  // namespace spoor::agent::planners
