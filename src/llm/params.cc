#include "llm/params.h"

#include "compile/json/reader.h"
#include "compile/json/writer.h"

namespace spoor::llm {
namespace {

namespace json = compile::json;
using store::Result;

// Where a wire keeps these two: the object they stand in (none: the body), and their names.
struct Place {
  std::string_view object;
  std::string_view max_tokens;
};

Place place_of(const Profile& profile) {
  switch (profile.wire) {
    case Wire::openai_chat:
      // OpenAI's reasoning models refuse the old name, and most others do not know the new one.
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

Result<void> add_members(std::string_view text, json::Object& object) {
  if (text.empty()) return {};
  const json::Document given = TRY(json::parse(text));
  if (!given.root().is_object()) {
    return store::invalid("the parameters of a call are no JSON object",
                          R"(give them as {"top_p":0.9})");
  }
  for (const json::Member member : given.root().members()) {
    object.add_value(member.key.text(), member.value);
  }
  return {};
}

}  // namespace

Result<std::string> write_params(const Profile& profile, const Params& params) {
  const Place place = place_of(profile);
  json::Object inner;
  if (params.max_tokens) {
    if (*params.max_tokens < 1) return store::invalid("an answer has at least one token");
    inner.add_integer(place.max_tokens, *params.max_tokens);
  }
  if (!params.temperature.empty()) {
    const auto number = json::parse(params.temperature);
    if (!number || !number->root().is_number()) {
      return store::invalid("'" + params.temperature + "' is no temperature",
                            "give a number, for example 0 or 0.7");
    }
    inner.add_raw_token("temperature", number->root().raw());
  }
  if (place.object.empty()) {
    TRY(add_members(params.more, inner));
    return inner.empty() ? std::string() : inner.write();
  }
  json::Object outer;
  if (!inner.empty()) outer.add_json(place.object, inner.write());
  TRY(add_members(params.more, outer));
  return outer.empty() ? std::string() : outer.write();
}

}  // namespace spoor::llm
