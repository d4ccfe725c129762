#include "llm/params.h"

#include <utility>

#include <fmt/format.h>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "llm/models/default_params.h"
#include "llm/models/model_facts.h"
#include "llm/structured.h"

namespace spoor::llm {
namespace {

// The place of these two parameters in a wire's body: their object (empty: the body) and their
// names.
struct Place {
  std::string_view object;
  std::string_view max_tokens;
};

Place place_of(const Profile& profile, const ModelFacts& facts) {
  switch (profile.wire) {
    case Wire::openai_chat:
      // OpenAI's reasoning models reject the old name, and most other providers do not support the
      // new one.
      return {"", profile.name.starts_with("openai") || facts.thinking == Thinking::reasoning
                      ? "max_completion_tokens"
                      : "max_tokens"};
    case Wire::openai_responses:
      return {"", "max_output_tokens"};
    case Wire::anthropic:
      return {"", "max_tokens"};
    case Wire::gemini:
      return {"generationConfig", "maxOutputTokens"};
    case Wire::ollama:
      return {"options", "num_predict"};
  }
  return {};
}

}  // namespace

Result<WrittenParams> write_params(const Profile& profile, std::string_view model,
                                   const Params& params) {
  WrittenParams written;
  const ModelFacts facts = facts_of(model);
  const Place place = place_of(profile, facts);
  json::Object inner;
  if (params.max_tokens) {
    if (*params.max_tokens < 1) return invalid("an answer must have at least one token");
    inner.add_integer(place.max_tokens, *params.max_tokens);
  }
  if (!params.temperature.empty()) {
    const auto number = json::parse(params.temperature);
    if (!number || !number->root().is_number()) {
      return invalid("'" + params.temperature + "' is not a temperature",
                     "give a number, for example 0 or 0.7");
    }
    // A budget of thinking excludes it, too.
    const bool thinks = profile.wire == Wire::anthropic && facts.thinking == Thinking::budget &&
                        facts.efforts.empty() && !params.effort.empty() && params.effort != "none";
    if (facts.takes_sampling && !thinks) {
      inner.add_raw_token("temperature", number->root().raw());
    } else {
      written.notes.push_back(fmt::format("{} takes no temperature{}: none is sent", model,
                                          thinks ? " with an effort" : ""));
    }
  }
  json::Object outer;
  if (!place.object.empty() && !inner.empty()) outer.add_json(place.object, inner.write());
  std::string all = (place.object.empty() ? inner : outer).write();
  if (!params.effort.empty()) {
    EffortParams effort = TRY(effort_params(profile, model, params.effort));
    all = TRY(merge_params(all, effort.params));
    if (!effort.note.empty()) written.notes.push_back(std::move(effort.note));
  }
  all = TRY(merge_params(all, params.more.empty() ? "{}" : params.more));
  if (all != "{}") written.params = TRY(json::canonical(all));
  return written;
}

}  // namespace spoor::llm
