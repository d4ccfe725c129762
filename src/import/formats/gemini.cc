#include "import/importers.h"
#include "import/records.h"

#include "import/conversations.h"
#include "import/gemini_parts.h"

namespace spoor::import::formats {
namespace {

using compile::Type;

bool is_request(const json::Value& root) {
  const json::Value first = first_of(root.find("contents"));
  return first.find("parts").is_array();
}

class GeminiContentsSink final : public ConversationSink {
 public:
  using ConversationSink::ConversationSink;

  Result<void> add(const json::Value& root) override {
    const json::Value contents = root.find("contents");
    if (!contents.is_array()) return keep(root, "(no contents)", false);
    begin(root.find("sessionId").text(), contents);
    Taken taken;
    taken(contents);
    model_ = root.find("model").text();
    for (const std::string_view key : {"systemInstruction", "system_instruction"}) {
      TRY(add_instruction(taken(root, key)));
    }
    for (const json::Value& content : contents.elements()) TRY(add_content(content));
    return keep_rest(root, taken, "conversation");
  }

 private:
  Result<void> add_instruction(const json::Value& instruction) {
    const json::Value parts = instruction.find("parts");
    if (!instruction) return {};
    TurnRecord made(instruction, tool());
    add_gemini_content(parts ? parts : instruction, Type::system, made);
    name_turns(made);
    return add_turns(made, "systemInstruction");
  }

  Result<void> add_content(const json::Value& content) {
    const std::string role = content.find("role").text();
    const json::Value parts = content.find("parts");
    const bool has_result = static_cast<bool>(first_of(parts).find("functionResponse"));
    const Type type = has_result ? Type::tool : role == "model" ? Type::assistant : Type::user;
    TurnRecord made(content, tool());
    add_gemini_content(parts, type, made);
    if (type == Type::assistant) {
      made.made_fact_text(fact::provider, "gemini");
      const json::Value version = content.find("modelVersion");
      made.made_fact_text(fact::model, version ? version.text() : model_);
      made.made_fact_text(fact::message_id, content.find("responseId").text());
      made.last_fact(fact::usage, content.find("usageMetadata"));
      made.last_fact(fact::finish_reason, content.find("finishReason"));
    }
    name_turns(made);
    return add_turns(made, label_of("content", role));
  }

  std::string model_;
};

int score_gemini(const Head& head) {
  return is_request(head.first()) ? score::kShape : score::kNone;
}

}  // namespace

/// Reads requests of the Gemini API. A content of the model may have the `modelVersion`,
/// `responseId`, `usageMetadata` and `finishReason` of the response that it came in. Source:
/// ai.google.dev/api/generate-content.
const Importer kGemini = {"gemini-contents", "Gemini contents", score_gemini,
                          import_documents_into<GeminiContentsSink>};

}  // namespace spoor::import::formats
