#include "agent/record/recorder.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "agent/dispatch.h"
#include "agent/record/answer_facts.h"
#include "agent/record/left_out.h"
#include "llm/sent_prompt.h"
#include "store/ancestry.h"

namespace spoor::agent::record {
namespace {

namespace json = compile::json;
using compile::Draft;
using compile::Facts;
using compile::Turn;
using compile::Type;
using Body = std::function<Result<Oid>(Draft&, const std::string&)>;

constexpr const char* kSystemName = "agent";  // The directive that each run may replace.
constexpr const char* kCriticName = "critic";
constexpr const char* kMark = "mark";

store::Error unfitting(std::string_view what) {
  return store::conflict(
      fmt::format("the recorded run does not fit what the planner does now: {}", what),
      "it was written by another version, or changed since; start a new run on its branch");
}

// The system prompt of runs that is in force; empty: none is.
Result<std::string> system_prompt_at(const compile::Repository& repository,
                                     const std::optional<Oid>& tip) {
  if (!tip) return std::string();
  const auto prompt = TRY(repository.compile(*tip));
  for (const compile::Message& message : prompt.messages) {
    const compile::Part& part = message.parts.front();
    if (part.type == Type::system && part.fields && part.fields->name == kSystemName) {
      return *part.text;
    }
  }
  return std::string();
}

Turn root_of(Session& session, const std::string& goal, const std::string& planner,
             const std::string& options) {
  Turn root{.type = Type::decision, .text = goal};
  root.facts.set_text("decision", "run-started");
  root.facts.set_text("planner", planner);
  root.facts.set_text("session", session.branch().name());
  const std::string& principal = session.options().principal;
  if (!principal.empty()) root.facts.set_text("principal", principal);
  root.attach.push_back({options});
  return root;
}

Result<void> check_free(Draft& draft, const std::string& run) {
  if (!TRY(draft.tip(head_ref(run)))) return {};
  return store::conflict(fmt::format("there is a run '{}' already", run),
                         "two runs began at the same commit and moment; start again");
}

// The goals of earlier runs, which are pinned no more when a new one is.
Result<std::vector<Oid>> pinned_goals(const compile::Repository& repository,
                                      const std::optional<Oid>& tip) {
  std::vector<Oid> goals;
  if (!tip) return goals;
  const auto prompt = TRY(repository.compile(*tip));
  for (const compile::Message& message : prompt.messages) {
    const compile::Part& part = message.parts.front();
    if (part.type != Type::user || part.priority != store::Priority::pinned) continue;
    const auto commit = TRY(repository.reader().commit(part.commit));
    if (TRY(compile::read_facts(commit->meta)).text(kMark) == "goal") goals.push_back(part.commit);
  }
  return goals;
}

// Of those that are asked now, the one that answered then; the first, if it is none of them.
const llm::Candidate& who_answered(const Question& question, const Facts& facts,
                                   std::string_view model) {
  for (const llm::Candidate& one : question.candidates) {
    if (one.model == model && one.provider->profile().name == facts.text("provider")) return one;
  }
  return question.candidates.front();
}

Said said_of(const llm::Reply& reply) {
  return {reply.text(), reply.reasoning().value_or(""), reply.calls()};
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
  }
  return {};
}

Recorder::Recorder(Session& session, RecorderPorts ports)
    : session_(session), ports_(std::move(ports)), started_(session.repository().clock().now()) {}

Result<std::unique_ptr<Recorder>> Recorder::start(Session& session, const Start& start,
                                                  RecorderPorts ports) {
  std::unique_ptr<Recorder> recorder(new Recorder(session, std::move(ports)));
  compile::Repository& repository = session.repository();
  compile::Branch& branch = session.branch();
  TRY(repository.check_writable());

  const store::Timestamp now = recorder->started_;
  const Turn root = compile::stamped(root_of(session, start.goal, start.planner, start.options),
                                     repository.author(), now);

  TRY(branch.write("run", [&](Draft& draft, const std::string& ref) -> Result<Oid> {
    const auto tip = TRY(draft.tip(ref));
    const bool is_shown = TRY(system_prompt_at(repository, tip)) == start.system;
    const auto goals = TRY(pinned_goals(repository, tip));
    const Oid made = TRY(draft.append(ref, root));
    recorder->id_ = made.hex(16);
    const std::string own = head_ref(recorder->id_);
    TRY(check_free(draft, recorder->id_));
    const Facts facts = recorder->facts(0);
    const auto add = [&](Turn turn) -> Result<Oid> {
      turn.facts = facts;
      if (turn.type == Type::user) turn.facts.set_text(kMark, "goal");
      return draft.append(ref, compile::stamped(std::move(turn), repository.author(), now));
    };
    for (const Oid& goal : goals) {
      TRY(draft.annotate(ref, goal, store::Priority::normal, "its run is over", {}));
    }
    if (!is_shown && !start.system.empty()) {
      Turn system{.type = Type::system, .text = start.system};
      system.fields.name = kSystemName;
      TRY(add(std::move(system)));
    }
    const Oid goal = TRY(add({.type = Type::user, .text = start.goal}));
    const Oid last =
        TRY(draft.annotate(ref, goal, store::Priority::pinned, "the goal of the run", {}));
    TRY(draft.move(own, last));
    return last;
  }));
  return recorder;
}

Result<std::unique_ptr<Recorder>> Recorder::resume(Session& session, Recording recording,
                                                   std::optional<bool> approval,
                                                   const std::string& reason,
                                                   const std::string& options,
                                                   RecorderPorts ports) {
  std::unique_ptr<Recorder> recorder(new Recorder(session, std::move(ports)));
  compile::Repository& repository = session.repository();
  const std::string id = recording.header.id;
  if (recording.ended == "goal_achieved") {
    return store::conflict(fmt::format("the run {} has achieved its goal", id.substr(0, 8)),
                           "start another one on its branch with 'spoor run GOAL'");
  }
  const auto tip = TRY(session.branch().tip());
  if (!tip || !TRY(store::is_ancestor(repository.reader(), recording.header.head, *tip))) {
    return store::conflict(
        fmt::format("the branch '{}' does not hold the run {} any more", session.branch().name(),
                    id.substr(0, 8)),
        fmt::format("make one that does: 'spoor branch NAME {}', and go on there",
                    recording.header.head.hex(12)));
  }
  recorder->id_ = id;
  recorder->before_ = recording.elapsed;
  recorder->ended_in_order_ = recording.ended.has_value() || recording.is_parked;
  recorder->critic_was_told_ = !recording.critic_sayings.empty();

  std::vector<Turn> turns;
  Turn resumed = turn_of({.word = "resumed", .text = "the run goes on", .facts = {}, .about = {}});
  resumed.facts.set_text("run", id);
  if (options != recording.options) resumed.attach.push_back({options});
  turns.push_back(std::move(resumed));
  for (auto& [call, answer] : recording.approvals) {
    if (answer || !approval) continue;
    answer = approval;
    Turn said = turn_of(
        {.word = *approval ? "approved" : "denied", .text = reason, .facts = {}, .about = {}});
    said.facts.set_text("run", id);
    said.facts.set_integer("step", call.first);
    said.facts.set_integer("call", call.second);
    turns.push_back(std::move(said));
  }
  recorder->recording_ = std::move(recording);
  TRY(recorder->append(session.branch(), head_ref(id), std::move(turns)));
  return recorder;
}

Result<std::unique_ptr<Recorder>> Recorder::replay(Session& session, Recording recording,
                                                   const std::string& system, Referee& referee,
                                                   RecorderPorts ports) {
  std::unique_ptr<Recorder> recorder(new Recorder(session, std::move(ports)));
  const compile::Repository& repository = session.repository();
  recorder->id_ = recording.header.id;
  recorder->referee_ = &referee;
  recorder->before_ = recording.elapsed;
  referee.compare(0, "system prompt", TRY(system_prompt_at(repository, recording.header.head)),
                  system);
  recorder->recording_ = std::move(recording);
  return recorder;
}

Result<std::unique_ptr<Recorder>> Recorder::fork(Session& session, Recording recording,
                                                 std::int64_t from_step, const std::string& options,
                                                 RecorderPorts ports) {
  std::unique_ptr<Recorder> recorder(new Recorder(session, std::move(ports)));
  compile::Repository& repository = session.repository();
  recorder->before_ = recording.elapsed;
  Turn root = root_of(session, recording.header.goal, recording.header.planner, options);
  root.facts.set_text("origin", recording.header.id);
  root.facts.set_integer("from_step", from_step);
  root = compile::stamped(std::move(root), repository.author(), recorder->started_);
  TRY(session.branch().write("run", [&](Draft& draft, const std::string& ref) -> Result<Oid> {
    const Oid made = TRY(draft.append(ref, root));
    recorder->id_ = made.hex(16);
    TRY(check_free(draft, recorder->id_));
    TRY(draft.move(head_ref(recorder->id_), made));
    return made;
  }));
  recorder->recording_ = std::move(recording);
  return recorder;
}

store::Error Recorder::over() const {
  return store::interrupted("the recording ends here", "the run can go on with 'spoor resume'");
}

void Recorder::mark(Facts& facts, std::int64_t step) const {
  facts.set_text("run", id_);
  if (step > 0) facts.set_integer("step", step);
}

Facts Recorder::facts(std::int64_t step) const {
  Facts facts;
  mark(facts, step);
  return facts;
}

Result<Oid> Recorder::append(compile::Branch& branch, const std::string& ref,
                             std::vector<Turn> turns) {
  compile::Repository& repository = session_.repository();
  const store::Timestamp now = repository.clock().now();
  for (Turn& turn : turns) turn = compile::stamped(std::move(turn), repository.author(), now);
  return branch.write("run", [&](Draft& draft, const std::string& own) -> Result<Oid> {
    Oid last;
    for (const Turn& turn : turns) last = TRY(draft.append(own, turn));
    if (ref != own) TRY(draft.move(ref, last));
    return last;
  });
}

llm::GenerateOptions Recorder::options_for(const Question& question) const {
  llm::GenerateOptions options = ports_.generate;
  options.compile.window = question.window;
  if (question.purpose != Purpose::critic) {
    options.compile.budget = session_.options().window_tokens;
  }
  options.fallbacks.assign(question.candidates.begin() + 1, question.candidates.end());
  return options;
}

// What would be sent and read now, beside what was.
Result<void> Recorder::judge(const Recording::Answer& recorded, const Question& question,
                             const Answer& answer) {
  // What was taken over from another run was asked as that one was.
  if (question.step < recording_.header.from_step) return {};
  const compile::Repository& repository = session_.repository();
  const auto sent = TRY(llm::sent_prompt(repository, recorded.commit));
  const Turn turn = TRY(compile::read_turn(repository.reader(), recorded.commit));
  if (sent.verdict == llm::SentPrompt::Verdict::verified) {
    const auto now = TRY(llm::render_request(repository, sent.bundle.commit,
                                             who_answered(question, turn.facts, sent.bundle.model),
                                             options_for(question)));
    referee_->compare(question.step, "request", sent.body, now.body);
  } else {
    referee_->compare(question.step, "request", sent.why, "");
  }
  if (!question.read) return {};
  const Reading reading = question.read(answer.said);
  referee_->compare(question.step, "rationale", turn.fields.rationale,
                    write_rationales(reading.rationale));
  referee_->compare(question.step, "action", turn.facts.text("action"), reading.action);
  std::string before;
  for (const Oid& commit : recorded.beside) {
    const Turn beside = TRY(compile::read_turn(repository.reader(), commit));
    const std::string word = beside.facts.text("decision");
    if (!word.starts_with("curator-")) before += fmt::format("{}: {}\n", word, beside.text);
  }
  std::string now;
  for (const Decision& decision : reading.decisions) {
    now += fmt::format("{}: {}\n", decision.word, decision.text);
  }
  referee_->compare(question.step, "decisions", before, now);
  return {};
}

Result<Answer> Recorder::recorded_answer(const Recording::Answer& recorded,
                                         const Question& question) {
  if (recorded.step != question.step) {
    return unfitting(fmt::format("an answer of step {}, and step {} is asked for", recorded.step,
                                 question.step));
  }
  Answer answer = TRY(read_answer(session_.repository(), recorded.commit));
  answer.is_recorded = true;
  if (question.purpose != Purpose::critic) last_answer_ = recorded.commit;
  if (referee_ != nullptr) TRY(judge(recorded, question, answer));
  if (ports_.generate.tracker != nullptr) {
    const auto turn = TRY(compile::read_turn(session_.repository().reader(), recorded.commit));
    book_again(turn.facts, *ports_.generate.tracker);
  }
  return answer;
}

Result<Answer> Recorder::ask(const Question& question) {
  const bool is_critic = question.purpose == Purpose::critic;
  auto& recorded = is_critic ? recording_.critic : recording_.answers;
  if (!recorded.empty()) {
    const Recording::Answer next = recorded.front();
    recorded.pop_front();
    if (next.purpose != name_of(question.purpose)) {
      return unfitting(fmt::format("an answer for '{}', and one for '{}' is asked for",
                                   next.purpose, name_of(question.purpose)));
    }
    return recorded_answer(next, question);
  }
  if (only_looks()) return over();
  if (!is_critic) TRY(learn_left_out(question));

  compile::Branch critic =
      compile::Branch::on_ref(session_.repository(), is_critic ? critic_ref(id_) : head_ref(id_));
  compile::Branch& branch = is_critic ? critic : session_.branch();
  Answer answer;
  llm::GenerateOptions options = options_for(question);
  options.on_failure = [&](const llm::Failure& failure) { answer.failure = failure; };
  options.accompany = [&](const llm::Reply& reply, const compile::Prompt& prompt) {
    return beside(question, reply, prompt, answer);
  };
  const auto made = llm::generate(branch, question.candidates.front(), options);
  if (!made) {
    if (answer.failure) return answer;
    return made.error();
  }
  answer.commit = made->commit;
  if (!is_critic) last_answer_ = made->commit;
  if (made->reply.failure) {
    // What was cut off is kept and not shown again: the next request asks anew.
    answer.failure = made->reply.failure;
    TRY(branch.annotate(made->commit, store::Priority::skip, "cut off"));
  }
  return answer;
}

llm::Beside Recorder::beside(const Question& question, const llm::Reply& reply,
                             const compile::Prompt& prompt, Answer& answer) {
  llm::Beside beside;
  beside.facts = facts(question.step);
  beside.facts.set_text("purpose", name_of(question.purpose));
  answer.said = said_of(reply);
  std::vector<Decision> decisions;
  if (question.purpose != Purpose::critic) {
    decisions = curation(prompt);
    beside.refs.push_back(head_ref(id_));
  }
  if (question.read && !reply.failure) {
    Reading reading = question.read(answer.said);
    if (!reading.action.empty()) beside.facts.set_text("action", reading.action);
    beside.rationale = write_rationales(reading.rationale);
    answer.rationale = std::move(reading.rationale);
    std::move(reading.decisions.begin(), reading.decisions.end(), std::back_inserter(decisions));
  }
  for (Decision& decision : decisions) {
    Turn turn = turn_of(decision);
    mark(turn.facts, question.step);
    turn.facts.set_text("with", "answer");
    beside.after.push_back(std::move(turn));
  }
  return beside;
}

// After a process ended, what the last prompt left out is what its own request was compiled from.
Result<void> Recorder::learn_left_out(const Question& question) {
  if (left_out_ || !last_answer_) return {};
  const auto commit = TRY(session_.repository().reader().commit(*last_answer_));
  if (!commit->prompt) return {};
  const auto bundle = TRY(session_.repository().reader().bundle(*commit->prompt));
  compile::CompileOptions options;
  options.window = question.window;
  options.budget = session_.options().window_tokens;
  const auto prompt = TRY(session_.repository().compile(bundle.commit, options));
  left_out_ = out_of_window(prompt);
  return {};
}

std::vector<Decision> Recorder::curation(const compile::Prompt& prompt) {
  std::vector<Oid> now = out_of_window(prompt);
  const std::vector<Oid> before = left_out_.value_or(std::vector<Oid>{});
  std::vector<Decision> decisions;
  if (now != before) {
    if (auto dropped = curation_of("curator-dropped", now, before)) {
      decisions.push_back(std::move(*dropped));
    }
    if (auto kept = curation_of("curator-kept", before, now)) decisions.push_back(std::move(*kept));
  }
  left_out_ = std::move(now);
  return decisions;
}

Result<std::optional<Observed>> Recorder::recorded_observation(std::int64_t step,
                                                               std::int64_t call) {
  auto& recorded = recording_.observations;
  if (recorded.empty()) return std::optional<Observed>();
  const Recording::Observation next = recorded.front();
  if (next.step != step || next.call != call) {
    return unfitting(
        fmt::format("an observation of step {}, call {}, and step {}, call {} is asked", next.step,
                    next.call, step, call));
  }
  recorded.pop_front();
  ++observations_;
  const Turn turn = TRY(compile::read_turn(session_.repository().reader(), next.commit));
  if (ports_.generate.tracker != nullptr) {
    if (const auto cost = llm::parse_dollars(turn.facts.json("cost_usd"))) {
      ports_.generate.tracker->add(llm::Cost{*cost}, {.model = "tool"});
    }
  }
  Observed observed = observed_of(turn, step, call);
  observed.commit = next.commit;
  return std::optional(std::move(observed));
}

Result<Oid> Recorder::observe(const Observed& observed) {
  if (only_looks()) return over();
  ++observations_;
  Turn turn = observation_turn(observed, observations_);
  mark(turn.facts, observed.step);
  return append(session_.branch(), head_ref(id_), {std::move(turn)});
}

Result<Oid> Recorder::recorded_saying(std::deque<Recording::Saying>& sayings, std::int64_t step,
                                      std::string_view mark, std::string_view text) {
  const Recording::Saying next = sayings.front();
  sayings.pop_front();
  if (next.mark != mark) return unfitting(fmt::format("a '{}', and not a '{}'", next.mark, mark));
  if (referee_ != nullptr) {
    const Turn turn = TRY(compile::read_turn(session_.repository().reader(), next.commit));
    referee_->compare(step, mark, turn.text, text);
  }
  return next.commit;
}

Result<Oid> Recorder::say(std::int64_t step, std::string_view mark, std::string text) {
  if (!recording_.sayings.empty()) return recorded_saying(recording_.sayings, step, mark, text);
  if (only_looks()) return over();
  Turn turn{.type = Type::user, .text = std::move(text)};
  turn.facts = facts(step);
  turn.facts.set_text(kMark, mark);
  return append(session_.branch(), head_ref(id_), {std::move(turn)});
}

Result<Oid> Recorder::tell_critic(std::int64_t step, std::string_view system, std::string_view mark,
                                  std::string text) {
  if (!recording_.critic_sayings.empty()) {
    return recorded_saying(recording_.critic_sayings, step, mark, text);
  }
  if (only_looks()) return over();
  std::vector<Turn> turns;
  if (!critic_was_told_) {
    turns.push_back({.type = Type::system, .text = std::string(system)});
    turns.back().fields.name = kCriticName;
    turns.back().facts = facts(step);
    critic_was_told_ = true;
  }
  turns.push_back({.type = Type::user, .text = std::move(text)});
  turns.back().facts = facts(step);
  turns.back().facts.set_text(kMark, mark);
  compile::Branch branch = compile::Branch::on_ref(session_.repository(), critic_ref(id_));
  return append(branch, critic_ref(id_), std::move(turns));
}

Result<Recorder::Decided> Recorder::decide(std::int64_t step, Decision decision) {
  if (!recording_.decisions.empty()) {
    const Recording::Decided next = recording_.decisions.front();
    recording_.decisions.pop_front();
    if (next.word != decision.word) {
      return unfitting(fmt::format("the decision '{}', and not '{}'", next.word, decision.word));
    }
    if (referee_ != nullptr) {
      const Turn turn = TRY(compile::read_turn(session_.repository().reader(), next.commit));
      referee_->compare(step, decision.word, turn.text, decision.text);
    }
    return Decided{next.commit, true};
  }
  if (only_looks()) return over();
  Turn turn = turn_of(decision);
  mark(turn.facts, step);
  return Decided{TRY(append(session_.branch(), head_ref(id_), {std::move(turn)})), false};
}

Recorder::Approval Recorder::approval(std::int64_t step, std::int64_t call) const {
  const auto found = recording_.approvals.find({step, call});
  if (found == recording_.approvals.end()) return Approval::not_asked;
  if (!found->second) return Approval::waiting;
  return *found->second ? Approval::approved : Approval::denied;
}

Result<Oid> Recorder::park(std::int64_t step, std::int64_t call, std::string tool) {
  if (only_looks()) return over();
  Turn turn = turn_of({.word = "parked",
                       .text = fmt::format("'{}' waits for approval", tool),
                       .facts = facts(step),
                       .about = {}});
  turn.facts.set_integer("call", call);
  turn.facts.set_text("tool", tool);
  recording_.approvals[{step, call}] = std::nullopt;
  return append(session_.branch(), head_ref(id_), {std::move(turn)});
}

Result<Oid> Recorder::end(std::int64_t step, const std::optional<std::string>& answer,
                          const std::string& error, Facts facts) {
  if (only_looks()) {
    if (!recording_.end) return over();
    const Turn ended = TRY(compile::read_turn(session_.repository().reader(), *recording_.end));
    referee_->compare(step, "end", ended.facts.text("stopped"), facts.text("stopped"));
    referee_->compare(step, "answer", ended.text, answer.value_or(""));
    return *recording_.end;
  }
  Turn turn = turn_of(
      {.word = "run-ended", .text = answer.value_or(""), .facts = std::move(facts), .about = {}});
  if (!answer) turn.facts.set_json("no_answer", "true");
  if (!error.empty()) turn.extra.message = error;
  mark(turn.facts, step);
  return append(session_.branch(), head_ref(id_), {std::move(turn)});
}

std::chrono::microseconds Recorder::elapsed() const {
  if (only_looks()) return before_;
  const auto now = session_.repository().clock().now();
  return before_ +
         std::chrono::microseconds(std::max<std::int64_t>(0, now.micros - started_.micros));
}

}  // namespace spoor::agent::record
