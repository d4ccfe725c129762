#include "agent/debrief/graph_source.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "agent/debrief/excerpt.h"
#include "agent/debrief/fold.h"
#include "agent/debrief/numbers.h"
#include "compile/json/reader.h"
#include "compile/turn.h"
#include "store/ancestry.h"

namespace spoor::agent::debrief {
namespace {

namespace json = compile::json;
using compile::Facts;
using compile::Fields;
using store::Commit;
using store::NamedCommit;
using store::Type;
using Bytes = std::shared_ptr<const std::string>;

constexpr std::size_t kStride = 4'096;  // Commits that are held at once,
constexpr std::size_t kBatch = 512;     // and those whose blobs are read with one call.
constexpr std::size_t kMaxOpenCalls = 10'000;
constexpr std::size_t kMaxGoal = 1'000;
constexpr std::string_view kUnverified = "interrupted, effect unverified";

std::optional<std::int64_t> integer_of(const Facts& facts, const std::string& key) {
  const std::string text = facts.json(key);
  std::int64_t integer = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), integer);
  const bool is_whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  return is_whole && !text.empty() ? std::optional(integer) : std::nullopt;
}

std::optional<llm::Money> cost_of(const Facts& facts) {
  return llm::parse_dollars(facts.json("cost_usd"));
}

std::optional<std::uint64_t> sum_of(const json::Value& object,
                                    std::initializer_list<const char*> keys) {
  std::optional<std::uint64_t> sum;
  for (const char* key : keys) {
    if (const auto count = count_of(object.find(key))) sum = sum.value_or(0) + *count;
  }
  return sum;
}

// Our own counts; else what the provider's own object says (docs/importing.md).
Spent spent_by(const Facts& facts, Spent::By by) {
  Spent spent{.cost = cost_of(facts), .by = by};
  const std::string counted = facts.json("tokens");  // Documents borrow them.
  const std::string reported = facts.json("usage");
  if (const auto tokens = json::parse(counted)) {
    spent.input = sum_of(tokens->root(), {"input", "cached", "cache_written"});
    spent.output = sum_of(tokens->root(), {"output"});
  } else if (const auto usage = json::parse(reported)) {
    spent.input = sum_of(usage->root(), {"input_tokens", "cache_read_input_tokens",
                                         "cache_creation_input_tokens", "prompt_tokens"});
    spent.output = sum_of(usage->root(), {"output_tokens", "completion_tokens"});
  }
  return spent;
}

bool is_known(const Spent& spent) { return spent.input || spent.output || spent.cost; }

// How a run ended, in the words of a verdict.
std::string status_of(std::string_view stopped, std::string_view by) {
  if (by == "approval") return "waiting";  // For a person.
  if (stopped == "goal_achieved") return "success";
  if (stopped == "interrupted") return "cancelled";
  return stopped == "error" ? "failure" : "stopped";
}

// What a turn of the user's shows of a tool's result stands behind `[obs:3 grep]`.
std::string_view without_label(std::string_view text) {
  if (!text.starts_with("[obs:")) return text;
  const std::size_t end = text.find(']');
  return end == std::string_view::npos ? text : text.substr(end + 1);
}

// A commit with what was read of it. A text that is absent is empty.
struct Seen {
  const NamedCommit& named;
  Facts facts;
  Fields fields;
  Bytes content;
  compile::Extra extra;

  std::string_view text() const { return content ? std::string_view(*content) : ""; }
  std::optional<Rationale> rationale() const {
    const auto read = json::parse(fields.rationale);
    return read ? clean_rationale(read->root()).rationale : std::nullopt;
  }
};

}  // namespace

class GraphSource::Impl {
 public:
  Impl(const compile::Repository& repository, std::optional<RunName> run, GraphOptions options)
      : reader_(repository.reader()), run_(std::move(run)), options_(options), fold_(options.most) {
    fold_.state().is_run = run_.has_value();
    if (run_) fold_.state().root = run_->root;
  }

  Result<void> advance(const Oid& head) {
    const std::uint64_t last = TRY(reader_.commit(head))->depth;
    std::uint64_t next = 0;
    if (reached_) {
      next = TRY(reader_.commit(*reached_))->depth + 1;
    } else if (run_) {
      next = TRY(reader_.commit(run_->root))->depth;
    }
    TRY(check_line(head, last, next));
    TRY(take_line(head, next, last, false));
    fold_.state().head = head;
    return {};
  }

  // The critic's chain is its own; only what it cost is of the run.
  Result<void> advance_critic(const Oid& head) {
    const std::uint64_t last = TRY(reader_.commit(head))->depth;
    std::uint64_t next = 0;
    if (critic_) next = TRY(reader_.commit(*critic_))->depth + 1;
    TRY(take_line(head, next, last, true));
    critic_ = head;
    return {};
  }

  Result<Debrief> finish() {
    Fold fold = fold_;
    if (is_known(unbooked_)) fold.add({.what = unbooked_});
    Debrief debrief = fold.finish();
    if (options_.summary) return debrief;
    TRY(fill_in(debrief));
    return debrief;
  }

 private:
  // Does the line to `head` hold what was read already, or else the root?
  Result<void> check_line(const Oid& head, std::uint64_t last, std::uint64_t next) const {
    std::optional<Oid> needed = reached_;
    if (!needed && run_) needed = run_->root;
    if (!needed) return {};
    const std::uint64_t depth = reached_ ? next - 1 : next;
    const bool is_there = depth <= last && TRY(store::ancestor_at(reader_, head, depth)) == *needed;
    if (is_there) return {};
    return store::invalid(fmt::format("{} does not come after {}", head.hex(12), needed->hex(12)),
                          "see 'spoor log --graph --all'");
  }

  // The commits of these depths on the line to `head`, oldest first, a stride at a time.
  Result<void> take_line(const Oid& head, std::uint64_t next, std::uint64_t last, bool is_critic) {
    while (next <= last) {
      const std::uint64_t end = std::min<std::uint64_t>(next + kStride - 1, last);
      const Oid at = end == last ? head : TRY(store::ancestor_at(reader_, head, end));
      TRY(take_stride(at, static_cast<std::size_t>(end - next + 1), is_critic));
      if (!is_critic) reached_ = at;
      next = end + 1;
    }
    return {};
  }

  Result<void> take_stride(const Oid& end, std::size_t count, bool is_critic) {
    std::vector<NamedCommit> newest_first;
    newest_first.reserve(count);
    TRY(reader_.run(end, count, [&](const NamedCommit& commit) {
      newest_first.push_back(commit);
      return true;
    }));
    std::reverse(newest_first.begin(), newest_first.end());
    const std::span<const NamedCommit> commits(newest_first);
    for (std::size_t at = 0; at < commits.size(); at += kBatch) {
      TRY(take(commits.subspan(at, std::min(kBatch, commits.size() - at)), is_critic));
    }
    return {};
  }

  bool is_of_run(const NamedCommit& named, const Facts& facts) const {
    if (named.commit->op != store::Op::append) return false;
    return !run_ || named.oid == run_->root || facts.text("run") == run_->id;
  }

  // Which of a commit's texts tell something. Results are read at the end, where they are shown.
  bool needs_content(const Seen& seen) const {
    const Commit& commit = *seen.named.commit;
    if (commit.type == Type::decision) return !options_.summary || is_root(seen);
    if (commit.type != Type::user) return false;
    if (!run_) return is_asked(seen) && (!options_.summary || !has_goal_);
    return !options_.summary && is_said(seen);
  }
  bool needs_fields(const Seen& seen) const {
    const auto type = seen.named.commit->type;
    return !options_.summary &&
           (type == Type::assistant || type == Type::tool || type == Type::decision);
  }
  bool is_root(const Seen& seen) const { return run_ && seen.named.oid == run_->root; }
  static bool is_said(const Seen& seen) {  // By the planner, as a user's turn.
    const std::string mark = seen.facts.text("mark");
    return mark == "nudge" || mark == "critique";
  }
  static bool is_asked(const Seen& seen) { return seen.facts.json("injected").empty(); }

  // Their bytes, with one call; nothing where they are absent.
  Result<std::vector<Bytes>> fetch(const std::vector<Oid>& oids) const {
    auto found = reader_.contents(oids);
    if (found || found.error().code != store::Error::Code::not_found) return found;
    std::vector<Bytes> all;
    for (const Oid& oid : oids) {
      auto one = reader_.content(oid);
      if (!one && one.error().code != store::Error::Code::not_found) return one.error();
      all.push_back(one ? std::move(one).value() : nullptr);
    }
    return all;
  }

  Result<void> take(std::span<const NamedCommit> commits, bool is_critic) {
    std::vector<Seen> all;
    std::vector<Oid> wanted;
    for (const NamedCommit& named : commits) {
      Seen seen{.named = named, .facts = TRY(compile::read_facts(named.commit->meta))};
      if (!is_of_run(named, seen.facts)) continue;
      if (!is_critic) {
        if (needs_fields(seen) && named.commit->fields) wanted.push_back(*named.commit->fields);
        if (needs_content(seen) && named.commit->content) {
          wanted.push_back(named.commit->content->oid);
        }
        if (needs_extra(seen) && named.commit->extra) wanted.push_back(*named.commit->extra);
      }
      all.push_back(std::move(seen));
    }
    const auto bytes = TRY(fetch(wanted));
    std::size_t next = 0;
    for (Seen& seen : all) {
      const Commit& commit = *seen.named.commit;
      ++fold_.state().commits;
      if (is_critic) {
        if (commit.type == Type::assistant) add(seen, spent_by(seen.facts, Spent::By::critic));
        continue;
      }
      if (needs_fields(seen) && commit.fields) {
        if (const Bytes& text = bytes[next++]) seen.fields = TRY(compile::read_fields(*text));
      }
      if (needs_content(seen) && commit.content) seen.content = bytes[next++];
      if (needs_extra(seen) && commit.extra) {
        if (const Bytes& text = bytes[next++]) seen.extra = TRY(compile::read_extra(*text));
      }
      take(seen);
    }
    return {};
  }
  bool needs_extra(const Seen& seen) const {
    return !options_.summary && seen.facts.text("decision") == "run-ended";
  }

  void add(const Seen& seen, Fact::What what) { add(seen, step_of(seen), std::move(what)); }
  void add(const Seen& seen, std::int64_t step, Fact::What what) {
    fold_.add({step, seen.named.oid, seen.named.commit->time, std::move(what)});
  }
  std::int64_t step_of(const Seen& seen) const {
    return run_ ? integer_of(seen.facts, "step").value_or(0) : step_;
  }

  void take(const Seen& seen) {
    switch (*seen.named.commit->type) {
      case Type::assistant:
        return run_ ? take_answer(seen) : take_message(seen);
      case Type::tool:
        return take_result(seen);
      case Type::user:
        if (run_ && seen.facts.text("mark") == "observation") return take_result(seen);
        return run_ ? take_saying(seen) : take_question(seen);
      case Type::decision:
        return take_decision(seen);
      default:
        return;
    }
  }

  void learn_model(const Seen& seen) {
    Debrief& state = fold_.state();
    if (state.model.empty()) state.model = seen.facts.text("model");
  }

  void take_answer(const Seen& seen) {
    learn_model(seen);
    add(seen, spent_by(seen.facts, Spent::By::agent));
    last_answer_ = seen.named;
    // A plan that is asked for again may turn out to be the one that is kept.
    const bool is_plan = seen.facts.text("purpose") == "plan";
    if (is_plan && answer_.numbers.empty()) earlier_plan_ = std::move(answer_);
    begin_answer(seen);
    // One that was cut off is no answer: the question was asked again.
    if (const std::string why = seen.facts.text("interrupted"); !why.empty()) {
      return add(seen, Noted{"answer cut off", why});
    }
    read_reasons(seen);
    choose_native(seen);
    const std::string action = seen.facts.text("action");
    const bool is_call =
        !action.empty() && action != "finish" && !is_plan && answer_.numbers.empty();
    if (is_call) choose(seen, 1, action);
  }

  void begin_answer(const Seen& seen) { answer_ = {.commit = seen.named}; }

  // `{"1":{"why":…},"2":…}`.
  void read_reasons(const Seen& seen) {
    const auto read = json::parse(seen.fields.rationale);
    if (!read || !read->root().is_object()) return;
    for (const json::Member member : read->root().members()) {
      if (auto clean = clean_rationale(member.value).rationale) {
        answer_.reasons[member.key.text()] = std::move(*clean);
      }
    }
  }

  void choose_native(const Seen& seen) {
    if (!seen.fields.tool_calls) return;
    std::int64_t call = 0;
    for (const compile::ToolCall& asked : *seen.fields.tool_calls) {
      const std::uint64_t number = choose(seen, ++call, asked.name);
      if (by_id_.size() >= kMaxOpenCalls) by_id_.clear();
      by_id_[asked.id] = number;
    }
  }

  // A call of the answer that stands in `at`, or of a plan of an earlier one.
  std::uint64_t choose(const Seen& at, std::int64_t call, const std::string& tool) {
    const auto reason = answer_.reasons.find(std::to_string(call));
    CallChosen chosen{++calls_, tool, {}};
    if (reason != answer_.reasons.end()) chosen.rationale = reason->second;
    answer_.numbers[call] = chosen.number;
    const NamedCommit& place = answer_.commit.commit ? answer_.commit : at.named;
    fold_.add({step_of(at), place.oid, at.named.commit->time, std::move(chosen)});
    return calls_;
  }

  void take_result(const Seen& seen) {
    if (const auto cost = cost_of(seen.facts)) {
      add(seen, Spent{.cost = cost, .by = Spent::By::tool});
    }
    CallReturned returned{.tool = seen.facts.text("tool")};
    returned.is_error = seen.fields.is_error || seen.facts.json("is_error") == "true";
    returned.exit_code = integer_of(seen.facts, "exit_code");
    returned.artifact = seen.facts.text("artifact");
    returned.number =
        number_of_call(seen, returned.tool.empty() ? seen.fields.name : returned.tool);
    if (returned.number != 0) add(seen, std::move(returned));
  }

  // 0: a result without a call.
  std::uint64_t number_of_call(const Seen& seen, const std::string& tool) {
    if (const auto found = by_id_.find(seen.fields.call_id);
        found != by_id_.end() && !seen.fields.call_id.empty()) {
      const std::uint64_t number = found->second;
      by_id_.erase(found);
      return number;
    }
    const auto call = integer_of(seen.facts, "call");
    if (!run_ || !call || options_.summary) return 0;
    if (const auto found = answer_.numbers.find(*call); found != answer_.numbers.end()) {
      return found->second;
    }
    return choose(seen, *call, tool);
  }

  void take_saying(const Seen& seen) {
    if (is_said(seen) && !options_.summary) {
      add(seen, Noted{seen.facts.text("mark"), first_line(seen.text(), kMaxSaid)});
    }
  }

  // A session's own: the first thing that was asked for is its goal.
  void take_question(const Seen& seen) {
    if (!is_asked(seen)) return;
    if (!has_goal_) {
      has_goal_ = true;
      add(seen, RunStarted{.goal = cut(seen.text(), kMaxGoal), .model = fold_.state().model});
    } else if (!options_.summary) {
      add(seen, Noted{"asked", first_line(seen.text(), kMaxSaid)});
    }
  }

  // A session's answer: several commits with one message id are one, whose last usage counts.
  void take_message(const Seen& seen) {
    learn_model(seen);
    const std::string message = compile::message_id_of(*seen.named.commit);
    const bool is_new = message.empty() || message != message_;
    if (is_new) {
      book();
      ++step_;
      begin_answer(seen);
    }
    message_ = message;
    const Spent spent = spent_by(seen.facts, Spent::By::critic);  // Of the whole, of no call.
    if (is_known(spent)) unbooked_ = spent;
    last_answer_ = seen.named;
    if (const std::string why = seen.facts.text("finish_reason"); !why.empty()) {
      add(seen, Terminated{.by = why, .rationale = {}, .limit = {}, .spent = {}});
    }
    if (seen.fields.tool_calls) {
      read_reasons(seen);
      choose_native(seen);
    }
  }

  void book() {
    if (is_known(unbooked_)) fold_.add({.what = std::exchange(unbooked_, {})});
  }

  void take_decision(const Seen& seen) {
    const std::string word = seen.facts.text("decision");
    const std::string text(seen.text());
    if (is_root(seen)) {
      return add(seen, RunStarted{run_->id, cut(text, kMaxGoal), seen.facts.text("planner"),
                                  seen.facts.text("principal"), seen.facts.text("session"), ""});
    }
    if (!run_) return;  // Of a run within the history.
    if (word == "run-ended") return take_end(seen);
    if (options_.summary) return add(seen, Noted{word, ""});
    const auto call = static_cast<std::uint64_t>(
        std::max<std::int64_t>(0, integer_of(seen.facts, "call").value_or(0)));
    constexpr std::string_view kCurator = "curator-";
    constexpr std::string_view kReactive = "reactive-";
    if (word == "assumption") return add(seen, Assumed{text, seen.rationale()});
    if (word == "rationale-missing") {
      return add(seen, ReasonMissing{call, seen.facts.text("tool")});
    }
    if (word == "step-started") return take_begun(seen, text);
    if (word == "attempt-ended") return;  // What the critic made of it is told.
    if (word == "plan-rationale-missing") {
      const auto& about = seen.named.commit->about;
      const bool is_earlier = earlier_plan_.commit.commit && !about.empty() &&
                              about.front() == earlier_plan_.commit.oid;
      if (is_earlier && answer_.numbers.empty()) answer_ = std::move(earlier_plan_);
      return add(seen, PlanReasonsMissing{static_cast<std::uint64_t>(std::max<std::int64_t>(
                           0, integer_of(seen.facts, "count").value_or(0)))});
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
    const auto call = integer_of(seen.facts, "call");
    const std::string tool = seen.facts.text("tool");
    if (call && !answer_.numbers.contains(*call)) choose(seen, *call, tool.empty() ? text : tool);
  }

  void take_end(const Seen& seen) {
    const std::string stopped = seen.facts.text("stopped");
    const std::string by = seen.facts.text("by");
    add(seen, Terminated{by.empty() ? stopped : by, seen.rationale(), seen.facts.json("limit"),
                         seen.facts.json("spent")});
    Completed completed{.status = status_of(stopped, by), .stopped = stopped};
    completed.answer = seen.text();
    completed.error = seen.extra.message;
    add(seen, std::move(completed));
  }

  // The first lines of results, and the last words: of what is shown alone.
  Result<void> fill_in(Debrief& debrief) const {
    std::vector<Outcome*> outcomes;
    const auto collect = [&outcomes](std::optional<Outcome>& outcome) {
      if (outcome && outcome->commit) outcomes.push_back(&*outcome);
    };
    for (std::uint64_t i = 0; i < debrief.path.total(); ++i) {
      if (i == debrief.path.head().size()) i += debrief.path.left_out();
      if (PathEntry* entry = debrief.path.at(i)) collect(entry->outcome);
    }
    if (debrief.last_check) outcomes.push_back(&debrief.last_check->outcome);
    for (std::size_t at = 0; at < outcomes.size(); at += kBatch) {
      const std::size_t end = std::min(at + kBatch, outcomes.size());
      std::vector<Oid> contents;
      std::vector<Outcome*> whose;
      for (std::size_t i = at; i < end; ++i) {
        const auto commit = TRY(reader_.commit(*outcomes[i]->commit));
        if (!commit->content) continue;
        contents.push_back(commit->content->oid);
        whose.push_back(outcomes[i]);
      }
      const auto bytes = TRY(fetch(contents));
      for (std::size_t i = 0; i < whose.size(); ++i) {
        if (bytes[i]) whose[i]->said = first_words(without_label(*bytes[i]), kMaxSaid);
        whose[i]->is_interrupted = whose[i]->is_error && whose[i]->said.ends_with(kUnverified);
      }
    }
    if (last_answer_.commit && last_answer_.commit->content && !run_) {
      const auto bytes = TRY(fetch({last_answer_.commit->content->oid}));
      if (bytes[0]) debrief.last_words = first_line(*bytes[0], kMaxGoal);
    }
    return {};
  }

  // The answer whose calls are being made.
  struct AnswerRead {
    NamedCommit commit = {};
    std::map<std::string, Rationale> reasons = {};       // By the number of the call.
    std::map<std::int64_t, std::uint64_t> numbers = {};  // Of its calls, to those of facts.
  };

  const store::Reader& reader_;
  std::optional<RunName> run_;
  GraphOptions options_;
  Fold fold_;
  std::optional<Oid> reached_, critic_;  // What was read last.
  AnswerRead answer_, earlier_plan_;
  std::uint64_t calls_ = 0;
  std::unordered_map<std::string, std::uint64_t> by_id_;  // Calls that wait for results.
  NamedCommit last_answer_ = {};
  // Of a session that no run wrote.
  bool has_goal_ = false;
  std::int64_t step_ = 0;
  std::string message_;  // The id of the message that the last answer is of.
  Spent unbooked_;       // What it cost, as far as it is told.
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

Result<Debrief> debrief_of(const compile::Repository& repository, const RunName& run,
                           GraphOptions options) {
  return GraphSource(repository, run, options).read(run.head, run.critic);
}

}  // namespace spoor::agent::debrief
