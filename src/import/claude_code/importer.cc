#include "import/importers.h"

#include <algorithm>
#include <utility>

#include "import/claude_code/record.h"
#include "import/claude_code/turns.h"
#include "import/claude_code/waiting.h"
#include "import/live_import.h"
#include "import/names.h"
#include "import/records.h"

namespace spoor::import::claude_code {
namespace {

using compile::Turn;
using compile::Type;

Link::Kind kind_of(const Record& record, const std::vector<Turn>& turns) {
  if (record.is_compact_summary) return Link::Kind::summary;
  if (record.is_assistant() || record.is_bare_call) return Link::Kind::reply;
  const bool has_result = std::any_of(turns.begin(), turns.end(),
                                      [](const Turn& turn) { return turn.type == Type::tool; });
  if (has_result) return Link::Kind::result;
  if (record.is_queued) return Link::Kind::other;  // Typed during a turn: not a branch.
  return record.is_injected ? Link::Kind::other : Link::Kind::user_written;
}

/// Returns the bytes of a record without its `message`.
std::string without_message(const json::Value& root) {
  const std::string_view raw = root.raw();
  std::string out;
  std::size_t from = 0;  // The start of the part to copy next.
  std::size_t end = 1;   // The end of the last kept member, or of the brace.
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

/// Finds the summary after a compact boundary in a stream, which marks neither the summary nor the
/// compacted turns. The summary is the next turn if the program wrote it, and replaces all turns
/// before it.
class StreamedSummaries {
 public:
  /// Called with every record, in file order. Returns true if `record` is the summary. Completes a
  /// boundary.
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
  bool is_open_ = false;  // A boundary without a following turn so far.
};

/// Returns true for a session of Claude Code on the web: one document with all records.
bool is_web_session(const json::Value& root) { return root.find("loglines").is_array(); }

constexpr std::size_t kFront = 4096;  // The records of such a document begin within this.

bool begins_web_session(std::string_view bytes) {
  return is_web_session(Head(bytes.substr(0, kFront)).first());
}

class ClaudeCodeSink final : public TreeSink {
 public:
  using TreeSink::TreeSink;

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

  /// Parents still missing at the end do not exist. Their records are added at the ends of their
  /// lines.
  Result<void> finish() override {
    TRY(add_all_late());
    TRY(deliver_queued());
    return TreeSink::finish();
  }

 private:
  /// Adds records in the source's order, but a turn waits for its parent, or for the call that it
  /// answers. A prompt of the user or a compaction ends all waiting, unless it is older.
  Result<void> add_in_order(const Record& record) {
    if (begins_anew(record)) {
      if (!late_.are_after(record)) TRY(add_all_late());
    } else if (record.is_turn && LateParents::is_early(record, thread())) {
      late_.hold(record);
      return late_.is_full() ? add_all_late() : Result<void>();
    }
    TRY(add_now(record));
    while (!late_.is_empty()) {
      const std::string ready = late_.take_ready(thread());
      if (ready.empty()) break;
      TRY(add_held({ready}));
    }
    return {};
  }

  /// Adds the records of a web session, and keeps the document's other values.
  Result<void> add_web_session(const json::Value& root) {
    const json::Value records = root.find("loglines");
    TRY(add_each(records));
    Taken taken;
    taken(records);
    std::string rest = taken.rest(root, report().attached);
    if (rest.empty()) return {};
    report().kept["session"] += 1;
    return writer().add_note(std::move(rest), {});
  }

  /// Called before a turn. Held prompts were delivered, unless this turn contains them.
  Result<void> settle_queued(const Record& turn) {
    if (const std::string told = queued_.take_told(turn); !told.empty()) TRY(add_held({told}));
    return turn.is_queued ? Result<void>() : deliver_queued();
  }

  Result<void> deliver_queued() {
    return read_each(queued_.take_all(), [&](const json::Value& removed) {
      Record record = read_record(removed);
      deliver(record);
      return add_now(record);
    });
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

  Result<void> add_all_late() { return add_held(late_.take_all()); }

  Result<void> add_held(const std::vector<std::string>& records) {
    return read_each(records,
                     [&](const json::Value& record) { return add_now(read_record(record)); });
  }

  Result<void> add_now(const Record& record) {
    const json::Value& root = record.root;
    // The first session named is the file's. A subagent's own file is named after both.
    writer().name_session(record.session,
                          record.is_sidechain && !record.is_streamed ? record.agent : "");
    Link link = link_of(root, root.find("uuid"), root.find("parentUuid"));
    link.is_sidechain = record.is_sidechain;
    link.agent = ref_word(record.agent);
    if (is_repeated(link, record.is_turn)) return Sink::drop(root, record.label, record.time);
    return record.is_turn ? add_turns_of(record, std::move(link)) : pass_over(record, link);
  }

  Result<void> pass_over(const Record& record, const Link& link) {
    if (record.is_compact_boundary) {
      thread().pass_boundary(link, record.boundary);
    } else {
      thread().pass(link);
    }
    if (repeats_prompt(record)) {
      if (!options().keep_source) return Sink::drop(record.root, record.label, record.time);
      report().duplicates[record.label] += 1;
    }
    return keep(record.root, record.label, is_known_type(record.type), record.time);
  }

  /// Returns true for a `last-prompt` that only repeats a prompt of the user, or its beginning, and
  /// names a known record.
  bool repeats_prompt(const Record& record) const {
    if (record.type != "last-prompt") return false;
    for (const json::Member& member : record.root.members()) {
      const std::string key = member.key.text();
      if (key == "type" || key == "lastPrompt" || says_nothing(member.value)) continue;
      const bool is_known = (key == "sessionId" && member.value.equals(writer().session())) ||
                            (key == "leafUuid" && thread().knows(member.value.text()));
      if (!is_known) return false;
    }
    return prompts_.repeats(record.root.find("lastPrompt").text());
  }

  Result<void> add_turns_of(const Record& record, Link link) {
    TurnRecord made(record.root, tool());
    make_turns(record, calls_, report(), made);
    link.kind = kind_of(record, made.turns());
    link.message_id = record.message_id;
    if (link.kind == Link::Kind::user_written || record.is_queued) {
      prompts_.add(made.turns().back().text);
    }
    return add_turns(made, std::move(link), record.is_queued ? "message attachment" : "message");
  }

  std::string source_of(const json::Value& record) const override {
    return without_message(record);
  }

  LateParents late_;
  QueuedPrompts queued_;
  StreamedSummaries summaries_;
  OpenCalls calls_;
  RecentPrompts prompts_;
};

int score_claude_code(const Head& head) {
  const auto is_it = [](const json::Value& root) { return is_claude_code(read_record(root)); };
  const auto is_others = [](const json::Value& root) {
    return static_cast<bool>(root.find("qwen_code_version"));  // Its stream is the same.
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
  // The first record is larger than the head, and its type comes after its message.
  if (!head.is_torn() || first.find("messages")) return score::kNone;
  if (first.find("parentUuid")) return score::kShape;
  return first.find("sessionId").is_string() ? score::kCommon + 5 : score::kNone;
}

Result<LossReport> import_claude_code(std::string_view tool, Source& source,
                                      graph::Repository& repository, const ImportOptions& options) {
  ClaudeCodeSink sink(tool, source, repository, options);
  const std::string front = TRY(read_head(source, kFront));
  ResumedSource whole(source, front);
  if (begins_web_session(front)) {
    TRY(import_documents(whole, sink));
  } else {
    TRY(import_lines(whole, {is_sound_record, duplicate_record_keys}, sink));
  }
  return std::move(sink.report());
}

std::unique_ptr<LiveImport> open_claude_code(std::string_view tool, const std::string& name,
                                             std::string_view head, graph::Repository& repository) {
  if (begins_web_session(head)) return nullptr;
  return open_lines<ClaudeCodeSink, is_sound_record, duplicate_record_keys>(tool, name, head,
                                                                            repository);
}

}  // namespace

/// Reads the JSONL session files of Claude Code (versions 1 and 2), also those of subagents. See
/// docs/importing.md.
const Importer kClaudeCode = {"claude-code", "Claude Code", score_claude_code, import_claude_code,
                              open_claude_code};

}  // namespace spoor::import::claude_code
