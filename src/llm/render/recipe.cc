#include "llm/render/recipe.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json/writer.h"
#include "llm/render/render.h"

namespace spoor::llm::render {

bool is_of_openai(const Recipe& recipe) {
  return recipe.provider.starts_with("openai") || recipe.provider == "azure";
}

Recipe recipe_for(const Profile& profile, std::string model) {
  const ReplayRule replay = replay_rule(profile, model);
  return {.renderer = std::string(newest_renderer(profile.wire)),
          .provider = profile.name,
          .model = std::move(model),
          .options = {},
          .replay = replay,
          .fits_names = true,
          .fits_order = true,
          .tools = {},
          .params = {}};
}

std::string write_options(const Recipe& recipe, std::string_view counter) {
  json::Object object;
  if (recipe.options.version != 1) object.add_integer("version", recipe.options.version);
  if (recipe.options.include_reasoning) object.add_boolean("include_reasoning", true);
  if (recipe.options.window) object.add_integer("window", *recipe.options.window);
  if (recipe.options.budget) {
    object.add_integer("budget", *recipe.options.budget);
    object.add_string("counter", counter);
  }
  if (recipe.options.clear_results_after) {
    object.add_integer("clear_results_after", *recipe.options.clear_results_after);
  }
  object.add_string("provider", recipe.provider);
  if (recipe.replay.scope != ReplayRule::Scope::none) {
    object.add_string("replay", name_of(recipe.replay.scope));
    object.add_string("replay_form", name_of(recipe.replay.form));
  }
  if (recipe.replay_gap) {
    object.add_string("replay_gap", fmt::format("{}..{}", recipe.replay_gap->first.hex(),
                                                recipe.replay_gap->last.hex()));
  }
  if (recipe.fits_names) object.add_boolean("fits_names", true);
  if (recipe.fits_order) object.add_boolean("fits_order", true);
  return object.write();
}

Result<void> read_options(std::string_view text, std::string_view counter, Recipe& recipe) {
  const auto wrong = [](std::string_view what) {
    return corrupt(fmt::format("the options of a bundle are malformed: {}", what));
  };
  const auto document = json::parse(text);
  if (!document || !document->root().is_object()) return wrong("not a JSON object");
  recipe.options.version = TRY(compile::read_version(text));
  for (const json::Member member : document->root().members()) {
    const std::string key = member.key.text();
    const std::string word = member.value.text();
    if (key == "version") continue;
    if (key == "include_reasoning") {
      recipe.options.include_reasoning = member.value.is_true();
    } else if (key == "window") {
      recipe.options.window = member.value.integer();
      if (!recipe.options.window) return wrong("a window that is not a number");
    } else if (key == "budget") {
      recipe.options.budget = member.value.integer();
      if (!recipe.options.budget) return wrong("a budget that is not a number");
    } else if (key == "clear_results_after") {
      recipe.options.clear_results_after = member.value.integer();
      if (!recipe.options.clear_results_after) return wrong("a number of messages that is none");
    } else if (key == "counter") {
      if (word != counter) {
        return unavailable(
            fmt::format("the prompt's budget was counted with '{}', which is not available", word));
      }
    } else if (key == "provider") {
      recipe.provider = word;
    } else if (key == "fits_names") {
      recipe.fits_names = member.value.is_true();
    } else if (key == "fits_order") {
      recipe.fits_order = member.value.is_true();
    } else if (key == "replay") {
      const auto scope = scope_from(word);
      if (!scope) return wrong("an unknown scope");
      recipe.replay.scope = *scope;
    } else if (key == "replay_form") {
      const auto form = form_from(word);
      if (!form) return wrong("an unknown form");
      recipe.replay.form = *form;
    } else if (key == "replay_gap") {
      const std::size_t dots = std::min(word.find(".."), word.size());
      const auto first = store::Oid::from_hex(word.substr(0, dots));
      const auto last = store::Oid::from_hex(word.substr(std::min(dots + 2, word.size())));
      if (!first || !last) return wrong("a gap that is not two hashes");
      recipe.replay_gap = {*first, *last};
    } else {
      return wrong("an unknown key");
    }
  }
  return {};
}

}  // namespace spoor::llm::render
