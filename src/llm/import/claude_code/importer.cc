#include "llm/import/claude_code/importer.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "llm/import/claude_code/late_parents.h"
#include "llm/import/claude_code/recent_prompts.h"
#include "llm/import/claude_code/record.h"
#include "llm/import/claude_code/turns.h"
#include "llm/import/record_key.h"
#include "llm/import/records.h"
#include "llm/import/session_writer.h"
#include "llm/import/taken.h"
#include "llm/import/tree.h"
#include "llm/import/words.h"

namespace spoor::llm::import::claude_code {
namespace {

using compile::Repository;
using compile::Turn;
using compile::Type;

Link::Kind kind_of(const Record& record, const RecordTurns& made) {
  if (record.is_compact_summary) return Link::Kind::summary;
  if (record.is_assistant() || record.is_bare_call) return Link::Kind::reply;
  const bool has_result = std::any_of(made.turns.begin(), made.turns.end(),
                                      [](const Turn& turn) { return turn.type == Type::tool; });
  if (has_result) return Link::Kind::result;
  if (record.is_queued) return Link::Kind::other;  // In the middle of a turn: it makes no branch.
  return record.is_injected ? Link::Kind::other : Link::Kind::user_written;
}

Link link_of(const Record& record, const RecordKey& digest) {
  Link link;
  link.digest = digest.front();
  link.uuid = record.uuid;
  link.has_parent = record.has_parent;
  link.parent = record.parent;
  link.is_sidechain = record.is_sidechain;
  link.agent = ref_word(record.agent);
  return link;
}

/// The bytes of a record without its `message`.
std::string without_message(const json::Value& root) {
  const std::string_view raw = root.raw();
  std::string out;
  std::size_t from = 0;  // Of what is kept next.
  std::size_t end = 1;   // Behind the last member that was kept, or the brace.
  bool cut = false;      // The members since `end` were cut.
  for (const json::Member& member : root.members()) {
    const std::size_t begin = member.key.offset() - root.offset();
    const std::size_t after = member.value.offset() - root.offset() + member.value.raw().size();
    if (member.key.equals("message")) {
      if (!cut) out += raw.substr(from, end - from);
      cut = true;
      continue;
    }
    if (cut) {
      if (end > 1) out += ',';
      from = begin;
      cut = false;
    }
    end = after;
  }
  if (cut) return out + "}";
  return out += raw.substr(from);
}

/// One import of one source.
class Import final : public RecordSink {
 public:
  Import(Repository& repository, const ImportOptions& options)
      : options_(options), writer_("claude-code", repository, report_, options) {}

  Result<LossReport> run(Source& source) {
    constexpr RecordRules kRules{is_sound_record, duplicate_record_keys};
    TRY(import_lines(source, kRules, options_, *this, writer_, report_));
    report_.missing_parents = tree_.thread().missing_parents();
    return std::move(report_);
  }

  /// The order is the source's own: a turn that is early waits for its parent, or for the call that
  /// it answers. What the user typed, or what was compacted, ends all waiting.
  Result<void> add(const json::Value& root) override {
    const Record record = read_record(root);
    if (begins_anew(record)) {
      TRY(add_all_late());
    } else if (record.is_turn && LateParents::is_early(record, tree_.thread())) {
      late_.hold(record);
      return late_.is_full() ? add_all_late() : Result<void>();
    }
    TRY(add_now(record));
    while (!late_.is_empty()) {
      const std::string ready = late_.take_ready(tree_.thread());
      if (ready.empty()) break;
      const json::Document document = read_again(ready);
      TRY(add_now(read_record(document.root())));
    }
    return {};
  }

  /// A parent that did not come is missing, and its records go to the ends of their lines.
  Result<void> finish() override { return add_all_late(); }

  std::vector<WantedRef> lines() const override { return tree_.lines(); }

 private:
  static bool begins_anew(const Record& record) {
    if (record.is_compact_boundary || record.is_compact_summary) return true;
    return record.is_turn && record.type == "user" && !record.is_injected && !record.is_sidechain &&
           !has_result(record);
  }

  static bool has_result(const Record& record) {
    for (const json::Value& block : record.content.elements()) {
      if (block.find("type").equals("tool_result")) return true;
    }
    return false;
  }

  Result<void> add_all_late() {
    for (const std::string& record : late_.take_all()) {
      const json::Document document = read_again(record);
      TRY(add_now(read_record(document.root())));
    }
    return {};
  }

  Result<void> add_now(const Record& record) {
    const json::Value& root = record.root;
    report_.records += 1;
    const RecordKey digest = RecordKey::of(root.raw());
    writer_.see_record(digest);
    // The first session named is the file's; a subagent's own file is named after both.
    writer_.name_session(record.session, record.is_sidechain ? record.agent : std::string());
    if (is_repeated(record, digest)) {
      report_.duplicates[record.label] += 1;
      return options_.keep_source ? add_note(record, std::string(root.raw())) : Result<void>();
    }
    if (!record.is_turn) return pass(record, digest);
    TRY(add_turns(record, digest));
    return options_.keep_source ? add_note(record, without_message(root)) : Result<void>();
  }

  /// A record that was read already, byte for byte. Turns without a name of their
  /// own may well be alike.
  bool is_repeated(const Record& record, const RecordKey& digest) {
    if (!record.uuid.empty()) return tree_.thread().has_seen(record.uuid, digest.front());
    return !record.is_turn && !unnamed_records_.insert(digest).second;
  }

  Result<void> pass(const Record& record, const RecordKey& digest) {
    const Link link = link_of(record, digest);
    if (record.is_compact_boundary) {
      tree_.thread().pass_boundary(link, record.boundary);
    } else {
      tree_.thread().pass(link);
    }
    if (repeats_prompt(record)) {
      report_.duplicates[record.label] += 1;
      if (!options_.keep_source) return {};
    }
    report_.kept[record.label] += 1;
    if (!is_known_type(record.type)) report_.unknown[record.label] += 1;
    return add_note(record, std::string(record.root.raw()));
  }

  /// `last-prompt` says again what the user wrote, or how it began, and behind which record.
  bool repeats_prompt(const Record& record) const {
    if (record.type != "last-prompt") return false;
    for (const json::Member& member : record.root.members()) {
      const std::string key = member.key.text();
      if (key == "type" || key == "lastPrompt" || says_nothing(member.value)) continue;
      const bool is_known = (key == "sessionId" && member.value.equals(writer_.session())) ||
                            (key == "leafUuid" && tree_.thread().knows(member.value.text()));
      if (!is_known) return false;
    }
    return prompts_.repeats(record.root.find("lastPrompt").text());
  }

  Result<void> add_note(const Record& record, std::string bytes) {
    return writer_.add_note(std::move(bytes), record.time);
  }

  Result<void> add_turns(const Record& record, const RecordKey& digest) {
    RecordTurns made = make_turns(record, calls_, report_);
    Link link = link_of(record, digest);
    link.kind = kind_of(record, made);
    link.message_id = record.message_id;
    link.calls = std::move(made.made_calls);
    link.answered = std::move(made.answered);
    if (link.kind == Link::Kind::user_written || record.is_queued) {
      prompts_.add(made.turns.back().text);
    }
    report_.turn_records += 1;

    return tree_.add(link, made.turns);
  }

  const ImportOptions& options_;
  LossReport report_;
  SessionWriter writer_;
  Tree tree_{writer_};
  LateParents late_;
  OpenCalls calls_;
  std::unordered_set<RecordKey> unnamed_records_;  // No turns, and without a uuid.
  RecentPrompts prompts_;
};

}  // namespace

int ClaudeCodeImporter::score(const Head& head) const {
  const auto is_it = [](const json::Value& root) { return is_claude_code(read_record(root)); };
  if (head.contains(is_it)) return score::kOwn;
  // A first record larger than the head, whose type is behind its message.
  const json::Value first = head.first();
  if (!head.is_torn() || first.find("messages")) return score::kNone;
  if (first.find("parentUuid")) return score::kShape;
  return first.find("sessionId").is_string() ? score::kCommon + 5 : score::kNone;
}

Result<LossReport> ClaudeCodeImporter::import(Source& source, Repository& repository,
                                              const ImportOptions& options) const {
  return Import(repository, options).run(source);
}

}  // namespace spoor::llm::import::claude_code
