#include "llm/import/claude_code/importer.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "llm/import/claude_code/line_records.h"
#include "llm/import/claude_code/recent_prompts.h"
#include "llm/import/claude_code/record.h"
#include "llm/import/claude_code/thread.h"
#include "llm/import/claude_code/turns.h"
#include "llm/import/lines.h"
#include "llm/import/record_key.h"
#include "llm/import/refs.h"

namespace spoor::llm::import::claude_code {
namespace {

using compile::Draft;
using compile::Repository;
using compile::Turn;
using compile::Type;
using store::Oid;

constexpr std::size_t kBatchBytes = 8U << 20U;
constexpr std::size_t kBatchCommits = 4096;
constexpr std::uint64_t kProgressStep = 1U << 20U;

/// What may stand in a ref's name.
std::string ref_word(std::string_view text) {
  std::string word = plain_word(text);
  std::replace(word.begin(), word.end(), '.', '-');
  return word;
}

Link::Kind kind_of(const Record& record, const RecordTurns& made) {
  if (record.is_compact_summary) return Link::Kind::summary;
  if (record.is_assistant()) return Link::Kind::reply;
  const bool has_result = std::any_of(made.turns.begin(), made.turns.end(),
                                      [](const Turn& turn) { return turn.type == Type::tool; });
  if (has_result) return Link::Kind::result;
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
class Import {
 public:
  Import(Source& source, Repository& repository, const ImportOptions& options)
      : source_(source),
        repository_(repository),
        options_(options),
        lines_(source),
        draft_(repository.draft()) {
    draft_->leave_out_erased();
    report_.sources = 1;
  }

  Result<LossReport> run() {
    LineRecords records(source_.name(), report_);
    while (const auto line = TRY(lines_.next())) {
      if (options_.cancel != nullptr && options_.cancel->load()) {
        return store::interrupted(fmt::format("import of '{}' was stopped", source_.name()));
      }
      TRY(records.read(*line, [&](const json::Value& record) { return add(record); }));
      if (draft_->bytes() >= kBatchBytes || draft_->size() >= kBatchCommits) TRY(flush());
      tell_progress(kProgressStep);
    }
    TRY(flush());
    tell_progress(0);
    report_.bytes = lines_.bytes_done();
    report_.missing_parents = thread_.missing_parents();
    return std::move(report_);
  }

 private:
  void tell_progress(std::uint64_t step) {
    if (!options_.progress || lines_.bytes_done() < told_ + step) return;
    told_ = lines_.bytes_done();
    options_.progress({source_.name(), told_, source_.size()});
  }

  // --- Records --------------------------------------------------------------

  Result<void> add(const json::Value& root) {
    const Record record = read_record(root);
    report_.records += 1;
    const RecordKey digest = RecordKey::of(root.raw());
    if (first_record_.empty()) first_record_ = digest.hex(8);
    if (session_.empty() && !record.session.empty()) name_session(record);
    if (is_repeated(record, digest)) {
      report_.duplicates[record.label] += 1;
      return options_.keep_source ? add_note(record, std::string(root.raw())) : Result<void>();
    }
    if (!record.is_turn) return pass(record, digest);
    TRY(add_turns(record, digest));
    return options_.keep_source ? add_note(record, without_message(root)) : Result<void>();
  }

  /// The first session named is the file's; a subagent's own file is named after both.
  void name_session(const Record& record) {
    session_ = record.session;
    if (record.is_sidechain && !record.agent.empty()) file_agent_ = ref_word(record.agent);
  }

  /// A record that was read already, byte for byte. Turns without a name of their
  /// own may well be alike.
  bool is_repeated(const Record& record, const RecordKey& digest) {
    if (!record.uuid.empty()) return thread_.has_seen(record.uuid, digest.front());
    return !record.is_turn && !unnamed_records_.insert(digest).second;
  }

  Result<void> pass(const Record& record, const RecordKey& digest) {
    const Link link = link_of(record, digest);
    if (record.is_compact_boundary) {
      thread_.pass_boundary(link, {record.logical_parent, record.kept_first, record.kept_last});
    } else {
      thread_.pass(link);
    }
    if (repeats_prompt(record)) {
      report_.duplicates[record.label] += 1;
      if (!options_.keep_source) return {};
    }
    report_.kept[record.label] += 1;
    if (!is_known_type(record.type)) report_.unknown[record.label] += 1;
    return add_note(record, std::string(record.root.raw()));
  }

  /// `last-prompt` says again what the user wrote, or how it began.
  bool repeats_prompt(const Record& record) const {
    if (record.type != "last-prompt") return false;
    return prompts_.repeats(record.root.find("lastPrompt").text());
  }

  Result<void> add_note(const Record& record, std::string bytes) {
    Turn note;
    note.type = Type::note;
    note.text = std::move(bytes);
    note.media_type = "application/json";
    note.time = record.time;
    note_tip_ = TRY(draft_->append_to(note_tip_, note));
    new_notes_.push_back(*note_tip_);
    return {};
  }

  // --- Turns ----------------------------------------------------------------

  Result<void> add_turns(const Record& record, const RecordKey& digest) {
    RecordTurns made = make_turns(record, calls_, report_);
    Link link = link_of(record, digest);
    link.kind = kind_of(record, made);
    link.message_id = record.message_id;
    link.calls = std::move(made.made_calls);
    link.answered = std::move(made.answered);
    if (link.kind == Link::Kind::user_written) {
      prompts_.add(made.turns.back().text);
    }
    report_.turn_records += 1;

    const Place place = thread_.place(link);
    std::optional<Oid> parent;
    if (place.parent != kNone) parent = last_commit(place.parent);
    ends_.resize(place.turn, static_cast<Index>(commits_.size()));
    bool compresses = place.compresses;
    for (const Turn& turn : made.turns) {
      if (std::exchange(compresses, false) && turn.type == Type::summary) {
        parent = TRY(draft_->compress_to(*parent, commits_of(place.replaced), turn));
        report_.turns["compress"] += 1;
      } else {
        parent = TRY(draft_->append_to(parent, turn));
        report_.turns[std::string(store::name_of(turn.type))] += 1;
      }
      commits_.push_back(*parent);
    }
    ends_.push_back(static_cast<Index>(commits_.size()));
    return {};
  }

  Index first_of(Index turn) const { return turn == 0 ? 0 : ends_[turn - 1]; }
  Oid last_commit(Index turn) const { return commits_[ends_[turn] - 1]; }

  std::vector<Oid> commits_of(const std::vector<Index>& turns) const {
    std::vector<Oid> all;
    for (const Index turn : turns) {
      all.insert(all.end(), commits_.begin() + first_of(turn), commits_.begin() + ends_[turn]);
    }
    return all;
  }

  // --- Writing --------------------------------------------------------------

  std::string session_word() const {
    const std::string word = ref_word(session_);
    return word.empty() ? unnamed() : word;
  }
  std::string unnamed() const { return "unnamed-" + first_record_; }

  std::string head_base(const std::string& agent) const {
    std::string name = session_.empty() ? unnamed() : session_word().substr(0, 8);
    if (!agent.empty()) name += "-agent-" + agent;
    return store::branch_ref("claude-code/" + name);
  }

  std::string source_base() const {
    std::string name = "refs/sources/claude-code/" + session_word();
    if (!file_agent_.empty()) name += "-agent-" + file_agent_;
    return name;
  }

  std::vector<WantedRef> wanted() const {
    std::vector<WantedRef> all;
    for (const Leaf& leaf : thread_.leaves()) {
      all.push_back({head_base(leaf.agent), last_commit(leaf.turn)});
    }
    if (note_tip_) all.push_back({source_base(), *note_tip_});
    return all;
  }

  /// Writes what came since the last flush as one transaction, unless all of it
  /// is held by refs already. The store is then as an import of the front leaves it.
  Result<void> flush() {
    if (draft_->size() == 0) return {};
    const std::uint64_t turns = TRY(count_new(Index(written_), commits_));
    const std::uint64_t notes = TRY(count_new(0, new_notes_));
    bool written = false;
    TRY(repository_.store().exclusive([&]() -> Result<void> {
      report_.refs = merged(TRY(place_refs(repository_, *draft_, wanted())));
      TRY(drop_unnamed());
      if (draft_->moves().empty()) return {};
      TRY(draft_->write("import"));
      report_.erased += draft_->left_out();
      written = true;
      return {};
    }));
    if (written) {
      report_.new_turns += turns;
      report_.new_notes += notes;
    }
    draft_ = repository_.draft();
    draft_->leave_out_erased();
    written_ = commits_.size();
    new_notes_.clear();
    return {};
  }

  Result<std::uint64_t> count_new(std::size_t from, const std::vector<Oid>& commits) const {
    const std::span<const Oid> batch = std::span(commits).subspan(from);
    const std::vector<bool> there = TRY(repository_.store().has(batch));
    return static_cast<std::uint64_t>(std::count(there.begin(), there.end(), false));
  }

  /// Keeps that a ref moved in an earlier batch, and notes the main one.
  std::vector<ImportedRef> merged(std::vector<ImportedRef> refs) {
    for (ImportedRef& ref : refs) {
      for (const ImportedRef& before : report_.refs) {
        if (before.name == ref.name && before.moved) ref.moved = true;
      }
    }
    report_.main_ref = refs.empty() || !refs.front().name.starts_with("refs/heads/")
                           ? std::string()
                           : refs.front().name;
    return refs;
  }

  /// An import of a shorter front may not have seen the session's name yet.
  Result<void> drop_unnamed() {
    if (session_.empty()) return {};
    for (const std::string& name :
         {store::branch_ref("claude-code/" + unnamed()), "refs/sources/claude-code/" + unnamed()}) {
      const auto target = TRY(repository_.store().ref(name));
      if (!target) continue;
      for (const WantedRef& ref : wanted()) {
        if (!is_held(repository_, *target, ref.tip)) continue;
        TRY(draft_->move(name, std::nullopt));
        break;
      }
    }
    return {};
  }

  Source& source_;
  Repository& repository_;
  const ImportOptions& options_;
  LineReader lines_;
  LossReport report_;
  Thread thread_;
  OpenCalls calls_;
  std::uint64_t told_ = 0;

  std::string session_;       // The first one named.
  std::string file_agent_;    // The subagent whose own file this is.
  std::string first_record_;  // Digits of its hash, to name a file without a session.
  std::unordered_set<RecordKey> unnamed_records_;  // No turns, and without a uuid.
  RecentPrompts prompts_;

  std::unique_ptr<Draft> draft_;
  std::vector<Oid> commits_;  // Of all turns, in the order they were made.
  std::vector<Index> ends_;   // By turn: behind its last commit in commits_.
  std::size_t written_ = 0;   // How many of commits_ were flushed.
  std::optional<Oid> note_tip_;
  std::vector<Oid> new_notes_;
};

}  // namespace

bool ClaudeCodeImporter::recognises(std::string_view head) const {
  json::Document document;
  constexpr int kLines = 50;
  for (int line = 0; line < kLines && !head.empty(); ++line) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    std::string_view text = head.substr(0, end);
    head.remove_prefix(std::min(end + 1, head.size()));
    const std::size_t brace = std::min(text.find('{'), text.size());
    text.remove_prefix(brace);
    const json::Reading reading = json::parse_one(text, document);
    if (reading && is_claude_code(read_record(document.root()))) return true;
    // A first record larger than the head.
    const bool torn = reading.status == json::Reading::Status::torn;
    if (torn && (text.starts_with(R"({"parentUuid":)") ||
                 text.find(R"("sessionId":)") != std::string_view::npos)) {
      return true;
    }
  }
  return false;
}

Result<LossReport> ClaudeCodeImporter::import(Source& source, Repository& repository,
                                              const ImportOptions& options) const {
  return Import(source, repository, options).run();
}

}  // namespace spoor::llm::import::claude_code
