#pragma once

#include <string>
#include <string_view>

#include "compile/prompt.h"
#include "llm/profile.h"
#include "llm/render/replay_rules.h"

namespace spoor::llm::render {

/// Everything that, beside a commit's history, decides the bytes of a request. A value.
struct Recipe {
  std::string renderer;             ///< `name/number`: which code writes it (render.h)
  std::string provider;             ///< the profile's name: whose reasoning may go back
  std::string model;                ///< as the provider calls it
  compile::CompileOptions options;  ///< `with_thoughts` and `strict` have no part in it
  ReplayRule replay;
  std::string tools;   ///< the `tools` member as it is sent, canonical JSON; empty: none
  std::string params;  ///< further members of the body, a canonical JSON object; empty: none

  bool operator==(const Recipe&) const = default;
};

/// The recipe of a profile's newest renderer and its replay rule.
Recipe recipe_for(const Profile& profile, std::string model);

/// What a bundle keeps of a recipe beside its own lines: canonical JSON of the options, the
/// provider and the replay rule; what is usual is left out.
std::string write_options(const Recipe& recipe, std::string_view counter);

/// Reads it back into `recipe`. `counter` is the token counter at hand: Code::unavailable when a
/// budget was counted with another one. Code::corrupt when malformed or with a key that is not
/// known.
Result<void> read_options(std::string_view json, std::string_view counter, Recipe& recipe);

}  // namespace spoor::llm::render
