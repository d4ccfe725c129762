#include "llm/import/session_writer.h"

#include <algorithm>

#include "llm/import/thread_key.h"
#include "llm/import/words.h"
#include "store/store.h"

namespace spoor::llm::import {
namespace {

using compile::Oid;
using compile::Turn;

constexpr std::size_t kBatchBytes = 8U << 20U;
constexpr std::size_t kBatchCommits = 4096;
constexpr std::size_t kSessionDigits = 8;

/// Those of one base beside each other, as place_refs() wants them; in the order of the first.
std::vector<WantedRef> grouped(std::vector<WantedRef> lines) {
  std::map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < lines.size(); ++i) first.try_emplace(lines[i].base, i);
  std::stable_sort(lines.begin(), lines.end(), [&](const WantedRef& a, const WantedRef& b) {
    return first[a.base] < first[b.base];
  });
  return lines;
}

}  // namespace

SessionWriter::SessionWriter(std::string_view tool, compile::Repository& repository,
                             LossReport& report)
    : tool_(tool), repository_(repository), report_(report), draft_(repository.draft()) {
  draft_->leave_out_erased();
}

void SessionWriter::see_record(const RecordKey& digest) {
  if (first_record_.empty()) first_record_ = digest.hex(kSessionDigits);
}

void SessionWriter::name_session(std::string_view session, std::string_view agent) {
  if (!session_.empty() || session.empty()) return;
  session_ = session;
  file_agent_ = ref_word(agent);
}

std::string SessionWriter::line(const std::string& agent) const {
  std::string name = session_.empty() ? unnamed() : ref_word(session_).substr(0, kSessionDigits);
  if (!agent.empty()) name += "-agent-" + agent;
  return line_of(name);
}

std::string SessionWriter::line_of(std::string_view name) const {
  return store::branch_ref(tool_ + "/" + ref_word(name));
}

std::string SessionWriter::source_base() const {
  std::string name =
      "refs/sources/" + tool_ + "/" + (session_.empty() ? unnamed() : ref_word(session_));
  if (!file_agent_.empty()) name += "-agent-" + file_agent_;
  return name;
}

Result<void> SessionWriter::continues(std::string_view other_session) {
  if (other_session.empty() || !new_turns_.empty()) return {};
  TRY(add_candidates(line()));
  return add_candidates(line_of(ref_word(other_session).substr(0, kSessionDigits)));
}

/// The histories of the refs that are called `base`, with a number or without.
Result<void> SessionWriter::add_candidates(const std::string& base) {
  for (const store::Ref& ref : TRY(repository_.store().refs(base))) {
    std::vector<Oid> commits;
    std::optional<Oid> at = ref.target;
    while (at) {
      commits.push_back(*at);
      const auto commit = TRY(repository_.reader().commit(*at));
      at = commit->parents.empty() ? std::nullopt : std::optional<Oid>(commit->parents.front());
    }
    std::reverse(commits.begin(), commits.end());
    candidates_.push_back(std::move(commits));
  }
  return {};
}

/// The commit of another capture that says the same in the same place; drops the lines that do not.
Result<std::optional<Oid>> SessionWriter::common(const std::optional<Oid>& parent, const Turn& turn,
                                                 bool is_compress) {
  std::vector<std::vector<Oid>> still;
  const RecordKey key = thread_key(turn, is_compress);
  for (std::vector<Oid>& line : candidates_) {
    if (line.size() <= met_) continue;
    const bool follows = met_ == 0 ? !parent : parent == line[met_ - 1];
    if (!follows || (!still.empty() && still.front()[met_] != line[met_])) continue;
    const auto commit = TRY(repository_.reader().commit(line[met_]));
    const bool compresses = commit->op == store::Op::compress;
    if (!compresses && commit->op != store::Op::append) continue;
    const Turn said = TRY(compile::read_turn(repository_.reader(), line[met_]));
    if (thread_key(said, compresses) == key) still.push_back(std::move(line));
  }
  candidates_ = std::move(still);
  if (candidates_.empty()) return std::optional<Oid>();
  const Oid found = candidates_.front()[met_++];
  return std::optional<Oid>(found);
}

Result<Oid> SessionWriter::append(const std::optional<Oid>& parent, const Turn& turn) {
  if (!candidates_.empty()) {
    if (const auto there = TRY(common(parent, turn, false))) {
      report_.turns[std::string(store::name_of(turn.type))] += 1;
      return *there;
    }
  }
  const Oid made = TRY(draft_->append_to(parent, turn));
  report_.turns[std::string(store::name_of(turn.type))] += 1;
  new_turns_.push_back(made);
  return made;
}

Result<Oid> SessionWriter::compress(const Oid& parent, const std::vector<Oid>& replaced,
                                    const Turn& summary) {
  if (!candidates_.empty()) {
    if (const auto there = TRY(common(parent, summary, true))) {
      report_.turns["compress"] += 1;
      return *there;
    }
  }
  const Oid made = TRY(draft_->compress_to(parent, replaced, summary));
  report_.turns["compress"] += 1;
  new_turns_.push_back(made);
  return made;
}

Result<void> SessionWriter::add_note(std::string bytes,
                                     const std::optional<store::Timestamp>& time) {
  Turn note;
  note.type = compile::Type::note;
  note.text = std::move(bytes);
  note.media_type = "application/json";
  note.time = time;
  note_tip_ = TRY(draft_->append_to(note_tip_, note));
  new_notes_.push_back(*note_tip_);
  return {};
}

bool SessionWriter::is_full() const {
  return draft_->bytes() >= kBatchBytes || draft_->size() >= kBatchCommits;
}

Result<void> SessionWriter::flush(std::vector<WantedRef> lines) {
  if (draft_->size() == 0 && met_ == 0) return {};
  lines = grouped(std::move(lines));
  if (note_tip_) lines.push_back({source_base(), *note_tip_});
  const std::uint64_t turns = TRY(count_new(new_turns_));
  const std::uint64_t notes = TRY(count_new(new_notes_));
  bool written = false;
  TRY(repository_.store().exclusive([&]() -> Result<void> {
    TRY(place(lines));
    TRY(drop_unnamed(lines));
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
  new_turns_.clear();
  new_notes_.clear();
  return {};
}

/// Places the lines that grew, and tells the report where every line is.
Result<void> SessionWriter::place(const std::vector<WantedRef>& lines) {
  report_.refs.clear();
  report_.main_ref.clear();
  for (std::size_t i = 0; i < lines.size();) {
    const std::string& base = lines[i].base;
    std::vector<WantedRef> wanted;
    std::vector<Oid> tips;
    for (; i < lines.size() && lines[i].base == base; ++i) {
      wanted.push_back(lines[i]);
      tips.push_back(lines[i].tip);
    }
    Placed& placed = placed_[base];
    if (placed.tips != tips) {
      std::vector<ImportedRef> refs = TRY(place_refs(repository_, *draft_, wanted));
      for (ImportedRef& ref : refs) {
        for (const ImportedRef& before : placed.refs) {
          if (before.name == ref.name && before.moved) ref.moved = true;
        }
      }
      placed = {std::move(tips), std::move(refs)};
    }
    report_.refs.insert(report_.refs.end(), placed.refs.begin(), placed.refs.end());
  }
  if (!report_.refs.empty() && report_.refs.front().name.starts_with("refs/heads/")) {
    report_.main_ref = report_.refs.front().name;
  }
  return {};
}

/// An import of a shorter front may not have seen the session's name yet.
Result<void> SessionWriter::drop_unnamed(const std::vector<WantedRef>& lines) {
  if (session_.empty()) return {};
  for (const std::string& name : {line_of(unnamed()), "refs/sources/" + tool_ + "/" + unnamed()}) {
    const auto target = TRY(repository_.store().ref(name));
    if (!target) continue;
    for (const WantedRef& ref : lines) {
      if (!is_held(repository_, *target, ref.tip)) continue;
      TRY(draft_->move(name, std::nullopt));
      break;
    }
  }
  return {};
}

Result<std::uint64_t> SessionWriter::count_new(const std::vector<Oid>& commits) const {
  const std::vector<bool> there = TRY(repository_.store().has(commits));
  return static_cast<std::uint64_t>(std::count(there.begin(), there.end(), false));
}

}  // namespace spoor::llm::import
