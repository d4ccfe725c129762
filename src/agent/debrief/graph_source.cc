#include "agent/debrief/graph_source.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "agent/call_facts.h"
#include "agent/debrief/excerpt.h"
#include "agent/debrief/fold.h"
#include "agent/debrief/graph_state.h"
#include "agent/debrief/shown_texts.h"
#include "agent/spent_facts.h"
#include "compile/facts_view.h"
#include "compile/json/reader.h"
#include "compile/json/writer.h"
#include "compile/turn.h"
#include "llm/source_exit_code.h"
#include "store/ancestry.h"

namespace spoor::agent::debrief {
namespace {

namespace json = compile::json;
using compile::FactsView;
using compile::Fields;
using store::Commit;
using store::NamedCommit;
using store::Type;

constexpr std::size_t kStride = 8'192;  // Commits that are held at once,
constexpr std::size_t kBatch = 512;     // and those whose blobs are read with one call.
constexpr std::size_t kMaxOpenCalls = 10'000;
constexpr std::size_t kMaxGoal = 1'000;
constexpr std::uint64_t kMaxCiting = 100;  // Calls that a citation may be of (fold.cc).

std::string canonical_of(const json::Value& value) {
  std::string text;
  if (value) json::append_canonical(text, value);
  return text;
}

// How a run ended, in the words of a verdict.
std::string status_of(std::string_view stopped, std::string_view by) {
  if (by == "approval") return "waiting";  // For a person.
  if (stopped == "goal_achieved") return "success";
  if (stopped == "interrupted") return "cancelled";
  return stopped == "error" ? "failure" : "stopped";
}

// A commit with what was read of it. A text that is absent, or was not needed, is empty.
struct Seen {
  const NamedCommit* named = nullptr;
  FactsView facts = {};
  std::optional<CallFacts> told = {};  // What the facts of an answer tell of its calls.
  Fields fields = {};
  Bytes content = {};
  compile::Extra extra = {};
  // Where the bytes of each stand in what was read together.
  std::optional<std::size_t> fields_at = {}, content_at = {}, extra_at = {};

  const Commit& commit() const { return *named->commit; }
  Type type() const { return commit().type.value_or(Type::summary); }  // A compress has none.
  std::string_view text() const { return content ? std::string_view(*content) : ""; }
  std::optional<Rationale> rationale() const {
    if (fields.rationale.empty()) return std::nullopt;
    const auto read = json::parse(fields.rationale);
    return read ? clean_rationale(read->root()).rationale : std::nullopt;
  }
};

}  // namespace

class GraphSource::Impl {
 public:
  Impl(const compile::Repository& repository, std::optional<RunName> run, GraphOptions options)
      : repository_(repository),
        reader_(repository.reader()),
        run_(std::move(run)),
        options_(options),
        fold_(options.most),
        state_(options.most) {
    fold_.debrief().is_run = run_.has_value();
    if (run_) fold_.debrief().root = run_->root;
  }

  Result<void> advance(const Oid& head) {
    const std::uint64_t last = TRY(reader_.commit(head))->depth;
    TRY(learn_origins());
    std::uint64_t next = 0;
    if (state_.reached) {
      next = TRY(reader_.commit(*state_.reached))->depth + 1;
    } else if (run_) {
      next = TRY(reader_.commit(origins_.empty() ? run_->root : origins_.back().root))->depth;
    }
    TRY(check_line(head));
    TRY(take_line(head, next, last, false));
    fold_.debrief().head = head;
    return {};
  }

  // The critic's chain is its own; only what it cost is of the run.
  Result<void> advance_critic(const Oid& head) {
    const std::uint64_t last = TRY(reader_.commit(head))->depth;
    std::uint64_t next = 0;
    if (state_.critic) next = TRY(reader_.commit(*state_.critic))->depth + 1;
    TRY(take_line(head, next, last, true));
    state_.critic = head;
    return {};
  }

  /// How far it was read, before anything of it is shown.
  GraphState state() const {
    GraphState state = state_;
    state.fold = fold_.state();
    return state;
  }

  /// Goes on from there, if that is on the lines to these.
  Result<bool> go_on_from(std::string_view bytes, const Oid& head,
                          const std::optional<Oid>& critic) {
    auto state = unpack(bytes, options_.most);
    if (!state || !TRY(was_before(state->reached, head))) return false;
    if (state->critic && (!critic || !TRY(was_before(state->critic, *critic)))) return false;
    if (state->fold.debrief.root != fold_.debrief().root) return false;
    fold_.go_on_from(std::exchange(state->fold, Fold::State(options_.most)));
    state_ = std::move(*state);
    return true;
  }

  std::uint64_t taken() const { return taken_; }

  Result<Debrief> finish() {
    Fold fold = fold_;
    if (!options_.summary) TRY(read_shown(reader_, fold.debrief()));
    book(fold, state_.unbooked);
    Debrief debrief = fold.finish();
    if (!options_.summary && !run_) debrief.last_words = TRY(last_words());
    return debrief;
  }

 private:
  // Is it on the line to `head`? It may not be there any more.
  Result<bool> was_before(const std::optional<Oid>& oid, const Oid& head) const {
    if (!oid) return false;
    auto found = store::is_on_line(reader_, *oid, head);
    if (!found && found.error().code == store::Error::Code::not_found) return false;
    return found;
  }

  // The runs whose beginnings this one has, and where its own part of the line begins.
  Result<void> learn_origins() {
    if (!run_ || knows_origins_) return {};
    knows_origins_ = true;
    origins_ = TRY(origins_of(repository_, run_->root));
    if (origins_.empty()) return {};
    fold_.debrief().origin = origins_.front();
    own_from_ = TRY(reader_.commit(run_->root))->depth;
    // A run in between may begin at an earlier step than the one that it goes on from.
    for (std::size_t i = 1; i < origins_.size(); ++i) {
      origins_[i].from_step = std::min(origins_[i].from_step, origins_[i - 1].from_step);
    }
    return {};
  }

  // Does the line to `head` hold what was read already, or else the root?
  Result<void> check_line(const Oid& head) const {
    std::optional<Oid> needed = state_.reached;
    if (!needed && run_) needed = run_->root;
    if (!needed || TRY(store::is_on_line(reader_, *needed, head))) return {};
    return store::invalid(fmt::format("{} does not come after {}", head.hex(12), needed->hex(12)),
                          "see 'spoor log --graph --all'");
  }

  // The commits of these depths on the line to `head`, oldest first, a stride at a time.
  Result<void> take_line(const Oid& head, std::uint64_t next, std::uint64_t last, bool is_critic) {
    const auto keeps = store::Reader::keep_for(last >= next ? last - next + 1 : 0);
    while (next <= last) {
      const std::uint64_t end = std::min<std::uint64_t>(next + kStride - 1, last);
      const Oid at = end == last ? head : TRY(store::ancestor_at(reader_, head, end));
      TRY(take_stride(at, static_cast<std::size_t>(end - next + 1), keeps, is_critic));
      if (!is_critic) state_.reached = at;
      next = end + 1;
    }
    return {};
  }

  Result<void> take_stride(const Oid& end, std::size_t count, store::Reader::Keep keeps,
                           bool is_critic) {
    std::vector<NamedCommit> newest_first;
    newest_first.reserve(count);
    const auto take_one = [&](const NamedCommit& commit) {
      newest_first.push_back(commit);
      return true;
    };
    TRY(reader_.run(end, count, take_one, keeps));
    std::reverse(newest_first.begin(), newest_first.end());
    const std::span<const NamedCommit> commits(newest_first);
    for (std::size_t at = 0; at < commits.size(); at += kBatch) {
      TRY(take(commits.subspan(at, std::min(kBatch, commits.size() - at)), is_critic));
    }
    return {};
  }

  bool is_of_run(const Seen& seen) const {
    if (!run_) return seen.commit().op == store::Op::append || is_costly_compress(seen);
    if (is_inherited(seen)) return is_of_origin(seen);
    return is_root(seen) || agent::is_of_run(seen.commit(), seen.facts, run_->id);
  }

  // Is it of the part of the line before the run's own?
  bool is_inherited(const Seen& seen) const { return seen.commit().depth < own_from_; }
  // A step of a run that this one goes on from, which it has.
  bool is_of_origin(const Seen& seen) const {
    const auto step = seen.facts.json("step").integer();
    return step && std::any_of(origins_.begin(), origins_.end(), [&](const Origin& origin) {
             return *step < origin.from_step &&
                    agent::is_of_run(seen.commit(), seen.facts, origin.run);
           });
  }

  // Which of a commit's texts the counts need, or what is told of other commits. What is shown of
  // the others is read where it is shown (shown_texts.h).
  bool needs_content(const Seen& seen) const {
    if (seen.type() == Type::tool && !run_) return tells_exit_code_in_text(seen);
    if (seen.type() == Type::user) return !run_ && is_asked(seen) && !state_.has_goal;
    if (seen.type() != Type::decision || !run_) return false;
    if (is_root(seen)) return true;
    if (options_.summary) return false;
    const std::string word = seen.facts.text("decision");
    if (word == "step-started") return !seen.facts.json("tool");
    return word == "run-ended" || word == "unknown-ref" || word == "strategy-switch";
  }
  static bool tells_exit_code_in_text(const Seen& seen) {
    return !seen.facts.json("exit_code") && llm::tells_exit_code_in_text(seen.facts.text("source"));
  }
  bool needs_fields(const Seen& seen) const {
    if (options_.summary) return false;
    switch (seen.type()) {
      case Type::assistant:
        return !seen.told;
      case Type::tool:
        return !run_ || !is_told_result(seen);
      case Type::decision:
        return run_ && (seen.facts.says("decision", "run-ended") ||
                        seen.facts.says("decision", "strategy-switch"));
      default:
        return false;
    }
  }
  bool needs_extra(const Seen& seen) const {
    return !options_.summary && seen.facts.says("decision", "run-ended");
  }
  // Facts tell which call a result is of, of which tool, and how it went.
  static bool is_told_result(const Seen& seen) {
    return seen.facts.json("outcome") && seen.facts.json("tool") && seen.facts.json("call");
  }
  static bool is_costly_compress(const Seen& seen) {
    return seen.commit().op == store::Op::compress && read_cost(seen.facts).is_known();
  }
  bool is_root(const Seen& seen) const { return run_ && seen.named->oid == run_->root; }
  static bool is_asked(const Seen& seen) { return !seen.facts.json("injected"); }

  Result<void> take(std::span<const NamedCommit> commits, bool is_critic) {
    std::vector<Oid> wanted;
    std::size_t count = 0;  // Of the run: the first so many of seen_.
    for (const NamedCommit& named : commits) {
      if (count == seen_.size()) seen_.emplace_back();
      Seen& seen = seen_[count];
      seen = {.named = &named, .facts = std::move(seen.facts)};
      TRY(seen.facts.read(named.commit->meta));
      if (!is_of_run(seen)) continue;
      ++count;
      if (!is_critic) want(seen, wanted);
    }
    const auto bytes = TRY(bytes_of(reader_, wanted));
    for (std::size_t i = 0; i < count; ++i) {
      Seen& seen = seen_[i];
      ++taken_;
      if (!is_inherited(seen) || is_critic) ++fold_.debrief().commits;
      if (is_critic) {
        const bool is_answer = seen.commit().type == Type::assistant;
        if (is_answer) add(seen, Spent{read_cost(seen.facts), Spent::By::critic});
        continue;
      }
      TRY(read(bytes, seen));
      if (cites_unknown(seen)) TRY(read_recent_reasons());
      take(seen);
    }
    return {};
  }

  // Which of its bytes are to be read, and where they will stand.
  void want(Seen& seen, std::vector<Oid>& wanted) const {
    const Commit& commit = seen.commit();
    const auto add = [&wanted](const Oid& oid) {
      wanted.push_back(oid);
      return wanted.size() - 1;
    };
    const bool may_be_told =
        run_ && !options_.summary && commit.type == Type::assistant && commit.fields;
    if (may_be_told) seen.told = read_call_facts(seen.facts);
    if (commit.fields && needs_fields(seen)) seen.fields_at = add(*commit.fields);
    if (commit.content && needs_content(seen)) seen.content_at = add(commit.content->oid);
    if (commit.extra && needs_extra(seen)) seen.extra_at = add(*commit.extra);
  }

  static Result<void> read(const std::vector<Bytes>& bytes, Seen& seen) {
    if (seen.content_at) seen.content = shown_bytes(bytes[*seen.content_at]);
    if (const Bytes fields = seen.fields_at ? bytes[*seen.fields_at] : nullptr) {
      seen.fields = TRY(compile::read_fields(*fields));
    }
    if (const Bytes extra = seen.extra_at ? bytes[*seen.extra_at] : nullptr) {
      seen.extra = TRY(compile::read_extra(*extra));
    }
    return {};
  }

  // The fold looks for the call that cites it.
  bool cites_unknown(const Seen& seen) const {
    return run_ && !options_.summary && seen.facts.says("decision", "unknown-ref");
  }
  Result<void> read_recent_reasons() {
    auto& path = fold_.debrief().path;
    std::vector<PathEntry*> recent;
    for (std::uint64_t back = 1; back <= std::min(path.total(), kMaxCiting); ++back) {
      PathEntry* entry = path.at(path.total() - back);
      if (entry != nullptr && entry->unread) recent.push_back(entry);
    }
    return debrief::read_reasons(reader_, recent);
  }

  void add(const Seen& seen, Fact::What what) { add(seen, step_of(seen), std::move(what)); }
  void add(const Seen& seen, std::int64_t step, Fact::What what) {
    fold_.add({step, seen.named->oid, seen.commit().time, std::move(what), is_inherited(seen)});
  }
  std::int64_t step_of(const Seen& seen) const {
    return run_ ? seen.facts.json("step").integer().value_or(0) : state_.step;
  }

  void take(const Seen& seen) {
    switch (seen.type()) {
      case Type::assistant:
        return run_ ? take_answer(seen) : take_message(seen);
      case Type::tool:
        return take_result(seen);
      case Type::user:
        if (run_ && seen.facts.says("mark", "observation")) return take_result(seen);
        return run_ ? take_saying(seen) : take_question(seen);
      case Type::decision:
        return take_decision(seen);
      case Type::summary:
        if (!run_) book(fold_, read_cost(seen.facts));
        return;
      default:
        return;
    }
  }

  void learn_model(const Seen& seen) {
    Debrief& state = fold_.debrief();
    if (state.model.empty()) state.model = seen.facts.text("model");
  }

  void take_answer(const Seen& seen) {
    learn_model(seen);
    add(seen, Spent{read_cost(seen.facts), Spent::By::agent});
    remember_answer(seen);
    // A plan that is asked for again may turn out to be the one that is kept.
    const bool is_plan = seen.facts.says("purpose", "plan");
    if (is_plan && state_.answer.numbers.empty()) state_.earlier_plan = std::move(state_.answer);
    begin_answer(seen);
    // One that was cut off is no answer: the question was asked again.
    if (const std::string why = seen.facts.text("interrupted"); !why.empty()) {
      return add(seen, Noted{"answer cut off", why});
    }
    read_calls(seen);
    const std::string action = seen.facts.text("action");
    const bool is_call =
        !action.empty() && action != "finish" && !is_plan && state_.answer.numbers.empty();
    if (is_call) choose(seen, 1, action);
  }

  void remember_answer(const Seen& seen) {
    state_.last_content.reset();
    if (seen.commit().content) state_.last_content = seen.commit().content->oid;
  }

  void begin_answer(const Seen& seen) {
    state_.answer = {.commit = seen.named->oid, .fields = seen.commit().fields};
  }

  // Its reasons and its native calls: as the facts tell them, else out of its fields.
  void read_calls(const Seen& seen) {
    if (!seen.told) {
      read_reasons(seen);
      return choose_native(seen);
    }
    state_.answer.unread = seen.told->reasons;
    std::int64_t call = 0;
    for (const std::string& tool : seen.told->tools) choose(seen, ++call, tool);
  }

  // `{"1":{"why":…},"2":…}`.
  void read_reasons(const Seen& seen) {
    if (seen.fields.rationale.empty()) return;
    const auto read = json::parse(seen.fields.rationale);
    if (!read || !read->root().is_object()) return;
    for (const json::Member member : read->root().members()) {
      if (auto clean = clean_rationale(member.value).rationale) {
        state_.answer.reasons[member.key.text()] = std::move(*clean);
      }
    }
  }

  void choose_native(const Seen& seen) {
    if (!seen.fields.tool_calls) return;
    std::int64_t call = 0;
    for (const compile::ToolCall& asked : *seen.fields.tool_calls) {
      const std::uint64_t number = choose(seen, ++call, asked.name);
      if (state_.by_id.size() >= kMaxOpenCalls) state_.by_id.clear();
      state_.by_id[asked.id] = number;
    }
  }

  // A call of the answer that stands in `at`, or of a plan of an earlier one.
  std::uint64_t choose(const Seen& at, std::int64_t call, const std::string& tool) {
    CallChosen chosen{++state_.calls, tool, {}};
    if (const auto unread = state_.answer.unread.find(call); unread != state_.answer.unread.end()) {
      chosen.unread = UnreadReason{*state_.answer.fields, call, unread->second};
    } else if (!state_.answer.reasons.empty()) {
      const auto reason = state_.answer.reasons.find(std::to_string(call));
      if (reason != state_.answer.reasons.end()) chosen.rationale = reason->second;
    }
    state_.answer.numbers[call] = chosen.number;
    const Oid place = state_.answer.commit.value_or(at.named->oid);
    fold_.add({step_of(at), place, at.commit().time, std::move(chosen), is_inherited(at)});
    return state_.calls;
  }

  void take_result(const Seen& seen) {
    if (const auto money = read_money(seen.facts)) {
      add(seen, Spent{.cost = {.money = money}, .by = Spent::By::tool});
    }
    CallReturned returned{.tool = seen.facts.text("tool")};
    returned.is_error = seen.fields.is_error || seen.facts.json("is_error").is_true() ||
                        seen.facts.says("outcome", "error");
    returned.exit_code = seen.facts.json("exit_code").integer();
    if (seen.content) {
      returned.exit_code =
          llm::read_source_exit_code(seen.facts.text("source"), seen.text(), returned.is_error);
    }
    returned.artifact = seen.facts.text("artifact");
    returned.number =
        number_of_call(seen, returned.tool.empty() ? seen.fields.name : returned.tool);
    if (returned.number != 0) add(seen, std::move(returned));
  }

  // 0: a result without a call.
  std::uint64_t number_of_call(const Seen& seen, const std::string& tool) {
    if (const std::string& id = seen.fields.call_id; !id.empty()) {
      if (const auto found = state_.by_id.find(id); found != state_.by_id.end()) {
        const std::uint64_t number = found->second;
        state_.by_id.erase(found);
        return number;
      }
    }
    const auto call = seen.facts.json("call").integer();
    if (!run_ || !call || options_.summary) return 0;
    if (const auto found = state_.answer.numbers.find(*call);
        found != state_.answer.numbers.end()) {
      return found->second;
    }
    return choose(seen, *call, tool);
  }

  void take_saying(const Seen& seen) {
    const std::string mark = seen.facts.text("mark");
    const bool is_of_planner = mark == "nudge" || mark == "critique";
    if (is_of_planner && !options_.summary) add(seen, Noted{mark, ""});
  }

  // A session's own: the first thing that was asked for is its goal.
  void take_question(const Seen& seen) {
    if (!is_asked(seen)) return;
    if (!state_.has_goal) {
      state_.has_goal = true;
      add(seen, RunStarted{.goal = cut(seen.text(), kMaxGoal), .model = fold_.debrief().model});
    } else if (!options_.summary) {
      add(seen, Noted{"asked", first_line(seen.text(), kMaxSaid)});
    }
  }

  // A session's answer: several commits with one message id are one, whose last usage counts.
  void take_message(const Seen& seen) {
    learn_model(seen);
    const std::string message = seen.facts.text("message_id");
    const bool is_new = message.empty() || message != state_.message;
    if (is_new) {
      book(fold_, std::exchange(state_.unbooked, {}));
      ++state_.step;
      begin_answer(seen);
    }
    state_.message = message;
    if (const Cost cost = read_cost(seen.facts); cost.is_known()) state_.unbooked = cost;
    remember_answer(seen);
    if (const std::string why = seen.facts.text("finish_reason"); !why.empty()) {
      add(seen, Terminated{.by = why, .rationale = {}, .limit = {}, .spent = {}});
    }
    if (seen.fields.tool_calls) {
      read_reasons(seen);
      choose_native(seen);
    }
  }

  // Of a whole message, or of a summary: of no call.
  static void book(Fold& fold, const Cost& cost) {
    if (cost.is_known()) fold.add({.what = Spent{cost, Spent::By::critic}});
  }

  void take_decision(const Seen& seen) {
    const std::string word = seen.facts.text("decision");
    const std::string text(seen.text());
    if (is_root(seen)) {
      return add(seen, RunStarted{run_->id, cut(text, kMaxGoal), seen.facts.text("planner"),
                                  seen.facts.text("principal"), seen.facts.text("session"), ""});
    }
    if (!run_) return;                                      // Of a run within the history.
    if (is_inherited(seen) && word == "run-ended") return;  // This one went on.
    if (word == "run-ended") return take_end(seen);
    if (options_.summary) return add(seen, Noted{word, ""});
    const auto call = static_cast<std::uint64_t>(
        std::max<std::int64_t>(0, seen.facts.json("call").integer().value_or(0)));
    constexpr std::string_view kCurator = "curator-";
    constexpr std::string_view kReactive = "reactive-";
    if (word == "assumption") return add(seen, Assumed{text, seen.rationale()});
    if (word == "rationale-missing") {
      return add(seen, ReasonMissing{call, seen.facts.text("tool")});
    }
    if (word == "step-started") return take_begun(seen, text);
    if (word == "attempt-ended") return;  // What the critic made of it is told.
    if (word == "plan-rationale-missing") {
      const auto& about = seen.commit().about;
      const bool is_earlier = state_.earlier_plan.commit && !about.empty() &&
                              about.front() == *state_.earlier_plan.commit;
      if (is_earlier && state_.answer.numbers.empty()) {
        state_.answer = std::exchange(state_.earlier_plan, {});
      }
      return add(seen, PlanReasonsMissing{static_cast<std::uint64_t>(std::max<std::int64_t>(
                           0, seen.facts.json("count").integer().value_or(0)))});
    }
    if (word == "unknown-ref") return add(seen, RefUnknown{call, text});
    if (word == "strategy-switch") {
      return add(seen, StrategySwitched{seen.facts.text("from"), seen.facts.text("to"), text,
                                        seen.rationale()});
    }
    if (word == "alternatives") {
      const auto rationale = seen.rationale();
      return add(seen,
                 Weighed{text, rationale ? rationale->alternatives : std::vector<Alternative>{}});
    }
    if (word.starts_with(kCurator)) {
      return add(seen, Curated{word.substr(kCurator.size()), text, seen.rationale()});
    }
    if (word.starts_with(kReactive)) {
      return add(seen, Reacted{word.substr(kReactive.size()), text, seen.rationale()});
    }
    add(seen, Noted{word, first_line(text, kMaxSaid)});
  }

  // A step of a plan that was begun, whether or not it came to a result.
  void take_begun(const Seen& seen, const std::string& text) {
    const auto call = seen.facts.json("call").integer();
    const std::string tool = seen.facts.text("tool");
    const bool is_new = call && !state_.answer.numbers.contains(*call);
    if (is_new) choose(seen, *call, tool.empty() ? text : tool);
  }

  void take_end(const Seen& seen) {
    const std::string stopped = seen.facts.text("stopped");
    const std::string by = seen.facts.text("by");
    add(seen,
        Terminated{by.empty() ? stopped : by, seen.rationale(),
                   canonical_of(seen.facts.json("limit")), canonical_of(seen.facts.json("spent"))});
    Completed completed{.status = status_of(stopped, by), .stopped = stopped};
    completed.answer = seen.text();
    completed.error = seen.extra.message;
    add(seen, std::move(completed));
  }

  // What the last answer of a session says.
  Result<std::string> last_words() const {
    if (!state_.last_content) return std::string();
    const auto bytes = TRY(bytes_of(reader_, {*state_.last_content}));
    return bytes[0] ? first_line(*shown_bytes(bytes[0]), kMaxGoal) : std::string();
  }

  const compile::Repository& repository_;
  const store::Reader& reader_;
  std::optional<RunName> run_;
  GraphOptions options_;
  Fold fold_;
  std::vector<Seen> seen_;       // Of the commits that are being read; keeps its memory.
  GraphState state_;             // Its fold is in fold_ while it is at work.
  std::vector<Origin> origins_;  // The nearest first.
  bool knows_origins_ = false;
  std::uint64_t own_from_ = 0;  // The depth of the root of a run that has origins.
  std::uint64_t taken_ = 0;     // Commits of the run that were read here.
};

GraphSource::GraphSource(const compile::Repository& repository, const RunName& run,
                         GraphOptions options)
    : impl_(std::make_unique<Impl>(repository, run, options)) {}

GraphSource::GraphSource(const compile::Repository& repository, GraphOptions options)
    : impl_(std::make_unique<Impl>(repository, std::nullopt, options)) {}

GraphSource::~GraphSource() = default;
GraphSource::GraphSource(GraphSource&&) noexcept = default;

Result<Debrief> GraphSource::read(const Oid& head, const std::optional<Oid>& critic) {
  TRY(impl_->advance(head));
  if (critic) TRY(impl_->advance_critic(*critic));
  return impl_->finish();
}

std::string GraphSource::state() const { return pack(impl_->state()); }

Result<bool> GraphSource::go_on_from(std::string_view bytes, const Oid& head,
                                     const std::optional<Oid>& critic) {
  return impl_->go_on_from(bytes, head, critic);
}

std::uint64_t GraphSource::taken() const { return impl_->taken(); }

}  // namespace spoor::agent::debrief
