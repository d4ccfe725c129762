#include "llm/import/gemini_cli/importer.h"

#include <utility>

#include "llm/import/data_url.h"
#include "llm/import/front.h"
#include "llm/import/session_sink.h"

namespace spoor::llm::import::gemini_cli {
namespace {

using compile::ToolCall;
using compile::Turn;
using compile::Type;

bool is_header(const json::Value& root) {
  return root.find("sessionId").is_string() && root.find("projectHash").is_string();
}

/// A saved chat of an early version: the API's own contents.
bool is_contents(const json::Value& list) {
  for (const json::Value& first : list.elements()) {
    return first.find("parts").is_array() && first.find("role").is_string();
  }
  return false;
}

class GeminiSink final : public SessionSink {
 public:
  using SessionSink::SessionSink;

  Result<void> add(const json::Value& root) override {
    const json::Value messages =
        root.find("messages").is_array() ? root.find("messages") : root.find("history");
    if (is_header(root)) writer().name_session(root.find("sessionId").text());
    if (!messages.is_array()) return is_header(root) ? header(root) : add_message(root);
    for (const json::Value& message : messages.elements()) {
      TRY(add_message(message));
      TRY(breathe());
    }
    Taken taken;
    taken(messages);
    return keep_rest(root, taken, "session");
  }

 private:
  Result<void> header(const json::Value& root) {
    see(root);
    return keep(root, "session", true, time_of(root.find("startTime")));
  }

  Result<void> add_message(const json::Value& message) {
    see(message);
    const std::string type = message.find("type").text();
    const std::string role = message.find("role").text();
    const auto time = time_of(message.find("timestamp"));
    if (type == "info" || type == "error" || type == "warning" || message.find("$set")) {
      return keep(message, type.empty() ? "update" : label_of(type), true, time);
    }
    const bool is_user = type == "user" || (type.empty() && role == "user");
    const bool is_model = type == "gemini" || type == "model" ||
                          (type.empty() && (role == "model" || role == "gemini"));
    if (!is_user && !is_model) return keep(message, label_of(type), false, time);

    TurnRecord made(message, tool());
    made.set_time(message.find("timestamp"));
    made.set_time(message.find("ts"));
    made.fact_text("session", writer().session());
    made.fact("uuid", message.find("id"));
    made.taken()(message, type.empty() ? "role" : "type");
    if (is_model) add_model_facts(message, made);
    add_thoughts(message, made);
    add_content(message.find(message.find("parts") ? "parts" : "content"),
                is_user ? Type::user : Type::assistant, made);
    add_calls(message.find("toolCalls"), made);
    if (is_user) set_user(made);
    return add_turns(made, label_of(type.empty() ? role : type));
  }

  static void set_user(TurnRecord& made) {
    for (Turn& turn : made.turns()) {
      if (turn.type == Type::user) turn.author = "user";
    }
  }

  static void add_model_facts(const json::Value& message, TurnRecord& made) {
    made.made_fact_text("provider", "gemini");
    made.made_fact("model", message.find("model"));
    made.made_fact_text("message_id", message.find("id").text());
    made.last_fact("usage", message.find("tokens"));
    made.set_author(message.find("model").text());
  }

  /// Gemini's summaries of thoughts, which the program took apart at their headings.
  static void add_thoughts(const json::Value& message, TurnRecord& made) {
    for (const json::Value& thought : message.find("thoughts").elements()) {
      const std::string subject = made.taken()(thought, "subject").text();
      const std::string description = made.taken()(thought, "description").text();
      Turn& turn = made.start(Type::reasoning);
      turn.fields.format = "parsed";
      if (!subject.empty()) turn.text = "**" + subject + "**\n";
      turn.text += description;
      if (auto time = time_of(thought.find("timestamp"))) {
        turn.time = time;
        made.taken()(thought, "timestamp");
      }
    }
  }

  /// A string, or parts as the API has them.
  static void add_content(const json::Value& content, Type type, TurnRecord& made) {
    bool in_run = false;
    const auto run = [&]() -> Turn& {
      return std::exchange(in_run, true) ? made.turns().back() : made.start(type);
    };
    if (content.is_string()) {
      run().text = made.taken()(content).text();
      return;
    }
    for (const json::Value& part : content.elements()) {
      if (const json::Value call = part.find("functionCall")) {
        add_call(run(), call, made.taken());
      } else if (const json::Value response = part.find("functionResponse")) {
        Turn& turn = made.start(Type::tool);
        turn.fields.call_id = made.taken()(response, "id").text();
        turn.fields.name = made.taken()(response, "name").text();
        take_response(response.find("response"), turn, made.taken());
        in_run = false;
      } else if (part.find("thought").is_true()) {
        Turn& turn = made.start(Type::reasoning);
        turn.text = made.taken()(part, "text").text();
        turn.fields.format = "gemini";
        in_run = false;
      } else if (part.find("text").is_string()) {
        run().text += made.taken()(part, "text").text();
      } else if (auto picture = picture_of(part.find("inlineData").find("mimeType").text(),
                                           part.find("inlineData").find("data").text())) {
        run().attach.push_back(std::move(*picture));
        made.taken()(part);
      }
    }
    if (!made.has_turns()) run();
  }

  static void add_call(Turn& turn, const json::Value& call, Taken& taken) {
    ToolCall made{taken(call, "id").text(), taken(call, "name").text(),
                  std::string(taken(call, "args").raw())};
    if (!turn.fields.tool_calls) turn.fields.tool_calls.emplace();
    turn.fields.tool_calls->push_back(std::move(made));
  }

  /// Calls, and what came of them: the program keeps both in the message that called.
  static void add_calls(const json::Value& calls, TurnRecord& made) {
    if (calls.size() == 0) return;
    if (!made.has_turns() || made.turns().back().type != Type::assistant) {
      made.start(Type::assistant);
    }
    for (const json::Value& call : calls.elements())
      add_call(made.turns().back(), call, made.taken());
    for (const json::Value& call : calls.elements()) {
      const json::Value result = call.find("result");
      if (!result || says_nothing(result)) continue;
      Turn& turn = made.start(Type::tool);
      turn.fields.call_id = call.find("id").text();
      turn.fields.name = call.find("name").text();
      turn.fields.is_error =
          call.find("status").equals("error") || call.find("status").equals("cancelled");
      turn.time = time_of(call.find("timestamp"));
      if (turn.time) made.taken()(call, "timestamp");
      take_result(result, turn, made.taken());
    }
  }

  static void take_result(const json::Value& result, Turn& turn, Taken& taken) {
    if (result.is_string()) {
      turn.text = taken(result).text();
      return;
    }
    for (const json::Value& part : result.elements()) {
      const json::Value response = part.find("functionResponse");
      if (response.find("id").equals(turn.fields.call_id)) taken(response, "id");
      if (response.find("name").equals(turn.fields.name)) taken(response, "name");
      if (response) take_response(response.find("response"), turn, taken);
      if (part.find("text").is_string()) turn.text += taken(part, "text").text();
    }
  }

  /// `{"output": …}` or `{"error": …}` as text, anything else as its bytes.
  static void take_response(const json::Value& response, Turn& turn, Taken& taken) {
    for (const std::string_view key : {"output", "error"}) {
      const json::Value said = response.find(key);
      if (!said.is_string()) continue;
      turn.text += taken(said).text();
      if (key == "error") turn.fields.is_error = true;
      return;
    }
    if (response) turn.text += std::string(taken(response).raw());
  }
};

}  // namespace

bool GeminiCliImporter::recognises(std::string_view head) const {
  const Front front(head);
  const json::Value root = front.first();
  if (is_header(root)) return true;
  return is_contents(root.find("history"));
}

Result<LossReport> GeminiCliImporter::import(Source& source, compile::Repository& repository,
                                             const ImportOptions& options) const {
  GeminiSink sink(name(), repository, options);
  TRY(import_documents(source, options, sink, sink.writer(), sink.report()));
  return std::move(sink.report());
}

}  // namespace spoor::llm::import::gemini_cli
