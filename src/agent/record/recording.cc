#include "agent/record/recording.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "agent/runs.h"
#include "compile/commitment.h"
#include "compile/facts_view.h"
#include "llm/commit_reply.h"
#include "store/erased.h"

namespace spoor::agent::record {
namespace {

using compile::FactsView;
using compile::Type;
using store::NamedCommit;

// Returns a commit and its first-parent chain, oldest first, down to `root` if given.
Result<std::vector<NamedCommit>> commits_to(const graph::Repository& repository, const Oid& from,
                                            const std::optional<Oid>& root) {
  std::vector<NamedCommit> commits;
  TRY(repository.reader().run(from, std::numeric_limits<std::size_t>::max(),
                              [&](const NamedCommit& commit) {
                                commits.push_back(commit);
                                return commit.oid != root;
                              }));
  std::reverse(commits.begin(), commits.end());
  return commits;
}

// Adds the commits of one chain to a recording.
class Reading {
 public:
  Reading(Recording& recording, std::deque<Recording::Event>& events, std::string run)
      : recording_(recording), events_(events), run_(std::move(run)) {}

  Result<void> add(const graph::Repository& repository, const NamedCommit& named) {
    const store::Commit& commit = *named.commit;
    if (named.oid == recording_.header.root) {
      last_time_ = commit.time;
      return {};
    }
    TRY(facts_.read(commit.meta));
    if (!is_of_run(commit, facts_, run_)) return {};
    recording_.ended.reset();
    recording_.end.reset();
    recording_.ended_in_order = false;
    if (commit.type == Type::decision) {
      TRY(add_decision(repository, named));
    } else {
      add_turn(named);
    }
    if (commit.time && last_time_ && !is_gap_) {
      recording_.elapsed += std::chrono::microseconds(
          std::max<std::int64_t>(0, commit.time->micros - last_time_->micros));
    }
    is_gap_ = false;
    if (commit.time) last_time_ = commit.time;
    return {};
  }

  const std::set<Oid>& superseded() const { return superseded_; }

 private:
  using Kind = Recording::Event::Kind;

  void add_turn(const NamedCommit& named) {
    const std::string mark = facts_.get(fact::mark);
    Recording::Event event{
        .commit = named.oid, .step = facts_.get(fact::step).value_or(0), .word = mark};
    if (named.commit->type == Type::assistant) {
      // A cut-off reply is not an answer: the question is asked again.
      if (!facts_.get(fact::interrupted).empty()) return recording_.cut_off.push_back(named.oid);
      event.kind = Kind::answer;
      event.word = facts_.get(fact::purpose);
    } else if (facts_.get(fact::with) == "answer") {  // The result of a call that was not made.
      if (!events_.empty()) events_.back().beside.push_back(named.oid);
      return;
    } else if (named.commit->type == Type::tool || mark == "observation") {
      event.kind = Kind::observation;
      event.call = facts_.get(fact::call).value_or(0);
      recording_.waits_in.clear();
    } else if (named.commit->type == Type::user && mark != "goal") {
      event.kind = Kind::saying;
    } else {
      return;
    }
    events_.push_back(std::move(event));
  }

  Result<void> add_decision(const graph::Repository& repository, const NamedCommit& named) {
    const std::string word = facts_.get(fact::decision);
    if (word == llm::kCallFailed) {  // Not replayed to the planner.
      recording_.failed.push_back(named.oid);
      return {};
    }
    if (facts_.get(fact::with) == "answer") {
      if (!events_.empty()) events_.back().beside.push_back(named.oid);
      return {};
    }
    const std::pair<std::int64_t, std::int64_t> call{facts_.get(fact::step).value_or(0),
                                                     facts_.get(fact::call).value_or(0)};
    if (word == "run-ended") {
      recording_.ended = facts_.get(fact::stopped);
      recording_.ended_by = facts_.get(fact::by);
      recording_.end = named.oid;
      recording_.ended_in_order = !facts_.json(fact::cut_off);
    } else if (word == "resumed") {
      is_gap_ = true;
      // Replies that could not be read were asked for again.
      superseded_.insert(named.commit->about.begin(), named.commit->about.end());
      if (!named.commit->attach.empty()) {
        recording_.options = *TRY(repository.reader().content(named.commit->attach.front().oid));
      }
    } else if (word == "parked") {
      recording_.waits_in = facts_.get(fact::subrun);
      if (recording_.waits_in.empty()) recording_.approvals[call] = {};
      recording_.ended_in_order = true;
    } else if (word == "approved" || word == "denied") {
      recording_.approvals[call] = {word == "approved",
                                    *TRY(compile::text_of(repository.reader(), *named.commit))};
    } else {
      events_.push_back(
          {.kind = Kind::decision, .commit = named.oid, .step = call.first, .word = word});
    }
    return {};
  }

  Recording& recording_;
  std::deque<Recording::Event>& events_;
  const std::string run_;
  FactsView facts_;  // The facts of the commit being added.
  std::optional<Timestamp> last_time_;
  bool is_gap_ = false;
  std::set<Oid> superseded_;
};

}  // namespace

std::string head_ref(std::string_view run) { return fmt::format("{}{}/head", kRunRefs, run); }
std::string critic_ref(std::string_view run) { return fmt::format("{}{}/critic", kRunRefs, run); }

namespace {

Result<Header> header_of(const graph::Repository& repository, const std::string& run,
                         const Oid& root_commit, const Oid& head) {
  Header header;
  header.id = run;
  header.root = root_commit;
  header.head = head;
  const compile::Turn root = TRY(graph::read_turn(repository.reader(), header.root));
  const auto commit = TRY(repository.reader().commit(header.root));
  FactsView facts;
  TRY(facts.read(commit->meta));
  if (root.facts.get(fact::decision) != "run-started") {
    return corrupt(fmt::format("the first commit of the run '{}' does not start a run", run));
  }
  header.goal = root.text;
  header.is_erased = store::is_erasure_text(header.goal) &&
                     !TRY(repository.store().has(std::array{commit->content->oid}))[0];
  header.planner = root.facts.get(fact::planner);
  header.session = root.facts.get(fact::session);
  header.principal = root.facts.get(fact::principal);
  header.time = root.time;
  if (!root.attach.empty()) header.options = root.attach[0].bytes;
  if (root.attach.size() > 1) header.system = root.attach[1].bytes;
  header.origin = root.facts.get(fact::forked_from);
  header.from_step = facts.get(fact::from_step).value_or(0);
  if (std::string tree = facts.get(fact::tree); !tree.empty()) {
    header.attempt_of = AttemptOf{.tree = std::move(tree),
                                  .number = facts.get(fact::attempt).value_or(0),
                                  .observations = facts.get(fact::count).value_or(0)};
  }
  return header;
}

// `before`: the recording of the run that this one continues.
Result<Recording> read_recording(const graph::Repository& repository, Header header,
                                 Recording before) {
  const std::string run = header.id;
  Recording recording = before_step(std::move(before), header.from_step);
  recording.header = std::move(header);
  recording.options = recording.header.options;
  Reading reading(recording, recording.events, run);
  for (const NamedCommit& commit :
       TRY(commits_to(repository, recording.header.head, recording.header.root))) {
    TRY(reading.add(repository, commit));
  }
  const auto critic = TRY(repository.store().ref(critic_ref(run)));
  if (critic) {
    Recording aside;
    Reading critics(aside, recording.critic, run);
    for (const NamedCommit& commit : TRY(commits_to(repository, *critic, std::nullopt))) {
      TRY(critics.add(repository, commit));
    }
    recording.cut_off.insert(recording.cut_off.end(), aside.cut_off.begin(), aside.cut_off.end());
    recording.failed.insert(recording.failed.end(), aside.failed.begin(), aside.failed.end());
  }
  for (auto* events : {&recording.events, &recording.critic}) {
    std::erase_if(*events, [&](const Recording::Event& event) {
      if (!reading.superseded().contains(event.commit)) return false;
      recording.cut_off.push_back(event.commit);
      return true;
    });
  }
  return recording;
}

void drop_from(std::int64_t step, std::deque<Recording::Event>& events) {
  std::erase_if(events, [&](const Recording::Event& event) { return event.step >= step; });
}

}  // namespace

Result<void> check_readable(const Header& header) {
  if (header.is_erased) {
    return denied(
        fmt::format("the run {} cannot continue: its beginning was erased", header.id.substr(0, 8)),
        "start another one with 'spoor run GOAL'");
  }
  const bool is_hashed =
      compile::is_commitment(header.goal) || compile::is_commitment(header.options);
  if (!is_hashed) return {};
  return denied(
      fmt::format("the run {} cannot continue: only hashes were kept", header.id.substr(0, 8)),
      "start another one with 'spoor run GOAL'");
}

Result<Header> read_header(const graph::Repository& repository, const std::string& run) {
  const RunName name = TRY(find_run(repository, run));
  return header_of(repository, name.id, name.root, name.head);
}

Result<Recording> read_recording(const graph::Repository& repository, const std::string& run) {
  Header header = TRY(read_header(repository, run));
  const auto origins = TRY(origins_of(repository, header.root));
  // Read each earlier run only along this run's own chain; the rest may no longer exist.
  Recording recording;
  for (std::size_t i = origins.size(); i-- > 0;) {
    const Oid& next = i == 0 ? header.root : origins[i - 1].root;
    const auto began = TRY(repository.reader().commit(next));
    Header origin =
        TRY(header_of(repository, origins[i].run, origins[i].root, began->parents.front()));
    recording = TRY(read_recording(repository, std::move(origin), std::move(recording)));
  }
  return read_recording(repository, std::move(header), std::move(recording));
}

namespace {

constexpr int kMostLevels = 16;  // A store may contain any runs, such as two that call each other.

Result<bool> waits_inside(const graph::Repository& repository, const Recording& recording,
                          int level);

Result<bool> waits(const graph::Repository& repository, const Recording& recording, int level) {
  const bool is_own = std::any_of(recording.approvals.begin(), recording.approvals.end(),
                                  [](const auto& one) { return !one.second.is_approved; });
  return is_own ? Result<bool>(true) : waits_inside(repository, recording, level);
}

Result<bool> waits_inside(const graph::Repository& repository, const Recording& recording,
                          int level) {
  if (recording.waits_in.empty() || level == kMostLevels) return false;
  return waits(repository, TRY(record::read_recording(repository, recording.waits_in)), level + 1);
}

}  // namespace

Result<bool> waits_inside(const graph::Repository& repository, const Recording& recording) {
  return waits_inside(repository, recording, 0);
}

Result<bool> waits(const graph::Repository& repository, const Recording& recording) {
  return waits(repository, recording, 0);
}

Recording before_step(Recording recording, std::int64_t step) {
  drop_from(step, recording.events);
  drop_from(step, recording.critic);
  std::erase_if(recording.approvals,
                [&](const auto& approval) { return approval.first.first >= step; });
  recording.ended.reset();
  recording.end.reset();
  recording.ended_in_order = false;
  recording.waits_in.clear();
  recording.cut_off.clear();
  recording.failed.clear();
  recording.elapsed = {};  // The new attempt has its own time.
  return recording;
}

Result<Oid> commit_before_step(const graph::Repository& repository, const std::string& run,
                               std::int64_t step) {
  const RunName name = TRY(find_run(repository, run));
  auto origins = TRY(origins_of(repository, name.root));
  std::vector<std::string> runs = {name.id};
  for (const Origin& origin : origins) runs.push_back(origin.run);
  const Oid& first = origins.empty() ? name.root : origins.back().root;
  Oid before = name.head;
  FactsView facts;
  for (const NamedCommit& commit : TRY(commits_to(repository, name.head, first))) {
    TRY(facts.read(commit.commit->meta));
    const bool is_of_one = std::any_of(runs.begin(), runs.end(), [&](const std::string& one) {
      return is_of_run(*commit.commit, facts, one);
    });
    if (is_of_one && facts.get(fact::step).value_or(0) >= step) {
      if (commit.commit->parents.empty()) break;
      return commit.commit->parents.front();
    }
  }
  return before;
}

}  // namespace spoor::agent::record
