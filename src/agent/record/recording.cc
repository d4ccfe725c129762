#include "agent/record/recording.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "compile/json/reader.h"

namespace spoor::agent::record {
namespace {

using compile::Facts;
using compile::Type;
using store::NamedCommit;

constexpr std::size_t kIdDigits = 16;

std::int64_t integer_of(const Facts& facts, const std::string& key) {
  const std::string text = facts.json(key);
  const auto read = compile::json::parse(text);
  return read ? read->root().integer().value_or(0) : 0;
}

// The commits of a ref that belong to the run, oldest first, down to `root` where there is one.
Result<std::vector<NamedCommit>> commits_of(const compile::Repository& repository, const Oid& from,
                                            std::string_view run) {
  std::vector<NamedCommit> commits;
  TRY(repository.reader().run(from, std::numeric_limits<std::size_t>::max(),
                              [&](const NamedCommit& commit) {
                                commits.push_back(commit);
                                return commit.oid.hex(kIdDigits) != run;
                              }));
  std::reverse(commits.begin(), commits.end());
  return commits;
}

// What one commit of the chain adds.
class Reading {
 public:
  Reading(Recording& recording, std::string run) : recording_(recording), run_(std::move(run)) {}

  Result<void> add(const NamedCommit& named) {
    const store::Commit& commit = *named.commit;
    if (named.oid == recording_.header.root) {
      last_time_ = commit.time;
      ++recording_.commits;
      return {};
    }
    const Facts facts = TRY(compile::read_facts(commit.meta));
    if (facts.text("run") != run_) return {};
    ++recording_.commits;
    if (commit.type == Type::decision) {
      add_decision(named, facts);
    } else {
      recording_.ended.reset();
      recording_.end.reset();
      recording_.is_parked = false;
      add_turn(named, facts);
    }
    if (commit.time && last_time_ && !is_gap_) {
      recording_.elapsed += std::chrono::microseconds(
          std::max<std::int64_t>(0, commit.time->micros - last_time_->micros));
    }
    is_gap_ = false;
    if (commit.time) last_time_ = commit.time;
    return {};
  }

  const std::optional<Oid>& options() const { return options_; }

 private:
  void add_turn(const NamedCommit& named, const Facts& facts) {
    const store::Commit& commit = *named.commit;
    if (commit.op != store::Op::append) return;
    const std::int64_t step = integer_of(facts, "step");
    const std::string mark = facts.text("mark");
    if (commit.type == Type::assistant) {
      // One that was cut off is no answer: the question is asked again.
      if (!facts.text("interrupted").empty()) return;
      const Recording::Answer answer{named.oid, facts.text("purpose"), step, {}};
      last_is_critic_ = answer.purpose == "critic";
      (answer.purpose == "critic" ? recording_.critic : recording_.answers).push_back(answer);
    } else if (commit.type == Type::tool || mark == "observation") {
      recording_.observations.push_back({named.oid, step, integer_of(facts, "call")});
    } else if (commit.type == Type::user && mark != "goal") {
      recording_.sayings.push_back({named.oid, mark, step});
    }
  }

  void add_decision(const NamedCommit& named, const Facts& facts) {
    const std::string word = facts.text("decision");
    if (facts.text("with") == "answer") {
      auto& answers = last_is_critic_ ? recording_.critic : recording_.answers;
      if (!answers.empty()) answers.back().beside.push_back(named.oid);
      return;
    }
    const std::pair<std::int64_t, std::int64_t> call{integer_of(facts, "step"),
                                                     integer_of(facts, "call")};
    recording_.is_parked = word == "parked";
    recording_.ended.reset();
    recording_.end.reset();
    if (word == "run-ended") {
      recording_.ended = facts.text("stopped");
      recording_.end = named.oid;
      return;
    }
    if (word == "resumed") {
      is_gap_ = true;
      if (!named.commit->attach.empty()) options_ = named.commit->attach.front().oid;
      return;
    }
    if (word == "parked") recording_.approvals[call] = std::nullopt;
    if (word == "approved") recording_.approvals[call] = true;
    if (word == "denied") recording_.approvals[call] = false;
    if (word == "parked" || word == "approved" || word == "denied") return;
    recording_.decisions.push_back({named.oid, word, call.first});
  }

  Recording& recording_;
  const std::string run_;
  std::optional<store::Timestamp> last_time_;
  bool is_gap_ = false;
  bool last_is_critic_ = false;
  std::optional<Oid> options_;  // Of the newest process that had others than the one before.
};

}  // namespace

std::string head_ref(std::string_view run) { return fmt::format("{}{}/head", kRunRefs, run); }
std::string critic_ref(std::string_view run) { return fmt::format("{}{}/critic", kRunRefs, run); }

Result<Header> read_header(const compile::Repository& repository, const std::string& run) {
  const auto head = TRY(repository.store().ref(head_ref(run)));
  if (!head) {
    return store::not_found(fmt::format("there is no run '{}'", run), "'spoor runs' lists them");
  }
  Header header;
  header.id = run;
  header.head = *head;
  header.root = TRY(repository.resolve(run));
  const compile::Turn root = TRY(compile::read_turn(repository.reader(), header.root));
  if (root.facts.text("decision") != "run-started") {
    return store::corrupt(fmt::format("the first commit of the run '{}' starts none", run));
  }
  header.goal = root.text;
  header.planner = root.facts.text("planner");
  header.session = root.facts.text("session");
  header.principal = root.facts.text("principal");
  header.time = root.time;
  if (!root.attach.empty()) header.options = root.attach.front().bytes;
  header.origin = root.facts.text("origin");
  header.from_step = integer_of(root.facts, "from_step");
  return header;
}

namespace {

constexpr int kMaxOrigins = 100;  // A run of a run of a run…

Result<Recording> read_recording(const compile::Repository& repository, const std::string& run,
                                 int depth) {
  Recording recording;
  Header header = TRY(read_header(repository, run));
  if (!header.origin.empty()) {
    if (depth == 0) return store::corrupt(fmt::format("the run '{}' has no beginning", run));
    recording =
        before_step(TRY(read_recording(repository, header.origin, depth - 1)), header.from_step);
  }
  recording.header = std::move(header);
  recording.options = recording.header.options;
  Reading reading(recording, run);
  for (const NamedCommit& commit : TRY(commits_of(repository, recording.header.head, run))) {
    TRY(reading.add(commit));
  }
  if (reading.options()) recording.options = *TRY(repository.reader().content(*reading.options()));
  const auto critic = TRY(repository.store().ref(critic_ref(run)));
  if (critic) {
    Recording aside;
    Reading critics(aside, run);
    for (const NamedCommit& commit : TRY(commits_of(repository, *critic, run))) {
      TRY(critics.add(commit));
    }
    std::move(aside.critic.begin(), aside.critic.end(), std::back_inserter(recording.critic));
    std::move(aside.sayings.begin(), aside.sayings.end(),
              std::back_inserter(recording.critic_sayings));
  }
  return recording;
}

template <class Record>
void drop_from(std::int64_t step, std::deque<Record>& records) {
  std::erase_if(records, [&](const Record& record) { return record.step >= step; });
}

}  // namespace

Result<Recording> read_recording(const compile::Repository& repository, const std::string& run) {
  return read_recording(repository, run, kMaxOrigins);
}

Recording before_step(Recording recording, std::int64_t step) {
  drop_from(step, recording.answers);
  drop_from(step, recording.critic);
  drop_from(step, recording.observations);
  drop_from(step, recording.sayings);
  drop_from(step, recording.critic_sayings);
  drop_from(step, recording.decisions);
  std::erase_if(recording.approvals,
                [&](const auto& approval) { return approval.first.first >= step; });
  recording.ended.reset();
  recording.end.reset();
  recording.is_parked = false;
  return recording;
}

Result<Oid> commit_before_step(const compile::Repository& repository, const std::string& run,
                               std::int64_t step) {
  const Header header = TRY(read_header(repository, run));
  Oid before = header.head;
  for (const NamedCommit& commit : TRY(commits_of(repository, header.head, run))) {
    const Facts facts = TRY(compile::read_facts(commit.commit->meta));
    if (facts.text("run") == run && integer_of(facts, "step") >= step) {
      if (commit.commit->parents.empty()) break;
      return commit.commit->parents.front();
    }
  }
  return before;
}

}  // namespace spoor::agent::record
