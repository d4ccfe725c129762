#include "trace/deriver.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "agent/call_facts.h"
#include "agent/rationales.h"
#include "agent/record/recorder.h"
#include "agent/spent_facts.h"
#include "base/json/reader.h"
#include "base/text.h"
#include "compile/commitment.h"
#include "compile/facts_view.h"
#include "compile/turn.h"
#include "llm/commit_reply.h"
#include "llm/source_exit_code.h"
#include "llm/source_usage.h"
#include "llm/text_calls.h"
#include "store/ancestry.h"
#include "trace/asked_calls.h"
#include "trace/bytes.h"
#include "trace/source_outcome.h"

namespace spoor::trace {
namespace {

using compile::FactsView;
using compile::Fields;
using store::Commit;
using store::Type;

constexpr std::size_t kStride = 8'192;       // Commits in memory at a time.
constexpr std::size_t kBatch = 512;          // Commits whose blobs are read with one call.
constexpr std::size_t kMostEarly = 10'000;   // Results that wait for their calls.
constexpr std::int64_t kMostSteps = 10'000;  // Steps of a plan.
constexpr std::size_t kMostMessages = 64;    // Whose ids are kept.

// A commit with the texts that were read. A text that is absent, or was not needed, is null.
struct Turn {
  NamedCommit named;
  FactsView facts = {};
  Fields fields = {};
  Bytes text = {};
  std::optional<agent::CallFacts> told = {};
  std::optional<std::size_t> fields_at = {}, text_at = {};

  // Returns the id of the call that a result answers: the provider's, or that of a call in a text.
  std::string call_id() const {
    return fields.call_id.empty() ? facts.get(fact::call_id) : fields.call_id;
  }
  const Commit& commit() const { return *named.commit; }
  Type type() const { return commit().type.value_or(Type::summary); }  // A compress has none.
  bool has_text() const { return text != nullptr && !trimmed(*text).empty(); }
};

// An answer whose calls are being made.
struct Answer {
  Oid commit;
  bool is_plan = false;  // Its calls begin later or never.
  std::vector<AskedCall> calls;
  // The reasons in it, by the number of the call, and where their texts are.
  std::map<std::int64_t, std::optional<double>> stated;
  std::optional<Oid> fields;
};
using SharedAnswer = std::shared_ptr<Answer>;

// A call of an answer that waits for its result.
struct OpenCall {
  SharedAnswer answer;
  std::int64_t place = 0;  // From 1.
  std::string run;
  std::int64_t turn = 0;
  std::optional<Timestamp> started = {};
};

// The message whose commits are being read.
struct OpenMessage {
  Step step;
  SharedAnswer answer;
  std::vector<Step> behind;  // Results of its calls between its commits.
  bool says_something = false;
  bool has_error = false;

  Message& message() { return std::get<Message>(step.what); }
};

// Returns true if the provider sent only an error.
bool is_failed_request(const OpenMessage& open) {
  const Message& message = std::get<Message>(open.step.what);
  const auto is_none = [](const std::optional<std::uint64_t>& count) { return !count.value_or(0); };
  const llm::Usage& usage = message.spent.usage;
  return open.has_error && !open.says_something && message.calls.empty() && is_none(usage.input) &&
         is_none(usage.cached) && is_none(usage.output);
}

Spent spent_of(const FactsView& facts) {
  Spent spent{.usage = agent::read_usage(facts), .cost = agent::read_money(facts)};
  spent.trust = llm::usage_trust(facts);
  spent.unknown_costs = static_cast<std::uint64_t>(
      std::max<std::int64_t>(0, facts.get(fact::unknown_costs).value_or(0)));
  return spent;
}

// Returns the `description` that some tools ask the model for.
std::string description_in(std::string_view arguments) {
  if (arguments.find("\"description\"") == std::string_view::npos) return {};
  const auto read = json::parse(arguments);
  if (!read || !read->root().is_object()) return {};
  return std::string(trimmed(read->root().find("description").text()));
}

}  // namespace

class Deriver::Impl {
 public:
  Impl(const graph::Repository& repository, DeriveOptions options)
      : repository_(repository), reader_(repository.reader()), options_(std::move(options)) {}

  Result<void> advance(const Oid& head, const std::optional<Oid>& critic, const Sink& sink) {
    sink_ = &sink;
    TRY(learn_origins());
    const std::uint64_t last = TRY(reader_.commit(head))->depth;
    std::optional<Oid> needed = reached_;
    std::uint64_t next = options_.run ? 0 : options_.from;
    if (reached_) {
      next = TRY(reader_.commit(*reached_))->depth + 1;
    } else if (options_.run) {
      needed = options_.run->root;
      next = TRY(reader_.commit(origins_.empty() ? *needed : origins_.back().root))->depth;
    }
    if (needed && !TRY(store::is_on_line(reader_, *needed, head))) {
      return invalid(fmt::format("{} does not come after {}", head.hex(12), needed->hex(12)),
                     "see 'spoor log --graph --all'");
    }
    if (critic) TRY(read_critic(*critic));
    const auto keeps = store::Reader::keep_for(last >= next ? last - next + 1 : 0);
    while (next <= last) {
      const std::uint64_t end = std::min<std::uint64_t>(next + kStride - 1, last);
      const Oid at = end == last ? head : TRY(store::ancestor_at(reader_, head, end));
      TRY(take_all(TRY(commits_to(at, static_cast<std::size_t>(end - next + 1), keeps)), false));
      reached_ = at;
      next = end + 1;
    }
    return {};
  }

  const std::vector<Oid>& merged() const { return merged_; }

  Result<void> finish(const Sink& sink) {
    sink_ = &sink;
    TRY(flush_message());
    TRY(take_critic(std::nullopt));
    for (auto& [id, held] : std::exchange(early_, {})) {
      for (Step& step : held) TRY(emit(std::move(step)));
    }
    std::vector<OpenCall> open;
    for (auto& [id, call] : std::exchange(open_, {})) open.push_back(std::move(call));
    std::sort(open.begin(), open.end(), [](const OpenCall& a, const OpenCall& b) {
      return asked(a).number < asked(b).number;
    });
    for (const OpenCall& call : open) {
      Step step{.at = {call.answer->commit, TRY(reader_.commit(call.answer->commit))},
                .run = call.run,
                .turn = call.turn};
      Call unanswered;
      complete(call, unanswered);
      step.what = std::move(unanswered);
      TRY(emit(std::move(step)));
    }
    return {};
  }

 private:
  static const AskedCall& asked(const OpenCall& call) {
    return call.answer->calls[static_cast<std::size_t>(call.place - 1)];
  }

  Result<void> emit(Step&& step) const { return (*sink_)(step); }

  // --- Commits ----------------------------------------------------------------

  Result<void> learn_origins() {
    if (!options_.run || !options_.with_origins || std::exchange(knows_origins_, true)) return {};
    origins_ = TRY(agent::origins_of(repository_, options_.run->root));
    if (origins_.empty()) return {};
    own_from_ = TRY(reader_.commit(options_.run->root))->depth;
    // A run in between may begin at an earlier step than the run that it continues.
    for (std::size_t i = 1; i < origins_.size(); ++i) {
      origins_[i].from_step = std::min(origins_[i].from_step, origins_[i - 1].from_step);
    }
    return {};
  }

  // Returns the commits oldest first.
  Result<std::vector<NamedCommit>> commits_to(const Oid& end, std::size_t count,
                                              store::Reader::Keep keeps) const {
    std::vector<NamedCommit> commits;
    commits.reserve(count);
    const auto take_one = [&](const NamedCommit& commit) {
      commits.push_back(commit);
      return true;
    };
    TRY(reader_.run(end, count, take_one, keeps));
    std::reverse(commits.begin(), commits.end());
    return commits;
  }

  Result<void> read_critic(const Oid& critic) {
    if (critic == critic_) return {};
    const std::uint64_t last = TRY(reader_.commit(critic))->depth;
    const std::uint64_t read = critic_ ? TRY(reader_.commit(*critic_))->depth + 1 : 0;
    const auto count = static_cast<std::size_t>(last - read + 1);
    for (NamedCommit& named : TRY(commits_to(critic, count, store::Reader::keep_for(count)))) {
      critics_.push_back(std::move(named));
    }
    critic_ = critic;
    return {};
  }

  // Derives the critic's answers before `step`; all if it is nullopt.
  Result<void> take_critic(std::optional<std::int64_t> step) {
    while (!critics_.empty()) {
      FactsView facts;
      TRY(facts.read(critics_.front().commit->meta));
      if (step && facts.get(fact::step).value_or(0) >= *step) return {};
      const NamedCommit named = std::move(critics_.front());
      critics_.pop_front();
      TRY(take_all({named}, true));
    }
    return {};
  }

  Result<void> take_all(const std::vector<NamedCommit>& commits, bool is_critic) {
    std::vector<Turn> turns;
    for (std::size_t at = 0; at < commits.size(); at += kBatch) {
      const std::size_t end = std::min(at + kBatch, commits.size());
      turns.clear();
      std::vector<Oid> wanted;
      for (std::size_t i = at; i < end; ++i) {
        Turn turn{.named = commits[i]};
        const auto& parents = commits[i].commit->parents;
        if (parents.size() > 1 && !is_critic) merged_.push_back(parents[1]);
        TRY(turn.facts.read(commits[i].commit->meta));
        if (!is_wanted(turn)) continue;
        want(turn, wanted);
        turns.push_back(std::move(turn));
      }
      const auto bytes = TRY(bytes_of(reader_, wanted));
      for (Turn& turn : turns) {
        if (turn.fields_at && bytes[*turn.fields_at] &&
            !compile::is_commitment(*bytes[*turn.fields_at])) {
          turn.fields = TRY(compile::read_fields(*bytes[*turn.fields_at]));
        }
        if (turn.text_at) turn.text = bytes[*turn.text_at];
        TRY(take(turn, is_critic));
        if (!is_critic && turn.commit().time) last_time_ = turn.commit().time;
      }
    }
    return {};
  }

  bool is_inherited(const Turn& turn) const { return turn.commit().depth < own_from_; }

  bool is_wanted(const Turn& turn) const {
    const Commit& commit = turn.commit();
    if (!options_.run) return commit.op == store::Op::append || commit.op == store::Op::compress;
    if (turn.named.oid == options_.run->root) return true;
    if (!is_inherited(turn)) return agent::is_of_run(commit, turn.facts, options_.run->id);
    const auto step = turn.facts.get(fact::step);
    return step && std::any_of(origins_.begin(), origins_.end(), [&](const agent::Origin& origin) {
             return *step < origin.from_step && agent::is_of_run(commit, turn.facts, origin.run);
           });
  }

  static bool is_of_a_run(const Turn& turn) { return turn.facts.json(fact::run).is_string(); }
  static bool is_planners(std::string_view mark) {
    constexpr std::array<std::string_view, 5> kMarks = {"nudge", "critique", "replan", "answer",
                                                        "ask"};
    return std::find(kMarks.begin(), kMarks.end(), mark) != kMarks.end();
  }
  static bool is_observation(const Turn& turn) {
    return turn.type() == Type::tool || turn.facts.says(fact::mark, "observation");
  }

  void want(Turn& turn, std::vector<Oid>& wanted) const {
    const Commit& commit = turn.commit();
    const auto add = [&wanted](const Oid& oid) {
      wanted.push_back(oid);
      return wanted.size() - 1;
    };
    bool fields = false;
    bool text = false;
    if (turn.type() == Type::assistant) {
      if (is_of_a_run(turn)) turn.told = agent::read_call_facts(turn.facts);
      fields = options_.arguments || !turn.told;
      // Calls written as text, and the prose before a call.
      text =
          turn.facts.says(fact::purpose, "plan") ||
          (options_.arguments && (!is_of_a_run(turn) || turn.facts.json(fact::action).is_string()));
    } else if (turn.type() == Type::reasoning) {
      text = options_.arguments && !is_of_a_run(turn);
    } else if (turn.type() == Type::decision) {
      // The call of a step, as it was made.
      fields = turn.facts.says(fact::decision, "step-started");
    } else if (is_observation(turn)) {
      const bool is_told = turn.facts.json(fact::outcome) && turn.facts.json(fact::tool) &&
                           turn.facts.json(fact::call);
      fields = !is_told;
      // For agents that spoor did not run, only the text shows how a command ended, or that a
      // person refused the call.
      text = !turn.facts.json(fact::exit_code) && turn.facts.json(fact::source).is_string();
    }
    if (commit.fields && fields) turn.fields_at = add(*commit.fields);
    if (commit.content && text) turn.text_at = add(commit.content->oid);
  }

  // --- Steps --------------------------------------------------------------------

  Result<void> take(const Turn& turn, bool is_critic) {
    switch (turn.type()) {
      case Type::user:
        return is_observation(turn) ? take_result(turn) : take_request(turn);
      case Type::reasoning:
        if (!is_critic && is_of_a_run(turn))
          TRY(take_critic(turn.facts.get(fact::step).value_or(0)));
        return take_reasoning(turn, is_critic);
      case Type::assistant:
        if (!is_critic && is_of_a_run(turn))
          TRY(take_critic(turn.facts.get(fact::step).value_or(0)));
        return take_answer(turn, is_critic);
      case Type::tool:
        return take_result(turn);
      case Type::summary: {
        TRY(flush_message());
        return emit(step_of(turn, Compaction{turn.facts.get(fact::provider),
                                             turn.facts.get(fact::model), spent_of(turn.facts)}));
      }
      case Type::decision:
        return take_decision(turn);
      case Type::system:
      case Type::artifact:
        TRY(flush_message());
        return emit(step_of(turn, Context{}));
      default:
        return {};
    }
  }

  std::string run_of(const Turn& turn) const { return turn.facts.get(fact::run); }

  Step step_of(const Turn& turn, Step::What what) const {
    Step step{.at = turn.named, .run = run_of(turn), .is_inherited = is_inherited(turn)};
    if (turn.facts.says(fact::decision, "run-started")) step.run = turn.named.oid.hex(16);
    step.turn = step.run.empty() ? answers_ : turn.facts.get(fact::step).value_or(0);
    step.what = std::move(what);
    return step;
  }

  Result<void> take_request(const Turn& turn) {
    TRY(flush_message());
    const bool is_injected = turn.facts.json(fact::injected) ||
                             turn.facts.json(fact::retrieved_from) || is_of_a_run(turn);
    // A message ends at a text that a user typed. Words in a record with results end no message.
    const std::string uuid = turn.facts.get(fact::uuid);
    if (!is_injected && (uuid.empty() || uuid != result_uuid_)) messages_.clear();
    if (std::string mark = turn.facts.get(fact::mark); is_planners(mark)) {
      return emit(step_of(turn, Nudge{std::move(mark)}));
    }
    return emit(step_of(turn, Request{is_injected}));
  }

  Result<void> take_decision(const Turn& turn) {
    TRY(flush_message());
    const std::string word = turn.facts.get(fact::decision);
    if (word == "run-started" && !options_.run) TRY(begin_run(turn));
    if (word == "step-started") return emit(step_of(turn, Decision{word, begin_planned(turn)}));
    if (word == "plan-rationale-missing") choose_plan(turn);
    if (word == llm::kCallFailed) return emit(step_of(turn, failed_request(turn)));
    if (word == "run-ended") {
      TRY(take_critic(std::nullopt));
      return emit(step_of(turn, End{turn.facts.get(fact::stopped), turn.facts.get(fact::by)}));
    }
    return emit(step_of(turn, Decision{word, {}}));
  }

  // Reads the critic's chain of a run on a whole line.
  Result<void> begin_run(const Turn& turn) {
    TRY(take_critic(std::nullopt));
    critic_.reset();
    const std::string run = turn.named.oid.hex(16);
    if (const auto critic = TRY(repository_.store().ref(agent::record::critic_ref(run)))) {
      TRY(read_critic(*critic));
    }
    return {};
  }

  static FailedRequest failed_request(const Turn& turn) {
    FailedRequest failed{.model = turn.facts.get(fact::model),
                         .provider = turn.facts.get(fact::provider),
                         .spent = spent_of(turn.facts)};
    if (turn.facts.says(fact::failure, llm::kLost)) {
      const std::int64_t sent = turn.facts.get(fact::attempts).value_or(1);
      failed.lost = static_cast<std::uint64_t>(std::max<std::int64_t>(1, sent));
    }
    return failed;
  }

  Result<void> flush_message() {
    if (!message_) return {};
    OpenMessage open = std::move(*message_);
    message_.reset();
    thought_.reset();
    prose_.reset();
    if (is_failed_request(open)) {
      if (!open.message().continues && open.step.run.empty()) --answers_;
      open.step.what =
          FailedRequest{.model = open.message().model, .turns = open.message().records.size()};
    }
    TRY(emit(std::move(open.step)));
    for (Step& step : open.behind) TRY(emit(std::move(step)));
    return {};
  }

  // --- Answers ------------------------------------------------------------------

  // Returns true if a commit of the model continues the open message.
  bool joins(const Turn& turn) const {
    if (!message_) return false;
    const Message& message = std::get<Message>(message_->step.what);
    const std::string id = turn.facts.get(fact::message_id);
    // The reasoning of a message may have no id of its own.
    const bool is_open = message.records.empty() && (id.empty() || message.id.empty());
    return is_open || (!id.empty() && id == message.id);
  }

  Result<void> open_message(const Turn& turn, bool is_critic) {
    TRY(flush_message());
    const std::string id = turn.facts.get(fact::message_id);
    Message message{.id = id};
    message.is_critic = is_critic;
    message.started = last_time_;
    message.continues = was_counted(turn, id);
    if (!message.continues && run_of(turn).empty()) ++answers_;
    message_ = OpenMessage{.step = step_of(turn, {}), .answer = std::make_shared<Answer>()};
    message_->answer->commit = turn.named.oid;
    message_->step.what = std::move(message);
    return {};
  }

  Result<void> take_reasoning(const Turn& turn, bool is_critic) {
    if (!joins(turn)) TRY(open_message(turn, is_critic));
    message_->message().reasoning.push_back(turn.named);
    read_facts(turn);
    if (turn.has_text()) thought_ = turn.commit().content->oid;
    return {};
  }

  Result<void> take_answer(const Turn& turn, bool is_critic) {
    if (!joins(turn)) TRY(open_message(turn, is_critic));
    Message& message = message_->message();
    if (message.records.empty()) {
      message_->step.at = turn.named;
      message_->answer->commit = turn.named.oid;
      message.cut_off = turn.facts.get(fact::interrupted);
      message_->answer->is_plan = message.is_plan = turn.facts.says(fact::purpose, "plan");
    }
    message.records.push_back(turn.named);
    read_facts(turn);
    if (turn.has_text()) prose_ = turn.commit().content->oid;
    // An answer that was cut off asks for nothing: the question was asked again.
    if (message.cut_off.empty()) {
      TRY(add_calls(turn));
      const bool asks = !message.calls.empty();
      // A plan that cannot be read, because only its hash is kept, gets its steps as they begin. It
      // replaces no other plan.
      if (!is_critic) {
        SharedAnswer& last = last_[message_->step.run];
        if (message.is_plan && asks && last && last->is_plan) earlier_plan_ = last;
        const bool is_last_part = turn.facts.says(fact::action, agent::record::kPlanInParts);
        if (asks || !message.is_plan || !last || is_last_part ||
            turn.facts.says(fact::capture, "hashed")) {
          last = message_->answer;
        }
      }
    }
    // A session's message may have more commits.
    return is_of_a_run(turn) || is_critic ? flush_message() : Result<void>();
  }

  // Sources repeat the usage of a message on each of its records, with growing counts: the last one
  // counts.
  void read_facts(const Turn& turn) {
    Message& message = message_->message();
    message_->says_something = message_->says_something || turn.has_text();
    message_->has_error = message_->has_error || !turn.facts.get(fact::error).empty();
    message.ended = turn.commit().time;
    if (message.id.empty()) {
      message.id = turn.facts.get(fact::message_id);
      message.continues = message.continues || was_counted(turn, message.id);
    }
    for (const auto& [key, to] :
         {std::pair(fact::source, &message.source), std::pair(fact::model, &message.model),
          std::pair(fact::provider, &message.provider)}) {
      if (std::string word = turn.facts.get(key); !word.empty()) *to = std::move(word);
    }
    if (turn.facts.get(fact::from_cache)) message.is_from_cache = true;
    if (Spent spent = spent_of(turn.facts); spent.is_known() && !message.continues) {
      message.spent = std::move(spent);
    }
    if (std::string why = turn.facts.get(fact::finish_reason); !why.empty()) {
      message.finish_reason = std::move(why);
    }
  }

  // Returns true if an earlier step counted this message's usage. Ids of runs are unique, and early
  // importers made up the ids of Codex sessions.
  bool was_counted(const Turn& turn, const std::string& id) {
    if (id.empty() || is_of_a_run(turn) || turn.facts.says(fact::source, "codex")) return false;
    return remembers(id);
  }

  // Returns true if this message had a step before, followed by another answer. Records the id.
  bool remembers(const std::string& id) {
    if (std::find(messages_.begin(), messages_.end(), id) != messages_.end()) return true;
    messages_.push_back(id);
    if (messages_.size() > kMostMessages) messages_.pop_front();
    return false;
  }

  Result<void> add_calls(const Turn& turn) {
    learn_reasons(turn, *message_->answer);
    std::vector<AskedCall> calls;
    if (!options_.arguments && turn.told && !message_->message().is_plan) {
      for (const std::string& tool : turn.told->tools) calls.push_back({.name = tool});
      const std::string action = turn.facts.get(fact::action);
      const bool is_text = calls.empty() && !action.empty() && action != "finish";
      if (is_text) calls.push_back({.name = action});
    } else {
      for (auto& call : TRY(llm::text_calls_of(reader_, turn.commit()))) {
        calls.push_back({.id = call.id, .name = call.name, .arguments = call.arguments});
      }
      if (calls.empty()) {
        calls = calls_of(turn.facts, turn.fields, turn.text ? std::string_view(*turn.text) : "");
      }
    }
    for (AskedCall& call : calls) {
      Answer& answer = *message_->answer;
      const auto place = static_cast<std::int64_t>(answer.calls.size()) + 1;
      call.number = ++calls_;
      call.reason = reason_of(turn, place, call);
      answer.calls.push_back(call);
      message_->message().calls.push_back(call);
      TRY(open_call(call, place));
    }
    return {};
  }

  // Steps of a plan are known only when they begin. A call that was written as text has no id.
  Result<void> open_call(const AskedCall& call, std::int64_t place) {
    if (!call.id.empty()) asked_ids_.insert(call.id);
    if (message_->message().is_plan) return {};
    OpenCall open{message_->answer, place, message_->step.run, message_->step.turn,
                  message_->message().ended};
    if (const auto early = early_.find(call.id); !call.id.empty() && early != early_.end()) {
      Step step = std::move(early->second.front());
      early->second.pop_front();
      if (early->second.empty()) early_.erase(early);
      complete(open, std::get<Call>(step.what));
      message_->behind.push_back(std::move(step));
      return {};
    }
    std::string key = key_of(call, message_->answer->commit, place);
    // If calls of one answer share an id, each waits for the result of the one before it.
    const auto same = open_.find(key);
    if (same != open_.end() && same->second.answer == open.answer) {
      key = number_key(open.answer->commit, place);
    }
    open_.insert_or_assign(std::move(key), std::move(open));
    return {};
  }

  // Opens the next call of the answer with the id of the completed call.
  void open_next(const OpenCall& done) {
    const auto& calls = done.answer->calls;
    const auto number = static_cast<std::size_t>(done.place);
    if (number < 1 || number > calls.size() || calls[number - 1].id.empty()) return;
    for (std::size_t i = number; i < calls.size(); ++i) {
      if (calls[i].id != calls[number - 1].id) continue;
      const auto next =
          open_.find(number_key(done.answer->commit, static_cast<std::int64_t>(i) + 1));
      if (next == open_.end()) return;
      OpenCall open = std::move(next->second);
      open_.erase(next);
      open_.insert_or_assign(calls[i].id, std::move(open));
      return;
    }
  }

  static std::string key_of(const AskedCall& call, const Oid& answer, std::int64_t place) {
    return call.id.empty() ? number_key(answer, place) : call.id;
  }
  static std::string number_key(const Oid& answer, std::int64_t place) {
    return fmt::format("\n{} {}", answer.hex(), place);  // Providers' ids contain no line end.
  }

  // Reads the reasons that a turn gives for calls of its answer.
  static void learn_reasons(const Turn& turn, Answer& answer) {
    answer.fields = turn.commit().fields;
    if (turn.told) {
      answer.stated = turn.told->reasons;
    } else if (!turn.fields.rationale.empty()) {
      for (const auto& [place, reason] : agent::read_rationales(turn.fields.rationale)) {
        answer.stated[static_cast<std::int64_t>(place)] = reason.confidence;
      }
    }
  }

  static std::optional<Reason> stated_reason(const Answer& answer, std::int64_t place) {
    const auto stated = answer.stated.find(place);
    if (stated == answer.stated.end()) return std::nullopt;
    Reason reason{.source = Reason::Source::rationale, .where = answer.fields, .call = place};
    reason.confidence = stated->second;
    return reason;
  }

  Reason reason_of(const Turn& turn, std::int64_t place, const AskedCall& call) const {
    if (auto reason = stated_reason(*message_->answer, place)) return *reason;
    if (is_of_a_run(turn)) return {};  // Its planner asks for reasons, so they are rationales.
    if (thought_) return {.source = Reason::Source::thinking, .where = thought_};
    if (prose_) return {.source = Reason::Source::prose, .where = prose_};
    if (std::string text = description_in(call.arguments); !text.empty()) {
      return {.source = Reason::Source::description, .where = {}, .text = std::move(text)};
    }
    return {};
  }

  // --- Results ------------------------------------------------------------------

  Result<void> take_result(const Turn& turn) {
    const std::string_view said = turn.text ? std::string_view(*turn.text) : "";
    const bool is_error = turn.fields.is_error || turn.facts.get(fact::is_error) ||
                          turn.facts.says(fact::outcome, "error") || says_error(turn.facts, said);
    Call call{.tool = turn.facts.get(fact::tool), .result = turn.named, .is_error = is_error};
    if (call.tool.empty()) call.tool = turn.fields.name;
    call.exit_code = turn.facts.get(fact::exit_code);
    if (turn.text != nullptr) {
      call.exit_code =
          llm::read_source_exit_code(turn.facts.get(fact::source), *turn.text, is_error);
    }
    call.duration_ms = turn.facts.get(fact::duration_ms);
    call.artifact = turn.facts.get(fact::artifact);
    call.child_run = turn.facts.get(fact::subrun);
    call.spent = spent_of(turn.facts);
    const bool has_failed = is_error || call.exit_code.value_or(0) != 0;
    call.outcome = was_refused(turn.facts, is_error, said) ? Outcome::refused
                   : has_failed                            ? Outcome::failed
                                                           : Outcome::ok;
    const std::string id = turn.call_id();
    result_uuid_ = turn.facts.get(fact::uuid);
    Step step = step_of(turn, {});
    const auto open = find_open(turn);
    // A result of another call ends the message.
    if (message_ && !(open && open->answer == message_->answer)) TRY(flush_message());
    if (open) {
      complete(*open, call);
    } else if (!id.empty() && !asked_ids_.contains(id) && may_be_early()) {
      step.what = std::move(call);
      early_[id].push_back(std::move(step));
      return {};
    }
    step.what = std::move(call);
    if (!message_) return emit(std::move(step));
    message_->behind.push_back(std::move(step));
    return {};
  }

  // Whether a result may be written before its call. The first results of a part are those of calls
  // before it, and some agents use an id again.
  bool may_be_early() const {
    const bool is_of_before = options_.from > 0 && asked_ids_.empty();
    return !is_of_before && !options_.run && early_.size() < kMostEarly;
  }

  // Returns the call that a result answers: by its id, else by its number in the last answer.
  std::optional<OpenCall> find_open(const Turn& turn) {
    const auto take = [this](const std::string& key) -> std::optional<OpenCall> {
      const auto found = open_.find(key);
      if (found == open_.end()) return std::nullopt;
      OpenCall open = std::move(found->second);
      open_.erase(found);
      open_next(open);
      return open;
    };
    if (const std::string id = turn.call_id(); !id.empty()) {
      if (auto open = take(id)) return open;
    }
    const auto last = last_.find(run_of(turn));
    const std::int64_t place = turn.facts.get(fact::call).value_or(0);
    if (last == last_.end() || place < 1) return std::nullopt;
    const SharedAnswer& answer = last->second;
    const auto index = static_cast<std::size_t>(place - 1);
    if (answer->is_plan) extend_plan(*answer, place, turn.facts.get(fact::tool));
    if (index >= answer->calls.size()) return std::nullopt;
    if (auto open = take(key_of(answer->calls[index], answer->commit, place))) return open;
    // Older runs do not record that a step of a plan begins.
    const auto key = std::pair(answer->commit, place);
    if (!answer->is_plan || std::exchange(last_planned_, key) == key) return std::nullopt;
    return OpenCall{answer, place, run_of(turn), turn.facts.get(fact::step).value_or(0),
                    turn.commit().time};
  }

  // Returns the plan of a run that continues another run's plan; an empty plan if that is absent.
  SharedAnswer inherited_plan(const Turn& turn) const {
    for (const agent::Origin& origin : origins_) {
      const auto found = last_.find(origin.run);
      if (found != last_.end() && found->second && found->second->is_plan) return found->second;
    }
    auto plan = std::make_shared<Answer>();
    plan->commit = turn.named.oid;
    plan->is_plan = true;
    return plan;
  }

  // Adds steps to a plan whose text cannot be read, as they begin.
  void extend_plan(Answer& answer, std::int64_t place, const std::string& tool) {
    if (place > kMostSteps) return;
    while (answer.calls.size() < static_cast<std::size_t>(place)) {
      AskedCall call{.number = ++calls_, .name = tool};
      const auto number = static_cast<std::int64_t>(answer.calls.size()) + 1;
      call.reason = stated_reason(answer, number).value_or(Reason());
      answer.calls.push_back(std::move(call));
    }
  }

  // Takes the call of a step as it was made, if the step's beginning records it.
  static void learn_call(const Turn& turn, AskedCall& call) {
    const auto& made = turn.fields.tool_calls;
    if (!made || made->empty()) return;
    call.name = made->front().name;
    call.arguments = made->front().arguments;
    const auto stated = agent::read_rationales(turn.fields.rationale);
    if (stated.empty()) return;
    call.reason = {.source = Reason::Source::rationale, .where = turn.commit().fields, .call = 1};
    call.reason.confidence = stated.begin()->second.confidence;
  }

  // Begins a step of a plan, which then waits for its result.
  std::optional<AskedCall> begin_planned(const Turn& turn) {
    const std::int64_t place = turn.facts.get(fact::call).value_or(0);
    SharedAnswer& answer = last_[run_of(turn)];
    if (!answer) answer = inherited_plan(turn);
    if (!answer->is_plan || place < 1) return std::nullopt;
    extend_plan(*answer, place, turn.facts.get(fact::tool));
    if (static_cast<std::size_t>(place) > answer->calls.size()) return std::nullopt;
    learn_call(turn, answer->calls[static_cast<std::size_t>(place - 1)]);
    const OpenCall open{answer, place, run_of(turn), turn.facts.get(fact::step).value_or(0),
                        turn.commit().time};
    const auto key = std::pair(answer->commit, place);
    if (last_planned_ != key) open_.insert_or_assign(number_key(answer->commit, place), open);
    last_planned_ = key;
    return asked(open);
  }

  // If reasons are missing, a plan is asked for again; the run may keep the earlier plan.
  void choose_plan(const Turn& turn) {
    const auto& about = turn.commit().about;
    if (earlier_plan_ && !about.empty() && about.front() == earlier_plan_->commit) {
      last_[run_of(turn)] = std::exchange(earlier_plan_, nullptr);
    }
  }

  static void complete(const OpenCall& open, Call& call) {
    call.asked = asked(open);
    call.answer = open.answer->commit;
    call.place = open.place;
    call.started = open.started;
    call.is_planned = open.answer->is_plan;
    if (call.tool.empty()) call.tool = call.asked.name;
  }

  const graph::Repository& repository_;
  const store::Reader& reader_;
  const DeriveOptions options_;
  const Sink* sink_ = nullptr;  // Sink of the current call.
  std::vector<agent::Origin> origins_;
  bool knows_origins_ = false;
  std::uint64_t own_from_ = 0;  // The depth of the root of a run that has origins.
  std::optional<Oid> reached_, critic_;
  std::vector<Oid> merged_;
  std::deque<NamedCommit> critics_;
  std::optional<Timestamp> last_time_;  // Time of the last turn.
  std::int64_t answers_ = 0;
  std::uint64_t calls_ = 0;
  std::optional<OpenMessage> message_;
  std::optional<Oid> thought_, prose_;        // The newest texts of the open message.
  std::string result_uuid_;                   // The source's name of the last result's record.
  std::deque<std::string> messages_;          // Ids of the last ones.
  std::map<std::string, SharedAnswer> last_;  // The last answer that asks for calls, by run.
  SharedAnswer earlier_plan_;
  std::optional<std::pair<Oid, std::int64_t>> last_planned_;  // The step that began last.
  std::unordered_map<std::string, OpenCall> open_;
  std::unordered_set<std::string> asked_ids_;      // A result of one of these is never early.
  std::map<std::string, std::deque<Step>> early_;  // Results before their calls, by id.
};

Deriver::Deriver(const graph::Repository& repository, DeriveOptions options)
    : impl_(std::make_unique<Impl>(repository, std::move(options))) {}

Deriver::~Deriver() = default;
Deriver::Deriver(Deriver&&) noexcept = default;

Result<void> Deriver::advance(const Oid& head, const std::optional<Oid>& critic, const Sink& sink) {
  return impl_->advance(head, critic, sink);
}

const std::vector<Oid>& Deriver::merged() const { return impl_->merged(); }

Result<void> Deriver::finish(const Sink& sink) { return impl_->finish(sink); }

Result<void> derive(const graph::Repository& repository, const DeriveOptions& options,
                    const Oid& head, const Deriver::Sink& sink) {
  Deriver deriver(repository, options);
  TRY(deriver.advance(head, options.run ? options.run->critic : std::nullopt, sink));
  return deriver.finish(sink);
}

namespace {

// Returns the run that wrote all that `tip` has and none of the lines `done`; nullopt if anything
// else is there. An attempt is such a run: its own part is read, and not the history that a hundred
// attempts share.
Result<std::optional<agent::RunName>> run_alone(const graph::Repository& repository, const Oid& tip,
                                                const std::vector<Oid>& done) {
  std::uint64_t shared = 0;
  for (const Oid& each : done) {
    shared = std::max(shared, TRY(store::shared_length(repository.reader(), tip, each)));
  }
  const std::uint64_t depth = TRY(repository.reader().commit(tip))->depth;
  if (shared == 0 || shared > depth) return std::optional<agent::RunName>();
  const Oid first = TRY(store::ancestor_at(repository.reader(), tip, shared));
  auto run = TRY(agent::run_of(repository, first));
  const bool is_alone = run && run->root == first && run->head == tip && !run->critic;
  return is_alone ? std::move(run) : std::nullopt;
}

}  // namespace

Result<void> derive_lines(const graph::Repository& repository, const std::vector<Oid>& tips,
                          const std::vector<Oid>& without, const Deriver::Sink& sink) {
  std::unordered_set<std::string> seen;  // Change ids: a copy counts as the turn that it copies.
  std::vector<Oid> done;                 // The ends of the lines that were derived.
  // A call without a result on one line may have one on another.
  using CallKey = std::pair<std::string, std::int64_t>;  // The answer's change id, and its place.
  std::set<CallKey> answered;
  std::vector<std::pair<CallKey, Step>> unanswered;
  const auto note_call = [&](const Call& call) -> Result<CallKey> {
    const auto answer = TRY(repository.reader().commit(*call.answer));
    CallKey key(store::change_of(*answer, *call.answer), call.place);
    if (call.result) answered.insert(key);
    return key;
  };
  const auto derive_new = [&](const Oid& end, bool is_wanted) -> Result<void> {
    std::vector<Oid> waiting = {end};
    while (!waiting.empty()) {
      const Oid tip = waiting.back();
      waiting.pop_back();
      bool is_done = false;
      for (const Oid& each : done) {
        is_done = is_done || TRY(store::is_on_line(repository.reader(), tip, each));
      }
      if (is_done) continue;
      std::vector<std::string> own;
      const Deriver::Sink take = [&](const Step& step) -> Result<void> {
        std::string change = store::change_of(*step.at.commit, step.at.oid);
        if (seen.contains(change)) return {};
        const auto* call = std::get_if<Call>(&step.what);
        const bool is_asked = call != nullptr && call->answer;
        CallKey key;
        if (is_asked) key = TRY(note_call(*call));
        own.push_back(std::move(change));
        if (!is_wanted) return {};
        if (!is_asked || call->result) return sink(step);
        unanswered.emplace_back(key, step);
        return {};
      };
      DeriveOptions options;
      options.run = TRY(run_alone(repository, tip, done));
      Deriver deriver(repository, options);
      TRY(deriver.advance(tip, std::nullopt, take));
      TRY(deriver.finish(take));
      seen.insert(own.begin(), own.end());
      done.push_back(tip);
      // The newest is the first of them: what was merged often is most of what was merged before.
      waiting.insert(waiting.end(), deriver.merged().begin(), deriver.merged().end());
    }
    return {};
  };
  for (const Oid& tip : without) TRY(derive_new(tip, false));
  for (const Oid& tip : tips) TRY(derive_new(tip, true));
  for (const auto& [key, step] : unanswered) {
    if (!answered.contains(key)) TRY(sink(step));
  }
  return {};
}

Result<std::string> read_reason(const store::Reader& reader, const Reason& reason) {
  if (!reason.where) return reason.text;
  const auto bytes = TRY(bytes_of(reader, {*reason.where}));
  if (!bytes[0]) return std::string();
  if (reason.source != Reason::Source::rationale) return compile::shown_text(*bytes[0]);
  if (compile::is_commitment(*bytes[0])) return std::string();
  const auto stated = agent::read_rationales(TRY(compile::read_fields(*bytes[0])).rationale);
  const auto own = stated.find(static_cast<std::size_t>(reason.call));
  return own == stated.end() ? std::string() : own->second.why;
}

}  // namespace spoor::trace
