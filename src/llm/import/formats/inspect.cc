#include "llm/import/formats/inspect.h"

#include "llm/import/conversations.h"

namespace spoor::llm::import::formats {
namespace {

bool is_log(const json::Value& root) {
  return root.find("version") && root.find("eval").find("task").is_string();
}

class InspectSink final : public ConversationSink {
 public:
  using ConversationSink::ConversationSink;

  Result<void> add(const json::Value& root) override {
    std::string log = root.find("eval").find("eval_id").text();
    if (log.empty()) log = root.find("eval").find("run_id").text();
    if (log.empty()) log = RecordKey::of(root.find("eval").raw()).hex(12);
    const json::Value samples = root.find("samples");
    for (const json::Value& sample : samples.elements()) TRY(add_sample(sample, log));
    Taken taken;
    taken(samples);
    return keep_rest(root, taken, "log");
  }

 private:
  Result<void> add_sample(const json::Value& sample, const std::string& log) {
    begin(log.substr(0, 8) + "-" + text_or_bytes(sample.find("id")) + "-" +
          text_or_bytes(sample.find("epoch")));
    const json::Value messages = sample.find("messages");
    TRY(add_messages(messages, {}));
    Taken taken;
    taken(messages);
    return keep_rest(sample, taken, "sample");
  }

  void add_facts(const json::Value& message, TurnRecord& made) override {
    ConversationSink::add_facts(message, made);
    made.made_fact_text("message_id", message.find("id").text());
    made.set_author(message.find("model").text());
  }

  void complete(TurnRecord& made) override {
    compile::Turn& turn = made.turns().back();
    if (turn.type != compile::Type::tool || !turn.fields.name.empty()) return;
    turn.fields.name = made.taken().text(made.root(), "function");
  }
};

}  // namespace

bool InspectImporter::recognises(std::string_view head) const {
  return is_log(Front(head).first());
}

Result<LossReport> InspectImporter::import(Source& source, compile::Repository& repository,
                                           const ImportOptions& options) const {
  return import_documents_into<InspectSink>(name(), source, repository, options);
}

}  // namespace spoor::llm::import::formats
