#include "guard/check/evaluations.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/json/number.h"
#include "base/json/reader.h"
#include "base/json/writer.h"
#include "guard/check/action_effects.h"
#include "guard/check/event.h"
#include "guard/check/findings.h"
#include "guard/check/reply.h"

namespace spoor::guard::check {

namespace {

using compile::Turn;
using compile::Type;
using store::NamedCommit;

constexpr const char* kEvaluation = "evaluation";
constexpr std::size_t kMostInMeta = 2'000;  // Bytes.

// Returns `fail: scope.denied-path: …`, a line for each that is not `pass`.
std::string lines_of(const Judgement& judgement) {
  std::string lines;
  for (const CheckResult& result : judgement.results) {
    const bool is_quiet = result.violations.empty() && !judgement.is_persons;
    if (is_quiet && result.status == CheckStatus::pass) continue;
    if (result.violations.empty()) {
      lines += fmt::format("{}: {}\n", name_of(result.status), result.check);
    }
    for (const Violation& violation : result.violations) {
      lines +=
          fmt::format("{}: {}: {}\n", name_of(result.status), violation.id, violation.message.text);
    }
  }
  if (lines.empty()) lines = fmt::format("{}\n", name_of(status_of(judgement.results)));
  lines.pop_back();
  return lines;
}

// Returns `paths scope fail 0.25`: a result without its texts, for stores that keep no texts.
std::string bare_text(const CheckResult& result) {
  std::string text =
      fmt::format("{} {} {}", result.check, name_of(result.type), name_of(result.status));
  if (result.score) text += ' ' + json::write_number(*result.score);
  return text;
}

std::optional<CheckResult> read_bare(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (words.size() < 3 || words.size() > 4) return std::nullopt;
  const auto type = trace::constraint_type_from(words[1]);
  const auto status = trace::status_from(words[2]);
  if (!type || !status) return std::nullopt;
  CheckResult result;
  result.check = words[0];
  result.type = *type;
  result.status = *status;
  if (words.size() == 4) {
    double score = -1;
    std::from_chars(words[3].data(), words[3].data() + words[3].size(), score);
    if (score >= 0 && score <= 1) result.score = score;
  }
  return result;
}

Turn note_of(const Judgement& judgement) {
  Turn turn{.type = Type::note, .text = lines_of(judgement)};
  turn.facts.set(fact::note, kEvaluation);
  turn.facts.set(fact::verdict, name_of(status_of(judgement.results)));
  if (judgement.is_persons) turn.facts.set(fact::by, kPerson);
  if (judgement.is_override) turn.facts.set(fact::is_override, true);
  std::vector<std::string> results;
  std::vector<std::string> bare;
  std::size_t size = 0;
  turn.about.push_back(judgement.commit);
  for (const CheckResult& result : judgement.results) {
    results.push_back(write_result(result));
    bare.push_back(bare_text(result));
    size += bare.back().size();
    if (result.asked) turn.about.push_back(*result.asked);
  }
  json::Object object;
  object.add_json("results", json::write_array(results));
  if (size <= kMostInMeta) turn.facts.set(fact::checks, json::write_strings(bare));
  turn.attach.push_back({object.write()});
  return turn;
}

// Returns the results that a note keeps.
std::vector<CheckResult> results_in(const std::string& text, CheckStatus status,
                                    compile::Capture capture, const std::string& bare) {
  std::vector<CheckResult> results;
  const auto document = json::parse(text);
  if (document && document->root().find("results").is_array()) {
    for (const json::Value each : document->root().find("results").elements()) {
      auto result = read_result(each.raw());
      if (!result) {
        results.clear();
        break;
      }
      for (Violation& violation : result->violations) {
        violation.message = content_of(violation.message.text, capture);
        violation.evidence = content_of(violation.evidence.text, capture);
      }
      results.push_back(std::move(result).value());
    }
  }
  const auto kept = json::parse(bare);
  if (results.empty() && kept) {
    for (const json::Value each : kept->root().elements()) {
      if (auto result = read_bare(each.text())) results.push_back(std::move(*result));
    }
  }
  if (results.empty()) {
    CheckResult known;
    known.check = kEvaluation;
    known.status = status;
    results.push_back(std::move(known));
  }
  return results;
}

// Reads the attachments of all notes at once; empty if there is none. An erased one is not JSON.
Result<std::vector<std::string>> contents_of(const store::Reader& reader,
                                             const std::vector<NamedCommit>& notes) {
  std::vector<std::string> kept(notes.size());
  std::vector<Oid> oids;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < notes.size(); ++i) {
    if (notes[i].commit->attach.empty()) continue;
    oids.push_back(notes[i].commit->attach.front().oid);
    places.push_back(i);
  }
  const auto all = TRY(reader.contents(oids));
  for (std::size_t i = 0; i < places.size(); ++i) kept[places[i]] = *all[i];
  return kept;
}

void add_status(CheckStatus& to, bool& is_first, CheckStatus status) {
  to = is_first ? status : worse(to, status);
  is_first = false;
}

}  // namespace

std::vector<CheckResult> in_force(const std::vector<Judgement>& judgements) {
  std::vector<CheckResult> results;
  for (const Judgement& judgement : judgements) {
    if (judgement.is_override) results.clear();
    for (const CheckResult& result : judgement.results) {
      std::erase_if(results,
                    [&](const CheckResult& earlier) { return earlier.check == result.check; });
      results.push_back(result);
    }
  }
  return results;
}

CheckStatus status_of(const std::vector<CheckResult>& results) {
  if (results.empty()) return CheckStatus::unknown;
  CheckStatus worst = CheckStatus::pass;
  for (const CheckResult& result : results) worst = worse(worst, result.status);
  return worst;
}

Judgement persons_judgement(const Oid& commit, CheckStatus status, std::string words,
                            bool is_override) {
  Judgement judgement;
  judgement.commit = commit;
  judgement.is_persons = true;
  judgement.is_override = is_override;
  CheckResult result;
  result.check = kPerson;
  result.status = status;
  if (!words.empty()) {
    Violation said_so;
    said_so.id = kPerson;
    said_so.severity = status == CheckStatus::fail   ? Severity::high
                       : status == CheckStatus::warn ? Severity::low
                                                     : Severity::info;
    said_so.message = full_content(std::move(words));
    said_so.evidence = full_content("");
    result.violations.push_back(std::move(said_so));
  }
  judgement.results.push_back(std::move(result));
  return judgement;
}

Result<std::vector<Oid>> record(graph::Repository& repository,
                                const std::vector<Judgement>& judgements,
                                std::string_view command) {
  for (const Judgement& judgement : judgements) {
    const auto commit = TRY(repository.reader().commit(judgement.commit));
    if (commit->type != Type::note) continue;
    const compile::Facts facts = TRY(compile::read_facts(commit->meta));
    if (facts.get(fact::note) == kEvaluation) {
      return invalid(
          fmt::format("'{}' is itself a judgement", judgement.commit.hex().substr(0, 8)),
          fmt::format("judge its subject: '{}'",
                      commit->about.empty() ? "" : commit->about.front().hex().substr(0, 8)));
    }
  }
  std::vector<Oid> notes;
  if (judgements.empty()) return notes;
  graph::Branch chain = graph::Branch::on_ref(repository, kEvaluationRef);
  const auto now = repository.clock().now();
  TRY(chain.write(command, [&](graph::Draft& draft, const std::string& ref) -> Result<Oid> {
    notes.clear();
    for (const Judgement& judgement : judgements) {
      Turn turn = graph::stamped(note_of(judgement), repository.author(), now);
      notes.push_back(TRY(draft.append(ref, turn)));
    }
    return notes.back();
  }));
  return notes;
}

Result<std::map<Oid, std::vector<Judgement>>> read_evaluations(
    const graph::Repository& repository) {
  std::map<Oid, std::vector<Judgement>> found;
  const auto tip = TRY(repository.store().ref(kEvaluationRef));
  if (!tip) return found;
  std::vector<NamedCommit> notes;
  const store::Reader& reader = repository.reader();
  TRY(reader.run(*tip, std::numeric_limits<std::size_t>::max(), [&](const NamedCommit& commit) {
    const bool is_note = commit.commit->op == store::Op::append &&
                         commit.commit->type == Type::note && !commit.commit->about.empty();
    if (is_note) notes.push_back(commit);
    return true;
  }));
  std::reverse(notes.begin(), notes.end());
  const std::vector<std::string> kept = TRY(contents_of(reader, notes));
  for (std::size_t i = 0; i < notes.size(); ++i) {
    const NamedCommit& named = notes[i];
    const store::Commit& commit = *named.commit;
    const compile::Facts facts = TRY(compile::read_facts(commit.meta));
    const std::string bare = facts.json(fact::checks);  // Kept in each capture mode.
    if (facts.get(fact::note) != kEvaluation && bare.empty()) continue;
    Judgement judgement;
    judgement.commit = commit.about.front();
    judgement.note = named.oid;
    judgement.author = commit.author;
    judgement.time = commit.time;
    judgement.is_persons = facts.get(fact::by) == kPerson;
    judgement.is_override = facts.get(fact::is_override);
    const auto capture =
        compile::capture_from(facts.get(fact::capture)).value_or(compile::Capture::full);
    const CheckStatus status =
        trace::status_from(facts.get(fact::verdict)).value_or(CheckStatus::unknown);
    judgement.results = results_in(kept[i], status, capture, bare);
    found[judgement.commit].push_back(std::move(judgement));
  }
  return found;
}

bool says_the_same(const Judgement& a, const Judgement& b) {
  const bool is_alike = a.commit == b.commit && a.is_persons == b.is_persons &&
                        a.is_override == b.is_override && a.results.size() == b.results.size();
  for (std::size_t i = 0; is_alike && i < a.results.size(); ++i) {
    if (write_result(a.results[i]) != write_result(b.results[i])) return false;
  }
  return is_alike;
}

Evaluation evaluation_of_results(const std::vector<CheckResult>& results) {
  Evaluation evaluation;
  bool no_alignment = true;
  bool no_quality = true;
  bool no_policy = true;
  for (const CheckResult& result : results) {
    switch (result.type) {
      case Constraint::Type::quality:
        add_status(evaluation.quality, no_quality, result.status);
        evaluation.quality_checks.push_back(result);
        break;
      case Constraint::Type::safety:
        add_status(evaluation.policy, no_policy, result.status);
        evaluation.policy_checks.push_back(result);
        break;
      default:
        add_status(evaluation.alignment, no_alignment, result.status);
        if (result.score) {
          evaluation.score = std::min(evaluation.score.value_or(1), *result.score);
        }
        evaluation.violations.insert(evaluation.violations.end(), result.violations.begin(),
                                     result.violations.end());
    }
  }
  return evaluation;
}

Evaluation evaluation_of(const std::vector<Judgement>& judgements) {
  return evaluation_of_results(in_force(judgements));
}

}  // namespace spoor::guard::check
