#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "llm/profile.h"

namespace spoor::llm {

/// A tool that a model may call, in no provider's words.
struct ToolSpec {
  std::string name;         ///< what the model calls it; sent as it is
  std::string description;  ///< for the model; may be empty
  std::string parameters;   ///< a JSON Schema of the arguments, an object; empty: it takes none

  bool operator==(const ToolSpec&) const = default;
};

/// The value of a request's `tools` member, as JSON text; `[]` for no tools. Equal specs have equal
/// bytes: our members are in canonical order. A schema keeps the order of its own keys, in which
/// models write their arguments, and its numbers; white space goes.
///
///   openai_chat, ollama  {"function":{"description","name","parameters"},"type":"function"}
///   openai_responses     {"description","name","parameters","strict":false,"type":"function"}
///   anthropic            {"description","input_schema","name"}
///   gemini               {"functionDeclarations":[{"description","name","parametersJsonSchema"}…]}
///
/// `strict` is said for Responses alone, where leaving it out means true, and schemas that strict
/// mode does not know are then refused. Code::invalid for a tool without a name, two of one name,
/// or parameters that are no JSON object.
///
/// Sources (2026-11): platform.openai.com/docs/guides/function-calling,
/// platform.claude.com/docs/en/agents-and-tools/tool-use, ai.google.dev/api/caching
/// (FunctionDeclaration), docs.ollama.com/api/chat.
Result<std::string> tools_json(Wire wire, std::span<const ToolSpec> tools);

}  // namespace spoor::llm
