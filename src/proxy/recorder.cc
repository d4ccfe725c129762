#include "proxy/recorder.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "base/text.h"
#include "import/importer.h"
#include "import/importers.h"
#include "llm/profile.h"
#include "llm/sent_prompt.h"
#include "llm/wire/reply_parser.h"
#include "proxy/cut_body.h"
#include "store/commit.h"
#include "store/lines.h"
#include "store/sha256.h"

namespace spoor::proxy {
namespace {

using compile::Oid;
using compile::Slot;
using compile::Turn;
using compile::Type;
using llm::Wire;

std::string_view path_of(const Exchange& exchange) {
  return std::string_view(exchange.target).substr(0, exchange.target.find('?'));
}

// Returns how a request asks a model; nullopt if it does something else.
std::optional<Wire> wire_of(const Exchange& exchange) {
  if (exchange.method != "POST") return std::nullopt;
  const std::string_view path = path_of(exchange);
  if (path.ends_with("/messages")) return Wire::anthropic;
  if (path.ends_with("/chat/completions")) return Wire::openai_chat;
  if (path.ends_with("/responses")) return Wire::openai_responses;
  return std::nullopt;
}

// Whether a request of another form asks a model: it is named as not recorded.
bool asks_a_model(const Exchange& exchange) {
  constexpr std::array<std::string_view, 4> kPaths = {":generateContent", ":streamGenerateContent",
                                                      "/api/chat", "/api/generate"};
  const std::string_view path = path_of(exchange);
  return exchange.status == 101 ||  // A WebSocket, as Codex opens.
         std::any_of(kPaths.begin(), kPaths.end(),
                     [&](std::string_view each) { return path.ends_with(each); });
}

// The agent that asked, by the name that it gives itself. As importers are called.
std::string agent_of(const Exchange& exchange) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kAgents = {
      {{"claude-cli/", "claude-code"},
       {"codex_", "codex"},
       {"GeminiCLI/", "gemini-cli"},
       {"opencode/", "opencode"}}};
  const std::string_view program = value_of(exchange.request_headers, "user-agent");
  for (const auto& [begin, name] : kAgents) {
    if (program.starts_with(begin)) return std::string(name);
  }
  return "proxy";
}

// The conversation's id, in the agent's words; empty if it names none.
std::string session_of(const Exchange& exchange) {
  for (const std::string_view name : {"x-claude-code-session-id", "session-id", "thread-id"}) {
    const std::string_view id = value_of(exchange.request_headers, name);
    if (!id.empty()) return std::string(id);
  }
  return {};
}

void append_member(std::string& out, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  out.append(out.empty() ? "{" : ",");
  out.append(json::write_string(key)).append(":").append(value);
}

// A block of Anthropic's; of one that was cut off, what came. Empty: a call without its end.
std::string block_of(const llm::Piece& piece) {
  using Kind = llm::Piece::Kind;
  if (!piece.raw.empty()) return piece.raw;
  const std::string text = json::write_string(piece.text);
  if (piece.kind == Kind::text) return R"({"type":"text","text":)" + text + "}";
  if (piece.kind != Kind::reasoning) return {};
  return R"({"type":"thinking","thinking":)" + text + R"(,"signature":""})";
}

// Returns the items of an answer as a JSON array.
std::string items_of(Wire wire, const llm::Reply& reply) {
  std::string items;
  for (const llm::Piece& piece : reply.pieces) {
    const std::string item = wire == Wire::anthropic ? block_of(piece) : piece.raw;
    if (!item.empty()) items.append(items.empty() ? "[" : ",").append(item);
  }
  return items.empty() ? "[]" : items + "]";
}

// The answer of Anthropic or of a chat API as a message, as the next request would repeat it.
// Empty: there is none.
std::string message_of(Wire wire, const llm::Reply& reply) {
  if (reply.pieces.empty()) return {};
  if (!reply.raw.empty()) return reply.raw;
  std::string message;
  if (!reply.id.empty()) append_member(message, "id", json::write_string(reply.id));
  append_member(message, "role", "\"assistant\"");
  if (wire == Wire::anthropic) {
    append_member(message, "content", items_of(wire, reply));
    append_member(message, "stop_reason", json::write_string(reply.finish_reason));
    append_member(message, "usage", reply.usage.raw);
    return message + "}";
  }
  append_member(message, "content", json::write_string(reply.text()));
  std::string calls;
  for (const compile::ToolCall& call : reply.calls()) {
    calls.append(calls.empty() ? "[" : ",");
    calls.append(R"({"id":)" + json::write_string(call.id) + R"(,"type":"function","function":)" +
                 R"({"name":)" + json::write_string(call.name) + R"(,"arguments":)" +
                 json::write_string(call.arguments) + "}}");
  }
  if (!calls.empty()) append_member(message, "tool_calls", calls + "]");
  return message + "}";
}

// A response of the Responses API: what its importer reads of it.
std::string response_of(const llm::Reply& reply) {
  std::string response;
  if (!reply.id.empty()) append_member(response, "id", json::write_string(reply.id));
  if (!reply.model.empty()) append_member(response, "model", json::write_string(reply.model));
  append_member(response, "output", items_of(Wire::openai_responses, reply));
  append_member(response, "usage", reply.usage.raw);
  return response + "}";
}

// The members of a request that say what is asked, by wire; the last has the messages.
std::vector<std::string_view> members_of(Wire wire) {
  if (wire == Wire::openai_responses) {
    return {"model", "instructions", "previous_response_id", "input"};
  }
  return {"model", "system", "messages"};
}

// The conversation up to and with the answer, as its importer reads it.
std::string document_of(Wire wire, const json::Value& request, const std::string& session,
                        const llm::Reply& reply) {
  std::string document;
  if (!session.empty()) append_member(document, "sessionId", json::write_string(session));
  for (const std::string_view key : members_of(wire)) {
    const json::Value value = request.find(key);
    if (value && key != "messages") append_member(document, key, value.raw());
  }
  if (wire == Wire::openai_responses) {
    if (!reply.pieces.empty()) append_member(document, "response", response_of(reply));
    return document + "}";
  }
  std::string messages;
  for (const json::Value& message : request.find("messages").elements()) {
    messages.append(messages.empty() ? "[" : ",").append(message.raw());
  }
  const std::string answer = message_of(wire, reply);
  if (!answer.empty()) messages.append(messages.empty() ? "[" : ",").append(answer);
  append_member(document, "messages", messages.empty() ? "[]" : messages + "]");
  return document + "}";
}

const import::Importer& importer_of(Wire wire) {
  if (wire == Wire::anthropic) return import::formats::kAnthropic;
  return wire == Wire::openai_chat ? import::formats::kChat : import::formats::kResponses;
}

llm::Reply read_reply(Wire wire, int status, std::string_view body) {
  if (status >= 400) {
    llm::Reply reply;
    reply.failure = llm::wire::read_failure(status, body);
    return reply;
  }
  const auto parser = llm::wire::make_reply_parser(wire);
  parser->feed(body, {});
  return parser->finish({});
}

// Returns the commits of the answer that ends at `tip`, the last first: its reasoning, texts and
// calls may be commits of their own.
Result<std::vector<Oid>> commits_of_answer(const store::Reader& reader, const Oid& tip) {
  std::vector<Oid> commits = {tip};
  const std::string message = compile::message_id_of(*TRY(reader.commit(tip)));
  while (!message.empty()) {
    const auto commit = TRY(reader.commit(commits.back()));
    if (commit->parents.empty()) break;
    const auto before = TRY(reader.commit(commit->parents[0]));
    if (compile::message_id_of(*before) != message) break;
    commits.push_back(commit->parents[0]);
  }
  return commits;
}

// Returns everything that a reply says.
std::string text_of(const llm::Reply& reply) {
  std::string text;
  for (const llm::Piece& piece : reply.pieces) {
    text.append(piece.text).append("\n").append(piece.call.arguments).append("\n");
  }
  return text;
}

// Returns the media type of a response, if it is one.
std::string media_type_of(const Exchange& exchange) {
  const std::string_view type = value_of(exchange.response_headers, "content-type");
  std::string plain(trimmed(type.substr(0, type.find(';'))));
  const bool is_type = store::is_media_type(plain);
  return is_type ? plain : "application/octet-stream";
}

// Finds the last commit of an answer by the provider's id, on the lines of a session that was
// imported from its file. nullopt if it is not there.
struct Place {
  std::string ref;
  Oid commit;
};
Result<std::optional<Place>> find_answer(const graph::Repository& repository,
                                         const std::string& agent, const std::string& session,
                                         const std::string& id) {
  constexpr std::size_t kDigits = 8;
  std::optional<Place> found;
  const std::string lines = store::branch_ref(agent + "/" + session.substr(0, kDigits));
  for (const store::Ref& ref : TRY(repository.store().refs(lines))) {
    const auto look = [&](const store::NamedCommit& named) {
      if (compile::message_id_of(*named.commit) == id) found = Place{ref.name, named.oid};
      return !found;
    };
    TRY(repository.reader().run(ref.target, std::numeric_limits<std::size_t>::max(), look,
                                store::Reader::Keep::nothing));
    if (found) break;
  }
  return found;
}

}  // namespace

Result<std::optional<bool>> Recorder::has_file(const std::string& agent,
                                               const std::string& session) {
  constexpr int kShare = 20;  // The file is read whole each time: a twentieth of a core at most.
  if (!import_ || session.empty()) return std::optional<bool>();
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto known = imported_.find({agent, session});
  if (known != imported_.end() && start < known->second.next) return known->second.has_file;
  const auto has = TRY(import_(agent, session));
  const auto end = Clock::now();
  imported_[{agent, session}] = {end + kShare * (end - start), has};
  return has;
}

Result<Recorded> Recorder::record(const Exchange& exchange, bool is_final) {
  Recorded recorded;
  const auto refuse = [&](std::string_view reason) {
    recorded.reason = reason;
    return recorded;
  };
  const auto wire = wire_of(exchange);
  if (!wire) return refuse(asks_a_model(exchange) ? "unknown_provider" : "non_turn_request");
  const auto document = json::parse(exchange.request);
  if (!document || !document->root().find(members_of(*wire).back())) {
    return refuse("request_decode");
  }
  const json::Value request = document->root();
  // take_out() has decoded it, where it could.
  if (!value_of(exchange.response_headers, "content-encoding").empty()) {
    return refuse("response_decode");
  }
  const llm::Reply reply = read_reply(*wire, exchange.status, exchange.response);
  recorded.model = reply.model.empty() ? request.find("model").text() : reply.model;
  recorded.usage = reply.usage;
  recorded.provider = *wire == Wire::anthropic ? "anthropic" : "openai";

  const std::string agent = agent_of(exchange);
  const std::string session = session_of(exchange);
  const store::Reader& reader = repository_.reader();
  const std::optional<bool> has_file = TRY(this->has_file(agent, session));
  std::optional<Place> place;
  if (has_file == true && !reply.id.empty()) {
    place = TRY(find_answer(repository_, agent, session, reply.id));
  }
  if (has_file && !place && !is_final) return refuse(kLater);
  if (place) {
    recorded.answer = place->commit;
  } else {
    const std::string conversation = document_of(*wire, request, session, reply);
    import::TextSource source("captured", conversation);
    const import::Importer& importer = importer_of(*wire);
    const auto report = TRY(importer.read(agent, source, repository_, {}));
    if (report.main_ref.empty() || !report.main_tip) return refuse("request_decode");
    place = Place{report.main_ref, *report.main_tip};
    if (!reply.pieces.empty()) recorded.answer = place->commit;
  }
  recorded.ref = place->ref;
  Oid asked = place->commit;
  std::vector<Oid> about = {place->commit};
  if (recorded.answer) {
    about = TRY(commits_of_answer(reader, *recorded.answer));
    const auto first = TRY(reader.commit(about.back()));
    if (!first->parents.empty()) asked = first->parents[0];
  }

  const std::string name = session.empty() ? store::sha256(recorded.ref).hex(8) : session;
  const std::string captures =
      std::string(llm::kCaptures) + agent + "/" + store::sha256(name).hex(16);
  Turn note{.type = Type::note, .text = describe(exchange), .media_type = "application/json"};
  note.about = about;
  note.author = agent;
  note.time = exchange.begun;
  if (const auto last = TRY(repository_.store().ref(captures))) {
    const auto known = TRY(reader.commit(*last));
    const auto text = TRY(reader.content(known->content->oid));
    if (known->about == note.about && *text == note.text) return recorded;  // Written before.
  }
  // A stream splits a text anywhere, so a secret in it would not be seen: it is attached only if
  // its texts as a whole have nothing to take out.
  const std::string said = text_of(reply);
  const bool is_clean = TRY(repository_.scrubber().scrub(Slot::text, said)) == said;
  if (!exchange.response.empty() && is_clean) {
    note.attach.push_back({exchange.response, media_type_of(exchange)});
  }
  TRY(repository_.transact(
      "capture", graph::OnConflict::reparent, [&](graph::Draft& draft) -> Result<void> {
        store::Bundle bundle;
        bundle.commit = asked;
        bundle.renderer = exchange.is_altered ? llm::kCapturedAltered : llm::kCaptured;
        if (store::is_plain_line(recorded.model, store::kMaxModel)) bundle.model = recorded.model;
        bundle.stored = TRY(draft.put_rope(Slot::request, exchange.request, cut_body));
        Turn written = note;
        written.prompt = TRY(draft.put_bundle(bundle, exchange.request, false));
        TRY(draft.append(captures, written));
        return {};
      }));
  return recorded;
}

}  // namespace spoor::proxy
