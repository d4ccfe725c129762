#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "llm/render/dialogue.h"
#include "llm/render/recipe.h"

namespace spoor::llm::render {

// The existing renderers. Each writes the members of a body that contain the messages, such as
// `"messages":[…],"system":…`, without braces; render.cc adds model, tools and params. A numbered
// renderer never changes, because bundles contain hashes of its output. A new behaviour is a new
// function with the next number. arrange() (dialogue.h), the output of json_text.h and compile's
// selection are part of each number: a change there that affects a body needs a new one.

/// The input of a writer. Writers append to `treatments`.
struct Job {
  Dialogue& dialogue;
  const Recipe& recipe;
  const store::Reader& reader;
  const compile::Scrubber& originals;  ///< for content of which only a hash was stored
};

/// Passes the utterances of a dialogue to the function of their side, in order.
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
/// Like 1, with calls of custom tools and their results in the API's form.
Result<std::string> write_openai_responses_2(Job& job);
/// docs.anthropic.com/en/api/messages (2026-11)
Result<std::string> write_anthropic_1(Job& job);
/// Like 1, with the user's documents.
Result<std::string> write_anthropic_2(Job& job);
/// Like 2, with every call of an answer, also one that the API would not take as the model wrote
/// it; with a `cache_control` among the parameters, the prefixes that the next requests share are
/// marked, too.
Result<std::string> write_anthropic_3(Job& job);
/// ai.google.dev/api/generate-content (2026-11)
Result<std::string> write_gemini_1(Job& job);
/// github.com/ollama/ollama/blob/main/docs/api.md (2026-11)
Result<std::string> write_ollama_1(Job& job);

}  // namespace spoor::llm::render
