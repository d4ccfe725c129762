// What is kept of a model's calls, and what it costs to make a request again.
#include <benchmark/benchmark.h>

#include "bench/figures.h"
#include "bench/workload.h"
#include "store/sha256.h"

namespace spoor::bench {
namespace {

constexpr std::size_t kRecordedCalls = 1'000;

Profile profile() { return must(find_profile("anthropic")); }

// A conversation of many calls: what was said, and the names of the answers.
struct Conversation {
  ScratchFolder folder;
  std::unique_ptr<Repository> repository;
  std::vector<Oid> answers;
  std::uint64_t bodies = 0;   // Bytes of all requests together.
  std::uint64_t texts = 0;    // Bytes that were said.
  std::uint64_t written = 0;  // Bytes of the store's objects.
};

std::uint64_t object_bytes(const Repository& repository) {
  std::uint64_t bytes = 0;
  must(repository.store().scan([&](const store::StoredObject& object) {
    bytes += object.object.body.size();
    return true;
  }));
  return bytes;
}

Conversation& conversation() {
  static Conversation made;
  if (made.repository) return made;
  const auto texts = make_texts(2 * kRecordedCalls, 7);
  made.repository = must(Repository::create(made.folder.path("calls"), {}));
  Branch branch = made.repository->branch("main");
  NoWaiting waiting;
  ScriptedProvider model(
      profile(),
      [&](const llm::Request& request, std::size_t number) {
        made.bodies += request.body.size();
        llm::ScriptedAnswer answer;
        answer.reply = say(texts[2 * number + 1]);
        return answer;
      },
      waiting);
  Candidate candidate;
  candidate.provider = &model;
  candidate.model = "claude-x";
  for (std::size_t i = 0; i < kRecordedCalls; ++i) {
    made.answers.push_back(must(chat(branch, texts[2 * i], candidate, {})).commit);
    made.texts += texts[2 * i].size() + texts[2 * i + 1].size();
  }
  made.written = object_bytes(*made.repository);
  return made;
}

void rebuild_ours(benchmark::State& state) {
  const Conversation& all = conversation();
  for (auto _ : state) {
    const SentPrompt sent = must(sent_prompt(*all.repository, all.answers.back()));
    must(sent.verdict == SentPrompt::Verdict::verified, "a request was not rebuilt");
    benchmark::DoNotOptimize(sent.body.size());
  }
}

// No rebuilding proves anything without hashing the body.
void rebuild_floor(benchmark::State& state) {
  const Conversation& all = conversation();
  const std::string body = must(sent_prompt(*all.repository, all.answers.back())).body;
  for (auto _ : state) {
    const std::string copy = body;
    benchmark::DoNotOptimize(store::sha256(copy));
  }
}

}  // namespace

void register_record() {
  benchmark::RegisterBenchmark("rebuild/ours", rebuild_ours);
  benchmark::RegisterBenchmark("rebuild/floor", rebuild_floor);
}

void rows_of_record(const Times& times, std::vector<Row>& rows) {
  const double ours = times.at("rebuild/ours");
  const double floor = times.at("rebuild/floor");
  rows.push_back({"a request rebuilt, 1,000 calls on", ours / 1e6, "ms", floor / 1e6, ours / floor,
                  std::nullopt, Row::Want::at_most, "floor: a copy and SHA-256 of its bytes"});
  const Conversation& all = conversation();
  const auto kept = static_cast<double>(all.written - all.texts) / kRecordedCalls;
  const auto whole = static_cast<double>(all.bodies) / kRecordedCalls;
  rows.push_back({"kept of a call beside its texts", kept, "bytes", whole, kept / whole,
                  std::nullopt, Row::Want::at_most, "floor: each request stored whole"});
}

}  // namespace spoor::bench
