#include "agent/record/recording.h"

#include <algorithm>
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
constexpr std::size_t kMinPrefix = 4;

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

 private:
  void add_turn(const NamedCommit& named, const Facts& facts) {
    const store::Commit& commit = *named.commit;
    if (commit.op != store::Op::append) return;
    const std::int64_t step = integer_of(facts, "step");
    const std::string mark = facts.text("mark");
    if (commit.type == Type::assistant) {
      // One that was cut off is no answer: the question is asked again.
      if (!facts.text("interrupted").empty()) return;
      const Recording::Answer answer{named.oid, facts.text("purpose"), step};
      (answer.purpose == "critic" ? recording_.critic : recording_.answers).push_back(answer);
    } else if (commit.type == Type::tool || mark == "observation") {
      recording_.observations.push_back({named.oid, step, integer_of(facts, "call")});
    } else if (commit.type == Type::user && mark != "goal") {
      recording_.sayings.push_back({named.oid, mark});
    }
  }

  void add_decision(const NamedCommit& named, const Facts& facts) {
    const std::string word = facts.text("decision");
    if (facts.text("with") == "answer") return;
    const std::pair<std::int64_t, std::int64_t> call{integer_of(facts, "step"),
                                                     integer_of(facts, "call")};
    recording_.is_parked = word == "parked";
    recording_.ended.reset();
    if (word == "run-ended") {
      recording_.ended = facts.text("stopped");
      return;
    }
    if (word == "resumed") {
      is_gap_ = true;
      return;
    }
    if (word == "parked") recording_.approvals[call] = std::nullopt;
    if (word == "approved") recording_.approvals[call] = true;
    if (word == "denied") recording_.approvals[call] = false;
    if (word == "parked" || word == "approved" || word == "denied") return;
    recording_.decisions.push_back({named.oid, word});
  }

  Recording& recording_;
  const std::string run_;
  std::optional<store::Timestamp> last_time_;
  bool is_gap_ = false;
};

}  // namespace

std::string head_ref(std::string_view run) { return fmt::format("{}{}/head", kRunRefs, run); }
std::string critic_ref(std::string_view run) { return fmt::format("{}{}/critic", kRunRefs, run); }

Result<std::vector<std::string>> all_runs(const compile::Repository& repository) {
  std::vector<std::string> runs;
  for (const store::Ref& ref : TRY(repository.store().refs(kRunRefs))) {
    const std::string_view rest = std::string_view(ref.name).substr(kRunRefs.size());
    if (rest.size() > kIdDigits && rest.substr(kIdDigits) == "/head") {
      runs.emplace_back(rest.substr(0, kIdDigits));
    }
  }
  return runs;
}

Result<std::string> find_run(const compile::Repository& repository, std::string_view name) {
  const auto runs = TRY(all_runs(repository));
  const char* const hint = "'spoor runs' lists them";
  if (name == "latest") {
    std::optional<std::pair<std::int64_t, std::string>> newest;
    for (const std::string& run : runs) {
      const Header header = TRY(read_header(repository, run));
      const std::pair<std::int64_t, std::string> found{header.time ? header.time->micros : 0, run};
      if (!newest || found > *newest) newest = found;
    }
    if (!newest) return store::not_found("there is no run yet", "start one with 'spoor run GOAL'");
    return newest->second;
  }
  std::vector<std::string> found;
  if (name.size() >= kMinPrefix) {
    for (const std::string& run : runs) {
      if (run.starts_with(name) || (name.size() > kIdDigits && name.starts_with(run))) {
        found.push_back(run);
      }
    }
  }
  if (found.empty()) return store::not_found(fmt::format("there is no run '{}'", name), hint);
  if (found.size() > 1) {
    std::string candidates = "one of";
    for (const std::string& run : found) candidates += ' ' + run;
    return store::ambiguous(fmt::format("'{}' names {} runs", name, found.size()), candidates);
  }
  return found.front();
}

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
  return header;
}

Result<Recording> read_recording(const compile::Repository& repository, const std::string& run) {
  Recording recording;
  recording.header = TRY(read_header(repository, run));
  Reading reading(recording, run);
  for (const NamedCommit& commit : TRY(commits_of(repository, recording.header.head, run))) {
    TRY(reading.add(commit));
  }
  const auto critic = TRY(repository.store().ref(critic_ref(run)));
  if (critic) {
    Recording aside;
    Reading critics(aside, run);
    for (const NamedCommit& commit : TRY(commits_of(repository, *critic, run))) {
      TRY(critics.add(commit));
    }
    recording.critic = std::move(aside.critic);
    recording.critic_sayings = std::move(aside.sayings);
  }
  return recording;
}

}  // namespace spoor::agent::record
