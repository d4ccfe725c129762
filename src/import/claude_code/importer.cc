#include "import/claude_code/importer.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "import/claude_code/late_parents.h"
#include "import/claude_code/queued_prompts.h"
#include "import/claude_code/recent_prompts.h"
#include "import/claude_code/record.h"
#include "import/claude_code/turns.h"
#include "import/record_key.h"
#include "import/records.h"
#include "import/session_writer.h"
#include "import/taken.h"
#include "import/tree.h"
#include "import/words.h"

namespace spoor::import::claude_code {
namespace {

using compile::Turn;
using compile::Type;
using graph::Repository;

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

/// A stream does not mark the summary after a compact boundary, nor what was compacted: the
/// summary is the next turn if the program wrote it, and replaces all before it.
class StreamedSummaries {
 public:
  /// Sees every record, in file order, and completes a boundary.
  bool is_next(Record& record) {
    if (!record.is_streamed || record.is_sidechain) return false;
    if (record.is_compact_boundary) record.boundary.logical_parent = last_turn_;
    const bool is_next = record.is_turn && record.is_injected && is_open_;
    if (record.is_turn) last_turn_ = record.uuid;
    if (record.is_turn || record.is_compact_boundary) is_open_ = record.is_compact_boundary;
    return is_next;
  }

 private:
  std::string last_turn_;
  bool is_open_ = false;  // A boundary, and no turn behind it yet.
};

/// A session of Claude Code on the web: one document with all records.
bool is_web_session(const json::Value& root) { return root.find("loglines").is_array(); }

constexpr std::size_t kFront = 4096;  // Where the records of such a document begin.

bool begins_web_session(std::string_view bytes) {
  return is_web_session(Head(bytes.substr(0, kFront)).first());
}

/// One import of one source.
class Import final : public RecordSink {
 public:
  Import(Repository& repository, const ImportOptions& options)
      : options_(options), writer_("claude-code", repository, report_, options) {}

  Result<LossReport> run(Source& source) {
    constexpr RecordRules kRules{is_sound_record, duplicate_record_keys};
    const std::string front = TRY(read_head(source, kFront));
    ResumedSource whole(source, front);
    if (begins_web_session(front)) {
      TRY(import_documents(whole, options_, *this, writer_, report_));
    } else {
      TRY(import_lines(whole, kRules, options_, *this, writer_, report_));
    }
    report_.missing_parents = tree_.thread().missing_parents();
    return std::move(report_);
  }

  Result<void> add(const json::Value& root) override {
    if (is_web_session(root)) return add_web_session(root);
    Record record = read_record(root);
    if (summaries_.is_next(record)) record.is_compact_summary = true;
    queued_.see(record);
    if (queued_.may_deliver(record)) {
      queued_.hold(record);
      return {};
    }
    if (record.is_turn && !queued_.is_empty()) TRY(settle_queued(record));
    return add_in_order(record);
  }

  /// A parent that did not come is missing, and its records go to the ends of their lines.
  Result<void> finish() override {
    TRY(add_all_late());
    return deliver_queued();
  }

  std::vector<WantedRef> lines() const override { return tree_.lines(); }

 private:
  /// The order is the source's own: a turn that is early waits for its parent, or for the call that
  /// it answers. What the user typed, or what was compacted, ends all waiting.
  Result<void> add_in_order(const Record& record) {
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

  /// Its records, and what else the document says.
  Result<void> add_web_session(const json::Value& root) {
    const json::Value records = root.find("loglines");
    for (const json::Value& record : records.elements()) TRY(add(record));
    Taken taken;
    taken(records);
    std::string rest = taken.rest(root, report_.attached);
    if (rest.empty()) return {};
    report_.kept["session"] += 1;
    return writer_.add_note(std::move(rest), {});
  }

  /// Before a turn: what left the queue was delivered, unless this turn tells it.
  Result<void> settle_queued(const Record& turn) {
    if (const std::string told = queued_.take_told(turn); !told.empty()) {
      const json::Document document = read_again(told);
      TRY(add_now(read_record(document.root())));
    }
    return turn.is_queued ? Result<void>() : deliver_queued();
  }

  Result<void> deliver_queued() {
    for (const std::string& removed : queued_.take_all()) {
      const json::Document document = read_again(removed);
      Record record = read_record(document.root());
      deliver(record);
      TRY(add_now(record));
    }
    return {};
  }

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
    writer_.name_session(record.session,
                         record.is_sidechain && !record.is_streamed ? record.agent : "");
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
  QueuedPrompts queued_;
  StreamedSummaries summaries_;
  OpenCalls calls_;
  std::unordered_set<RecordKey> unnamed_records_;  // No turns, and without a uuid.
  RecentPrompts prompts_;
};

}  // namespace

int ClaudeCodeImporter::score(const Head& head) const {
  const auto is_it = [](const json::Value& root) { return is_claude_code(read_record(root)); };
  const auto is_others = [](const json::Value& root) {
    return static_cast<bool>(root.find("qwen_code_version"));  // It streams the same records.
  };
  const json::Value first = head.first();
  if (begins_web_session(head.bytes())) {
    bool is_own = false;
    for (const json::Value& record : first.find("loglines").elements()) {
      is_own = is_own || is_it(record);
    }
    return is_own ? score::kOwn : score::kNone;
  }
  if (head.contains(is_it)) return head.contains(is_others) ? score::kNone : score::kOwn;
  // A first record larger than the head, whose type is behind its message.
  if (!head.is_torn() || first.find("messages")) return score::kNone;
  if (first.find("parentUuid")) return score::kShape;
  return first.find("sessionId").is_string() ? score::kCommon + 5 : score::kNone;
}

Result<LossReport> ClaudeCodeImporter::import(Source& source, Repository& repository,
                                              const ImportOptions& options) const {
  return Import(repository, options).run(source);
}

}  // namespace spoor::import::claude_code
