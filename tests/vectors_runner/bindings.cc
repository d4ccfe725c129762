#include "tests/vectors_runner/bindings.h"

#include <optional>

#include "tests/vectors_runner/format.h"

namespace spoor::vectors {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// A reference at the start of a text: how long it is, and its parts.
struct Reference {
  std::size_t length = 0;
  std::string path;                  // Without the `$`.
  std::optional<std::size_t> first;  // `[:n]`
};

std::size_t word_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && is_word(text[length])) ++length;
  return length;
}

// `[123]` or `[:123]` at the start of `text`; 0 when it is neither.
std::size_t bracket_length(std::string_view text, std::string_view open) {
  if (!text.starts_with(open)) return 0;
  std::size_t length = open.size();
  while (length < text.size() && is_digit(text[length])) ++length;
  const bool is_closed = length > open.size() && length < text.size() && text[length] == ']';
  return is_closed ? length + 1 : 0;
}

std::optional<Reference> read_reference(std::string_view text) {
  if (!text.starts_with('$') || word_length(text.substr(1)) == 0) return std::nullopt;
  std::size_t at = 1 + word_length(text.substr(1));
  for (;;) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with('.') && word_length(rest.substr(1)) > 0) {
      at += 1 + word_length(rest.substr(1));
    } else if (const std::size_t length = bracket_length(rest, "["); length > 0) {
      at += length;
    } else {
      break;
    }
  }
  Reference reference{at, std::string(text.substr(1, at - 1)), std::nullopt};
  if (const std::size_t length = bracket_length(text.substr(at), "[:"); length > 0) {
    reference.first = std::stoul(std::string(text.substr(at + 2, length - 3)));
    reference.length += length;
  }
  return reference;
}

Json value_of(const Bindings& bindings, const Reference& reference) {
  const auto steps = parse_path(reference.path);
  const Json* value = bindings.find(steps[0].get<std::string>());
  for (std::size_t i = 1; value != nullptr && i < steps.size(); ++i) {
    value = find_step(*value, steps[i]);
  }
  if (value == nullptr) throw BadVector("'$" + reference.path + "' is bound to nothing");
  if (!reference.first) return *value;
  if (!value->is_string()) throw BadVector("'$" + reference.path + "' is no text");
  return value->get<std::string>().substr(0, *reference.first);
}

Json replace_deep(const Bindings& bindings, const Json& value) {
  if (value.is_string()) return bindings.replace_all(value.get<std::string>());
  if (!value.is_array()) return value;
  Json copy = Json::array();
  for (const Json& item : value) copy.push_back(replace_deep(bindings, item));
  return copy;
}

}  // namespace

const Json* find_step(const Json& root, const Json& step) {
  if (step.is_string() && root.is_object()) {
    const auto found = root.find(step.get<std::string>());
    return found == root.end() ? nullptr : &*found;
  }
  if (step.is_number() && root.is_array() && step.get<std::size_t>() < root.size()) {
    return &root[step.get<std::size_t>()];
  }
  return nullptr;
}

const Json* Bindings::find(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

std::string Bindings::replace_all(std::string_view text) const {
  std::string out;
  while (!text.empty()) {
    const auto reference = read_reference(text);
    if (!reference) {
      if (text[0] == '$') throw BadVector("a stray '$'");
      out += text[0];
      text.remove_prefix(1);
      continue;
    }
    const Json value = value_of(*this, *reference);
    if (!value.is_string()) throw BadVector("'$" + reference->path + "' is no text");
    out += value.get<std::string>();
    text.remove_prefix(reference->length);
  }
  return out;
}

Json Bindings::replace_in_op(const Json& op) const {
  Json copy = op;
  for (auto& [field, value] : copy.items()) {
    if (takes_references(op, field)) value = replace_deep(*this, value);
  }
  return copy;
}

Json Bindings::expected(const Json& value) const {
  if (value.is_array() || value.is_object()) {
    Json copy = value;
    for (auto& item : copy) item = expected(item);
    return copy;
  }
  if (!value.is_string()) return value;
  const auto text = value.get<std::string>();
  if (text.starts_with("$$")) return text.substr(1);
  if (!text.starts_with('$')) return value;
  const auto reference = read_reference(text);
  if (!reference || reference->length != text.size()) {
    throw BadVector("'" + text + "' is no reference");
  }
  return value_of(*this, *reference);
}

}  // namespace spoor::vectors
