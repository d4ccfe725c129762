#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "llm/profile.h"
#include "llm/schema.h"

namespace spoor::llm {

/// How to ask a model for a JSON value of a schema.
struct StructuredRequest {
  /// Members of the request, one JSON object, to be merged into its other parameters
  /// (merge_params). `{}` if the provider cannot enforce this schema.
  std::string params;
  /// The instruction for the model; empty if the parameters suffice.
  std::string instruction;

  bool operator==(const StructuredRequest&) const = default;
};

/// Returns the request for `schema` in the provider's form (structured.cc lists sources, 2026-11):
///
///   openai_chat       response_format {json_schema {name, schema, strict}, type json_schema};
///                     DeepSeek supports {type json_object} only; the instruction has the schema
///   openai_responses  text.format {name, schema, strict, type json_schema}
///   anthropic         output_config.format {schema, type json_schema}
///   gemini            generationConfig {responseJsonSchema, responseMimeType application/json}
///   ollama            format, the schema; also in the instruction, as Ollama advises
///
/// `strict` is set if the schema fulfils the rules of strict mode (is_closed). Anthropic accepts
/// closed objects only, and no bounds: bounds are removed, objects that do not specify it are
/// closed, and a schema with open objects or a recursive $ref is put into the instruction instead.
/// The reply is checked against the whole schema either way (read_structured).
///
/// `name` is the schema's name for OpenAI: letters, digits, `_` and `-`, up to 64, else
/// Code::invalid. A schema keeps the order of its keys, because models write members in that order.
Result<StructuredRequest> ask_for(const Profile& profile, const Schema& schema,
                                  std::string_view name = "answer");

/// Returns true if the schema is an object, all its objects are closed (`additionalProperties`
/// false), all their properties are required, and it has no `allOf`, `oneOf`, `not` or other
/// keyword that strict mode rejects.
bool is_closed(const Schema& schema);

/// Merges two JSON objects. Objects in both are merged; for other values, `more` wins. Keys keep
/// their order. Code::invalid if one is not an object.
Result<std::string> merge_params(std::string_view params, std::string_view more);

/// A model's answer to a request of ask_for().
struct StructuredAnswer {
  std::string json;                     ///< the exact bytes of the value; empty: no value
  std::vector<SchemaProblem> problems;  ///< where it does not fit; empty with a value: it fits

  bool fits() const { return !json.empty() && problems.empty(); }
};

/// Extracts the value from a reply's text: the whole text if it is JSON, else the first of
/// llm::json_values() that fits, else the first one with its problems. Code::denied as in
/// Schema::check.
Result<StructuredAnswer> read_structured(std::string_view text, const Schema& schema);

/// Returns the message to the model, to be sent once, if its answer does not fit.
std::string nudge(const StructuredAnswer& answer);

}  // namespace spoor::llm
