#include "import/formats/kimi_context.h"

#include <string>
#include <utility>
#include <vector>

#include "import/conversations.h"
#include "import/records.h"

namespace spoor::import::formats {
namespace {

bool is_system_prompt(const json::Value& record) {
  return record.find("role").equals("_system_prompt") && record.find("content").is_string();
}

/// Returns true for a note between the messages: a point to go back to, or the context's length.
bool is_kimi_note(const json::Value& record) {
  const json::Value role = record.find("role");
  return (role.equals("_checkpoint") && record.find("id").is_number()) ||
         (role.equals("_usage") && record.find("token_count").is_number());
}

bool is_own_record(const json::Value& record) {
  return is_system_prompt(record) || is_kimi_note(record);
}

bool is_context_record(const json::Value& record) {
  return is_own_record(record) || is_chat_message(record);
}

class KimiContextSink final : public ConversationSink {
 public:
  using ConversationSink::ConversationSink;

  Result<void> add(const json::Value& root) override {
    if (has_begun_) return read(root);
    if (root.find("role").text().starts_with('_')) {
      held_.emplace_back(root.raw());
      return {};
    }
    // A context does not contain its session's name. It is named by its first message, because the
    // records before that are the same in many contexts.
    has_begun_ = true;
    begin_unnamed(root);
    TRY(release());
    return read(root);
  }

  Result<void> finish() override { return release(); }

 private:
  Result<void> release() {
    return read_each(std::exchange(held_, {}),
                     [&](const json::Value& record) { return read(record); });
  }

  Result<void> read(const json::Value& root) {
    const std::string role = root.find("role").text();
    if (is_system_prompt(root)) return add_instructions(root, role);
    if (!role.starts_with('_')) return add_message(root, kStyle);
    return keep(root, label_of(role), is_kimi_note(root));
  }

  Result<void> add_instructions(const json::Value& root, const std::string& role) {
    TurnRecord made(root, tool());
    compile::Turn& turn = made.start(compile::Type::system);
    turn.text = made.taken().text(root, "content");
    turn.fields.name = "instructions";
    made.taken()(root, "role");
    return add_turns(made, label_of(role));
  }

  static constexpr ChatStyle kStyle{.reasoning_format = "parsed"};

  bool has_begun_ = false;
  std::vector<std::string> held_;  // Records before the first message.
};

}  // namespace

bool is_kimi_context(const Head& head) { return head.contains(is_own_record); }

Result<LossReport> import_kimi_context(std::string_view tool, Source& source,
                                       graph::Repository& repository,
                                       const ImportOptions& options) {
  return import_lines_into<KimiContextSink, is_context_record>(tool, source, repository, options);
}

}  // namespace spoor::import::formats
