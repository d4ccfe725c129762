#include "guard/capture/structure.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "compile/fact.h"

namespace spoor::guard {
namespace {

// Facts whose strings are written by machines: who made it, which run and step, how it ended. Facts
// about a person's work are not included: paths, addresses, branches of repositories.
constexpr auto kFacts = std::to_array<fact::Key>({fact::action,
                                                  fact::advisor_model,
                                                  fact::agent,
                                                  fact::agent_version,
                                                  fact::artifact,
                                                  fact::by,
                                                  fact::call_id,
                                                  fact::caller_run,
                                                  fact::calls,
                                                  fact::capture,
                                                  fact::capture_fields,
                                                  fact::checks,
                                                  fact::cost_usd,
                                                  fact::decision,
                                                  fact::effort,
                                                  fact::entrypoint,
                                                  fact::failure,
                                                  fact::finish_reason,
                                                  fact::interrupted,
                                                  fact::kind,
                                                  fact::mark,
                                                  fact::media_type,
                                                  fact::message_id,
                                                  fact::model,
                                                  fact::model_fingerprint,
                                                  fact::origin,
                                                  fact::outcome,
                                                  fact::permission_mode,
                                                  fact::planner,
                                                  fact::prompt_id,
                                                  fact::prompt_source,
                                                  fact::provider,
                                                  fact::purpose,
                                                  fact::refused_by,
                                                  fact::request_id,
                                                  fact::response_id,
                                                  fact::rule,
                                                  fact::run,
                                                  fact::session,
                                                  fact::shape,
                                                  fact::source,
                                                  fact::status,
                                                  fact::stopped,
                                                  fact::subrun,
                                                  fact::tombstone,
                                                  fact::tool,
                                                  fact::turn_id,
                                                  fact::uuid,
                                                  fact::with});

// Such members within a fact. Names of tests are not included.
constexpr auto kMembers = std::to_array<std::string_view>(
    {"environment", "format", "framework", "service_tier", "variant", "verdict"});

// Such members of the part of a request outside the messages.
constexpr auto kNames =
    std::to_array<std::string_view>({"name", "type", "role", "model", "effort"});

template <class List>
bool is_in(const List& list, std::string_view key) {
  return std::find(list.begin(), list.end(), key) != list.end();
}

bool is_kept(std::string_view key) {
  const auto has_key = [&](const fact::Key& each) { return each.key == key; };
  return is_in(kMembers, key) || std::any_of(kFacts.begin(), kFacts.end(), has_key);
}

std::string whole(const json::Value& value, std::string_view /*key*/) {
  std::string written;
  json::append_canonical(written, value);
  return written;
}

// Returns a fact's value under a member's name; empty if none of it is kept.
std::string word(const json::Value& value, std::string_view key) {
  if (value.is_string()) return is_kept(key) ? json::write_string(value.text()) : "";
  if (value.is_object()) {
    json::Object kept;
    for (const json::Member member : value.members()) {
      const std::string name = member.key.text();
      if (std::string inner = word(member.value, name); !inner.empty()) {
        kept.add_json(name, std::move(inner));
      }
    }
    return kept.write();
  }
  if (value.is_array()) {
    std::vector<std::string> kept;
    for (const json::Value element : value.elements()) {
      if (std::string inner = word(element, key); !inner.empty()) kept.push_back(std::move(inner));
    }
    return json::write_array(kept);
  }
  return whole(value, key);
}

// Writes the members of facts with `kept` (omitting those that become empty), and the path hashed.
Result<std::string> with_hashed_path(const json::Value& facts, const Hasher& hasher,
                                     std::string (*kept)(const json::Value&, std::string_view)) {
  json::Object written;
  for (const json::Member member : facts.members()) {
    const std::string name = member.key.text();
    std::string inner = name == fact::path.key && member.value.is_string()
                            ? json::write_string(TRY(hasher.hashed(member.value.text())))
                            : kept(member.value, name);
    if (!inner.empty()) written.add_json(name, std::move(inner));
  }
  return written.write();
}

Result<std::string> request(const json::Value& value, std::string_view key, const Hasher& hasher) {
  if (value.is_string()) {
    const std::string text = value.text();
    return json::write_string(is_in(kNames, key) ? text : TRY(hasher.hashed(text)));
  }
  if (value.is_object()) {
    json::Object kept;
    for (const json::Member member : value.members()) {
      const std::string name = member.key.text();
      kept.add_json(name, TRY(request(member.value, name, hasher)));
    }
    return kept.write();
  }
  if (value.is_array()) {
    std::vector<std::string> kept;
    for (const json::Value element : value.elements()) {
      kept.push_back(TRY(request(element, key, hasher)));
    }
    return json::write_array(kept);
  }
  return whole(value, key);
}

}  // namespace

Result<std::string> facts_without_texts(std::string_view text, const Hasher& hasher) {
  const json::Document document = TRY(json::parse(text));
  if (!document.root().is_object()) return invalid("the facts are not a JSON object");
  return with_hashed_path(document.root(), hasher, word);
}

Result<std::string> facts_without_path(std::string_view text, const Hasher& hasher) {
  const json::Document document = TRY(json::parse(text));
  if (!document.root().find(fact::path.key).is_string()) return std::string(text);
  return with_hashed_path(document.root(), hasher, whole);
}

Result<std::string> request_without_texts(std::string_view text, const Hasher& hasher) {
  const json::Document document = TRY(json::parse(text));
  return request(document.root(), {}, hasher);
}

}  // namespace spoor::guard
