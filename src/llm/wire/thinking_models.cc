#include "llm/wire/thinking_models.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "llm/models/name_pattern.h"

namespace spoor::llm::wire {
namespace {

// Fable and Mythos are one family here: they read each other.
enum class Family { fable, opus, sonnet, haiku };

struct Model {
  Family family = Family::fable;
  int version = 0;  // 505 for 5.5.
};

// The first models of each family whose blocks are bound, and the newest model of each family
// whose blocks they read; 0: none.
struct BoundFamily {
  Model model;
  std::array<int, 4> newest;  // By Family.
};
constexpr std::array kFamilies = {
    BoundFamily{{Family::fable, 501}, {501, 505, 500, 405}},
    BoundFamily{{Family::opus, 505}, {0, 505, 505, 505}},
    BoundFamily{{Family::sonnet, 505}, {0, 408, 505, 505}},
    BoundFamily{{Family::haiku, 505}, {0, 408, 500, 505}},
};

const BoundFamily& bound(Family family) { return kFamilies.at(static_cast<std::size_t>(family)); }

std::optional<Family> family_from(std::string_view word) {
  if (word == "fable" || word == "mythos") return Family::fable;
  if (word == "opus") return Family::opus;
  if (word == "sonnet") return Family::sonnet;
  if (word == "haiku") return Family::haiku;
  return std::nullopt;
}

// Parses `claude-opus-4-8`, `claude-3-7-sonnet-20250219` and such; nullopt for other names.
std::optional<Model> model_from(std::string_view name) {
  constexpr std::string_view kMaker = "claude-";
  const std::size_t start = name.find(kMaker);
  if (start == std::string_view::npos) return std::nullopt;
  // Vertex writes `@20260801`, Claude Code `[1m]` behind the name.
  name = name.substr(0, name.find_first_of("@[", start));
  std::string_view rest = undated(name.substr(start + kMaker.size()));
  std::optional<Family> family;
  std::array<int, 2> numbers = {0, 0};
  std::size_t count = 0;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('-'), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    int number = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
    const bool is_number =
        !word.empty() && word.size() <= 2 && read.ptr == word.data() + word.size();
    if (is_number && count < numbers.size()) {
      numbers.at(count++) = number;
    } else if (!family) {
      family = family_from(word);
      if (!family) return std::nullopt;
    } else {
      break;
    }
  }
  if (!family || count == 0) return std::nullopt;
  return Model{*family, numbers[0] * 100 + numbers[1]};
}

bool is_bound(const Model& model) { return model.version >= bound(model.family).model.version; }
bool is_later(const Model& model) { return model.version > bound(model.family).model.version; }

}  // namespace

std::optional<bool> reads_thinking(std::string_view reader, std::string_view maker) {
  if (undated(reader) == undated(maker)) return true;
  const auto by = model_from(reader);
  const auto of = model_from(maker);
  if (!by || !of || is_later(*by) || is_later(*of)) return std::nullopt;
  if (is_bound(*by)) {
    return of->version <= bound(by->family).newest.at(static_cast<std::size_t>(of->family));
  }
  return is_bound(*of) ? std::optional(false) : std::nullopt;
}

bool checks_prefix(std::string_view model) {
  const auto known = model_from(model);
  return !known || is_bound(*known);
}

bool binds_to_account(std::string_view maker) {
  const auto known = model_from(maker);
  return known && is_bound(*known) &&
         (known->family == Family::sonnet || known->family == Family::haiku);
}

}  // namespace spoor::llm::wire
