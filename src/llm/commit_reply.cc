#include "llm/commit_reply.h"

#include <algorithm>
#include <utility>

#include "base/json/writer.h"
#include "graph/repository.h"

namespace spoor::llm {
namespace {

using compile::Facts;
using compile::Turn;
using compile::Type;
using Kind = Piece::Kind;

constexpr std::size_t kMaxFact = 256;     // A longer text of the provider is attached.
constexpr std::size_t kMaxUsage = 1'500;  // So that all facts fit into 4 KiB.
constexpr std::size_t kMaxItems = 1'000;  // More items are stored as one array.
constexpr const char* kReceived = "application/octet-stream";

// Facts for meta, and the rest that does not fit into it.
struct StoredFacts {
  Facts facts;
  json::Object rest;

  void add(const fact::Text& key, const std::string& text) {
    if (json::write_string(text).size() <= kMaxFact) {
      facts.set(key, text);
    } else {
      rest.add_string(key.key, text);
    }
  }

  void add_json(const fact::Any& key, const std::string& text, std::size_t most) {
    if (text.empty()) return;
    const auto canonical = json::canonical(text);
    if (!canonical) return rest.add_string(key.key, text);
    if (canonical->size() <= most) return facts.set(key, *canonical);
    rest.add_json(key.key, *canonical);
  }
};

// Caps a provider's count at the largest integer that every JSON reader represents exactly.
std::int64_t exact(std::uint64_t count) {
  return static_cast<std::int64_t>(
      std::min(count, static_cast<std::uint64_t>(json::kMaxExactInteger)));
}

void add_count(json::Object& object, std::string_view key, const std::optional<std::uint64_t>& n) {
  if (!n) return;
  object.add_integer(key, exact(*n));
}

// Returns the counts in the meaning of Usage, to be stored next to the provider's own object.
std::string write_tokens(const Usage& usage) {
  json::Object tokens;
  add_count(tokens, "input", usage.input);
  add_count(tokens, "cached", usage.cached);
  add_count(tokens, "cache_written", usage.cache_written);
  add_count(tokens, "output", usage.output);
  add_count(tokens, "reasoning", usage.reasoning);
  return tokens.empty() ? std::string() : tokens.write();
}

void add_usage(const Usage& usage, StoredFacts& stored) {
  stored.add_json(fact::usage, usage.raw, kMaxUsage);
  stored.add_json(fact::tokens, write_tokens(usage), kMaxFact);
}

Facts facts_of_both(const Reply& reply, const ReplyOrigin& origin, StoredFacts& stored) {
  stored.facts = origin.facts;
  stored.add(fact::provider, origin.provider);
  stored.add(fact::model, reply.model.empty() ? origin.model : reply.model);
  stored.add(origin.repeats_id ? fact::response_id : fact::message_id, reply.id);
  return stored.facts;
}

// Adds the attempts and the latency of a call, if they are worth recording.
void add_effort(const Reply& reply, Facts& facts) {
  if (reply.from_cache) return;
  if (reply.attempts > 1) facts.set(fact::attempts, reply.attempts);
  if (reply.latency.count() > 0) facts.set(fact::latency_ms, reply.latency.count());
}

bool is_reasoning(const Piece& piece) { return piece.kind == Kind::reasoning; }

void add_items(std::vector<std::string> items, Turn& turn) {
  if (items.size() > kMaxItems) items = {json::write_array(items)};
  for (std::string& item : items) turn.raw.push_back({std::move(item)});
}

// Returns the items that an answer without `raw` represents: docs/importing.md, "Shapes".
std::vector<std::string> usual_items(const Turn& turn) {
  std::vector<std::string> items;
  const auto* calls = turn.fields.tool_calls ? &*turn.fields.tool_calls : nullptr;
  if (!turn.text.empty() || calls == nullptr) {
    items.push_back(R"({"type":"text","text":)" + json::write_string(turn.text) + '}');
  }
  if (calls == nullptr) return items;
  for (const compile::ToolCall& call : *calls) {
    items.push_back(R"({"type":"tool_use","id":)" + json::write_string(call.id) + R"(,"name":)" +
                    json::write_string(call.name) + R"(,"input":)" + call.arguments + '}');
  }
  return items;
}

Turn reasoning_of(const Reply& reply) {
  Turn turn{.type = Type::reasoning, .text = reply.reasoning().value_or("")};
  // The reply was paid for, so an invalid format must not reject it.
  turn.fields.format = compile::is_reasoning_format(reply.format) ? reply.format : "raw";
  std::vector<std::string> items;
  for (const Piece& piece : reply.pieces) {
    if (is_reasoning(piece) && !piece.raw.empty()) items.push_back(piece.raw);
  }
  add_items(std::move(items), turn);
  return turn;
}

Turn answer_of(const Reply& reply, bool with_reasoning) {
  Turn turn{.type = Type::assistant, .text = reply.text()};
  if (auto calls = reply.calls(); !calls.empty()) turn.fields.tool_calls = std::move(calls);

  const auto& pieces = reply.pieces;
  const auto first_other = std::find_if_not(pieces.begin(), pieces.end(), is_reasoning);
  const bool is_mixed = std::any_of(first_other, pieces.end(), is_reasoning);
  const bool has_reasoning = std::any_of(pieces.begin(), pieces.end(), is_reasoning);
  std::vector<std::string> items;
  if (!reply.raw.empty()) {
    // The whole message also contains its reasoning, which may not be wanted here.
    if (with_reasoning || !has_reasoning) items.push_back(reply.raw);
  } else {
    for (const Piece& piece : pieces) {
      if (is_reasoning(piece) && !(is_mixed && with_reasoning)) continue;
      if (!piece.raw.empty()) items.push_back(piece.raw);
    }
  }
  if (items != usual_items(turn)) add_items(std::move(items), turn);
  return turn;
}

void add_cost(const Cost& cost, Facts& facts) {
  facts.set(fact::cost_usd, dollars(cost.amount));
  if (cost.is_lower_bound) facts.set(fact::unknown_costs, 1);
}

}  // namespace

Turn failed_call_turn(const std::string& provider, const std::string& model, const Reply& reply,
                      const std::optional<Cost>& cost) {
  Turn turn{.type = Type::decision};
  StoredFacts stored;
  stored.facts.set(fact::decision, kCallFailed);
  stored.add(fact::provider, provider);
  stored.add(fact::model, model);
  if (reply.failure) {
    turn.text = reply.failure->message;
    stored.facts.set(fact::failure, name_of(reply.failure->kind));
    if (reply.failure->status != 0) stored.facts.set(fact::status, reply.failure->status);
  }
  add_usage(reply.usage, stored);
  if (cost) add_cost(*cost, stored.facts);
  add_effort(reply, stored.facts);
  turn.facts = std::move(stored.facts);
  if (!reply.received.empty()) turn.attach.push_back({reply.received, kReceived});
  if (!stored.rest.empty()) turn.attach.push_back({stored.rest.write()});
  return turn;
}

std::string bytes_of(const Reply& reply) {
  if (!reply.received.empty() || !reply.raw.empty()) {
    return reply.received.empty() ? reply.raw : reply.received;
  }
  std::vector<std::string> items;
  for (const Piece& piece : reply.pieces) {
    if (!piece.raw.empty()) {
      items.push_back(piece.raw);
    } else if (piece.kind == Kind::call) {
      json::Object call;
      call.add_string("id", piece.call.id);
      call.add_string("name", piece.call.name);
      call.add_string("arguments", piece.call.arguments);
      items.push_back(call.write());
    } else if (!piece.text.empty()) {
      items.push_back(json::write_string(piece.text));
    }
  }
  return items.empty() ? std::string() : json::write_array(items);
}

std::vector<Turn> turns_of(const Reply& reply, const ReplyOrigin& origin) {
  StoredFacts stored;
  const Facts shared = facts_of_both(reply, origin, stored);
  std::vector<Turn> turns;
  const bool has_reasoning = std::any_of(reply.pieces.begin(), reply.pieces.end(), is_reasoning);
  if (has_reasoning && origin.commit_reasoning) {
    turns.push_back(reasoning_of(reply));
    turns.back().facts = shared;
    if (reply.usage.reasoning) {
      turns.back().facts.set(fact::reasoning_tokens, exact(*reply.usage.reasoning));
    }
  }

  Turn answer = answer_of(reply, origin.commit_reasoning);
  stored.add(fact::finish_reason, reply.finish_reason);
  if (reply.is_refusal) stored.facts.set(fact::refusal, true);
  add_usage(reply.usage, stored);
  stored.add_json(fact::input_transformations, reply.transformations, kMaxFact);
  if (reply.failure) {
    stored.add(fact::interrupted, std::string(name_of(reply.failure->kind)));
    if (!reply.failure->message.empty()) stored.rest.add_string("failure", reply.failure->message);
  }
  if (origin.cost) add_cost(*origin.cost, stored.facts);
  if (reply.from_cache) stored.facts.set(fact::from_cache, true);
  add_effort(reply, stored.facts);
  answer.facts = stored.facts;
  answer.fields.rationale = origin.rationale;
  answer.prompt = origin.prompt;
  if (!stored.rest.empty()) answer.attach.push_back({stored.rest.write()});
  // Part of the reply could not be read, so the parsed pieces are incomplete.
  const bool is_unread = reply.failure && reply.failure->kind == Failure::Kind::malformed;
  if (is_unread && !reply.received.empty()) answer.attach.push_back({reply.received, kReceived});
  turns.push_back(std::move(answer));
  return turns;
}

Result<CommittedReply> commit_reply(graph::Draft& draft, const std::string& ref, const Reply& reply,
                                    const ReplyOrigin& origin, const std::string& author,
                                    Timestamp now) {
  std::string name = reply.model.empty() ? origin.model : reply.model;
  if (!store::is_author(name)) name = author;
  std::vector<compile::Oid> made;
  for (Turn& turn : turns_of(reply, origin)) {
    made.push_back(TRY(draft.append(ref, graph::stamped(std::move(turn), name, now))));
  }
  CommittedReply committed{std::nullopt, made.back()};
  if (made.size() > 1) committed.reasoning = made.front();
  return committed;
}

}  // namespace spoor::llm
