#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "llm/render/dialogue.h"
#include "llm/render/recipe.h"

namespace spoor::llm::render {

// The renderers that there are. Each writes the members of a body that hold the messages, such as
// `"messages":[…],"system":…`, without braces; render.cc puts model, tools and params beside them.
// A renderer that is numbered never changes: what it writes is hashed in bundles. A new behaviour
// is a new function with the next number. arrange() (dialogue.h), what json_text.h writes and what
// compile selects are part of each number: a change there that shows in a body is one of them.

/// What a writer is given. `treatments` is added to.
struct Job {
  Dialogue& dialogue;
  const Recipe& recipe;
  const store::Reader& reader;
  const compile::Scrubber& originals;  ///< of what was only hashed
};

/// Takes a dialogue apart for a writer: each utterance goes to the function of its side, in order.
class DialogueWriter {
 public:
  explicit DialogueWriter(Job& job) : job_(job) {}
  virtual ~DialogueWriter() = default;
  DialogueWriter(const DialogueWriter&) = delete;
  DialogueWriter& operator=(const DialogueWriter&) = delete;

 protected:
  Result<void> write_all();

  virtual void add_system(const Utterance& said, bool is_developer) = 0;
  virtual Result<void> add_user(const Utterance& said) = 0;
  virtual void add_answer(const Utterance& said) = 0;
  virtual Result<void> add_result(const CallResult& result) = 0;

  void note(Treatment::Kind kind, const compile::Part& part, std::string why = {}) {
    job_.dialogue.treatments.push_back({kind, part.commit, std::move(why)});
  }

  Job& job_;
};

/// platform.openai.com/docs/api-reference/chat/create (2026-11)
Result<std::string> write_openai_chat_1(Job& job);
/// platform.openai.com/docs/api-reference/responses/create (2026-11)
Result<std::string> write_openai_responses_1(Job& job);
/// The same, with calls of custom tools and their results as the API has them.
Result<std::string> write_openai_responses_2(Job& job);
/// docs.anthropic.com/en/api/messages (2026-11)
Result<std::string> write_anthropic_1(Job& job);
/// The same, with documents of the user's.
Result<std::string> write_anthropic_2(Job& job);
/// ai.google.dev/api/generate-content (2026-11)
Result<std::string> write_gemini_1(Job& job);
/// github.com/ollama/ollama/blob/main/docs/api.md (2026-11)
Result<std::string> write_ollama_1(Job& job);

}  // namespace spoor::llm::render
