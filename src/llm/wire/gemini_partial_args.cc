#include "llm/wire/gemini_partial_args.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <variant>

#include "base/json/writer.h"

namespace spoor::llm::wire {
namespace {

using json::Value;

constexpr std::size_t kMaxSteps = 64;
constexpr std::size_t kMaxIndex = 4096;

// A step of a path: to a member of an object, or to an element of an array.
using Step = std::variant<std::string, std::size_t>;

// Removes the first step of `path` and returns it; nullopt if there is none.
std::optional<Step> take_step(std::string_view& path) {
  if (path.starts_with('.')) {
    path.remove_prefix(1);
    const std::string_view name = path.substr(0, path.find_first_of(".["));
    path.remove_prefix(name.size());
    if (name.empty()) return std::nullopt;
    return Step(std::string(name));
  }
  if (!path.starts_with('[')) return std::nullopt;
  path.remove_prefix(1);
  if (path.starts_with('\'') || path.starts_with('"')) {
    const char quote = path.front();
    const std::size_t end = path.find(quote, 1);
    if (end == std::string_view::npos || path.substr(end + 1, 1) != "]") return std::nullopt;
    Step step(std::string(path.substr(1, end - 1)));
    path.remove_prefix(end + 2);
    return step;
  }
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), index);
  path.remove_prefix(static_cast<std::size_t>(end - path.data()));
  if (error != std::errc() || index > kMaxIndex || !path.starts_with(']')) return std::nullopt;
  path.remove_prefix(1);
  return Step(index);
}

std::optional<std::vector<Step>> read_path(std::string_view path) {
  std::vector<Step> steps;
  if (!path.starts_with('$')) return std::nullopt;
  path.remove_prefix(1);
  while (!path.empty()) {
    auto step = take_step(path);
    if (!step || steps.size() == kMaxSteps) return std::nullopt;
    steps.push_back(*std::move(step));
  }
  if (steps.empty()) return std::nullopt;
  return steps;
}

}  // namespace

// The last piece added determines the kind.
struct GeminiPartialArgs::Node {
  enum class Kind { object, array, text, other };

  Kind kind = Kind::object;
  std::vector<std::string> names;  // The members of an object.
  std::vector<Node> values;        // The values of an object, or the elements of an array.
  JsonText text;
  std::string other = "null";  // A number, a boolean or null, as received.

  Node& at(const Step& step) {
    if (const auto* index = std::get_if<std::size_t>(&step)) {
      become(Kind::array);
      while (values.size() <= *index) values.emplace_back().kind = Kind::other;
      return values[*index];
    }
    become(Kind::object);
    const std::string& name = std::get<std::string>(step);
    const auto same = std::ranges::find(names, name);
    if (same != names.end()) return values[static_cast<std::size_t>(same - names.begin())];
    names.push_back(name);
    return values.emplace_back();
  }

  void become(Kind other_kind) {
    if (kind == other_kind) return;
    *this = Node();
    kind = other_kind;
  }

  void write(std::string& out) const {
    if (kind == Kind::text) {
      out += text.raw();
      return;
    }
    if (kind == Kind::other) {
      out += other;
      return;
    }
    out += kind == Kind::array ? '[' : '{';
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0) out += ',';
      if (kind == Kind::object) {
        json::append_string(out, names[i]);
        out += ':';
      }
      values[i].write(out);
    }
    out += kind == Kind::array ? ']' : '}';
  }
};

GeminiPartialArgs::GeminiPartialArgs() : root_(std::make_unique<Node>()) {}
GeminiPartialArgs::~GeminiPartialArgs() = default;
GeminiPartialArgs::GeminiPartialArgs(GeminiPartialArgs&&) noexcept = default;
GeminiPartialArgs& GeminiPartialArgs::operator=(GeminiPartialArgs&&) noexcept = default;

void GeminiPartialArgs::add(const Value& piece) {
  const auto path = read_path(piece.find("jsonPath").text());
  if (!path) return;
  Node* node = root_.get();
  for (const Step& step : *path) {
    if (node->names.size() > kMaxIndex) return;
    node = &node->at(step);
  }

  if (const Value text = piece.find("stringValue"); text.is_string()) {
    node->kind = Node::Kind::text;
    node->text.append(text);
    return;
  }
  for (const std::string_view key : {"numberValue", "boolValue", "nullValue"}) {
    const Value value = piece.find(key);
    if (!value) continue;
    node->kind = Node::Kind::other;
    node->other = key == "nullValue" ? "null" : value.raw();
  }
}

std::string GeminiPartialArgs::write() const {
  std::string out;
  root_->write(out);
  return out;
}

}  // namespace spoor::llm::wire
