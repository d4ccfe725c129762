#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "compile/prompt.h"
#include "llm/profile.h"
#include "llm/render/replay_rules.h"
#include "store/oid.h"

namespace spoor::llm::render {

/// All inputs that determine the bytes of a request, except for the commit's history. A value type.
struct Recipe {
  std::string renderer;             ///< `name/number`: the code that writes it (render.h)
  std::string provider;             ///< the profile's name: its reasoning may be sent back
  std::string model;                ///< the provider's name for it
  compile::CompileOptions options;  ///< without `with_thoughts` and `strict`, which have no effect
  ReplayRule replay;
  /// The reasoning that is not sent back because it is not valid any more: from one to another,
  /// both included, in the order of the prompt. Nullopt: none.
  struct Gap {
    store::Oid first;
    store::Oid last;
    bool operator==(const Gap&) const = default;
  };
  std::optional<Gap> replay_gap = {};
  bool fits_names = false;  ///< calls by names that the wire does not take get other ones
  /// The messages are such that strict providers and chat templates take them (Treatment::Kind's
  /// `reordered` and `unsaid`).
  bool fits_order = false;
  std::string tools;   ///< the `tools` member as sent, canonical JSON; empty: none
  std::string params;  ///< more members of the body, a canonical JSON object; empty: none

  bool operator==(const Recipe&) const = default;
};

/// Whether the provider serves OpenAI's own models, whose developer role others reject.
bool is_of_openai(const Recipe& recipe);

/// Returns a recipe with the profile's newest renderer and its replay rule.
Recipe recipe_for(const Profile& profile, std::string model);

/// Returns the part of a recipe that a bundle stores as `options`: canonical JSON of the options,
/// the provider and the replay rule, without default values.
std::string write_options(const Recipe& recipe, std::string_view counter);

/// Reads that JSON into `recipe`. `counter` is the current token counter: Code::unavailable if a
/// budget was counted with another one. Code::corrupt if malformed or if a key is unknown.
Result<void> read_options(std::string_view json, std::string_view counter, Recipe& recipe);

}  // namespace spoor::llm::render
