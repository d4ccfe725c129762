#include "proxy/recorder.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <tuple>
#include <utility>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "base/text.h"
#include "compile/known_keys.h"
#include "import/importer.h"
#include "import/known_agents.h"
#include "llm/sent_prompt.h"
#include "llm/tool_spec.h"
#include "proxy/conversation.h"
#include "proxy/credentials.h"
#include "proxy/cut_body.h"
#include "store/ancestry.h"
#include "store/commit.h"
#include "store/lines.h"

namespace spoor::proxy {
namespace {

using compile::Oid;
using compile::Slot;
using compile::Turn;
using compile::Type;
using import::KnownAgent;
using llm::Wire;
using store::NamedCommit;

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

// The agent that asked: that was started, or by the name that it gives itself. nullptr: another
// program.
const KnownAgent* agent_of(const Exchange& exchange) {
  const std::string_view program = value_of(exchange.request_headers, "user-agent");
  for (const KnownAgent& agent : import::known_agents()) {
    const bool is_it = exchange.agent.empty()
                           ? !agent.program.empty() && program.starts_with(agent.program)
                           : agent.name == exchange.agent;
    if (is_it) return &agent;
  }
  return nullptr;
}

// The conversation's id, in the agent's words; empty if it names none.
std::string session_of(const Exchange& exchange, const KnownAgent* agent) {
  for (const KnownAgent& each : import::known_agents()) {
    if (agent != nullptr && &each != agent) continue;
    for (const std::string_view name : each.session_headers) {
      const std::string_view id = value_of(exchange.request_headers, name);
      if (!id.empty()) return std::string(id);
    }
  }
  return {};
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

// Returns whether the captures that end at `tip` have a note: a post or an exchange may come again,
// and others in between. Notes are about in the order of their times.
Result<bool> has_note(const store::Reader& reader, const Oid& tip, const Turn& note) {
  constexpr std::int64_t kDisorder = 600'000'000;  // Microseconds.
  std::vector<Oid> texts;
  const auto look = [&](const store::NamedCommit& known) {
    const store::Commit& commit = *known.commit;
    if (commit.about == note.about && commit.time == note.time) {
      texts.push_back(commit.content->oid);
    }
    return commit.time >= Timestamp{note.time->micros - kDisorder};
  };
  TRY(reader.run(tip, std::numeric_limits<std::size_t>::max(), look, store::Reader::Keep::nothing));
  for (const auto& text : TRY(reader.stored_contents(texts))) {
    if (text && *text == note.text) return true;
  }
  return false;
}

// Returns everything that a reply says.
std::string text_of(const llm::Reply& reply) {
  std::string text;
  for (const llm::Piece& piece : reply.pieces) {
    text.append(piece.text).append("\n").append(piece.call.arguments).append("\n");
  }
  return text;
}

// Returns the provider as price lists call it.
std::string_view provider_of(Wire wire) {
  switch (wire) {
    case Wire::anthropic:
      return "anthropic";
    case Wire::gemini:
      return "gemini";
    case Wire::ollama:
      return "ollama";
    case Wire::openai_chat:
    case Wire::openai_responses:
      break;
  }
  return "openai";
}

// Returns the media type of a response, if it is one.
std::string media_type_of(const Exchange& exchange) {
  if (exchange.status == 101) return "application/x-ndjson";
  const std::string_view type = value_of(exchange.response_headers, "content-type");
  std::string plain(trimmed(type.substr(0, type.find(';'))));
  const bool is_type = store::is_media_type(plain);
  return is_type ? plain : "application/octet-stream";
}

struct Place {
  std::string ref;
  Oid commit;
};

// Whether a commit is of the provider's reply with this id.
bool is_of_reply(const store::Commit& commit, const std::string& id) {
  if (commit.meta.find(id) == std::string::npos) return false;
  const auto meta = json::parse(commit.meta);
  return meta && (meta->root().find(fact::message_id.key).equals(id) ||
                  meta->root().find(fact::response_id.key).equals(id));
}

// Whether a turn says what a reply says.
bool is_same(const Turn& turn, const llm::Reply& reply) {
  const auto calls = reply.calls();
  if (turn.type != Type::assistant || turn.text != reply.text()) return false;
  if (turn.text.empty() && calls.empty()) return false;
  const auto& own = turn.fields.tool_calls;
  return std::equal(calls.begin(), calls.end(), own ? own->begin() : calls.end(),
                    own ? own->end() : calls.end(),
                    [](const auto& one, const auto& other) { return one.name == other.name; });
}

// Returns the newest commits of a line, newest first, back to the time of an exchange.
Result<std::vector<NamedCommit>> commits_since(const store::Reader& reader, const Oid& tip,
                                               const Exchange& exchange) {
  // Microseconds. OpenCode gives an answer of calls the time at which it began to make the request.
  constexpr std::int64_t kSlack = 30'000'000;
  std::vector<NamedCommit> commits;
  const auto look = [&](const NamedCommit& named) {
    const auto& time = named.commit->time;
    if (time && time->micros < exchange.begun.micros - kSlack) return false;
    commits.push_back(named);
    return true;
  };
  TRY(reader.run(tip, kAll, look, store::Reader::Keep::nothing));
  return commits;
}

// Returns the last question up to a commit if what was asked ends with it, or, if `is_quoted`, has
// it anywhere. `asked` is empty if results were sent: then the last result.
Result<std::optional<Oid>> question_at(const store::Reader& reader, const Oid& commit,
                                       const std::string& asked, bool is_quoted) {
  std::optional<NamedCommit> last;
  const auto look = [&](const NamedCommit& named) {
    const auto& type = named.commit->type;
    if (type == Type::user || type == Type::tool) last = named;
    return !last;
  };
  TRY(reader.run(commit, kAll, look, store::Reader::Keep::nothing));
  std::optional<Oid> none;
  if (!last || (last->commit->type == Type::tool) != asked.empty()) return none;
  if (asked.empty()) return std::optional(last->oid);
  const std::string text = TRY(graph::read_turn(reader, last->oid)).text;
  const bool is_it = is_quoted ? asked.find(text) != asked.npos : asked.ends_with(text);
  return !text.empty() && is_it ? std::optional(last->oid) : none;
}

// Returns the newest commit of a line that is not later than a moment; the oldest if all are.
Result<NamedCommit> newest_until(const store::Reader& reader, const Oid& tip, std::int64_t micros) {
  NamedCommit last;
  const auto look = [&](const NamedCommit& named) {
    last = named;
    const auto& time = named.commit->time;
    return time && time->micros > micros;
  };
  TRY(reader.run(tip, kAll, look, store::Reader::Keep::nothing));
  return last;
}

// Finds the last commit of an answer on lines that were imported from an agent's files, by the
// provider's id. nullopt if it is not there.
Result<std::optional<Place>> find_reply(const graph::Repository& repository,
                                        const std::vector<std::string>& lines,
                                        const Exchange& exchange, const std::string& id) {
  if (id.empty()) return std::optional<Place>();
  for (const std::string& line : lines) {
    const auto tip = TRY(repository.store().ref(line));
    if (!tip) continue;
    for (const NamedCommit& named : TRY(commits_since(repository.reader(), *tip, exchange))) {
      if (is_of_reply(*named.commit, id)) return std::optional(Place{line, named.oid});
    }
  }
  return std::optional<Place>();
}

// Whether a turn has the calls of a reply, by the provider's ids.
bool has_calls(const Turn& turn, const llm::Reply& reply) {
  const auto calls = reply.calls();
  if (calls.empty() || !turn.fields.tool_calls) return false;
  return std::ranges::equal(calls, *turn.fields.tool_calls, [](const auto& one, const auto& other) {
    return !one.id.empty() && one.id == other.id;
  });
}

// … in files that do not have the id: the answer with the same content that is nearest to the
// request, after it unless it has the provider's ids of the calls. nullopt also if several sessions
// have one.
Result<std::optional<Place>> find_same(const graph::Repository& repository,
                                       const std::vector<std::string>& lines,
                                       const Exchange& exchange, const llm::Reply& reply,
                                       const std::string& asked) {
  constexpr std::int64_t kAfter = 5'000'000;  // Microseconds until the agent has written it.
  const store::Reader& reader = repository.reader();
  std::optional<Place> found;
  std::int64_t nearest = 0;
  for (const std::string& line : lines) {
    const auto tip = TRY(repository.store().ref(line));
    if (!tip) continue;
    for (const NamedCommit& named : TRY(commits_since(reader, *tip, exchange))) {
      if (named.commit->type != Type::assistant) continue;
      const Turn turn = TRY(graph::read_turn(reader, named.oid));
      if (!turn.time) continue;
      const std::int64_t after = turn.time->micros - exchange.begun.micros;
      const bool has_ids = has_calls(turn, reply);
      const bool is_then = (has_ids || after >= 0) && after <= exchange.end + kAfter;
      if (!is_then || !is_same(turn, reply)) continue;
      if (!has_ids && !TRY(question_at(reader, named.oid, asked, false))) continue;
      if (found && found->ref != line && found->commit != named.oid) return std::optional<Place>();
      if (found && std::abs(after) >= nearest) continue;
      nearest = std::abs(after);
      found = Place{line, named.oid};
    }
  }
  return found;
}

// Returns the lines of a session, if one is named; else those that were imported from the agent's
// files (`lines`), if it has any.
Result<std::vector<std::string>> lines_of(const graph::Repository& repository,
                                          const std::optional<std::vector<std::string>>& lines,
                                          const KnownAgent& agent, const std::string& session) {
  constexpr std::size_t kDigits = 8;  // A session's, in the names of branches.
  if (session.empty()) return lines.value_or(std::vector<std::string>());
  std::string name = session;
  if (lines && name.starts_with(agent.session_prefix)) name.erase(0, agent.session_prefix.size());
  if (lines) name.resize(std::min(name.size(), kDigits));
  std::vector<std::string> all;
  const std::string begin = store::branch_ref(std::string(agent.name) + "/" + name);
  for (const store::Ref& ref : TRY(repository.store().refs(begin))) {
    const Turn turn = TRY(graph::read_turn(repository.reader(), ref.target));
    const std::string of = turn.facts.get(fact::session);
    if (of.empty() || of == session) all.push_back(ref.name);  // Else the same digits, no more.
  }
  return all;
}

// Returns the turn that an exchange without a turn of its own came after: on the line whose last
// question is in what was `asked`, or the latest; nullopt if that may not be guessed.
Result<std::optional<Place>> place_beside(const graph::Repository& repository,
                                          const std::vector<std::string>& lines,
                                          const Exchange& exchange, const std::string& asked,
                                          bool may_guess) {
  constexpr std::int64_t kMoment = 1'000'000;  // Until the agent has written the question.
  const store::Reader& reader = repository.reader();
  const std::int64_t begun = exchange.begun.micros;
  std::optional<Place> found;
  std::tuple<bool, bool, std::int64_t> best;
  for (const std::string& line : lines) {
    const auto tip = TRY(repository.store().ref(line));
    if (!tip) continue;
    const NamedCommit last = TRY(newest_until(reader, *tip, begun));
    auto question = TRY(question_at(reader, last.oid, asked, may_guess));
    Oid place = last.oid;
    if (!question && may_guess && !asked.empty()) {
      const NamedCommit next = TRY(newest_until(reader, *tip, begun + kMoment));
      question = TRY(question_at(reader, next.oid, asked, true));
      if (question) place = *question;
    }
    const std::int64_t time = last.commit->time ? last.commit->time->micros : 0;
    const std::tuple rank(question.has_value(), time <= begun, time);
    if ((!question && !may_guess) || (found && rank <= best)) continue;
    found = Place{line, place};
    best = rank;
  }
  return found;
}

// Whether the line that ends in `tip` begins with this message of a user.
Result<bool> begins_with(const store::Reader& reader, const Oid& tip, const std::string& question) {
  std::optional<Oid> first;
  const auto look = [&](const NamedCommit& named) {
    if (named.commit->type == Type::user) first = named.oid;
    return true;
  };
  TRY(reader.run(tip, kAll, look, store::Reader::Keep::nothing));
  return first && TRY(graph::read_turn(reader, *first)).text == question;
}

}  // namespace

Result<Recorded> Recorder::record(const Exchange& exchange, bool is_final) {
  Recorded recorded;
  const auto refuse = [&](std::string_view reason) {
    recorded.reason = reason;
    return recorded;
  };
  const auto wire = wire_of(exchange);
  if (!wire) return refuse(asks_a_model(exchange) ? "unknown_provider" : "non_turn_request");
  const auto document = read_request(*wire, exchange.request);
  if (!document) {
    const bool is_message = exchange.status == 101;  // Such as one that cancels a response.
    return refuse(is_message ? "non_turn_request" : "request_decode");
  }
  const json::Value request = document->root();
  // take_out() has decoded it, where it could.
  if (!value_of(exchange.response_headers, "content-encoding").empty()) {
    return refuse("response_decode");
  }
  const llm::Reply reply = read_reply(*wire, exchange);
  recorded.model = reply.model.empty() ? model_of(exchange, request) : reply.model;
  recorded.usage = reply.usage;
  recorded.provider = provider_of(*wire);

  const KnownAgent* agent = agent_of(exchange);
  const std::string session = session_of(exchange, agent);
  const std::string name(agent == nullptr ? "proxy" : agent->name);
  const store::Reader& reader = repository_.reader();
  std::optional<std::vector<std::string>> lines;  // nullopt: the agent has no files.
  if (import_ && agent != nullptr && !agent->folders.empty()) {
    lines = TRY(import_(*agent, exchange.begun));
  }
  std::optional<Place> place;
  const std::string asked_for = last_question(*wire, request);
  if (lines) {
    place = agent->names_replies ? TRY(find_reply(repository_, *lines, exchange, reply.id))
                                 : TRY(find_same(repository_, *lines, exchange, reply, asked_for));
    if (!place && !is_final) return refuse(kLater);
  }
  if (place) {
    recorded.answer = place->commit;
  } else if (agent != nullptr) {
    // Not a turn of the conversation: a title, a classifier, a failed or a cancelled request.
    const bool has_tools = !llm::declared_tools(request).empty();
    const auto question = has_tools ? std::nullopt : first_question(*wire, request);
    if (lines || (!session.empty() && question)) {
      const auto all = TRY(lines_of(repository_, lines, *agent, session));
      const bool may_guess = !session.empty() || !has_tools;
      place = TRY(place_beside(repository_, all, exchange, asked_for, may_guess));
      if (!place && !is_final) return refuse(kLater);
    }
    const bool is_again =
        place && !lines && TRY(begins_with(reader, place->commit, question.value_or("")));
    if (is_again) place = std::nullopt;
    recorded.is_aside = place.has_value();
  }
  if (!place) {
    const std::string conversation = document_of(*wire, request, session, reply);
    import::TextSource source("captured", conversation);
    const import::ImportOptions times{.answered = Timestamp{exchange.begun.micros + exchange.end},
                                      .asked = exchange.begun,
                                      .lines = &lines_};
    const auto report = TRY(importer_of(*wire).read(name, source, repository_, times));
    if (report.main_ref.empty() || !report.main_tip) return refuse("request_decode");
    place = Place{report.main_ref, *report.main_tip};
    // No turn is made of an answer that broke off in a call.
    const auto type = TRY(reader.commit(place->commit))->type;
    const bool is_answer = type == Type::assistant || type == Type::reasoning;
    if (!reply.pieces.empty() && is_answer) recorded.answer = place->commit;
  }
  recorded.ref = place->ref;
  Oid asked = place->commit;
  std::vector<Oid> about = {place->commit};
  if (recorded.answer) {
    about = TRY(commits_of_answer(reader, *recorded.answer));
    const auto first = TRY(reader.commit(about.back()));
    if (!first->parents.empty()) asked = first->parents[0];
  }

  std::string of = session;
  if (of.empty()) of = TRY(graph::read_turn(reader, place->commit)).facts.get(fact::session);
  if (of.empty()) of = TRY(store::ancestor_at(reader, place->commit, 0)).hex();
  const std::string captures = llm::captures_of(name, of);
  Turn note{.type = Type::note, .text = describe(exchange), .media_type = "application/json"};
  note.about = about;
  note.author = name;
  note.time = exchange.begun;
  if (const auto last = TRY(repository_.store().ref(captures))) {
    recorded.is_known = TRY(has_note(reader, *last, note));
    if (recorded.is_known) return recorded;
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
        draft.leave_out_erased();  // The next requests repeat all texts.
        store::Bundle bundle;
        bundle.commit = asked;
        bundle.renderer = exchange.is_altered ? llm::kCapturedAltered
                          : exchange.is_copy  ? llm::kCapturedCopy
                                              : llm::kCaptured;
        if (store::is_plain_line(recorded.model, store::kMaxModel)) bundle.model = recorded.model;
        bundle.stored = TRY(draft.put_rope(Slot::request, exchange.request, cut_body));
        Turn written = note;
        written.prompt = TRY(draft.put_bundle(bundle, exchange.request, false));
        TRY(draft.append(captures, written));
        return {};
      }));
  return recorded;
}

Result<std::string> Recorder::record_given(std::string_view exchange) {
  Exchange taken = TRY(parse_exchange(exchange));
  take_out(Credentials(taken.request_headers, taken.target), taken);
  taken.request_headers = kept_headers(taken.request_headers);
  taken.response_headers = kept_headers(taken.response_headers);
  const Recorded recorded = TRY(record(taken));
  json::Object answer;
  const auto add = [&answer](std::string_view name, const std::string& text) {
    if (text.empty()) {
      answer.add_json(name, "null");
    } else {
      answer.add_string(name, text);
    }
  };
  add("reason", recorded.reason);
  add("ref", recorded.ref);
  add("answer", recorded.answer ? recorded.answer->hex() : "");
  answer.add_boolean("known", recorded.is_known);
  add("model", recorded.model);
  return answer.write();
}

}  // namespace spoor::proxy
