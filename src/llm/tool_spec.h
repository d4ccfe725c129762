#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json/reader.h"
#include "base/result.h"
#include "llm/profile.h"

namespace spoor::llm {

/// A tool that a model may call, independent of the provider.
struct ToolSpec {
  std::string name;         ///< the model's name for it; sent unchanged
  std::string description;  ///< for the model; may be empty
  std::string parameters;   ///< a JSON Schema of the arguments, an object; empty: no arguments

  bool operator==(const ToolSpec&) const = default;
};

/// Returns the value of a request's `tools` member as JSON text; `[]` for no tools. Equal specs
/// have equal bytes: our members are in canonical order. A schema keeps its numbers and the order
/// of its keys, in which models write their arguments; white space is removed.
///
///   openai_chat, ollama  {"function":{"description","name","parameters"},"type":"function"}
///   openai_responses     {"description","name","parameters","strict":false,"type":"function"}
///   anthropic            {"description","input_schema","name"}
///   gemini               {"functionDeclarations":[{"description","name","parametersJsonSchema"}…]}
///
/// `strict` is set only for Responses, where omitting it means true, and schemas that strict mode
/// does not support are then rejected. Code::invalid for a tool without a name, two tools of the
/// same name, or parameters that are not a JSON object.
///
/// Sources (2026-11): platform.openai.com/docs/guides/function-calling,
/// platform.claude.com/docs/en/agents-and-tools/tool-use, ai.google.dev/api/caching
/// (FunctionDeclaration), docs.ollama.com/api/chat.
Result<std::string> tools_json(Wire wire, std::span<const ToolSpec> tools);

/// Returns the tools that a request to any provider declares, each as it is there, and each once:
/// those of its `tools` and those that Codex adds in its `input` (`additional_tools`), without the
/// groups that they are in. `request` is the body, or its member `tools`.
std::vector<json::Value> declared_tools(const json::Value& request);

/// Reads such a tool. Types of a schema that Gemini has in upper case are lower case, as in JSON
/// Schema. nullopt: it is one of the provider itself, which has no name or no parameters of its
/// own. Texts may have lone surrogates, as in JSON.
std::optional<ToolSpec> read_tool(const json::Value& declared);

}  // namespace spoor::llm
