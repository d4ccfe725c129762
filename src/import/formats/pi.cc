#include "import/importers.h"
#include "import/live_import.h"
#include "import/records.h"

#include <set>
#include <utility>

#include <fmt/format.h>

#include "import/content.h"
#include "import/head.h"

namespace spoor::import::formats {
namespace {

using compile::Turn;
using compile::Type;

// As written by Pi 0.9 to 0.60 (github.com/badlogic/pi-mono, packages/coding-agent) and Oh-My-Pi 17
// (github.com/can1357/oh-my-pi, docs/session.md).
constexpr std::string_view kTypes =
    "session message model_change thinking_level_change compaction branch_summary session_info "
    "custom_message label title title_change session_init mode_change model_usage reset_boundary "
    "service_tier_change ttsr_injection credential_pin archive custom";

bool is_head(const json::Value& root) {
  return root.find("type").equals("session") && root.find("id").is_string() &&
         root.find("timestamp").is_string();
}

bool is_sound(const json::Value& root) {
  const std::string type = root.find("type").text();
  return is_head(root) || (root.find("timestamp").is_string() && is_one_of(type, kTypes));
}

// --- Provider items ----------------------------------------------------------
// Pi stores its own blocks, with the provider's signatures in them. These functions rebuild the
// provider's items from the exact bytes of the block's strings.
//
// Source: github.com/badlogic/pi-mono, packages/ai/src/types.ts and providers/*.ts.

// Members of a chat message with a thought: there the signature is only the member's name.
bool is_chat_member(std::string_view signature) {
  constexpr std::string_view kMembers = "reasoning_content reasoning reasoning_text";
  return is_one_of(signature, kMembers);
}

// Returns the bytes of a string as written.
std::string_view bytes_of(const json::Value& value) {
  return value.is_string() ? value.raw() : R"("")";
}

bool is_anthropic(std::string_view api) { return api == "anthropic-messages"; }

bool is_google(std::string_view api) { return api.starts_with("google-"); }

/// Fills a reasoning from a `thinking` block: its text, its format, and in `raw` the item in the
/// form of the provider's API: a (redacted) thinking block of `anthropic-messages`, an item of the
/// Responses API, or a part of a Google API. For any other API, whose thoughts have no known item,
/// `raw` is Pi's block. Takes the values that the turn contains.
void take_thinking(const json::Value& block, std::string_view api, Turn& turn, Taken& taken) {
  const json::Value thinking = block.find("thinking");
  const json::Value signature = block.find("thinkingSignature");
  turn.text = taken.text(thinking);
  turn.fields.format = "parsed";
  taken(block, "type");
  if (!signature.is_string() || says_nothing(signature)) return;
  const std::string said = signature.text();
  const std::string_view text = bytes_of(thinking);
  const auto document = json::parse(said);
  if (document && document->root().find("type").equals("reasoning")) {
    turn.fields.format = "responses";
    turn.raw.push_back({said});
  } else if (is_anthropic(api) && block.find("redacted").is_true()) {
    set_redacted_item(signature, turn, taken);
    taken(block, "redacted");
  } else if (is_anthropic(api)) {
    set_thinking_item(thinking, signature, turn, taken);
  } else if (is_google(api)) {
    turn.fields.format = "gemini";
    turn.raw.push_back({fmt::format(R"({{"text":{},"thought":true,"thoughtSignature":{}}})", text,
                                    signature.raw())});
  } else {
    turn.fields.format = is_chat_member(said) ? "reasoning_content" : "raw";
    turn.raw.push_back({std::string(block.raw())});
  }
  taken(signature);
}

/// Adds a text or a `toolCall` block to `parts`, as a part of a Google API. Returns true if the
/// block has a signature, which it takes: then all parts of the answer must be kept.
bool add_google_part(const json::Value& block, std::vector<compile::Item>& parts, Taken& taken) {
  const bool is_call = block.find("type").equals("toolCall");
  const json::Value signature = block.find(is_call ? "thoughtSignature" : "textSignature");
  const bool is_signed = signature.is_string() && !says_nothing(signature);
  std::string part;
  if (is_call) {
    const json::Value arguments = block.find("arguments");
    part = fmt::format(R"({{"functionCall":{{"name":{},"args":{}}})", bytes_of(block.find("name")),
                       arguments.is_object() ? arguments.raw() : "{}");
  } else {
    part = fmt::format(R"({{"text":{})", bytes_of(block.find("text")));
  }
  if (is_signed) part += fmt::format(R"(,"thoughtSignature":{})", taken(signature).raw());
  parts.push_back({part + "}"});
  return is_signed;
}

class PiSink final : public TreeSink {
 public:
  using TreeSink::TreeSink;

  Result<void> add(const json::Value& root) override {
    const std::string type = root.find("type").text();
    const bool is_session = type == "session";  // Its id is the log's, not a record's.
    Link link = link_of(root, is_session ? json::Value() : root.find("id"), root.find("parentId"));
    if (is_session) {
      writer().name_session(root.find("id").text());
      if (cwd_.empty()) cwd_ = root.find("cwd").text();
    }
    if (is_repeated(link, type == "message")) return drop(root, label_of(type));
    follow_reset(type, link);
    TurnRecord made(root, tool());
    made.set_time(root.find("timestamp"));
    make_turns(type, made, link);
    if (!made.has_turns()) {
      const bool is_known = is_one_of(type, kTypes);
      const std::string role = root.find("message").find("role").text();
      if (link.goes_back) anew_.insert(link.uuid);
      return pass(root, label_of(type, role), is_known, link);
    }
    add_facts(made);
    if (type == "compaction") {
      const std::string last = link.has_parent ? link.parent : std::string();
      Link boundary = link;
      boundary.uuid.clear();
      thread().pass_boundary(boundary, {last, root.find("firstKeptEntryId").text(), last, {}});
    }
    return add_turns(made, link);
  }

 private:
  /// Begins a line after a `reset_boundary`: the model sees nothing from before it.
  void follow_reset(const std::string& type, Link& link) {
    link.goes_back = type == "reset_boundary" || anew_.contains(link.parent);
    if (link.goes_back) link.parent.clear();
  }

  void add_facts(TurnRecord& made) {
    const json::Value root = made.root();
    made.fact(fact::uuid, root.find("id"));
    made.fact_text(fact::session, writer().session());
    made.fact_text(fact::cwd, cwd_);
    made.taken()(root, "type");
    made.taken()(root, "parentId");
  }

  void make_turns(const std::string& type, TurnRecord& made, Link& link) {
    const json::Value root = made.root();
    Taken& taken = made.taken();
    if (type == "compaction" || type == "branch_summary") {
      const bool compacts = type == "compaction";
      link.kind = compacts ? Link::Kind::summary : Link::Kind::other;
      made.start(Type::summary).text = taken.text(root, "summary");
    } else if (type == "custom_message") {
      say(Type::user, root.find("content"), made);
      made.flag(fact::injected);
    } else if (type == "session_init") {
      make_instructions(root.find("systemPrompt"), made);
    } else if (type == "message") {
      make_message(root.find("message"), made, link);
    }
  }

  /// Adds the system prompt of a subagent, in one or several texts.
  static void make_instructions(const json::Value& prompt, TurnRecord& made) {
    if (!says_nothing(prompt) && prompt.is_string()) {
      made.start(Type::system).text = made.taken().text(prompt);
    }
    for (const json::Value& block : prompt.elements()) {
      if (block.is_string()) made.start(Type::system).text = made.taken().text(block);
    }
  }

  void make_message(const json::Value& message, TurnRecord& made, Link& link) {
    Taken& taken = made.taken();
    const std::string role = message.find("role").text();
    if (role == "user") {
      link.kind = Link::Kind::user_written;
      say(Type::user, message.find("content"), made);
      made.set_author("user");
    } else if (role == "developer" || role == "system") {
      Turn& turn = made.start(Type::system);
      if (role == "developer") turn.fields.role = role;
      turn.text = take_content(message.find("content"), turn, taken);
    } else if (role == "custom" || role == "hookMessage") {
      say(Type::user, message.find("content"), made);
      made.flag(fact::injected);
    } else if (role == "bashExecution" || role == "pythonExecution") {
      if (message.find("excludeFromContext").is_true()) return;
      link.kind = Link::Kind::user_written;
      made.start(Type::user).text =
          role == "bashExecution" ? text_of_command(message, taken) : text_of_code(message, taken);
      made.flag(fact::injected);
      return;  // The role is kept: it distinguishes such turns.
    } else if (role == "assistant") {
      link.kind = Link::Kind::reply;
      make_reply(message, made, link);
    } else if (role == "toolResult") {
      link.kind = Link::Kind::result;
      Turn& turn = made.start_result(message, "toolCallId", "toolName", "isError");
      turn.text = take_content(message.find("content"), turn, taken);
    }
    if (made.has_turns()) taken(message, "role");
  }

  /// Returns the text of a command that the user ran, as Pi sends it to the model
  /// (bashExecutionToText() in packages/coding-agent/src/core/messages.ts).
  static std::string text_of_command(const json::Value& message, Taken& taken) {
    std::string text = "Ran `" + taken.text(message, "command") + "`\n";
    text += text_of_output(message, "", taken);
    text += text_of_end(message, "command cancelled", "Command exited", taken);
    const std::string file = message.find("fullOutputPath").text();
    if (message.find("truncated").is_true() && !file.empty()) {
      text += "\n\n[Output truncated. Full output: " + taken.text(message, "fullOutputPath") + "]";
    }
    return text;
  }

  /// Does the same for Python that the user ran in Oh-My-Pi (pythonExecutionToText()).
  static std::string text_of_code(const json::Value& message, Taken& taken) {
    return "Ran Python:\n```python\n" + taken.text(message, "code") + "\n```\n" +
           text_of_output(message, "Output:\n", taken) +
           text_of_end(message, "execution cancelled", "Execution failed", taken);
  }

  static std::string text_of_output(const json::Value& message, const std::string& title,
                                    Taken& taken) {
    const std::string output = taken.text(message, "output");
    return output.empty() ? "(no output)" : title + "```\n" + output + "\n```";
  }

  static std::string text_of_end(const json::Value& message, const std::string& cancelled,
                                 const std::string& failed, Taken& taken) {
    if (taken.flag(message, "cancelled")) return "\n\n(" + cancelled + ")";
    const auto code = message.find("exitCode").integer();
    if (!code || *code == 0) return "";
    taken(message, "exitCode");
    return "\n\n" + failed + " with code " + std::to_string(*code);
  }

  static void make_reply(const json::Value& message, TurnRecord& made, Link& link) {
    const auto run = [&]() -> Turn& { return made.run(Type::assistant); };
    const std::string api = message.find("api").text();
    std::vector<compile::Item> parts;  // For Google APIs: kept if one of them is signed.
    bool is_signed = false;
    const auto end_run = [&] {
      if (is_signed) made.turns().back().raw = std::move(parts);
      parts.clear();
      is_signed = false;
      made.end_run();
    };
    const json::Value content = message.find("content");
    if (content.is_string()) run().text = made.taken().text(content);
    for (const json::Value& block : content.elements()) {
      const std::string type = block.find("type").text();
      if (type == "thinking") {
        end_run();
        take_thinking(block, api, made.start(Type::reasoning), made.taken());
        continue;
      }
      if (type != "toolCall" && type != "text") continue;
      if (is_google(api)) is_signed = add_google_part(block, parts, made.taken()) || is_signed;
      if (type == "toolCall") {
        add_tool_call(run(), {made.taken().word(block, "id"), made.taken().text(block, "name"),
                              std::string(made.taken()(block, "arguments").raw())});
      } else {
        run().text += made.taken().text(block, "text");
      }
      made.taken()(block, "type");
    }
    end_run();
    if (!made.has_turns()) run();  // An answer that failed before its first word.
    link.message_id = made.root().find("id").text();
    const json::Value provider = message.find("provider");
    if (provider.equals("google")) {
      made.made_fact_text(fact::provider, "gemini");  // As everywhere in spoor.
    } else {
      made.made_fact(fact::provider, provider);
    }
    made.made_fact(fact::model, message.find("model"));
    made.made_fact_text(fact::message_id, link.message_id);
    made.last_fact(fact::response_id, message.find("responseId"));
    made.last_fact(fact::finish_reason, message.find("stopReason"));
    made.last_fact(fact::error, message.find("errorMessage"));
    made.last_fact(fact::usage, message.find("usage"));
    made.set_author(message.find("model").text());
  }

  std::string cwd_;
  std::set<std::string> anew_;  // Reset boundaries, and records after them that are not turns.
};

int score_pi(const Head& head) { return head.contains(is_head) ? score::kOwn : score::kNone; }

}  // namespace

/// Reads the sessions of the coding agent Pi (`~/.pi/agent/sessions/**/*.jsonl`), versions 1 to 3,
/// and of agents built on it. See docs/importing.md.
const Importer kPi = {"pi", "Pi", score_pi, import_lines_into<PiSink, is_sound>,
                      open_lines<PiSink, is_sound>};

}  // namespace spoor::import::formats
