#include "import/session_writer.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "base/json/writer.h"
#include "import/names.h"
#include "import/rules.h"
#include "store/ancestry.h"
#include "store/store.h"

namespace spoor::import {
namespace {

using compile::Oid;
using compile::Turn;

constexpr std::size_t kBatchBytes = 8U << 20U;
constexpr std::size_t kBatchCommits = 4096;
constexpr std::size_t kSessionDigits = 8;

/// Groups refs of one base, as place_refs() requires; groups are in the order of their first ref.
std::vector<WantedRef> grouped(std::vector<WantedRef> lines) {
  std::map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < lines.size(); ++i) first.try_emplace(lines[i].base, i);
  std::stable_sort(lines.begin(), lines.end(), [&](const WantedRef& a, const WantedRef& b) {
    return first[a.base] < first[b.base];
  });
  return lines;
}

}  // namespace

SessionWriter::SessionWriter(std::string_view tool, graph::Repository& repository,
                             LossReport& report, const ImportOptions& options)
    : tool_(tool),
      repository_(repository),
      report_(report),
      options_(options),
      front_draft_(repository.draft()),
      known_(repository) {
  begin_draft();
}

void SessionWriter::begin_draft() {
  draft_ = options_.draft;
  if (draft_ != nullptr) return;
  own_draft_ = repository_.draft();
  own_draft_->leave_out_erased();
  draft_ = own_draft_.get();
}

void SessionWriter::see_record(std::string_view record) {
  if (first_record_.empty()) first_record_ = RecordKey::of(record).hex(kSessionDigits);
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

void SessionWriter::begin_conversation(std::string ref) {
  conversation_ref_ = std::move(ref);
  known_.take_back();
  near_only_.clear();
}

Result<Oid> SessionWriter::append(const std::optional<Oid>& parent, const Turn& turn) {
  report_.turns[std::string(store::name_of(turn.type))] += 1;
  const bool is_made =
      turn.type == compile::Type::assistant || turn.type == compile::Type::reasoning;
  const bool is_front = !parent || undecided_.contains(current(*parent));
  const auto& time = is_made ? options_.answered : options_.asked;
  if (turn.time || !time || (is_front && !is_made)) return add(parent, turn, nullptr);
  Turn timed = turn;
  timed.time = time;
  return add(parent, timed, nullptr);
}

Result<Oid> SessionWriter::compress(const Oid& parent, const std::vector<Oid>& replaced,
                                    const Turn& summary) {
  report_.turns["compress"] += 1;
  const std::vector<Oid> targets = TRY(settled(parent, replaced));
  return add(parent, summary, &targets);
}

Result<Oid> SessionWriter::skip(const Oid& parent, const std::vector<Oid>& turns) {
  report_.turns["annotate"] += 1;
  const std::vector<Oid> targets = TRY(settled(parent, turns));
  const Oid behind = current(parent);
  compile::Facts facts;
  facts.set(fact::source, tool_);
  return note_directive(
      behind, TRY(draft_->annotate_to(behind, targets, store::Priority::skip, facts)), "skip");
}

Result<Oid> SessionWriter::edit(const Oid& parent, const Oid& turn, std::string text,
                                const std::optional<Timestamp>& time) {
  report_.turns["edit"] += 1;
  const Oid target = TRY(settled(parent, {turn})).front();
  const Oid behind = current(parent);
  compile::Facts facts;
  facts.set(fact::source, tool_);
  const RecordKey key = RecordKey::of(text);
  return note_directive(behind, TRY(draft_->edit_to(behind, target, std::move(text), time, facts)),
                        "edit " + key.hex(32));
}

/// Records a new directive.
Oid SessionWriter::note_directive(const Oid& behind, const Oid& made, std::string_view what) {
  if (known_.has(made)) known_.give(made);
  new_turns_.push_back(made);
  if (!conversation_ref_.empty()) known_.add(behind, made, RecordKey::of(what));
  return made;
}

/// Returns the current commits of these turns, after deciding every turn up to `parent`.
Result<std::vector<Oid>> SessionWriter::settled(const Oid& parent, const std::vector<Oid>& turns) {
  if (undecided_.contains(parent)) TRY(settle_all());  // A front has no directives.
  std::vector<Oid> all;
  all.reserve(turns.size());
  for (const Oid& each : turns) all.push_back(current(each));
  return all;
}

// --- Other captures -----------------------------------------------------------

/// Returns the current commit of a turn whose commit changed after it was first returned.
Oid SessionWriter::current(const Oid& turn) const {
  const auto found = met_.find(turn);
  return found == met_.end() ? turn : found->second;
}

Result<Oid> SessionWriter::make(graph::Draft& draft, const std::optional<Oid>& parent,
                                const Turn& turn, const std::vector<Oid>* replaced) {
  if (replaced != nullptr) return draft.compress_to(*parent, *replaced, turn);
  return draft.append_to(parent, turn);
}

Result<Oid> SessionWriter::add(const std::optional<Oid>& after, const Turn& turn,
                               const std::vector<Oid>* replaced) {
  const std::optional<Oid> parent = after ? std::optional<Oid>(current(*after)) : std::nullopt;
  has_turns_ = true;
  const bool is_front = !parent || undecided_.contains(*parent);
  std::optional<graph::Draft::Op> op(std::in_place, is_front ? *front_draft_ : *draft_);
  const Oid made = TRY(make(is_front ? *front_draft_ : *draft_, parent, turn, replaced));
  const auto keep = [&](const std::optional<RecordKey>& key) {
    op->finish();
    new_turns_.push_back(made);
    if (key && !conversation_ref_.empty()) {
      known_.add(parent, made, *key, turn.type == compile::Type::reasoning);
    }
    return made;
  };
  const bool may_come_again = is_front || has_met_ || !conversation_ref_.empty();
  const bool is_known = !is_front && known_.has(made);
  if (is_known) known_.give(made);
  if (is_known || (!may_come_again && !known_.has_after(*parent))) return keep({});

  const Oid* met = is_front ? nullptr : known_lines().met(made);
  if (met != nullptr && known_.is_free(*met)) {
    op.reset();
    meet(*met);
    return *met;
  }
  // As stored, which may be less than the source has.
  const Turn said = TRY(graph::read_turn(repository_.reader(), made));
  const RecordKey key = turn_key(said, replaced != nullptr);
  if (is_front) {
    op->finish();
    TRY(add_to_front(parent, made, turn, key));
    return is_answer(said) ? decide(made) : Result<Oid>(made);
  }
  auto there = TRY(find_known(parent, key, said));
  if (there.empty() && has_met_ && TRY(read_lines_of_front()))
    there = TRY(find_known(parent, key, said));
  if (there.empty()) return keep(key);
  op.reset();  // Takes our turn back; the note about it stays.
  const std::size_t notes = note_count();
  TRY(merge_into(turn, said, there.front()));
  if (note_count() == notes && !has_named_session_) known_lines().meet(made, there.front());
  return there.front();
}

Result<void> SessionWriter::add_to_front(const std::optional<Oid>& parent, const Oid& made,
                                         const Turn& turn, const RecordKey& key) {
  const auto before = parent ? undecided_.find(*parent) : undecided_.end();
  const RecordKey front = before == undecided_.end() ? RecordKey() : before->second.front;
  const bool is_new =
      undecided_
          .try_emplace(
              made, UndecidedTurn{parent, turn, key,
                                  longer_front(front, key, turn.type == compile::Type::reasoning)})
          .second;
  if (is_new) undecided_order_.push_back(made);
  return {};
}

/// Decides, after the model's first answer, if the turns up to it are another capture's. Returns
/// the answer's commit.
Result<Oid> SessionWriter::decide(const Oid& answer) {
  std::vector<Oid> chain;
  for (std::optional<Oid> at = answer; at && undecided_.contains(*at);) {
    chain.push_back(*at);
    at = undecided_.at(*at).parent;
  }
  std::reverse(chain.begin(), chain.end());
  const RecordKey front = undecided_.at(answer).front;
  std::vector<Oid> there = TRY(match(chain));
  if (there.empty()) {
    near_only_.push_back(front);
    TRY(read_lines_of_name(front));
    there = TRY(match(chain));
  }
  if (there.empty() && TRY(read_lines_of_front())) there = TRY(match(chain));
  for (std::size_t i = 0; i < chain.size(); ++i) {
    if (there.empty()) {
      TRY(settle(chain[i]));
    } else if (chain[i] == there[i]) {
      known_.give(there[i]);
    } else {
      const Turn said = TRY(graph::read_turn(repository_.reader(), chain[i]));
      TRY(merge_into(undecided_.at(chain[i]).turn, said, there[i]));
      met_[chain[i]] = there[i];
    }
    undecided_.erase(chain[i]);
  }
  if (undecided_.empty()) {
    undecided_order_.clear();
    front_draft_ = repository_.draft();
  }
  return current(answer);
}

/// Returns known turns with the same content as those of `chain`, each the parent of the next;
/// either all or none.
Result<std::vector<Oid>> SessionWriter::match(const std::vector<Oid>& chain) {
  std::vector<Oid> there;
  std::vector<std::vector<Oid>> left;  // For each of chain: the candidates left, best last.
  const std::vector<bool> is_stored = TRY(repository_.store().has(chain));
  while (there.size() < chain.size()) {
    if (left.size() == there.size()) {
      const std::optional<Oid>& before = undecided_.at(chain.front()).parent;
      const auto root = before ? std::optional<Oid>(current(*before)) : std::nullopt;
      left.push_back(TRY(candidates_for(chain[there.size()], is_stored[there.size()],
                                        there.empty() ? root : std::optional<Oid>(there.back()))));
    }
    if (left.back().empty()) {  // Try another candidate for the previous turn.
      left.pop_back();
      if (there.empty()) return there;
      there.pop_back();
      continue;
    }
    there.push_back(left.back().back());
    left.back().pop_back();
  }
  return there;
}

/// Returns the known turns after `parent` that an undecided turn may be. A turn that an earlier
/// import stored stays itself.
Result<std::vector<Oid>> SessionWriter::candidates_for(const Oid& turn, bool is_stored,
                                                       const std::optional<Oid>& parent) {
  if (known_.has(turn)) return std::vector<Oid>{turn};
  if (is_stored) return std::vector<Oid>();
  const Turn said = TRY(graph::read_turn(repository_.reader(), turn));
  std::vector<Oid> all = TRY(find_known(parent, undecided_.at(turn).key, said));
  std::reverse(all.begin(), all.end());
  return all;
}

/// Returns the known turns after `parent` with the content of `said` that are not earlier readings
/// of it. An answer without its reasoning is the one that has it: many programs do not send it
/// back.
Result<std::vector<Oid>> SessionWriter::find_known(const std::optional<Oid>& parent,
                                                   const RecordKey& key, const Turn& said) {
  std::vector<Oid> all;
  std::vector<Oid> known = known_.find(parent, key);
  if (known.empty() && said.type == compile::Type::assistant) {
    known = known_.find_after_reasoning(parent, key);
  }
  for (const Oid& each : known) {
    const Turn there = TRY(graph::read_turn(repository_.reader(), each));
    if (!is_earlier_reading(there, said)) all.push_back(each);
  }
  return all;
}

/// Makes an undecided turn our own.
Result<void> SessionWriter::settle(const Oid& turn) {
  const UndecidedTurn& ours = undecided_.at(turn);
  const std::optional<Oid> parent =
      ours.parent ? std::optional<Oid>(current(*ours.parent)) : ours.parent;
  const Oid made = TRY(draft_->append_to(parent, ours.turn));
  if (made != turn) met_[turn] = made;  // Its parent changed.
  new_turns_.push_back(made);
  if (!conversation_ref_.empty()) {
    known_.add(parent, made, ours.key, ours.turn.type == compile::Type::reasoning);
  }
  return {};
}

/// Makes all undecided turns our own: the source has ended, or a batch is full.
Result<void> SessionWriter::settle_all() {
  for (const Oid& turn : undecided_order_) {
    if (undecided_.contains(turn)) TRY(settle(turn));
  }
  undecided_.clear();
  undecided_order_.clear();
  front_draft_ = repository_.draft();
  return {};
}

Result<bool> SessionWriter::go_on_after(const Oid& turn) {
  const auto line = TRY(draft_->ref(conversation_ref_));
  const auto is_there = line ? store::is_on_line(repository_.reader(), turn, *line) : false;
  if (!is_there || !is_there.value()) return false;
  const auto front = known_lines().front_of(repository_, *line);
  if (!front) return false;
  near_only_.push_back(*front);
  TRY(read_lines_of_name(*front));
  has_met_ = has_turns_ = true;
  return true;
}

std::optional<Oid> SessionWriter::decided(const Oid& turn) const {
  const Oid now = current(turn);
  return undecided_.contains(now) ? std::nullopt : std::optional(now);
}

/// Reads the lines with this front that have this line's name, with or without a number.
Result<void> SessionWriter::read_lines_of_name(const RecordKey& front) {
  const std::string base = conversation_ref_.empty() ? line() : conversation_ref_;
  const auto [lines, is_new] = near_.try_emplace(base);
  if (is_new) {
    for (const store::Ref& ref : TRY(draft_->refs(base))) {
      const auto begun = known_lines().front_of(repository_, ref.target);
      if (begun) lines->second[*begun].push_back(ref.target);
    }
  }
  const auto found = lines->second.find(front);
  if (found == lines->second.end()) return {};
  for (const Oid& tip : found->second) TRY(known_.add_line(tip));
  return {};
}

/// Reads all lines of this importer with a front in near_only_. Returns true if there are any.
Result<bool> SessionWriter::read_lines_of_front() {
  bool any = false;
  for (const RecordKey& front : std::exchange(near_only_, {})) {
    for (const std::string& name :
         TRY(known_lines().find_front(repository_, *draft_, tool_, front))) {
      const auto tip = TRY(draft_->ref(name));
      if (!tip) continue;
      TRY(known_.add_line(*tip));
      any = true;
    }
  }
  return any;
}

namespace {

bool has_item(const std::vector<compile::Item>& items, const compile::Item& item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

/// Appends a member to a JSON object.
void add_member(std::string& out, std::string_view key, const std::string& json) {
  out += out.empty() ? '{' : ',';
  out += json::write_string(key) + ':' + json;
}

}  // namespace

void SessionWriter::meet(const Oid& there) {
  known_.give(there);
  has_met_ = true;
  report_.met_turns += 1;
}

/// Replaces our turn by `there`, another capture's. Facts that only ours has are kept as a note:
/// `{"turn", "author", "role", "meta"}` with the differences, and the raw items and attachments
/// that `there` does not have. The first capture's time counts. The session's name is noted once.
Result<void> SessionWriter::merge_into(const Turn& turn, const Turn& said, const Oid& there) {
  meet(there);
  if (options_.keep_source) return {};
  const Turn other = TRY(graph::read_turn(repository_.reader(), there));
  std::string facts;
  for (const auto& [key, value] : said.facts.values()) {
    if (other.facts.json(key) == value) continue;
    if (key == "session" && std::exchange(has_named_session_, true)) continue;
    add_member(facts, key, value);
  }
  std::string more;
  if (!facts.empty()) add_member(more, "meta", facts + '}');
  const auto add_text = [&](std::string_view key, const std::string& ours,
                            const std::string& theirs) {
    if (ours != theirs && !ours.empty()) add_member(more, key, json::write_string(ours));
  };
  add_text("author", said.author, other.author);
  add_text("name", said.fields.name, other.fields.name);
  add_text("format", said.fields.format, other.fields.format);
  add_text("role", said.fields.role, other.fields.role);
  if (said.fields.is_error != other.fields.is_error) {
    add_member(more, "is_error", said.fields.is_error ? "true" : "false");
  }
  Turn note;
  for (std::size_t i = 0; i < turn.raw.size() && i < said.raw.size(); ++i) {
    if (!has_item(other.raw, said.raw[i])) note.raw.push_back(turn.raw[i]);
  }
  for (std::size_t i = 0; i < turn.attach.size() && i < said.attach.size(); ++i) {
    if (!has_item(other.attach, said.attach[i])) note.attach.push_back(turn.attach[i]);
  }
  if (more.empty() && note.raw.empty() && note.attach.empty()) return {};
  std::string text;
  add_member(text, "turn", json::write_string(there.hex()));
  note.text = text + (more.empty() ? "" : "," + more.substr(1)) + '}';
  note.media_type = "application/json";
  note.time = turn.time;
  return add_note(std::move(note));
}

Result<std::string> SessionWriter::last_instructions(const Oid& tip) {
  const Oid from = current(tip);
  std::optional<Oid> found;
  for (std::optional<Oid> at = from; at;) {
    const auto asked = instructions_.find(*at);
    if (asked != instructions_.end()) {
      found = asked->second;
      break;
    }
    const auto commit = TRY(repository_.reader().commit(*at));
    if (commit->type == compile::Type::system) {
      found = at;
      break;
    }
    at = commit->parents.empty() ? std::nullopt : std::optional<Oid>(commit->parents.front());
  }
  instructions_[from] = found;
  if (!found) return std::string();
  return TRY(graph::read_turn(repository_.reader(), current(*found))).text;
}

// --- Writing ------------------------------------------------------------------

Result<void> SessionWriter::add_note(std::string bytes, const std::optional<Timestamp>& time,
                                     std::string media_type) {
  Turn note;
  note.text = std::move(bytes);
  note.media_type = std::move(media_type);
  note.time = time;
  return add_note(std::move(note));
}

Result<void> SessionWriter::add_note(Turn note) {
  note.type = compile::Type::note;
  note_tip_ = TRY(draft_->append_to(note_tip_, note));
  new_notes_.push_back(*note_tip_);
  return {};
}

bool SessionWriter::is_full() const {
  if (!own_draft_ || !options_.notes_ref.empty()) return false;
  return draft_->bytes() + front_draft_->bytes() >= kBatchBytes ||
         draft_->size() + front_draft_->size() >= kBatchCommits;
}

Result<void> SessionWriter::flush(std::vector<WantedRef> lines) {
  TRY(settle_all());
  if (draft_->size() == 0 && !has_turns_) return {};
  for (WantedRef& line : lines) line.tip = current(line.tip);
  lines = grouped(std::move(lines));
  if (note_tip_ && options_.notes_ref.empty()) lines.push_back({source_base(), *note_tip_});
  const std::uint64_t turns = TRY(count_new(new_turns_));
  const std::uint64_t notes = TRY(count_new(new_notes_));
  bool written = false;
  if (own_draft_) {
    TRY(repository_.store().exclusive([&]() -> Result<void> {
      TRY(move_refs(lines));
      if (draft_->moves().empty()) return {};
      TRY(draft_->write("import"));
      report_.erased += draft_->left_out();
      written = true;
      return {};
    }));
  } else {
    TRY(move_refs(lines));
    written = true;
  }
  if (written) {
    report_.new_turns += turns;
    report_.new_notes += notes;
  }
  for (const ImportedRef& ref : report_.refs) {
    if (ref.name.starts_with("refs/heads/")) {
      TRY(known_lines().add(repository_, tool_, ref.name, ref.target));
    }
  }
  begin_draft();
  new_turns_.clear();
  new_notes_.clear();
  near_.clear();
  return {};
}

Result<void> SessionWriter::move_refs(const std::vector<WantedRef>& lines) {
  TRY(mark(lines));  // Before the lines have a place, which shows those that are new.
  TRY(place(lines));
  TRY(drop_unnamed(lines));
  if (note_tip_ && !options_.notes_ref.empty() &&
      TRY(draft_->ref(options_.notes_ref)) != note_tip_) {
    TRY(draft_->move(options_.notes_ref, note_tip_));
  }
  return {};
}

/// Places the lines that grew, and reports the place of every line.
Result<void> SessionWriter::place(const std::vector<WantedRef>& lines) {
  report_.refs.clear();
  report_.main_ref.clear();
  // After a request to stop, what was read is still written.
  const bool is_stopped = options_.cancel != nullptr && options_.cancel->load();
  const std::atomic<bool>* cancel = is_stopped ? nullptr : options_.cancel;
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
      std::vector<ImportedRef> refs = TRY(place_refs(repository_, *draft_, wanted, cancel));
      std::unordered_set<std::string_view> moved;
      for (const ImportedRef& before : placed.refs) {
        if (before.moved) moved.insert(before.name);
      }
      for (ImportedRef& ref : refs) ref.moved = ref.moved || moved.contains(ref.name);
      placed = {std::move(tips), std::move(refs)};
    }
    report_.refs.insert(report_.refs.end(), placed.refs.begin(), placed.refs.end());
  }
  if (!report_.refs.empty() && report_.refs.front().name.starts_with("refs/heads/")) {
    report_.main_ref = report_.refs.front().name;
    report_.main_tip = report_.refs.front().tip;
  }
  return {};
}

/// Marks new lines with the current rules. An existing line without a mark was read by older rules
/// and grows unmarked.
Result<void> SessionWriter::mark(const std::vector<WantedRef>& lines) {
  std::unordered_set<std::string_view> seen;
  for (const WantedRef& line : lines) {
    if (!line.base.starts_with("refs/heads/") || !seen.insert(line.base).second) continue;
    if (TRY(draft_->ref(rules_ref(line.base)))) continue;
    const auto is_it = [&](const std::string& name) { return name == line.base; };
    bool is_new = true;
    for (const store::Ref& ref : TRY(draft_->refs(line.base))) {
      is_new = is_new && line_of_branch(ref.name, is_it) != line.base;
    }
    if (is_new) TRY(mark_rules(*draft_, line.base));
  }
  return {};
}

/// Removes the refs that an import of a shorter front made before it read the session's name.
Result<void> SessionWriter::drop_unnamed(const std::vector<WantedRef>& lines) {
  if (session_.empty()) return {};
  for (const std::string& name : {line_of(unnamed()), "refs/sources/" + tool_ + "/" + unnamed()}) {
    const auto target = TRY(draft_->ref(name));
    if (!target) continue;
    for (const WantedRef& ref : lines) {
      if (!is_held(repository_, *target, ref.tip)) continue;
      TRY(draft_->move(name, std::nullopt));
      if (name == line_of(unnamed()) && TRY(draft_->ref(rules_ref(name)))) {
        TRY(draft_->move(rules_ref(name), std::nullopt));
      }
      break;
    }
  }
  return {};
}

Result<std::uint64_t> SessionWriter::count_new(std::vector<Oid> commits) const {
  std::sort(commits.begin(),
            commits.end());  // Conversations with a common beginning share commits.
  commits.erase(std::unique(commits.begin(), commits.end()), commits.end());
  const std::vector<bool> there = TRY(repository_.store().has(commits));
  return static_cast<std::uint64_t>(std::count(there.begin(), there.end(), false));
}

}  // namespace spoor::import
