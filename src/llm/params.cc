#include "llm/params.h"

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "llm/structured.h"

namespace spoor::llm {
namespace {

// The place of these two parameters in a wire's body: their object (empty: the body) and their
// names.
struct Place {
  std::string_view object;
  std::string_view max_tokens;
};

Place place_of(const Profile& profile) {
  switch (profile.wire) {
    case Wire::openai_chat:
      // OpenAI's reasoning models reject the old name, and most other providers do not support the
      // new one.
      return {"", profile.name.starts_with("openai") ? "max_completion_tokens" : "max_tokens"};
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

Result<std::string> write_params(const Profile& profile, const Params& params) {
  const Place place = place_of(profile);
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
    inner.add_raw_token("temperature", number->root().raw());
  }
  json::Object outer;
  if (!place.object.empty() && !inner.empty()) outer.add_json(place.object, inner.write());
  const std::string own = (place.object.empty() ? inner : outer).write();
  const std::string all = TRY(merge_params(own, params.more.empty() ? "{}" : params.more));
  return all == "{}" ? std::string() : TRY(json::canonical(all));
}

}  // namespace spoor::llm
