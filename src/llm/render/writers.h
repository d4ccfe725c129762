#pragma once

#include <string>
#include <string_view>

#include "llm/render/dialogue.h"
#include "llm/render/recipe.h"

namespace spoor::llm::render {

// The renderers that there are. Each writes the members of a body that hold the messages, such as
// `"messages":[…],"system":…`, without braces; render.cc puts model, tools and params beside them.
// A renderer that is numbered never changes: what it writes is hashed in bundles. A new behaviour
// is a new function with the next number.

/// What a writer is given. `treatments` is added to.
struct Job {
  Dialogue& dialogue;
  const Recipe& recipe;
  const store::Reader& reader;
};

/// platform.openai.com/docs/api-reference/chat/create (2026-11)
store::Result<std::string> write_openai_chat_1(Job& job);
/// platform.openai.com/docs/api-reference/responses/create (2026-11)
store::Result<std::string> write_openai_responses_1(Job& job);
/// docs.anthropic.com/en/api/messages (2026-11)
store::Result<std::string> write_anthropic_1(Job& job);
/// ai.google.dev/api/generate-content (2026-11)
store::Result<std::string> write_gemini_1(Job& job);
/// github.com/ollama/ollama/blob/main/docs/api.md (2026-11)
store::Result<std::string> write_ollama_1(Job& job);

}  // namespace spoor::llm::render
