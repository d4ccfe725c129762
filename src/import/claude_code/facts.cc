#include "import/claude_code/facts.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "compile/json/writer.h"
#include "store/commit.h"

namespace spoor::import::claude_code {
namespace {

using compile::Facts;

/// Source key and meta key. The list is closed: docs/importing.md, "Facts".
using Name = std::pair<std::string_view, fact::Key>;

constexpr std::array kRecordFacts = {
    Name{"sessionId", fact::session},
    Name{"uuid", fact::uuid},
    Name{"agentId", fact::agent},
    Name{"cwd", fact::cwd},
    Name{"gitBranch", fact::git_branch},
    Name{"version", fact::agent_version},
    Name{"requestId", fact::request_id},
    Name{"entrypoint", fact::entrypoint},
    Name{"slug", fact::slug},
    Name{"effort", fact::effort},
    Name{"advisorModel", fact::advisor_model},
    Name{"promptId", fact::prompt_id},
    Name{"promptSource", fact::prompt_source},
    Name{"permissionMode", fact::permission_mode},
    Name{"thinkingMetadata", fact::thinking_metadata},
    Name{"origin", fact::origin},
    Name{"isMeta", fact::injected},
    Name{"isApiErrorMessage", fact::api_error},
};

constexpr std::array kStreamFacts = {
    Name{"session_id", fact::session},
    Name{"parent_tool_use_id", fact::agent},
    Name{"isSynthetic", fact::injected},
};

constexpr std::array kMessageFacts = {
    Name{"model", fact::model},
    Name{"id", fact::message_id},
};

constexpr std::array kLastFacts = {
    Name{"stop_reason", fact::finish_reason},
    Name{"stop_sequence", fact::stop_sequence},
    Name{"usage", fact::usage},
};

/// What the graph says: types, parents, sidechains, whose result this is.
constexpr std::string_view kGraph =
    "type parentUuid logicalParentUuid isSidechain isCompactSummary isVisibleInTranscriptOnly "
    "message sourceToolAssistantUUID";

bool says_nothing(const json::Value& value) {
  return value.is(json::Type::null) || value.is_false() || value.raw() == R"("")" ||
         (value.is_array() && value.size() == 0) || (value.is_object() && value.size() == 0);
}

/// Fills meta, and keeps it below its limit.
class Meta {
 public:
  /// False when there is no room: the fact goes with the rest.
  bool add(const fact::Key& key, const json::Value& value) {
    std::string written;
    json::append_canonical(written, value);
    const std::size_t more = key.key.size() + written.size() + 4;  // Quotes, colon, comma.
    if (size_ + more > kRoom) return false;
    size_ += more;
    facts_.set_json(key.key, std::move(written));
    return true;
  }

  void add_own(const fact::Text& key, std::string_view value) {
    size_ += key.key.size() + value.size() + 6;
    facts_.set(key, value);
  }

  const Facts& facts() const { return facts_; }

 private:
  // `shape` and `capture` are added by others.
  static constexpr std::size_t kRoom = store::kMaxMeta - 256;
  Facts facts_;
  std::size_t size_ = 2;
};

/// Collects members for the rest, exact bytes, in source order.
class Rest {
 public:
  void add(std::string_view key, std::string_view value) {
    out_ += out_.empty() ? '{' : ',';
    out_ += key;
    out_ += ':';
    out_ += value;
  }
  std::string finish() { return out_.empty() ? "" : std::move(out_) + "}"; }

 private:
  std::string out_;
};

/// The members that count: of duplicates the last.
std::vector<json::Member> members_of(const json::Value& object) {
  std::vector<json::Member> members;
  std::set<std::string> seen;
  for (const json::Member& member : object.members()) members.push_back(member);
  std::vector<json::Member> counted;
  for (auto member = members.rbegin(); member != members.rend(); ++member) {
    if (seen.insert(member->key.text()).second) counted.push_back(*member);
  }
  std::reverse(counted.begin(), counted.end());
  return counted;
}

template <class List>
const Name* find_name(const List& list, std::string_view key) {
  for (const Name& name : list) {
    if (name.first == key) return &name;
  }
  return nullptr;
}

class Sorter {
 public:
  Sorter(const Record& record, const std::string& novel_result, LossReport& report)
      : record_(record), novel_result_(novel_result), report_(report) {}

  RecordFacts sort() {
    meta_.add_own(fact::source, "claude-code");
    if (came_from_provider()) meta_.add_own(fact::provider, "anthropic");
    Rest rest;
    // The facts every commit carries come first, so that they find room.
    take(kRecordFacts, record_.root);
    if (record_.is_streamed) take(kStreamFacts, record_.root);
    take(kMessageFacts, record_.message);
    RecordFacts sorted;
    sorted.all = meta_.facts();
    take(kLastFacts, record_.message);
    sorted.last = meta_.facts();
    for (const json::Member& member : members_of(record_.root)) rest_of_record(member, rest);
    sorted.rest = rest.finish();
    return sorted;
  }

 private:
  /// Claude Code writes some replies itself, by the model `<synthetic>`.
  bool came_from_provider() const {
    return record_.is_assistant() && !record_.message.find("model").text().starts_with('<');
  }

  template <class List>
  void take(const List& list, const json::Value& from) {
    for (const auto& [key, meta_key] : list) {
      const json::Value value = from.find(key);
      if (!value || says_nothing(value)) continue;
      if (meta_.add(meta_key, value)) taken_.insert(meta_key.key);
    }
  }

  bool is_taken(const Name* name) const {
    return name != nullptr && taken_.contains(name->second.key);
  }

  void rest_of_record(const json::Member& member, Rest& rest) {
    const std::string key = member.key.text();
    if (key == "message") return rest_of_message(member, rest);
    if (record_.is_bare_call || record_.is_bare_result) return;  // The whole record is in `raw`.
    if (key == "attachment" && record_.is_queued) return rest_of_queued(member, rest);
    if (key == "content" && record_.type == "queue-operation") return;
    if (record_.is_streamed && is_taken(find_name(kStreamFacts, key))) return;
    if (says_nothing(member.value) || is_one_of(key, kGraph)) return;
    if (is_taken(find_name(kRecordFacts, key)) || repeats_something(key, member.value)) return;
    const bool result = key == record_.result_key();
    keep(key, member.key.raw(), result ? novel_result_ : member.value.raw(), rest);
  }

  void rest_of_message(const json::Member& message, Rest& rest) {
    Rest inner;
    for (const json::Member& member : members_of(message.value)) {
      const std::string key = member.key.text();
      if (says_nothing(member.value) || says_the_record(key, member.value)) continue;
      if (is_taken(find_name(kMessageFacts, key)) || is_taken(find_name(kLastFacts, key))) continue;
      keep("message." + key, member.key.raw(), member.value.raw(), inner);
    }
    const std::string kept = inner.finish();
    if (!kept.empty()) rest.add(message.key.raw(), kept);
  }

  void rest_of_queued(const json::Member& queued, Rest& rest) {
    Rest inner;
    for (const json::Member& member : members_of(queued.value)) {
      const std::string key = member.key.text();
      const bool is_said =
          key == "type" || key == "prompt" ||
          (key == "timestamp" && member.value.raw() == record_.root.find("timestamp").raw());
      if (is_said || says_nothing(member.value)) continue;
      keep("attachment." + key, member.key.raw(), member.value.raw(), inner);
    }
    const std::string kept = inner.finish();
    if (!kept.empty()) rest.add(queued.key.raw(), kept);
  }

  /// Does this member of the message say what its turns say?
  bool says_the_record(const std::string& key, const json::Value& value) const {
    if (key == "role") return value.equals(record_.type);
    return key == "content" || (key == "type" && value.equals("message"));
  }

  bool repeats_something(const std::string& key, const json::Value& value) {
    if (key == "timestamp") return record_.time.has_value();
    if (key == "userType") return value.equals("external");
    if (key == "session_id") return value.equals(record_.session);
    const bool repeated = (key == record_.result_key() && novel_result_.empty()) ||
                          (key == "sourceToolUseID" && answers(value.text()));
    if (repeated) report_.repeated_facts[key] += 1;
    return repeated;
  }

  bool answers(std::string_view call_id) const {
    for (const json::Value& block : record_.content.elements()) {
      if (block.find("tool_use_id").equals(call_id)) return true;
    }
    return false;
  }

  void keep(const std::string& key, std::string_view raw_key, std::string_view value, Rest& rest) {
    rest.add(raw_key, value);
    report_.attached[key.substr(0, 64)] += 1;
  }

  const Record& record_;
  const std::string& novel_result_;
  LossReport& report_;
  Meta meta_;
  std::set<std::string_view> taken_;
};

}  // namespace

RecordFacts sort_facts(const Record& record, const std::string& novel_result, LossReport& report) {
  return Sorter(record, novel_result, report).sort();
}

}  // namespace spoor::import::claude_code
