#include "agent/record/recorder.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "agent/call_facts.h"
#include "agent/record/answer_facts.h"
#include "agent/record/compaction.h"
#include "agent/record/left_open.h"
#include "agent/record/window.h"
#include "agent/registry.h"
#include "base/words.h"
#include "llm/check_thinking.h"
#include "llm/commit_reply.h"
#include "llm/retrying.h"
#include "llm/sent_prompt.h"
#include "store/ancestry.h"

namespace spoor::agent::record {
namespace {

using compile::Facts;
using compile::Turn;
using compile::Type;
using graph::Draft;

// How often a model is asked again in a row after its answer was cut off, and with less after the
// prompt was too long.
constexpr int kMostAgain = 3;
constexpr int kMostShrunk = 6;

constexpr std::string_view kWindowReduced = "window-reduced";
constexpr std::string_view kNoToolsInSummary =
    "not made: only a summary is asked for. Write it now, as plain text";
constexpr std::string_view kNoTools = "not made: only a text is asked for";

constexpr const char* kSystemName = "agent";  // The directive that each run may replace.
constexpr const char* kCriticName = "critic";

// Ends of a run by an answer that another try may not give.
constexpr std::array<std::string_view, 4> kAskedAgain = {"malformed", kByRefusal, kByFilter,
                                                         kByTruncation};

// Ends by the planners themselves. Others are a Stop's, which a replay may not have.
constexpr std::array<std::string_view, 13> kOwnEnds = {
    "final_answer", "critic",        "malformed",   kByRefusal,
    kByFilter,      kByTruncation,   "max_steps",   "max_cost",
    "max_tokens",   "max_wall_time", "max_replans", "max_outer_iterations",
    "planner"};

std::string_view name_of(Recording::Event::Kind kind) {
  using Kind = Recording::Event::Kind;
  switch (kind) {
    case Kind::answer:
      return "answer";
    case Kind::observation:
      return "observation";
    case Kind::saying:
      return "turn of the user";
    case Kind::decision:
      return "decision";
  }
  return {};
}

Error unfitting(std::string_view what) {
  return conflict(
      fmt::format("the recorded run does not match what the planner does now: {}", what),
      "another version wrote it, or it was changed; start a new run on its branch");
}

// Returns the run system prompt in force, or null.
const compile::Part* system_prompt_in(const compile::Prompt& prompt) {
  for (const compile::Message& message : prompt.messages) {
    const compile::Part& part = message.parts.front();
    if (part.type == Type::system && part.fields && part.fields->name == kSystemName) {
      return &part;
    }
  }
  return nullptr;
}

Turn root_of(Session& session, const std::string& goal, const std::string& planner,
             const std::string& options, const std::string& system) {
  Turn root{.type = Type::decision, .text = goal};
  root.facts.set(fact::decision, "run-started");
  root.facts.set(fact::planner, planner);
  root.facts.set(fact::session, session.branch().name());
  const std::string& principal = session.options().principal;
  if (!principal.empty()) root.facts.set(fact::principal, principal);
  root.attach.push_back({options});
  root.attach.push_back({system, "text/plain"});
  return root;
}

Result<void> check_free(Draft& draft, const std::string& run) {
  if (!TRY(draft.tip(head_ref(run)))) return {};
  return conflict(fmt::format("the run '{}' already exists", run),
                  "two runs began at the same commit and time; start again");
}

// An attempt is the first that follows its tree on the branch, so that it runs once.
Result<void> check_first(Draft& draft, const std::string& ref, const AttemptOf& attempt) {
  const auto tip = TRY(draft.tip(ref));
  if (tip && tip->hex(attempt.tree.size()) == attempt.tree) return {};
  return conflict(fmt::format("attempt {} of the tree {} was begun before", attempt.number,
                              attempt.tree.substr(0, 8)),
                  fmt::format("go on with 'spoor fork --resume {}'", attempt.tree.substr(0, 8)));
}

// A run's goal that is in the branch's prompt.
struct PinnedGoal {
  Oid commit;
  std::string run;
  std::string text;
  bool is_pinned = false;
};

Result<std::vector<PinnedGoal>> goals_in(const graph::Repository& repository,
                                         const compile::Prompt& prompt) {
  std::vector<PinnedGoal> goals;
  for (const compile::Message& message : prompt.messages) {
    const compile::Part& part = message.parts.front();
    if (part.type != Type::user) continue;
    const auto commit = TRY(repository.reader().commit(part.commit));
    const Facts facts = TRY(compile::read_facts(commit->meta));
    if (facts.get(fact::mark) != "goal") continue;
    goals.push_back(
        {part.commit, facts.get(fact::run), *part.text, part.priority == store::Priority::pinned});
  }
  return goals;
}

// Returns the candidate that gave the recorded answer; the first if none did.
const llm::Candidate& who_answered(const Question& question, const Facts& facts,
                                   std::string_view model) {
  for (const llm::Candidate& one : question.candidates) {
    if (one.model == model && one.provider->profile().name == facts.get(fact::provider)) return one;
  }
  return question.candidates.front();
}

// A person's answer about a call.
Turn approval_turn(bool allows, const std::string& reason, Facts facts, std::int64_t call) {
  facts.set(fact::call, call);
  return turn_of({.word = allows ? "approved" : "denied",
                  .text = reason,
                  .facts = std::move(facts),
                  .about = {}});
}

// The question for a summary, to the model that `question` is for.
Question summary_of(const Question& question) {
  return {.purpose = Purpose::compact,
          .step = question.step,
          .candidates = question.candidates,
          .read = {},
          .window = {},
          .most_wait = question.most_wait};
}

Result<bool> shows(const graph::Repository& repository, const Oid& at, const Oid& turn) {
  const auto prompt = TRY(repository.compile(at));
  return std::any_of(prompt.messages.begin(), prompt.messages.end(),
                     [&](const compile::Message& message) { return message.hash() == turn; });
}

AnswerContent content_of(const llm::Reply& reply) {
  return {reply.text(), reply.reasoning().value_or(""), reply.calls(),
          llm::outcome_of(reply.finish_reason, reply.is_refusal)};
}

}  // namespace

std::string_view name_of(Purpose purpose) {
  switch (purpose) {
    case Purpose::agent:
      return "agent";
    case Purpose::plan:
      return "plan";
    case Purpose::critic:
      return "critic";
    case Purpose::answer:
      return "answer";
    case Purpose::compact:
      return kCompact;
  }
  return {};
}

Recorder::Recorder(Session& session, RecorderPorts ports)
    : session_(session),
      ports_(std::move(ports)),
      window_{session.options().window_tokens, session.options().when_full},
      started_(session.repository().clock().now()) {}

Result<std::unique_ptr<Recorder>> Recorder::start(Session& session, const Start& start,
                                                  RecorderPorts ports) {
  std::unique_ptr<Recorder> recorder(new Recorder(session, std::move(ports)));
  graph::Repository& repository = session.repository();
  graph::Branch& branch = session.branch();
  TRY(repository.check_writable());

  const Timestamp now = recorder->started_;
  Turn root = root_of(session, start.goal, start.planner, start.options, start.system);
  if (start.called_from) {
    root.facts.set(fact::caller_run, start.called_from->run);
    root.facts.set(fact::caller_call, start.called_from->call);
    if (is_tool_id(start.called_from->tool)) root.facts.set(fact::tool, start.called_from->tool);
    root.about.push_back(start.called_from->answer);
  }
  if (start.attempt_of) {
    root.attach.pop_back();  // Its history has the system prompt.
    root.facts.set(fact::tree, start.attempt_of->tree);
    root.facts.set(fact::attempt, start.attempt_of->number);
    root.facts.set(fact::count, start.attempt_of->observations);
    recorder->go_on_from(*start.attempt_of);
  }
  root = graph::stamped(std::move(root), repository.author(), now);

  recorder->last_ =
      TRY(branch.write("run", [&](Draft& draft, const std::string& ref) -> Result<Oid> {
        if (start.attempt_of) {
          TRY(check_first(draft, ref, *start.attempt_of));
          const Oid made = TRY(draft.append(ref, root));
          recorder->id_ = made.hex(16);
          TRY(check_free(draft, recorder->id_));
          TRY(draft.move(head_ref(recorder->id_), made));
          return made;
        }
        const auto tip = TRY(draft.tip(ref));
        const auto before = TRY(repository.compile(tip));
        const auto goals = TRY(goals_in(repository, before));
        if (tip) TRY(recorder->close_left_open(draft, ref, *tip));
        const Oid made = TRY(draft.append(ref, root));
        recorder->id_ = made.hex(16);
        TRY(check_free(draft, recorder->id_));
        for (const PinnedGoal& earlier : goals) {
          if (!earlier.is_pinned) continue;
          TRY(draft.annotate(ref, earlier.commit, store::Priority::normal, "another run begins",
                             {}));
        }
        TRY(recorder->tell_system(draft, ref, before, start.system));
        Turn told{.type = Type::user, .text = start.goal, .facts = recorder->facts(0)};
        told.facts.set(fact::mark, "goal");
        const Oid goal =
            TRY(draft.append(ref, graph::stamped(std::move(told), repository.author(), now)));
        const Oid last =
            TRY(draft.annotate(ref, goal, store::Priority::pinned, "the goal of the run", {}));
        TRY(draft.move(head_ref(recorder->id_), last));
        return last;
      }));
  return recorder;
}

Result<std::unique_ptr<Recorder>> Recorder::resume(Session& session, Recording recording,
                                                   const ResumeOptions& how,
                                                   const std::string& options,
                                                   RecorderPorts ports) {
  TRY(check_readable(recording.header));
  std::unique_ptr<Recorder> recorder(new Recorder(session, std::move(ports)));
  const std::string id = recording.header.id;
  if (recording.ended == "goal_achieved") {
    return conflict(fmt::format("the run {} has achieved its goal", id.substr(0, 8)),
                    "start another one on its branch with 'spoor run GOAL'");
  }
  recorder->id_ = id;
  recorder->last_ = recording.header.head;
  recorder->before_ = recording.elapsed;
  if (recording.header.attempt_of) recorder->go_on_from(*recording.header.attempt_of);
  recorder->ended_in_order_ = recording.ended_in_order || how.again;
  recorder->how_ = how;
  recorder->critic_was_told_ = !recording.critic.empty();

  std::vector<Turn> turns;
  Turn resumed = turn_of(
      {.word = "resumed", .text = "the run goes on", .facts = recorder->facts(0), .about = {}});
  if (options != recording.options) resumed.attach.push_back({options});
  // An answer that ended the run is asked for again, and not shown.
  std::optional<Recording::Event> unreadable;
  if (is_in(kAskedAgain, recording.ended_by)) {
    const bool is_critic =
        recording.events.empty() || recording.events.back().kind != Recording::Event::Kind::answer;
    auto& events = is_critic ? recording.critic : recording.events;
    if (!events.empty() && events.back().kind == Recording::Event::Kind::answer) {
      unreadable = events.back();
      events.pop_back();
      resumed.about.push_back(unreadable->commit);
      recording.cut_off.push_back(unreadable->commit);
    }
  }
  turns.push_back(std::move(resumed));
  bool was_asked = false;
  for (auto& [call, answer] : recording.approvals) {
    if (answer.is_approved || !how.approval) continue;
    was_asked = true;
    answer = {how.approval, how.reason};
    turns.push_back(
        approval_turn(*how.approval, how.reason, recorder->facts(call.first), call.second));
  }
  if (how.approval && !was_asked && !TRY(waits_inside(session.repository(), recording))) {
    return invalid(fmt::format("no call of the run {} waits for approval", id.substr(0, 8)),
                   "omit --approve and --deny");
  }
  TRY(recorder->book_paid(recording));
  const auto lost = TRY(llm::open_requests(session.repository(), id));
  for (const llm::OpenRequest& request : lost) {
    turns.push_back(llm::lost_call_turn(request));
    recorder->mark(turns.back().facts, request.step);
    if (recorder->ports_.generate.tracker != nullptr) {
      book_failed_again(turns.back().facts, *recorder->ports_.generate.tracker);
    }
  }
  recorder->recording_ = std::move(recording);
  TRY(recorder->go_on(std::move(turns), unreadable, lost));
  return recorder;
}

Result<std::unique_ptr<Recorder>> Recorder::replay(Session& session, Recording recording,
                                                   const std::string& system, Referee& referee,
                                                   RecorderPorts ports) {
  TRY(check_readable(recording.header));
  std::unique_ptr<Recorder> recorder(new Recorder(session, std::move(ports)));
  recorder->id_ = recording.header.id;
  recorder->referee_ = &referee;
  recorder->before_ = recording.elapsed;
  if (recording.header.attempt_of) recorder->go_on_from(*recording.header.attempt_of);
  referee.compare(0, "system prompt", recording.header.system, system);
  TRY(recorder->book_paid(recording));
  recorder->recording_ = std::move(recording);
  return recorder;
}

Result<std::unique_ptr<Recorder>> Recorder::fork(Session& session, Recording recording,
                                                 std::int64_t from_step, const std::string& options,
                                                 const std::string& system, RecorderPorts ports) {
  TRY(check_readable(recording.header));
  std::unique_ptr<Recorder> recorder(new Recorder(session, std::move(ports)));
  recorder->before_ = recording.elapsed;
  recorder->critic_was_told_ = false;
  Turn root = root_of(session, recording.header.goal, recording.header.planner, options, system);
  root.facts.set(fact::forked_from, recording.header.id);
  root.facts.set(fact::from_step, from_step);
  recorder->recording_ = std::move(recording);
  recorder->recording_.header.system = system;
  recorder->recording_.header.from_step = from_step;
  TRY(recorder->go_on({std::move(root)}, std::nullopt, {}));
  return recorder;
}

// Writes the first transaction of a process that continues: `turns`, then the system prompt and
// goal if the branch does not show them (any more). Closes the records of lost requests.
Result<void> Recorder::go_on(std::vector<Turn> turns,
                             const std::optional<Recording::Event>& unreadable,
                             const std::vector<llm::OpenRequest>& lost) {
  graph::Repository& repository = session_.repository();
  for (Turn& turn : turns) turn = graph::stamped(std::move(turn), repository.author(), started_);
  const bool is_new = id_.empty();
  const bool is_of_critic = unreadable && unreadable->word == name_of(Purpose::critic);
  if (is_of_critic) {
    TRY(graph::Branch::on_ref(repository, critic_ref(id_))
            .annotate(unreadable->commit, store::Priority::skip, "it could not be read"));
  }
  const auto begin = [&](Draft& draft, const std::string& ref) -> Result<Oid> {
    if (is_new) {
      id_.clear();
    } else {
      TRY(check_own(draft, ref));
    }
    const auto before = TRY(draft.tip(ref));
    Oid last;
    for (const Turn& turn : turns) {
      last = TRY(draft.append(ref, turn));
      if (!id_.empty()) continue;
      id_ = last.hex(16);
      TRY(check_free(draft, id_));
    }
    if (unreadable && !is_of_critic) {
      last = TRY(draft.annotate(ref, unreadable->commit, store::Priority::skip,
                                "it could not be read", {}));
    }
    last = TRY(restore(draft, ref, before, last));
    for (const llm::OpenRequest& request : lost) TRY(draft.move(request.ref, std::nullopt));
    TRY(draft.move(head_ref(id_), last));
    return last;
  };
  last_ = TRY(session_.branch().write("run", begin));
  return {};
}

// Shows the model what the run before left open as what it is: calls that are not made, and the
// part of an answer that the person has seen.
Result<void> Recorder::close_left_open(Draft& draft, const std::string& ref, const Oid& tip) const {
  graph::Repository& repository = session_.repository();
  LeftOpen left = TRY(left_open(repository, tip));
  for (Turn& turn : left.results) {
    TRY(draft.append(ref, graph::stamped(std::move(turn), repository.author(), started_)));
  }
  if (left.answer) {
    TRY(draft.annotate(ref, *left.answer, store::Priority::normal, "the person goes on", {}));
  }
  return {};
}

// Puts the system prompt in place of the one that the branch shows, or after everything if it shows
// none.
Result<std::optional<Oid>> Recorder::tell_system(Draft& draft, const std::string& ref,
                                                 const compile::Prompt& shown,
                                                 const std::string& system) const {
  if (system.empty()) return std::optional<Oid>();
  if (const compile::Part* told = system_prompt_in(shown)) {
    if (*told->text == system) return std::optional<Oid>();
    // A system prompt in the middle is refused by the templates of many models.
    return std::optional(TRY(draft.edit(ref, told->commit, {.text = system}, {})));
  }
  Turn turn{.type = Type::system, .text = system, .facts = facts(0)};
  turn.fields.name = kSystemName;
  turn = graph::stamped(std::move(turn), session_.repository().author(), started_);
  return std::optional(TRY(draft.append(ref, turn)));
}

// Undoes what another run may have done to the branch meanwhile: restores the system prompt, pins
// this run's goal and unpins the others.
Result<Oid> Recorder::restore(Draft& draft, const std::string& ref,
                              const std::optional<Oid>& before, Oid last) {
  graph::Repository& repository = session_.repository();
  const auto shown = TRY(repository.compile(before));
  last = TRY(tell_system(draft, ref, shown, recording_.header.system)).value_or(last);
  for (const PinnedGoal& goal : TRY(goals_in(repository, shown))) {
    const bool is_own = goal.run == recording_.header.id || goal.text == recording_.header.goal;
    if (is_own == goal.is_pinned) continue;
    last = TRY(draft.annotate(ref, goal.commit,
                              is_own ? store::Priority::pinned : store::Priority::normal,
                              is_own ? "the goal of the run" : "another run goes on", {}));
  }
  return last;
}

Error Recorder::over() const {
  is_over_ = true;
  return interrupted("the recording ends here", "continue the run with 'spoor resume'");
}

void Recorder::mark(Facts& facts, std::int64_t step) const {
  facts.set(fact::run, id_);
  if (step > 0) facts.set(fact::step, step);
}

Facts Recorder::facts(std::int64_t step) const {
  Facts facts;
  mark(facts, step);
  return facts;
}

// Checks that no other process has continued the run.
Result<void> Recorder::check_head(Draft& draft) const {
  if (!last_ || TRY(draft.tip(head_ref(id_))) == last_) return {};
  return conflict(fmt::format("another process has resumed the run {}", id_.substr(0, 8)),
                  "this process has stopped; 'spoor runs' shows the state of the run");
}

// Also checks that the branch still contains the run.
Result<void> Recorder::check_own(Draft& draft, const std::string& branch) const {
  if (!last_) return {};
  TRY(check_head(draft));
  const auto tip = TRY(draft.tip(branch));
  if (tip && TRY(store::is_on_line(session_.repository().reader(), *last_, *tip))) return {};
  return conflict(
      fmt::format("the branch '{}' no longer contains the run {}", session_.branch().name(),
                  id_.substr(0, 8)),
      fmt::format("create one with 'spoor switch --create NAME {}', then 'spoor resume' there",
                  last_->hex(12)));
}

// Appends turns in one transaction; returns the first one's commit.
Result<Oid> Recorder::append(std::vector<Turn> turns) {
  graph::Repository& repository = session_.repository();
  const Timestamp now = repository.clock().now();
  for (Turn& turn : turns) turn = graph::stamped(std::move(turn), repository.author(), now);
  Oid first;
  const auto write = [&](Draft& draft, const std::string& own) -> Result<Oid> {
    TRY(check_own(draft, own));
    first = TRY(draft.append(own, turns.front()));
    Oid last = first;
    for (std::size_t i = 1; i < turns.size(); ++i) last = TRY(draft.append(own, turns[i]));
    TRY(draft.move(head_ref(id_), last));
    return last;
  };
  last_ = TRY(session_.branch().write("run", write));
  return first;
}

// Takes the next event of the recording; nullopt at its end. Returns an error if another event
// comes next: nothing is done live before the recording ends.
Result<std::optional<Recording::Event>> Recorder::next(bool is_critic,
                                                       Recording::Event::Kind kind) {
  auto& events = is_critic ? recording_.critic : recording_.events;
  if (events.empty()) {
    if (recording_.is_empty()) return std::optional<Recording::Event>();
    return unfitting(is_critic ? "the planner asks the critic again"
                               : "the planner does more than the critic judged");
  }
  if (events.front().kind != kind) {
    return unfitting(fmt::format("the next event is a {}, not a {}", name_of(events.front().kind),
                                 name_of(kind)));
  }
  Recording::Event event = std::move(events.front());
  events.pop_front();
  last_step_ = std::max(last_step_, event.step);
  return std::optional(std::move(event));
}

Result<std::optional<Facts>> Recorder::recorded_end_of_part() {
  if (recording_.events.empty()) return std::optional<Facts>();
  const Recording::Event& event = recording_.events.front();
  if (event.kind != Recording::Event::Kind::decision || event.word != kPartEnded) {
    return std::optional<Facts>();
  }
  const auto commit = TRY(session_.repository().reader().commit(event.commit));
  return std::optional(TRY(compile::read_facts(commit->meta)));
}

Result<llm::GenerateOptions> Recorder::options_for(const Question& question, const Oid& at) const {
  llm::GenerateOptions options = ports_.generate;
  options.compile.window = question.window;
  options.most_wait = question.most_wait;
  if (question.purpose != Purpose::critic) {
    const Fit fit = TRY(fit_at(session_.repository(), at, window_));
    options.compile.budget = fit.budget;
    options.compile.clear_results_after = fit.clear_results_after;
  }
  options.fallbacks.assign(question.candidates.begin() + 1, question.candidates.end());
  return options;
}

// Compares the request and the reading of an answer now with the recorded ones.
Result<void> Recorder::judge(const Recording::Event& recorded, const Question& question,
                             const Answer& answer) {
  // Steps of an earlier run were asked under that run's settings.
  if (question.step < recording_.header.from_step) return {};
  const graph::Repository& repository = session_.repository();
  const auto sent = TRY(llm::sent_prompt(repository, recorded.commit));
  const Turn turn = TRY(graph::read_turn(repository.reader(), recorded.commit));
  if (sent.verdict == llm::SentPrompt::Verdict::verified) {
    const auto options = TRY(options_for(question, sent.bundle.commit));
    llm::Candidate asked = who_answered(question, turn.facts, sent.bundle.model);
    if (ports_.as_recorded.model) {
      // The run may have used another model: compare the question, not the model.
      const llm::Profile& profile = asked.provider->profile();
      const auto wire = llm::render::wire_of_renderer(sent.bundle.renderer);
      auto recipe = TRY(llm::recipe_of(repository, sent.bundle));
      if (wire != profile.wire || recipe.provider != profile.name) {
        return judge_reading(recorded, turn, question, answer);
      }
      asked.model = sent.bundle.model;
      asked.recorded = std::move(recipe);
    }
    const auto now = TRY(llm::render_request(repository, sent.bundle.commit, asked, options));
    referee_->compare(question.step, "request", sent.body, now.body);
  } else {
    referee_->compare(question.step, "request", sent.why, "");
  }
  return judge_reading(recorded, turn, question, answer);
}

// Compares the reasons and decisions read from an answer now with the recorded ones.
Result<void> Recorder::judge_reading(const Recording::Event& recorded, const Turn& turn,
                                     const Question& question, const Answer& answer) {
  if (!question.read) return {};
  const Reading reading = question.read(answer.content);
  referee_->compare(question.step, "action", turn.facts.get(fact::action), reading.action);
  std::string before;
  for (const Oid& commit : recorded.beside) {
    const Turn beside = TRY(graph::read_turn(session_.repository().reader(), commit));
    const std::string word = beside.facts.get(fact::decision);
    if (!word.starts_with("curator-")) before += fmt::format("{}: {}\n", word, beside.text);
  }
  std::string now;
  for (const Decision& decision : reading.decisions) {
    now += fmt::format("{}: {}\n", decision.word, decision.text);
  }
  // Versions differ in which part of a malformed reason they could still use.
  if (before.find("rationale-dropped: ") != std::string::npos) return {};
  referee_->compare(question.step, "rationale", turn.fields.rationale,
                    write_rationales(reading.rationale));
  referee_->compare(question.step, "decisions", before, now);
  return {};
}

// Books the cost of an answer of an earlier process.
Result<void> Recorder::book(const Oid& answer) {
  if (ports_.generate.tracker == nullptr) return {};
  const auto commit = TRY(session_.repository().reader().commit(answer));
  book_again(TRY(compile::read_facts(commit->meta)), *ports_.generate.tracker);
  return {};
}

// Books the cost of cut-off answers and failed calls.
Result<void> Recorder::book_paid(const Recording& recording) {
  if (ports_.generate.tracker == nullptr) return {};
  return book_paid_again(session_.repository(), recording, *ports_.generate.tracker);
}

Result<Answer> Recorder::recorded_answer(const Recording::Event& recorded,
                                         const Question& question) {
  if (recorded.word != name_of(question.purpose)) {
    return unfitting(fmt::format("it has an answer for '{}', not for '{}'", recorded.word,
                                 name_of(question.purpose)));
  }
  if (recorded.step != question.step) {
    return unfitting(
        fmt::format("it has an answer of step {}, not of step {}", recorded.step, question.step));
  }
  Answer answer = TRY(read_answer(session_.repository(), recorded.commit));
  answer.is_recorded = true;
  if (question.purpose != Purpose::critic) last_answer_ = recorded.commit;
  if (referee_ != nullptr) TRY(judge(recorded, question, answer));
  TRY(book(recorded.commit));
  return answer;
}

Result<Answer> Recorder::ask(const Question& question) {
  const bool is_critic = question.purpose == Purpose::critic;
  last_step_ = std::max(last_step_, question.step);
  OpenSummary open;
  if (!is_critic) open = TRY(take_room(question));
  const auto recorded = TRY(next(is_critic, Recording::Event::Kind::answer));
  if (recorded) return recorded_answer(*recorded, question);
  if (only_looks()) return over();
  if (!is_critic) TRY(learn_left_out(question));

  graph::Branch critic = graph::Branch::on_ref(session_.repository(), critic_ref(id_));
  graph::Branch& branch = is_critic ? critic : session_.branch();
  for (int shrunk = 0;; ++shrunk) {
    Answer answer;
    if (!is_critic) answer.failure = TRY(make_room(question, open));
    if (!answer.failure) answer = TRY(ask_until_whole(question, branch));
    const auto& failure = answer.failure;
    const bool is_too_long = failure && failure->kind == llm::Failure::Kind::too_long;
    if (!is_too_long || is_critic || shrunk == kMostShrunk) return answer;
    if (!TRY(shrink_window(question.step))) return answer;
  }
}

// Asks, and again a few times if the answer is cut off.
Result<Answer> Recorder::ask_until_whole(const Question& question, graph::Branch& branch) {
  for (int again = 0;; ++again) {
    Answer answer = TRY(ask_once(question, branch));
    const auto& failure = answer.failure;
    const bool was_cut = failure && answer.commit != Oid();
    if (!was_cut || again == kMostAgain || !llm::is_worth_retrying(*failure)) return answer;
    if (!ports_.generate.on_event) continue;
    const std::string text =
        fmt::format("the answer was cut off ({}), asking again", name_of(failure->kind));
    ports_.generate.on_event({.kind = llm::ReplyEvent::Kind::waiting, .text = text});
  }
}

// Takes what is recorded before the answer to `question`: decisions to show less, and summaries.
// Returns the last summary; it may not be used yet.
Result<Recorder::OpenSummary> Recorder::take_room(const Question& question) {
  using Kind = Recording::Event::Kind;
  OpenSummary open;
  while (!recording_.events.empty()) {
    const Recording::Event event = recording_.events.front();
    if (event.kind == Kind::decision && event.word == kWindowReduced) {
      const auto commit = TRY(session_.repository().reader().commit(event.commit));
      const Facts facts = TRY(compile::read_facts(commit->meta));
      if (const auto tokens = facts.get(fact::n)) window_.tokens = *tokens;
      recording_.events.pop_front();
    } else if (event.kind == Kind::saying && event.word == kCompact) {
      open = {TRY(say(question.step, kCompact, std::string(summary_question()))), {}};
    } else if (event.kind == Kind::answer && event.word == kCompact) {
      recording_.events.pop_front();
      open.answers.push_back(TRY(recorded_answer(event, summary_of(question))).commit);
    } else {
      break;
    }
  }
  return open;
}

// If the window is full, asks for a summary of the branch, which replaces its turns. `open` is one
// that an earlier process, or an earlier try, asked for. Returns the failure of the model's call.
Result<std::optional<llm::Failure>> Recorder::make_room(const Question& question,
                                                        OpenSummary& open) {
  using Done = std::optional<llm::Failure>;
  if (window_.when_full != WhenFull::compact) return Done();
  graph::Repository& repository = session_.repository();
  const auto tip = TRY(session_.branch().tip());
  if (open.asked && !TRY(shows(repository, *tip, *open.asked))) open = {};
  if (!open.asked) {
    if (was_refused_summary_ || !TRY(fit_at(repository, *tip, window_)).needs_summary)
      return Done();
    if (ports_.generate.on_event) {
      ports_.generate.on_event({.kind = llm::ReplyEvent::Kind::waiting,
                                .text = "the window is full: the model summarises the turns"});
    }
    open.asked = TRY(say(question.step, kCompact, std::string(summary_question())));
  }
  while (true) {
    if (!open.answers.empty() && TRY(use_summary(question.step, open))) break;
    const Answer answer = TRY(ask_until_whole(summary_of(question), session_.branch()));
    if (answer.failure) return answer.failure;
    open.answers.push_back(answer.commit);
  }
  open = {};
  return Done();
}

// Puts a summary in place of the turns; hides question and answers if the model gave none. Returns
// false if the model is to be asked once more: it called tools, and was told that it must not.
Result<bool> Recorder::use_summary(std::int64_t step, const OpenSummary& open) {
  const Oid& last_answer = open.answers.back();
  const Answer answer = TRY(read_answer(session_.repository(), last_answer));
  const auto shown = TRY(session_.repository().compile(TRY(session_.branch().tip())));
  was_refused_summary_ = !is_summary(answer.content) || !makes_room(shown, last_answer);
  if (!was_refused_summary_) {
    if (answer.content.outcome == llm::Outcome::truncated && ports_.generate.on_event) {
      ports_.generate.on_event({.kind = llm::ReplyEvent::Kind::waiting,
                                .text = "the summary was cut off, and is used as far as it goes"});
    }
    const auto replace = [&](Draft& draft, const std::string& own) -> Result<Oid> {
      TRY(check_own(draft, own));
      const Oid last =
          TRY(replace_by_summary(shown, draft, own, last_answer, answer.content, facts(step)));
      TRY(draft.move(head_ref(id_), last));
      return last;
    };
    last_ = TRY(session_.branch().write("run", replace));
    return true;
  }
  if (!answer.content.calls.empty() && open.answers.size() < kMostSummaries) return false;
  TRY(hide_from(*open.asked));
  return true;
}

// Leaves a question for a summary, and everything after it, out of later prompts.
Result<void> Recorder::hide_from(const Oid& first) {
  const auto hide = [&](Draft& draft, const std::string& own) -> Result<Oid> {
    TRY(check_own(draft, own));
    const auto shown = TRY(session_.repository().compile(TRY(draft.tip(own))));
    const auto from =
        std::find_if(shown.messages.begin(), shown.messages.end(),
                     [&](const compile::Message& message) { return message.hash() == first; });
    Oid last;
    for (auto message = from; message != shown.messages.end(); ++message) {
      for (const compile::Part& part : message->parts) {
        last = TRY(draft.annotate(own, part.commit, store::Priority::skip, "not a summary", {}));
      }
    }
    TRY(draft.move(head_ref(id_), last));
    return last;
  };
  last_ = TRY(session_.branch().write("run", hide));
  return {};
}

// After a provider found the prompt too long: shows less from here on, and records that. Returns
// false if nothing can be left out.
Result<bool> Recorder::shrink_window(std::int64_t step) {
  graph::Repository& repository = session_.repository();
  const auto tip = TRY(session_.branch().tip());
  const auto fitting = [&](const Window& window) -> Result<compile::Prompt> {
    return repository.compile(*tip, options_of(TRY(fit_at(repository, *tip, window))));
  };
  const auto sent = TRY(fitting(window_));
  const auto tokens = static_cast<std::int64_t>(sent.tokens);
  const std::int64_t smaller = std::min(window_.tokens, tokens) * 2 / 3;
  const Window reduced{smaller, window_.when_full};
  const auto less = TRY(fitting(reduced));
  if (less.tokens >= sent.tokens) return false;
  window_ = reduced;
  Decision decision{.word = std::string(kWindowReduced),
                    .text = fmt::format("the prompt was too long for the model: {} tokens are "
                                        "shown instead of {}",
                                        smaller, tokens),
                    .facts = {},
                    .about = {}};
  decision.facts.set(fact::n, smaller);
  if (ports_.generate.on_event) {
    ports_.generate.on_event({.kind = llm::ReplyEvent::Kind::waiting, .text = decision.text});
  }
  Turn turn = turn_of(decision);
  mark(turn.facts, step);
  TRY(append({std::move(turn)}));
  return true;
}

// Makes one call. If the answer was cut off, `commit` is the part that arrived, which later prompts
// skip.
Result<Answer> Recorder::ask_once(const Question& question, graph::Branch& branch) {
  const bool is_critic = question.purpose == Purpose::critic;
  Answer answer;
  const auto tip = TRY(branch.tip());
  if (!tip) return conflict(fmt::format("'{}' has no commits", branch.name()));
  llm::GenerateOptions options = TRY(options_for(question, *tip));
  options.on_failure = [&](const llm::Failure& failure) { answer.failure = failure; };
  options.request_facts = facts(question.step);
  options.request_facts.set(fact::purpose, name_of(question.purpose));
  options.on_failed_call = [&](Turn failed, const llm::PutPrompt& put) {
    return record_failed_call(question, std::move(failed), put);
  };
  options.add_to_reply = [&](const llm::Reply& reply, const compile::Prompt& prompt) {
    return additions(question, reply, prompt, answer);
  };
  const auto made = llm::generate(branch, question.candidates.front(), options);
  if (!made) {
    if (answer.failure) return answer;
    return made.error();
  }
  answer.commit = made->commit;
  // After each clearing of results, what was thought since does not fit any more: no news.
  if (!options.compile.clear_results_after) {
    answer.lost_thinking = llm::describe_lost_thinking(made->treatments);
  }
  answer.failure = made->reply.failure;
  if (!is_critic) {
    last_answer_ = made->commit;
    last_ = made->last;
  }
  return answer;
}

// Records a failed call too: the request, the model asked and the error.
Result<Oid> Recorder::record_failed_call(const Question& question, Turn failed,
                                         const llm::PutPrompt& put) {
  graph::Repository& repository = session_.repository();
  const Turn stamped =
      graph::stamped(std::move(failed), repository.author(), repository.clock().now());
  const bool is_critic = question.purpose == Purpose::critic;
  graph::Branch critic = graph::Branch::on_ref(repository, critic_ref(id_));
  graph::Branch& branch = is_critic ? critic : session_.branch();
  const Oid made =
      TRY(branch.write("run", [&](Draft& draft, const std::string& own) -> Result<Oid> {
        TRY(is_critic ? check_head(draft) : check_own(draft, own));
        Turn turn = stamped;
        turn.prompt = TRY(put(draft));
        const Oid last = TRY(draft.append(own, turn));
        if (!is_critic) TRY(draft.move(head_ref(id_), last));
        return last;
      }));
  if (!is_critic) last_ = made;
  return made;
}

llm::ReplyAdditions Recorder::additions(const Question& question, const llm::Reply& reply,
                                        const compile::Prompt& prompt, Answer& answer) {
  llm::ReplyAdditions additions;
  additions.facts = facts(question.step);
  additions.facts.set(fact::purpose, name_of(question.purpose));
  answer.content = content_of(reply);
  std::vector<Decision> decisions;
  if (question.purpose == Purpose::critic) {
    additions.before = [this](Draft& draft, const std::string&) { return check_head(draft); };
  } else {
    additions.before = [this](Draft& draft, const std::string& ref) {
      return check_own(draft, ref);
    };
    decisions = curation(prompt);
    additions.refs.push_back(head_ref(id_));
  }
  // A cut-off reply is recorded but not shown: the next request asks again.
  if (reply.failure) additions.skip = "cut off";
  if (question.read && !reply.failure) {
    Reading reading = question.read(answer.content);
    if (!reading.action.empty()) additions.facts.set(fact::action, reading.action);
    additions.rationale = write_rationales(reading.rationale);
    set_call_facts(additions.facts, answer.content.calls, reading.rationale);
    answer.rationale = std::move(reading.rationale);
    std::move(reading.decisions.begin(), reading.decisions.end(), std::back_inserter(decisions));
  }
  if (question.purpose != Purpose::agent && !reply.failure) {
    const auto why = question.purpose == Purpose::compact ? kNoToolsInSummary : kNoTools;
    additions.after = calls_not_made(answer.content.calls, why, name_of(question.purpose));
  }
  for (const Decision& decision : decisions) additions.after.push_back(turn_of(decision));
  for (Turn& turn : additions.after) {
    mark(turn.facts, question.step);
    turn.facts.set(fact::with, "answer");
  }
  return additions;
}

// After a restart, recomputes what the last prompt left out from that request's bundle.
Result<void> Recorder::learn_left_out(const Question& question) {
  if (left_out_ || !last_answer_) return {};
  const auto commit = TRY(session_.repository().reader().commit(*last_answer_));
  if (!commit->prompt) return {};
  const auto bundle = TRY(session_.repository().reader().bundle(*commit->prompt));
  const auto options = TRY(options_for(question, bundle.commit));
  const auto prompt = TRY(session_.repository().compile(bundle.commit, options.compile));
  left_out_ = out_of_window(prompt);
  return {};
}

std::vector<Decision> Recorder::curation(const compile::Prompt& prompt) {
  LeftOut now = out_of_window(prompt);
  const LeftOut before = left_out_.value_or(LeftOut{});
  std::vector<Decision> decisions;
  const auto add = [&](std::string_view word, const auto& these, const auto& those) {
    if (these == those) return;
    if (auto decision = curation_of(word, these, those)) decisions.push_back(std::move(*decision));
  };
  add("curator-dropped", now.dropped, before.dropped);
  add("curator-kept", before.dropped, now.dropped);
  add("curator-cleared", now.cleared, before.cleared);
  left_out_ = std::move(now);
  return decisions;
}

Result<std::optional<Observed>> Recorder::recorded_observation(std::int64_t step,
                                                               std::int64_t call) {
  if (recording_.is_empty()) return std::optional<Observed>();
  const auto recorded = TRY(next(false, Recording::Event::Kind::observation));
  if (!recorded) return std::optional<Observed>();
  if (recorded->step != step || recorded->call != call) {
    return unfitting(
        fmt::format("it has an observation of step {}, call {}, not of step {}, call {}",
                    recorded->step, recorded->call, step, call));
  }
  ++observations_;
  const Turn turn = TRY(graph::read_turn(session_.repository().reader(), recorded->commit));
  if (ports_.generate.tracker != nullptr) book_tool_again(turn.facts, *ports_.generate.tracker);
  Observed observed = observed_of(turn, step, call);
  observed.commit = recorded->commit;
  return std::optional(std::move(observed));
}

Result<Oid> Recorder::observe(const Observed& observed) {
  if (only_looks()) return over();
  ++observations_;
  std::vector<Turn> turns = {observation_turn(observed, observations_)};
  mark(turns.front().facts, observed.step);
  for (const Decision& decision : observed.result.decisions) {
    turns.push_back(turn_of(decision));
    mark(turns.back().facts, observed.step);
    turns.back().facts.set(fact::with, "answer");
  }
  return append(std::move(turns));
}

Result<Oid> Recorder::recorded_saying(const Recording::Event& recorded, std::int64_t step,
                                      std::string_view mark, std::string_view text) {
  if (recorded.word != mark) {
    return unfitting(fmt::format("it has a '{}', not a '{}'", recorded.word, mark));
  }
  if (referee_ != nullptr) {
    const Turn turn = TRY(graph::read_turn(session_.repository().reader(), recorded.commit));
    referee_->compare(step, mark, turn.text, text);
  }
  return recorded.commit;
}

Result<Oid> Recorder::say(std::int64_t step, std::string_view mark, std::string text) {
  const auto recorded = TRY(next(false, Recording::Event::Kind::saying));
  if (recorded) return recorded_saying(*recorded, step, mark, text);
  if (only_looks()) return over();
  Turn turn{.type = Type::user, .text = std::move(text)};
  turn.facts = facts(step);
  turn.facts.set(fact::mark, mark);
  return append({std::move(turn)});
}

Result<Oid> Recorder::tell_critic(std::int64_t step, std::string_view system, std::string_view mark,
                                  std::string text) {
  const auto recorded = TRY(next(true, Recording::Event::Kind::saying));
  if (recorded) return recorded_saying(*recorded, step, mark, text);
  if (only_looks()) return over();
  graph::Repository& repository = session_.repository();
  std::vector<Turn> turns;
  if (!critic_was_told_) {
    turns.push_back({.type = Type::system, .text = std::string(system)});
    turns.back().fields.name = kCriticName;
    turns.back().facts = facts(step);
    critic_was_told_ = true;
  }
  turns.push_back({.type = Type::user, .text = std::move(text)});
  turns.back().facts = facts(step);
  turns.back().facts.set(fact::mark, mark);
  const Timestamp now = repository.clock().now();
  for (Turn& turn : turns) turn = graph::stamped(std::move(turn), repository.author(), now);
  graph::Branch critic = graph::Branch::on_ref(repository, critic_ref(id_));
  return critic.write("run", [&](Draft& draft, const std::string& own) -> Result<Oid> {
    TRY(check_head(draft));
    Oid last;
    for (const Turn& turn : turns) last = TRY(draft.append(own, turn));
    return last;
  });
}

Result<Recorder::Decided> Recorder::decide(std::int64_t step, Decision decision) {
  const auto recorded = TRY(next(false, Recording::Event::Kind::decision));
  if (recorded) {
    if (recorded->word != decision.word) {
      return unfitting(
          fmt::format("it has the decision '{}', not '{}'", recorded->word, decision.word));
    }
    if (referee_ != nullptr) {
      const Turn turn = TRY(graph::read_turn(session_.repository().reader(), recorded->commit));
      referee_->compare(step, decision.word, turn.text, decision.text);
      const auto& call = turn.fields.tool_calls;
      referee_->compare(step, "arguments", call ? call->front().arguments : "",
                        decision.call ? decision.call->arguments : "");
    }
    return Decided{recorded->commit, true};
  }
  if (only_looks()) return over();
  Turn turn = turn_of(decision);
  mark(turn.facts, step);
  last_step_ = std::max(last_step_, step);
  return Decided{TRY(append({std::move(turn)})), false};
}

Recorder::Approval Recorder::approval(std::int64_t step, std::int64_t call) const {
  const auto found = recording_.approvals.find({step, call});
  if (found == recording_.approvals.end()) return Approval::not_asked;
  if (!found->second.is_approved) return Approval::waiting;
  return *found->second.is_approved ? Approval::approved : Approval::denied;
}

std::string Recorder::reason(std::int64_t step, std::int64_t call) const {
  const auto found = recording_.approvals.find({step, call});
  return found == recording_.approvals.end() ? std::string() : found->second.reason;
}

Result<Oid> Recorder::park(std::int64_t step, std::int64_t call, const std::string& tool,
                           const Unfinished& what) {
  if (only_looks()) return over();
  if (what.subrun.empty()) recording_.approvals[{step, call}] = {};
  Turn turn = turn_of({.word = "parked",
                       .text = fmt::format("'{}' waits for approval", what.waits_for),
                       .facts = facts(step),
                       .about = {}});
  turn.facts.set(fact::call, call);
  turn.facts.set(fact::tool, tool);
  if (!what.subrun.empty()) turn.facts.set(fact::subrun, what.subrun);
  return append({std::move(turn)});
}

Result<void> Recorder::answer(std::int64_t step, std::int64_t call, bool allows,
                              const std::string& reason) {
  if (only_looks()) return over();
  recording_.approvals[{step, call}] = {allows, reason};
  TRY(append({approval_turn(allows, reason, facts(step), call)}));
  return {};
}

Result<Oid> Recorder::end(const End& end, Facts facts) {
  if (only_looks()) {
    if (!recording_.end) return over();
    // If the planner did not end the run, there is no end to compare.
    const std::string& by = recording_.ended_by;
    const bool was_cut = by == "provider" || by == "store" || by == "interrupted" ||
                         by == "approval" || !is_in(kOwnEnds, by);
    if (was_cut && is_over_ && recording_.is_empty()) return *recording_.end;
    const Turn ended = TRY(graph::read_turn(session_.repository().reader(), *recording_.end));
    referee_->compare(last_step_, "end", ended.facts.get(fact::stopped), facts.get(fact::stopped));
    referee_->compare(last_step_, "answer", ended.text, end.answer.value_or(""));
    return *recording_.end;
  }
  Turn turn = turn_of({.word = "run-ended",
                       .text = end.answer.value_or(""),
                       .rationale = end.rationale,
                       .facts = std::move(facts),
                       .about = {}});
  if (!end.answer) turn.facts.set(fact::no_answer, true);
  if (!end.error.empty()) turn.extra.message = end.error;
  mark(turn.facts, last_step_);
  return append({std::move(turn)});
}

std::chrono::microseconds Recorder::elapsed() const {
  if (only_looks()) return before_;
  const auto now = session_.repository().clock().now();
  return before_ +
         std::chrono::microseconds(std::max<std::int64_t>(0, now.micros - started_.micros));
}

}  // namespace spoor::agent::record
