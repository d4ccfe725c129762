#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "llm/profile.h"
#include "llm/schema.h"

namespace spoor::llm {

/// How a model is asked for a JSON value of a schema.
struct StructuredRequest {
  /// Members of the request, one JSON object, to be joined to its other parameters
  /// (merge_params). `{}` where the provider has no way to demand this schema.
  std::string params;
  /// What to tell the model besides; empty where the parameters do it all.
  std::string instruction;

  bool operator==(const StructuredRequest&) const = default;
};

/// Asks for `schema` as the provider takes it (sources, 2026-11, stand in structured.cc):
///
///   openai_chat       response_format {json_schema {name, schema, strict}, type json_schema};
///                     DeepSeek knows {type json_object} only, and is told the schema
///   openai_responses  text.format {name, schema, strict, type json_schema}
///   anthropic         output_config.format {schema, type json_schema}
///   gemini            generationConfig {responseJsonSchema, responseMimeType application/json}
///   ollama            format, the schema; the model is told it too, as Ollama advises
///
/// `strict` is said where the schema is as strict mode demands (is_closed). Anthropic takes closed
/// objects only and no bounds: bounds are left out of what is sent, objects are closed where they
/// say nothing, and a schema with open objects or a $ref to itself is told to the model instead.
/// The reply is checked against the whole schema either way (read_structured).
///
/// `name` is the schema's name for OpenAI: letters, digits, `_` and `-`, up to 64, else
/// Code::invalid. A schema keeps the order of its keys: models write members in that order.
Result<StructuredRequest> ask_for(const Profile& profile, const Schema& schema,
                                  std::string_view name = "answer");

/// Are all its objects closed (`additionalProperties` false) and all their properties required, and
/// is it an object without `allOf`, `oneOf`, `not` and other words strict mode refuses?
bool is_closed(const Schema& schema);

/// Two JSON objects as one: objects in both are joined, of other values that of `more` stays. Keys
/// keep their order. Code::invalid when one is no object.
Result<std::string> merge_params(std::string_view params, std::string_view more);

/// What a model answered to ask_for().
struct StructuredAnswer {
  std::string json;                     ///< the value, its exact bytes; empty: there is none
  std::vector<SchemaProblem> problems;  ///< where it does not fit; empty, with a value: it fits

  bool fits() const { return !json.empty() && problems.empty(); }
};

/// Takes the value out of a reply's text: the whole text if it is JSON, else the first of
/// llm::json_values() that fits, else the first of them with its problems. Code::denied as
/// Schema::check.
Result<StructuredAnswer> read_structured(std::string_view text, const Schema& schema);

/// What to say to the model, once, when its answer does not fit.
std::string nudge(const StructuredAnswer& answer);

}  // namespace spoor::llm
